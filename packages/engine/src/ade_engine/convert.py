"""Converts a value to a field's type when it can only mean one thing, and says why when it cannot."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta

from ade_engine.cells import CellError, Value
from ade_engine.fields import Field
from ade_engine.patterns import Pattern

_LONGEST_NUMBER = 400
_INTEGER = Pattern(r"[-+]?\d+")
_PLAIN_NUMBER = Pattern(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?")
# Whole columns at once, joined by line ends: digits that can be read in one way only.
_INTEGER_LINES = Pattern(r"(?:[-+]?\d{1,18}\n)++")
_DECIMAL_LINES = Pattern(r"(?:[-+]?\d{1,15}\.(?:\d{1,2}|\d{4,15})\n)++")
_GROUPED = Pattern(r"[-+]?\d{1,3}(?:([ ,.'’\u00a0\u202f])\d{3})(?:\1\d{3})*(?:([.,])\d+)?")  # noqa: RUF001
_NUMERIC_DATE = Pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_DATE_IN_WORDS = Pattern(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?[ -]+)?([A-Za-z]{3,9})[. -]+(?:(\d{1,2})(?:st|nd|rd|th)?,? +)?(\d{4})"
)
_TIME = Pattern(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()
_TRUE_WORDS = "true yes y ja oui sí si sim waar wahr vrai vero verdadero verdadeiro 1"
_TRUE = frozenset(_TRUE_WORDS.split())
_FALSE_WORDS = "false no n nein non não nao onwaar falsch faux falso 0"
_FALSE = frozenset(_FALSE_WORDS.split())


# A column of nothing but these has nothing to convert.
EXACT_TYPES: dict[str, frozenset[type]] = {
    "text": frozenset({str, type(None)}),
    "integer": frozenset({int, type(None)}),
    "number": frozenset({int, float, type(None)}),
    "boolean": frozenset({bool, type(None)}),
    "date": frozenset({date, type(None)}),
    "datetime": frozenset({datetime, type(None)}),
    "time": frozenset({time, type(None)}),
}


class CannotConvert(Exception):
    """The value is not of the type. The message never holds the value."""


Convert = Callable[[Value], Value]


def converter(field: Field) -> Convert | None:
    """Return the conversion to the field's type; it raises CannotConvert. None when the field has no type."""
    if field.type is None:
        return None
    convert = _CONVERTERS[field.type]

    def checked(value: Value) -> Value:
        if isinstance(value, CellError):
            raise CannotConvert("holds an error left by a formula")
        return convert(value, field)

    return checked


def convert_all(values: Sequence[Value], field: Field) -> list[Value] | None:
    """Return a column of plain numbers written as text, converted at once, or None: then each is looked at."""
    if field.type not in ("integer", "number") or set(map(type, values)) != {str}:
        return None
    lines = "\n".join((*values, ""))  # type: ignore[arg-type]
    if _INTEGER_LINES.fullmatch(lines):
        return list(map(int, values))  # type: ignore[arg-type]
    if field.type == "number" and field.decimal != "," and _DECIMAL_LINES.fullmatch(lines):
        return list(map(float, values))  # type: ignore[arg-type]
    return None


def _to_text(value: Value, _: Field) -> Value:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


def _to_integer(value: Value, field: Field) -> Value:
    if isinstance(value, bool):
        raise CannotConvert("is true or false, not a whole number")
    if isinstance(value, int):
        return value
    if isinstance(value, str) and _INTEGER.fullmatch(text := value.strip()) and len(text) <= _LONGEST_NUMBER:
        return int(text)
    number = _to_number(value, field)
    if isinstance(number, float) and not number.is_integer():
        raise CannotConvert("is not a whole number")
    return int(number)  # type: ignore[arg-type]


def _to_number(value: Value, field: Field) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise CannotConvert("is not a number")
    if not isinstance(value, str):
        return value
    text = value.strip()
    if _INTEGER.fullmatch(text) and len(text) <= _LONGEST_NUMBER:
        return int(text)
    return _decimal(text, field.decimal)


def _decimal(text: str, decimal: str | None) -> float | int:
    """Read digits with separators; which of them marks decimals must be clear from the text or from the field."""
    if len(text) > _LONGEST_NUMBER:
        raise CannotConvert("is not a number")
    grouped = _GROUPED.fullmatch(text)
    mark = decimal or _decimal_mark(text, grouped)
    if grouped and grouped.group(1) != mark and grouped.group(2) in {None, mark}:
        plain = text.replace(grouped.group(1), "")
    elif _PLAIN_NUMBER.fullmatch(text) and not _has_other_mark(text, mark):
        plain = text
    else:
        raise CannotConvert("is not a number")
    plain = plain.replace(mark, ".")
    number = float(plain) if "." in plain or "e" in plain.lower() else int(plain)
    if number in (math.inf, -math.inf):
        raise CannotConvert("is too large a number")
    return number


def _decimal_mark(text: str, grouped: re.Match[str] | None) -> str:
    if grouped is None:
        return "," if "," in text else "."
    group, mark = grouped.groups()
    if mark is not None:
        return str(mark)
    if group in {".", ","} and text.count(group) == 1 and not text.lstrip("+-").startswith("0"):
        raise CannotConvert("can be read as a decimal or as thousands; set decimal on the field")
    if group in {".", ","} and text.count(group) == 1:
        return str(group)  # no thousands are written 0,125
    return "," if group == "." else "."


def _has_other_mark(text: str, mark: str) -> bool:
    return ("," if mark == "." else ".") in text


def _to_boolean(value: Value, _: Field) -> Value:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise CannotConvert("is not a yes or no")


def _to_date(value: Value, field: Field) -> Value:
    if isinstance(value, datetime):
        if value.time() != time():
            raise CannotConvert("has a time of day; use type datetime")
        return value.date()
    if isinstance(value, date):
        return value
    if not isinstance(value, str):
        raise CannotConvert("is not a date")
    found = _parsed(value.strip(), field)
    if isinstance(found, datetime) and found.time() != time():
        raise CannotConvert("has a time of day; use type datetime")
    return found.date() if isinstance(found, datetime) else found


def _to_datetime(value: Value, field: Field) -> Value:
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        value = _parsed(value.strip(), field)
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - cells have no time zone
    raise CannotConvert("is not a date and time")


def _parsed(text: str, field: Field) -> date | datetime:
    if field.formats:
        return _by_formats(text, field)
    try:
        return _unambiguous(text, field.day_first)
    except ValueError:
        raise CannotConvert("is not a date") from None


def _by_formats(text: str, field: Field) -> datetime:
    for form in field.formats:
        try:
            return datetime.strptime(text, form)  # noqa: DTZ007 - cells have no time zone
        except ValueError:
            continue
    raise CannotConvert("is in none of the field's date formats")


def _unambiguous(text: str, day_first: bool | None) -> date | datetime:
    if found := _NUMERIC_DATE.fullmatch(text):
        return _numeric_date(int(found[1]), int(found[3]), int(found[4]), day_first)
    if found := _DATE_IN_WORDS.fullmatch(text):
        return date(int(found[4]), _month(found[2]), int(found[1] or found[3] or 0))
    if len(text) <= 10:
        return date.fromisoformat(text)
    return datetime.fromisoformat(text)


def _numeric_date(first: int, second: int, year: int, day_first: bool | None) -> date:
    if day_first is None and first != second and first <= 12 and second <= 12:
        raise CannotConvert("can be read as day or month first; set day_first or formats on the field")
    is_day_first = day_first if day_first is not None else first > 12
    day, month = (first, second) if is_day_first else (second, first)
    return date(year, month, day)


def _month(word: str) -> int:
    word = word.lower()
    for number, name in enumerate(_MONTHS, start=1):
        if word in (name, name[:3]) or (word == "sept" and number == 9):
            return number
    raise ValueError("no month")


def _to_time(value: Value, _: Field) -> Value:
    if isinstance(value, time):
        return value
    if isinstance(value, timedelta) and timedelta() <= value < timedelta(days=1):
        seconds = int(value.total_seconds())
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60, value.microseconds)
    if isinstance(value, str) and (found := _TIME.fullmatch(value.strip())):
        return time(int(found[1]), int(found[2]), int(found[3] or 0))
    raise CannotConvert("is not a time of day")


_CONVERTERS: dict[str, Callable[[Value, Field], Value]] = {
    "text": _to_text,
    "integer": _to_integer,
    "number": _to_number,
    "boolean": _to_boolean,
    "date": _to_date,
    "datetime": _to_datetime,
    "time": _to_time,
}
