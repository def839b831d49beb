"""Transforms one field, chunk by chunk: conversion to its type and the configuration's own functions, nothing else.

The conversion comes first where it can, so that `transform` sees typed values, and once more after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from operator import ne
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.convert import EXACT_TYPES, CannotConvert, convert_all, converter
from ade_engine.distinct import PerDistinctValue
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.records import record
from ade_engine.rules import CELL_TYPES, aligned, cannot_hold, raised

_NUMBERS = {bool, int, float}
Rows = Sequence[Mapping[str, Value]]


@record(frozen=False)
class Transformed:
    """A chunk of a field on its way through the transforms; `findings` are by place in the chunk."""

    values: Sequence[Value]
    findings: list[tuple[int, Finding]] = field(default_factory=list)


Step = Callable[[Transformed, Rows], None]


class FieldTransform:
    """The transforms of one field of one table. `changes` counts altered values by rule."""

    def __init__(self, rules: ColumnRules, given: Mapping[str, Any]) -> None:
        self._rules = rules
        self.changes: Counter[str] = Counter()
        functions = list(self._functions(given))
        self._steps = [*self._conversions(), *functions, *(self._conversions() if functions else ())]
        self._combine = rules.combine.bind(**given) if rules.combine else None

    @property
    def needs_rows(self) -> bool:
        """Tell whether the transform wants to see the row."""
        return self._rules.transform is not None and "row" in self._rules.transform.parameters

    def apply(self, sources: Sequence[Sequence[Value]], rows: Rows) -> Transformed:
        """Return the field's values for a chunk. `rows` may be empty unless `needs_rows`."""
        chunk = self._combined(sources) if len(sources) > 1 else Transformed(sources[0])
        for step in self._steps:
            step(chunk, rows)
        return chunk

    def _take(self, chunk: Transformed, rule: str, values: list[Value], findings: list[tuple[int, Finding]]) -> None:
        count = _count_changes(chunk.values, values)
        if count:
            self.changes[rule] += count
        chunk.values = values
        chunk.findings += findings

    def _functions(self, given: Mapping[str, Any]) -> Iterator[Step]:
        """Yield the steps of the configuration's own functions."""
        if (function := self._rules.transform) is not None:
            # What a function keeps in the context can differ from call to call.
            is_pure = function.takes_only("value", "field", "column", "table")
            yield (self._by_value if is_pure else self._by_row)(function, function.bind(**given))
        if (function := self._rules.transform_column) is not None:
            yield self._by_column(function, function.bind(**given))

    def _conversions(self) -> Iterator[Step]:
        """Yield the step to the field's type, if it has one."""
        convert = converter(self._rules.field)
        if convert is None:
            return
        work = PerDistinctValue(convert, _leave)
        rule, exact = f"type.{self._rules.field.type}", EXACT_TYPES[self._rules.field.type or ""]

        def step(chunk: Transformed, _: Rows) -> None:
            if set(map(type, chunk.values)) <= exact:
                return
            converted = convert_all(chunk.values, self._rules.field)
            self._take(chunk, rule, *(work(chunk.values) if converted is None else (converted, [])))

        yield step

    def _by_value(self, function: Function, call: Callable[..., Any]) -> Step:
        is_plain = function.parameters == ("value",)
        work = PerDistinctValue(
            call if is_plain else lambda value: call(value=value), lambda error: raised(function, error)
        )

        def step(chunk: Transformed, _: Rows) -> None:
            values, findings = work(chunk.values)
            self._take(chunk, function.rule, *_only_what_cells_hold(function, chunk.values, values, findings))

        return step

    def _by_row(self, function: Function, call: Callable[..., Any]) -> Step:
        wants_value, wants_row = "value" in function.parameters, "row" in function.parameters

        def step(chunk: Transformed, rows: Rows) -> None:
            values = list(chunk.values)
            findings: list[tuple[int, Finding]] = []
            for place, value in enumerate(chunk.values):
                # A function of the value has nothing to say about an empty cell; a function of the row may fill it.
                if wants_value and is_empty(value):
                    continue
                asked = ({"value": value} if wants_value else {}) | ({"row": rows[place]} if wants_row else {})
                try:
                    values[place] = call(**asked)
                except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this cell, not of the run
                    findings.append((place, raised(function, error)))
            self._take(chunk, function.rule, *_only_what_cells_hold(function, chunk.values, values, findings))

        return step

    def _by_column(self, function: Function, call: Callable[..., Any]) -> Step:
        def step(chunk: Transformed, _: Rows) -> None:
            try:
                answer = call(values=list(chunk.values))
            except Exception as error:  # noqa: BLE001 - as above
                chunk.findings.append((0, raised(function, error)))
                return
            values = aligned(function, answer, len(chunk.values))
            self._take(chunk, function.rule, *_only_what_cells_hold(function, chunk.values, values, []))

        return step

    def _combined(self, sources: Sequence[Sequence[Value]]) -> Transformed:
        """Join several source columns into one value each, by the field's explicit rule."""
        chunk = Transformed(values := [])
        for place, parts in enumerate(zip(*sources, strict=True)):
            filled = [part for part in parts if not is_empty(part)]
            if len(filled) < 2:
                values.append(filled[0] if filled else None)
                continue
            value, finding = self._joined(filled)
            values.append(value)
            self.changes["combine"] += 1
            if finding is not None:
                chunk.findings.append((place, finding))
        return chunk

    def _joined(self, parts: list[Value]) -> tuple[Value, Finding | None]:
        function = self._rules.combine
        if function is None or self._combine is None:
            return (self._rules.field.combine or " ").join(map(str, parts)), None
        try:
            result = self._combine(values=parts)
        except Exception as error:  # noqa: BLE001 - as above
            return parts[0], raised(function, error)
        finding = cannot_hold(function, result)
        return (parts[0] if finding else result), finding


def _leave(error: Exception) -> None:
    """What cannot be converted stays: validation says so, once, after all transforms had their chance."""
    if not isinstance(error, CannotConvert):
        raise error


def _only_what_cells_hold(
    function: Function, before: Sequence[Value], after: list[Value], findings: list[tuple[int, Finding]]
) -> tuple[list[Value], list[tuple[int, Finding]]]:
    """Put the old value back where a rule returned something that is no cell value."""
    if set(map(type, after)) <= CELL_TYPES:
        return after, findings
    for place, value in enumerate(after):
        if (finding := cannot_hold(function, value)) is not None:
            after[place] = before[place]
            findings.append((place, finding))
    return after, findings


def _count_changes(before: Sequence[Value], after: Sequence[Value]) -> int:
    old, new = set(map(type, before)), set(map(type, after))
    if old.isdisjoint(new):
        return len(after)
    if (old | new) & _NUMBERS:
        return sum(map(differs, before, after))
    return sum(map(ne, before, after))


def differs(old: Value, new: Value) -> bool:
    """Tell whether a value was altered; 1 and True are not the same thing in a cell."""
    if old is new:
        return False
    return type(old) is not type(new) or old != new
