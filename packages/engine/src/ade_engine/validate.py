"""Validates one field, chunk by chunk: what the field demands, then the configuration's own functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.convert import CannotConvert, converter
from ade_engine.distinct import PerDistinctValue
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.rules import aligned, findings, raised

Check = Callable[[Value], Finding | None]
_REQUIRED = Finding("required", "error", "is required, and the cell is empty")
_FORMULA_ERROR = Finding("cell.error", "warning", "holds an error left by a formula")
_VALUE_ARGUMENTS = ("value", "field", "column", "table")


class FieldValidation:
    """The checks of one field of one table."""

    def __init__(self, rules: ColumnRules, given: Mapping[str, Any]) -> None:
        self._is_required = rules.field.required
        self._checks = _checks(rules.field)
        self._value_rules = [(f, f.bind(**given)) for f in rules.validators if f.takes_only(*_VALUE_ARGUMENTS)]
        self._row_rules = [(f, f.bind(**given)) for f in rules.validators if not f.takes_only(*_VALUE_ARGUMENTS)]
        self._column_rule = rules.validate_column
        self._column_call = rules.validate_column.bind(**given) if rules.validate_column else None
        self._per_value = PerDistinctValue(self._of_value)

    @property
    def needs_rows(self) -> bool:
        """Tell whether any check wants to see the row."""
        return bool(self._row_rules)

    def apply(self, values: Sequence[Value], rows: Sequence[Mapping[str, Value]]) -> list[tuple[int, Finding]]:
        """Return what is wrong with a chunk, by place in it."""
        found: list[tuple[int, Finding]] = []
        results = self._per_value(values)
        if any(results):
            found = [(place, finding) for place, some in enumerate(results) for finding in some]
        for function, call in self._row_rules:
            found += _by_row(function, call, values, rows)
        if self._column_rule is not None and self._column_call is not None:
            found += _by_column(self._column_rule, self._column_call, values)
        return found

    def _of_value(self, value: Value) -> tuple[Finding, ...]:
        if is_empty(value):
            return (_REQUIRED,) if self._is_required else ()
        found = [finding for check in self._checks if (finding := check(value)) is not None]
        for function, call in self._value_rules:
            found += _asked(function, call, {"value": value}, [value])
        return tuple(found)


def _asked(function: Function, call: Callable[..., Any], given: dict[str, Any], values: list[Value]) -> list[Finding]:
    try:
        answer = call(**given)
    except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this cell, not of the run
        return [raised(function, error)]
    return findings(function, answer, values)


def _by_row(
    function: Function, call: Callable[..., Any], values: Sequence[Value], rows: Sequence[Mapping[str, Value]]
) -> list[tuple[int, Finding]]:
    wants_value = "value" in function.parameters
    wants_row = "row" in function.parameters
    found: list[tuple[int, Finding]] = []
    for place, value in enumerate(values):
        if wants_value and is_empty(value):
            continue
        row = rows[place] if wants_row else {}
        given = ({"value": value} if wants_value else {}) | ({"row": row} if wants_row else {})
        seen = [value, *row.values()]
        found += [(place, finding) for finding in _asked(function, call, given, seen)]
    return found


def _by_column(function: Function, call: Callable[..., Any], values: Sequence[Value]) -> list[tuple[int, Finding]]:
    try:
        answer = call(values=list(values))
    except Exception as error:  # noqa: BLE001 - as above
        return [(0, raised(function, error))]
    if answer is None:
        return []
    entries = aligned(function, answer, len(values))
    return [
        (place, finding)
        for place, entry in enumerate(entries)
        if entry is not None
        for finding in findings(function, entry, [values[place]])
    ]


def _checks(field: Field) -> list[Check]:
    """Return the checks a field's definition asks for."""
    return [
        _type_check(field) or _error_check,
        *([_pattern_check(field.pattern)] if field.pattern is not None else []),
        *([_choice_check(field.choices)] if field.choices is not None else []),
        *([_bound_check("minimum", field.minimum)] if field.minimum is not None else []),
        *([_bound_check("maximum", field.maximum)] if field.maximum is not None else []),
    ]


def _error_check(value: Value) -> Finding | None:
    return _FORMULA_ERROR if isinstance(value, CellError) else None


def _type_check(field: Field) -> Check | None:
    convert = converter(field)
    if convert is None:
        return None

    def check(value: Value) -> Finding | None:
        try:
            convert(value)
        except CannotConvert as reason:
            return Finding(f"type.{field.type}", "error", str(reason))
        return None

    return check


def _pattern_check(pattern: str) -> Check:
    compiled = re.compile(pattern)
    finding = Finding("pattern", "error", "does not match the field's pattern")
    return lambda value: None if compiled.fullmatch(str(value)) else finding


def _choice_check(choices: Sequence[Any]) -> Check:
    finding = Finding("choices", "error", "is not one of the field's choices")
    return lambda value: None if value in choices else finding


def _bound_check(name: str, bound: Any) -> Check:
    beyond = Finding(name, "error", f"is {'below' if name == 'minimum' else 'above'} the field's {name}")
    apart = Finding(name, "error", f"cannot be compared with the field's {name}")

    def check(value: Any) -> Finding | None:
        try:
            is_beyond = value < bound if name == "minimum" else value > bound
        except TypeError:
            return apart
        return beyond if is_beyond else None

    return check
