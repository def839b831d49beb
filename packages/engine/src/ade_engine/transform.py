"""Transforms one field, chunk by chunk: conversion to its type and the configuration's own functions, nothing else.

The conversion comes first where it can, so that `transform` sees typed values, and once more after it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.model import ColumnRules
from ade_engine.convert import CannotConvert, converter
from ade_engine.distinct import PerDistinctValue
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.rules import aligned, cannot_hold, raised


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a value, and by which rules."""

    value: Value
    changed_by: tuple[str, ...] = ()
    finding: Finding | None = None


@dataclass(slots=True)
class Transformed:
    """A chunk of a field after its transforms; `findings` are by place in the chunk."""

    values: Sequence[Value]
    findings: list[tuple[int, Finding]] = field(default_factory=list)


class FieldTransform:
    """The transforms of one field of one table. `changes` counts altered values by rule."""

    def __init__(self, rules: ColumnRules, given: Mapping[str, Any]) -> None:
        self._rules = rules
        self._convert = converter(rules.field)
        self._type_rule = f"type.{rules.field.type}"
        self._function = rules.transform
        self._call = rules.transform.bind(**given) if rules.transform else None
        self._column_call = rules.transform_column.bind(**given) if rules.transform_column else None
        self._combine_call = rules.combine.bind(**given) if rules.combine else None
        self._per_value = PerDistinctValue(self._outcome)
        self._convert_again = PerDistinctValue(self._converted)
        self.changes: Counter[str] = Counter()

    @property
    def needs_rows(self) -> bool:
        """Tell whether the transform wants to see the row."""
        return self._function is not None and "row" in self._function.parameters

    def apply(self, sources: Sequence[Sequence[Value]], rows: Sequence[Mapping[str, Value]]) -> Transformed:
        """Return the field's values for a chunk. `rows` may be empty unless `needs_rows`."""
        result = self._combined(sources) if len(sources) > 1 else Transformed(sources[0])
        if self.needs_rows:
            self._take(result, [self._outcome(*pair) for pair in zip(result.values, rows, strict=True)])
        elif self._call is not None or self._convert is not None:
            self._take(result, self._per_value(result.values))
        if self._column_call is not None:
            self._take_column(result)
        return result

    def _take(self, result: Transformed, outcomes: Sequence[Outcome]) -> None:
        result.values = [outcome.value for outcome in outcomes]
        for rules, count in Counter([outcome.changed_by for outcome in outcomes]).items():
            for rule in rules:
                self.changes[rule] += count
        found = [outcome.finding for outcome in outcomes]
        if any(found):
            result.findings += [(place, finding) for place, finding in enumerate(found) if finding is not None]

    def _outcome(self, value: Value, row: Mapping[str, Value] | None = None) -> Outcome:
        typed = self._typed(value)
        changed, finding = typed, None
        if self._call is not None and self._is_asked(value):
            changed, finding = self._transformed(typed, row)
        final = self._typed(changed)
        by_type = differs(value, typed) or differs(changed, final)
        rules = ((self._type_rule,) if by_type else ()) + ((self._rule,) if differs(typed, changed) else ())
        return Outcome(final, rules, finding)

    def _is_asked(self, value: Value) -> bool:
        """A function of the value has nothing to say about an empty cell; a function of the row may fill it."""
        return not is_empty(value) or (self._function is not None and "value" not in self._function.parameters)

    @property
    def _rule(self) -> str:
        return self._function.rule if self._function else ""

    def _typed(self, value: Value) -> Value:
        if self._convert is None or is_empty(value):
            return value
        try:
            return self._convert(value)
        except CannotConvert:
            return value  # validation says so, once, after all transforms had their chance

    def _transformed(self, value: Value, row: Mapping[str, Value] | None) -> tuple[Value, Finding | None]:
        function, call = self._function, self._call
        if function is None or call is None:
            return value, None
        given = {name: found for name, found in (("value", value), ("row", row)) if name in function.parameters}
        try:
            result = call(**given)
        except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this cell, not of the run
            return value, raised(function, error)
        finding = cannot_hold(function, result)
        return (value if finding else result), finding

    def _combined(self, sources: Sequence[Sequence[Value]]) -> Transformed:
        """Join several source columns into one value each, by the field's explicit rule."""
        combined: list[Value] = []
        result = Transformed(combined)
        for place, parts in enumerate(zip(*sources, strict=True)):
            filled = [part for part in parts if not is_empty(part)]
            value, finding = self._joined(filled)
            combined.append(value)
            if len(filled) > 1:
                self.changes["combine"] += 1
            if finding is not None:
                result.findings.append((place, finding))
        return result

    def _joined(self, parts: list[Value]) -> tuple[Value, Finding | None]:
        if len(parts) < 2:
            return (parts[0] if parts else None), None
        function = self._rules.combine
        if function is None or self._combine_call is None:
            return (self._rules.field.combine or " ").join(map(str, parts)), None
        try:
            result = self._combine_call(values=parts)
        except Exception as error:  # noqa: BLE001 - as above
            return parts[0], raised(function, error)
        finding = cannot_hold(function, result)
        return (parts[0] if finding else result), finding

    def _take_column(self, result: Transformed) -> None:
        function, before = self._rules.transform_column, list(result.values)
        if function is None or self._column_call is None:
            return
        try:
            answer = self._column_call(values=list(before))
        except Exception as error:  # noqa: BLE001 - as above
            result.findings.append((0, raised(function, error)))
            return
        after: list[Value] = []
        for place, (old, new) in enumerate(zip(before, aligned(function, answer, len(before)), strict=True)):
            finding = cannot_hold(function, new)
            after.append(old if finding else new)
            if finding is not None:
                result.findings.append((place, finding))
        self.changes[function.rule] += sum(map(differs, before, after))
        result.values = after
        if self._convert is not None:
            self._take(result, self._convert_again(after))

    def _converted(self, value: Value) -> Outcome:
        typed = self._typed(value)
        return Outcome(typed, (self._type_rule,) if differs(value, typed) else ())


def differs(old: Value, new: Value) -> bool:
    """Tell whether a value was altered; 1 and True are not the same thing in a cell."""
    if old is new:
        return False
    return type(old) is not type(new) or old != new
