"""Validates one field, chunk by chunk: what the field demands, then the configuration's own functions.

Most chunks are fine. So the distinct new values of a chunk are first asked, all at once, whether anything is wrong with
any of them; only when something is, every cell is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.distinct import LIMIT
from ade_engine.field_checks import FieldCheck, field_checks
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.rules import aligned, findings, raised

_REQUIRED = Finding("required", "error", "is required, and the cell is empty")
_VALUE_ARGUMENTS = ("value", "field", "column", "table")
_NUMBERS = {bool, int, float}
Rows = Sequence[Mapping[str, Value]]
Found = list[tuple[int, Finding]]


class FieldValidation:
    """The checks of one field of one table."""

    def __init__(self, rules: ColumnRules, given: Mapping[str, Any]) -> None:
        bound = [(function, function.bind(**given)) for function in rules.validators]
        self._by_value = [pair for pair in bound if pair[0].takes_only(*_VALUE_ARGUMENTS)]
        self._by_row = [pair for pair in bound if not pair[0].takes_only(*_VALUE_ARGUMENTS)]
        self._column_rule = rules.validate_column
        self._column_call = rules.validate_column.bind(**given) if rules.validate_column else None
        self._is_required = rules.field.required
        self._checks: list[FieldCheck] = field_checks(rules.field)
        self._fine: set[Value] = set()
        self._fine_types: set[type] = set()

    @property
    def needs_rows(self) -> bool:
        """Tell whether any check wants to see the row."""
        return any("row" in function.parameters for function, _ in self._by_row)

    def apply(self, values: Sequence[Value], rows: Rows) -> Found:
        """Return what is wrong with a chunk, by place in it."""
        found: Found = self._look_at(values, self._suspects(values))
        for function, call in self._by_row:
            found += _ask_each_row(function, call, values, rows)
        if self._column_rule is not None and self._column_call is not None:
            found += _ask_column(self._column_rule, self._column_call, values)
        return found

    def _suspects(self, values: Sequence[Value]) -> Collection[Value] | None:
        """Return the values that something may be wrong with, or None for all of them; a suspicion may be wrong."""
        types = set(map(type, values))
        distinct = self._unseen(values, types)
        if distinct is None:
            return None
        suspects: set[Value] = {value for value in (None, "") if value in distinct} if self._is_required else set()
        distinct.difference_update((None, ""))
        types.discard(type(None))
        if str in types:
            suspects.update(text for text in distinct if type(text) is str and text.isspace())
        if not all(check.all_pass(distinct, types) for check in self._checks):
            return None
        for function, call in self._by_value:
            suspects.update(_not_silent(function, call, distinct))
        self._remember(distinct - suspects, types)
        return suspects

    def _unseen(self, values: Sequence[Value], types: set[type]) -> set[Value] | None:
        """Return the distinct values that are not known to be fine, or None when they cannot be told apart in a set."""
        # 1, 1.0 and True are one value to a set, and three to a cell.
        if len((types | self._fine_types) & _NUMBERS) > 1:
            self._fine, self._fine_types = set(), set()
            if len(types & _NUMBERS) > 1:
                return None
        return set(values) - self._fine

    def _remember(self, distinct: set[Value], types: set[type]) -> None:
        if len(self._fine) > LIMIT:
            self._fine, self._fine_types = set(), set()
        self._fine |= distinct
        self._fine_types |= types

    def _look_at(self, values: Sequence[Value], suspects: Collection[Value] | None) -> Found:
        if suspects is not None and not suspects:
            return []
        known: dict[tuple[type, Value], list[Finding]] = {}
        found: Found = []
        for place, value in enumerate(values):
            if suspects is not None and value not in suspects:
                continue
            key = (type(value), value)
            if key not in known:
                known[key] = self._of_value(value)
            found += [(place, finding) for finding in known[key]]
        return found

    def _of_value(self, value: Value) -> list[Finding]:
        if is_empty(value):
            return [_REQUIRED] if self._is_required else []
        found = [finding for check in self._checks if (finding := check.finding(value)) is not None]
        for function, call in self._by_value:
            found += _ask(function, call, {"value": value}, [value])
        return found


def _not_silent(function: Function, call: Callable[..., Any], values: set[Value]) -> Collection[Value]:
    """Return the values that a rule may have something to say about: all of them when it raises."""
    try:
        answers = list(map(call, values)) if function.parameters == ("value",) else [call(value=v) for v in values]
    except Exception:  # noqa: BLE001 - asked again value by value, where it becomes an issue of its cells
        return values
    if answers.count(None) == len(answers):
        return ()
    return {value for value, answer in zip(values, answers, strict=True) if answer is not None}


def _ask(function: Function, call: Callable[..., Any], given: dict[str, Any], values: list[Value]) -> list[Finding]:
    try:
        answer = call(**given)
    except Exception as error:  # noqa: BLE001 - a rule's mistake is an issue of this cell, not of the run
        return [raised(function, error)]
    return findings(function, answer, values)


def _ask_each_row(function: Function, call: Callable[..., Any], values: Sequence[Value], rows: Rows) -> Found:
    wants_value, wants_row = "value" in function.parameters, "row" in function.parameters
    found: Found = []
    for place, value in enumerate(values):
        if wants_value and is_empty(value):
            continue
        row = rows[place] if wants_row else {}
        given = ({"value": value} if wants_value else {}) | ({"row": row} if wants_row else {})
        found += [(place, finding) for finding in _ask(function, call, given, [value, *row.values()])]
    return found


def _ask_column(function: Function, call: Callable[..., Any], values: Sequence[Value]) -> Found:
    try:
        answer = call(values=list(values))
    except Exception as error:  # noqa: BLE001 - as above
        return [(0, raised(function, error))]
    if answer is None:
        return []
    found: Found = []
    for place, entry in enumerate(aligned(function, answer, len(values))):
        if entry is not None:
            found += [(place, finding) for finding in findings(function, entry, [values[place]])]
    return found
