"""Transforms one field, chunk by chunk: conversion to its type and the configuration's own functions, nothing else.

The conversion comes first, so that `transform` sees a typed value wherever there is one, and once more after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from operator import ne
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.convert import EXACT_TYPES, CannotConvert, convert_all, converter
from ade_engine.convert_numbers import plainest
from ade_engine.distinct import PerDistinctValue
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.marks import MARKED_TYPES, marks_in
from ade_engine.records import record
from ade_engine.row_view import FieldNotComputed, UnreadableField, Views
from ade_engine.rules import aligned, are_cells, as_cell, asked_of_rows, not_computed, raised, unreadable
from ade_engine.sourcing import Work

_NUMBERS = {bool, int, float}
_NONE: Mapping[int, str] = {}


@record(frozen=False)
class Transformed:
    """A chunk of a field on its way through the transforms; `findings` and `marks` are by place in the chunk."""

    values: Sequence[Value]
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    joined: set[int] = field(default_factory=set)  # places where several columns gave one value
    change_counts: list[int] = field(default_factory=list)  # of each rule that changed something
    marks: dict[int, str] = field(default_factory=dict)  # the currencies and percent signs that conversion took off


Step = Callable[[Transformed, Views], None]


class FieldTransform:
    """The transforms of one field of one table.

    `changes` counts altered values by rule; `changed_count` counts cells, however many rules altered each.
    """

    def __init__(
        self,
        rules: ColumnRules,
        given: Mapping[str, Any],
        *,
        first: Iterable[tuple[str, Work]] = (),
        last: Iterable[tuple[str, Work]] = (),
    ) -> None:
        """`first` and `last` are done before and after everything else, each with the name it is counted under."""
        self._rules = rules
        self.changes: Counter[str] = Counter()
        self.changed_count = 0
        functions = list(self._functions(given))
        middle = [*self._conversions(), *functions, *(self._conversions() if functions else ())]
        self._steps = [*map(self._work, first), *middle, *map(self._work, last)]
        self._combine = rules.combine.bind(**given) if rules.combine else None

    @property
    def needs_rows(self) -> bool:
        """Return whether the transform asks for the row or its source."""
        return self._rules.transform is not None and bool(asked_of_rows(self._rules.transform))

    def start(self, sources: Sequence[Sequence[Value]]) -> Transformed:
        """Return what the transforms begin with: the cells of the field's column, or of several joined."""
        return self._combined(sources) if len(sources) > 1 else Transformed(sources[0])

    def apply(self, chunk: Transformed, views: Views, currencies: Mapping[int, str] = _NONE) -> Transformed:
        """Take a chunk through the transforms. `views` may be empty unless `needs_rows`.

        `currencies` fill empty cells, by place.
        """
        before = chunk.values
        if currencies:
            values = [currencies.get(n, value) if is_empty(value) else value for n, value in enumerate(before)]
            self._take(chunk, "currency", values, [])
        for step in self._steps:
            step(chunk, views)
        self.changed_count += _count_changed_cells(before, chunk)
        return chunk

    def _take(self, chunk: Transformed, rule: str, values: list[Value], findings: list[tuple[int, Finding]]) -> None:
        count = _count_changes(chunk.values, values)
        if count:
            self.changes[rule] += count
            chunk.change_counts.append(count)
        chunk.values = values
        chunk.findings += findings

    def _work(self, named: tuple[str, Work]) -> Step:
        rule, work = named

        def step(chunk: Transformed, _: Views) -> None:
            self._take(chunk, rule, *work(chunk.values))

        return step

    def _functions(self, given: Mapping[str, Any]) -> Iterator[Step]:
        """Yield the steps of the configuration's own functions."""
        if (function := self._rules.transform) is not None:
            # What a function keeps in the context can differ from call to call.
            is_pure = "value" in function.parameters and function.takes_only("value", "field", "column", "table")
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

        def step(chunk: Transformed, _: Views) -> None:
            if set(map(type, chunk.values)) <= exact:
                return
            converted = convert_all(chunk.values, self._rules.field)
            if converted is None and self._rules.field.type in MARKED_TYPES:
                chunk.marks |= marks_in(chunk.values)
            self._take(chunk, rule, *(work(chunk.values) if converted is None else (converted, [])))

        yield step

    def _by_value(self, function: Function, call: Callable[..., Any]) -> Step:
        is_plain = function.parameters == ("value",)
        work = PerDistinctValue(
            call if is_plain else lambda value: call(value=value), lambda error: raised(function, error)
        )

        def step(chunk: Transformed, _: Views) -> None:
            values, findings = work(chunk.values)
            self._take(chunk, function.rule, *_only_what_cells_hold(function, chunk.values, values, findings))

        return step

    def _by_row(self, function: Function, call: Callable[..., Any]) -> Step:
        wants_value, wanted = "value" in function.parameters, asked_of_rows(function)

        def step(chunk: Transformed, views: Views) -> None:
            if "row" in wanted:
                views["row"].put(self._rules.field.name, chunk.values)  # its own value so far
            values = list(chunk.values)
            findings: list[tuple[int, Finding]] = []
            for place, value in enumerate(chunk.values):
                # A function of the value has nothing to say about an empty cell or an error left by a formula; a
                # function of the row may replace it.
                if wants_value and (is_empty(value) or isinstance(value, CellError)):
                    continue
                rows = {name: views[name][place] for name in wanted}
                try:
                    answer = call(value=value, **rows) if wants_value else call(**rows)
                    for row in rows.values():
                        if row.refused is not None:
                            raise row.refused  # noqa: TRY301 - a rule that caught it has no value to answer with
                    values[place] = answer
                except UnreadableField as error:
                    findings.append((place, unreadable(function, error.field)))
                except FieldNotComputed as error:
                    raise not_computed(function, error) from error
                except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this cell, not of the run
                    findings.append((place, raised(function, error)))
            self._take(chunk, function.rule, *_only_what_cells_hold(function, chunk.values, values, findings))

        return step

    def _by_column(self, function: Function, call: Callable[..., Any]) -> Step:
        def step(chunk: Transformed, _: Views) -> None:
            shown = [None if isinstance(value, CellError) else value for value in chunk.values]
            try:
                answer = call(values=shown)
            except Exception as error:  # noqa: BLE001 - as above
                finding = raised(function, error)
                chunk.findings += [(place, finding) for place, value in enumerate(shown) if not is_empty(value)]
                return
            values = aligned(function, answer, len(chunk.values))
            for place, value in enumerate(chunk.values):
                if isinstance(value, CellError):
                    values[place] = value
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
            errors = [part for part in filled if isinstance(part, CellError)]
            value, finding = (errors[0], None) if errors else self._joined(filled)
            values.append(value)
            chunk.joined.add(place)
            self.changes["combine"] += 1
            if finding is not None:
                chunk.findings.append((place, finding))
        return chunk

    def _joined(self, parts: list[Value]) -> tuple[Value, Finding | None]:
        function = self._rules.combine
        if function is None or self._combine is None:
            between = self._rules.field.combine
            return (" " if between is None else between).join(map(str, parts)), None
        try:
            result = self._combine(values=parts)
        except Exception as error:  # noqa: BLE001 - as above
            return parts[0], raised(function, error)
        value, finding = as_cell(function, result)
        return (parts[0] if finding else _plainest([value])[0]), finding


def _leave(error: Exception) -> None:
    """What cannot be converted stays: validation says so, once, after all transforms had their chance."""
    if not isinstance(error, CannotConvert):
        raise error


def _only_what_cells_hold(
    function: Function, before: Sequence[Value], after: list[Value], findings: list[tuple[int, Finding]]
) -> tuple[list[Value], list[tuple[int, Finding]]]:
    """Put the old value back where a rule returned something that is no cell value; 5.0 is 5, as it is when read."""
    if are_cells(after):
        return _plainest(after), findings
    for place, result in enumerate(after):
        value, finding = as_cell(function, result)
        after[place] = before[place] if finding else value
        findings += [(place, finding)] if finding else []
    return _plainest(after), findings


def _plainest(values: list[Value]) -> list[Value]:
    """Write whole numbers as readers do, so that those computed and those read are the same to keys and rules."""
    if float not in set(map(type, values)):
        return values
    return [plainest(value) if type(value) is float else value for value in values]


def _count_changed_cells(before: Sequence[Value], chunk: Transformed) -> int:
    if len(chunk.change_counts) <= 1 and not chunk.joined:
        return sum(chunk.change_counts)
    if not chunk.change_counts:
        return len(chunk.joined)
    changed = {place for place, pair in enumerate(zip(before, chunk.values, strict=True)) if differs(*pair)}
    return len(changed | chunk.joined)


def _count_changes(before: Sequence[Value], after: Sequence[Value]) -> int:
    old, new = set(map(type, before)), set(map(type, after))
    if old.isdisjoint(new):
        return len(after)
    if (old | new) & _NUMBERS:
        return sum(map(differs, before, after))
    return sum(map(ne, before, after))


def differs(old: Value, new: Value) -> bool:
    """Return whether a value was altered; 1 and True are not the same thing in a cell."""
    if old is new:
        return False
    return type(old) is not type(new) or old != new
