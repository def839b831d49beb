"""The checks a field's definition asks for: type, pattern, choices, minimum and maximum.

Each can clear many values at once, and say what is wrong with one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.problems import closest
from ade_engine.convert import EXACT_TYPES, CannotConvert, Convert, converter
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.records import record

_MOST_COMPARED = 1000  # words, with each value that is no choice
_FORMULA_ERROR = Finding("cell.error", "warning", "holds an error left by a formula")


@record
class FieldCheck:
    """`all_pass` may raise a false alarm but never overlook anything; `finding` is exact. Neither sees empty cells."""

    all_pass: Callable[[Collection[Value], set[type]], bool]
    finding: Callable[[Value], Finding | None]


def field_checks(field: Field, replacements: Mapping[str, Any] | None = None) -> list[FieldCheck]:
    """Return the checks in the order their findings are reported; words that are replaced lead to choices, too."""
    convert = converter(field)
    return [
        _error_check() if convert is None else _type_check(field, convert),
        *([_pattern_check(field.pattern)] if field.pattern is not None else []),
        *([_choice_check(field.choices, replacements or {})] if field.choices is not None else []),
        *([_bound_check("minimum", field.minimum)] if field.minimum is not None else []),
        *([_bound_check("maximum", field.maximum)] if field.maximum is not None else []),
    ]


def _error_check() -> FieldCheck:
    return FieldCheck(
        lambda _, types: CellError not in types,
        lambda value: _FORMULA_ERROR if isinstance(value, CellError) else None,
    )


def _type_check(field: Field, convert: Convert) -> FieldCheck:
    exact = EXACT_TYPES[field.type or ""]

    def finding(value: Value) -> Finding | None:
        try:
            convert(value)
        except CannotConvert as reason:
            return Finding(f"type.{field.type}", "error", str(reason))
        return None

    return FieldCheck(lambda _, types: types <= exact, finding)


def _pattern_check(pattern: str) -> FieldCheck:
    matches = re.compile(pattern).fullmatch
    wrong = Finding("pattern", "error", "does not match the field's pattern")

    def all_pass(values: Collection[Value], types: set[type]) -> bool:
        return all(map(matches, values if types <= {str} else map(str, values)))  # type: ignore[arg-type]

    return FieldCheck(all_pass, lambda value: None if matches(str(value)) else wrong)


def _choice_check(choices: Collection[Any], replacements: Mapping[str, Any]) -> FieldCheck:
    allowed = list(choices)
    words = {str(choice).casefold(): str(choice) for choice in allowed}
    if len(replacements) <= _MOST_COMPARED:
        words |= {old.strip().casefold(): str(new) for old, new in replacements.items() if new in allowed}

    def finding(value: Value) -> Finding | None:
        if value in allowed:
            return None
        # A choice is a word of the configuration, so the message may name it; the value is not repeated.
        meant = closest(str(value).strip().casefold(), words, cutoff=0.7)
        advice = f'; the nearest is "{words[meant]}"' if meant else ""
        return Finding("choices", "error", f"is not one of the field's choices{advice}")

    return FieldCheck(lambda values, _: all(value in allowed for value in values), finding)


def _bound_check(name: str, bound: Any) -> FieldCheck:
    is_minimum = name == "minimum"
    beyond = Finding(name, "error", f"is {'below' if is_minimum else 'above'} the field's {name}")
    apart = Finding(name, "error", f"cannot be compared with the field's {name}")

    def finding(value: Any) -> Finding | None:
        try:
            is_beyond = value < bound if is_minimum else value > bound
        except TypeError:
            return apart
        return beyond if is_beyond else None

    def all_pass(values: Collection[Any], types: set[type]) -> bool:
        if len(types) > 1 or not values:
            return not values
        return finding(min(values) if is_minimum else max(values)) is None

    return FieldCheck(all_pass, finding)
