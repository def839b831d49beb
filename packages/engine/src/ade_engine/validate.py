"""Validates one field, chunk by chunk: what the field demands, then the configuration's own functions.

Most chunks are fine. So the distinct new values of a chunk are first asked, all at once, whether anything is wrong with
any of them; only when something is, every cell is looked at.

A value that is not of the field's type is reported as that and nothing more: rules see clean values alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.distinct import LIMIT, have_zones, kind_of
from ade_engine.field_checks import FieldCheck, field_checks
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.row_view import UNREADABLE, UnreadableField, Views, clean_only
from ade_engine.rules import aligned, asked_of_rows, findings, raised

_REQUIRED = Finding("required", "error", "is required, and the cell is empty")
_VALUE_ARGUMENTS = ("value", "field", "column", "table")
_NUMBERS = {bool, int, float}
Found = list[tuple[int, Finding]]


class FieldValidation:
    """The checks of one field of one table."""

    def __init__(self, rules: ColumnRules, given: Mapping[str, Any]) -> None:
        self._field = rules.field
        bound = [(function, function.bind(**given)) for function in rules.validators]
        self._by_value = [pair for pair in bound if pair[0].takes_only(*_VALUE_ARGUMENTS)]
        self._by_row = [pair for pair in bound if not pair[0].takes_only(*_VALUE_ARGUMENTS)]
        self._column_rule = rules.validate_column
        self._column_call = rules.validate_column.bind(**given) if rules.validate_column else None
        self._is_required = rules.field.required
        self._checks: list[FieldCheck] = field_checks(rules.field, rules.replacements)
        self._fine: dict[type | None, set[Value]] = {}  # by the type of the numbers among them

    @property
    def needs_rows(self) -> bool:
        """Return whether any check wants to see the row."""
        return any(asked_of_rows(function) for function, _ in self._by_row)

    def apply(self, values: Sequence[Value], views: Views) -> Found:
        """Return what is wrong with a chunk, by place in it."""
        found: Found = self._look_at(values, self._suspects(values))
        if self._by_row or self._column_rule is not None:
            clean = clean_only(self._field, values, ())
            for function, call in self._by_row:
                found += _ask_each_row(function, call, clean, views)
            if self._column_rule is not None and self._column_call is not None:
                found += _ask_column(self._column_rule, self._column_call, clean)
        return found

    def _suspects(self, values: Sequence[Value]) -> Collection[Value] | None:
        """Return the values that something may be wrong with, or None for all of them; a suspicion may be wrong."""
        types = set(map(type, values))
        numbers = types & _NUMBERS
        if have_zones(values, types):
            return None  # one instant in two zones is one value to a set, and two to a cell
        if len(numbers) < 2:
            return self._suspects_among(values, types)
        suspects: set[Value] = set()
        # 1, 1.0 and True are one value to a set, and three to a cell.
        for kinds in filter(None, (*({kind} for kind in numbers), types - _NUMBERS)):
            part = [value for value in values if type(value) in kinds]
            found = self._suspects_among(part, kinds)
            if found is None:
                return None
            suspects.update(found)
        return suspects

    def _suspects_among(self, values: Sequence[Value], types: set[type]) -> Collection[Value] | None:
        fine = self._fine.setdefault(next(iter(types & _NUMBERS), None), set())
        distinct = set(values) - fine
        suspects: set[Value] = {value for value in (None, "") if value in distinct} if self._is_required else set()
        distinct.difference_update((None, ""))
        types.discard(type(None))
        if str in types:
            suspects.update(text for text in distinct if type(text) is str and text.isspace())
        if not all(check.all_pass(distinct, types) for check in self._checks):
            return None
        for function, call in self._by_value:
            suspects.update(_not_silent(function, call, distinct))
        if len(fine) > LIMIT:
            fine.clear()
        fine |= distinct - suspects
        return suspects

    def _look_at(self, values: Sequence[Value], suspects: Collection[Value] | None) -> Found:
        if suspects is not None and not suspects:
            return []
        kind = kind_of if have_zones(values, set(map(type, values))) else type
        known: dict[tuple[object, Value], list[Finding]] = {}
        found: Found = []
        for place, value in enumerate(values):
            if suspects is not None and value not in suspects:
                continue
            key = (kind(value), value)
            if key not in known:
                known[key] = self._of_value(value)
            found += [(place, finding) for finding in known[key]]
        return found

    def _of_value(self, value: Value) -> list[Finding]:
        if is_empty(value):
            return [_REQUIRED] if self._is_required else []
        if (finding := self._checks[0].finding(value)) is not None:
            return [finding]  # not of the type: nothing else can be said about it
        found = [finding for check in self._checks[1:] if (finding := check.finding(value)) is not None]
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


def _ask_each_row(function: Function, call: Callable[..., Any], values: Sequence[Any], views: Views) -> Found:
    wants_value, wanted = "value" in function.parameters, asked_of_rows(function)
    found: Found = []
    for place, value in enumerate(values):
        if value is UNREADABLE or (wants_value and is_empty(value)):
            continue
        rows = {name: views[name][place] for name in wanted}
        try:
            answer = call(**({"value": value} if wants_value else {}), **rows)
        except UnreadableField:
            continue  # that cell has an issue of its own
        except Exception as error:  # noqa: BLE001 - as above
            found.append((place, raised(function, error)))
            continue
        if answer is not None:
            hidden = [value, *(cell for row in rows.values() for cell in row.cells())]
            found += [(place, finding) for finding in findings(function, answer, hidden)]
    return found


def _ask_column(function: Function, call: Callable[..., Any], values: Sequence[Any]) -> Found:
    shown = [None if value is UNREADABLE else value for value in values]
    try:
        answer = call(values=list(shown))
    except Exception as error:  # noqa: BLE001 - as above
        return [(0, raised(function, error))]
    if answer is None:
        return []
    found: Found = []
    for place, entry in enumerate(aligned(function, answer, len(shown))):
        if entry is not None:
            found += [(place, finding) for finding in findings(function, entry, [shown[place]])]
    return found
