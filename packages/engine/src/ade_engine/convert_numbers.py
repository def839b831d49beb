"""Converts values to whole numbers, numbers, money and percentages, when they can be read in one way only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ade_engine.cells import Value
from ade_engine.fields import Field
from ade_engine.notation import LONGEST, Ambiguous, CannotConvert, Written, decimal_marks, peeled, plain, written
from ade_engine.patterns import Pattern

_INTEGER = Pattern(r"[-+]?\d+")
# The mark cannot separate thousands: there are not three digits after it, or more than three or a zero before it.
_ONE_READING = Pattern(r"[-+]?(?:\d+[.,](?:\d{1,2}|\d{4,})|\d{4,}[.,]\d+|0[.,]\d+)")
_LARGEST_EXACT = 2**53
_EXACT_DIGITS = 15  # every number of this many digits survives as a float
# Whole columns at once, joined by line ends: digits that can be read in one way only, and that a float holds.
_INTEGER_LINES = Pattern(r"(?:[-+]?\d{1,18}\n)++")
_DECIMAL_LINES = Pattern(r"(?:[-+]?(?:\d{1,6}\.(?:\d{1,2}|\d{4,9})|0\.\d{4,15}|\d{7,13}\.\d{1,2})\n)++")
_POINT_LINES = Pattern(r"(?:[-+]?(?:\d{1,6}\.\d{1,9}|0\.\d{1,15}|\d{7,13}\.\d{1,2})\n)++")
_USE = {"money": "has a currency; use type money", "percent": "has a percent sign; use type percent"}


def convert_all(values: Sequence[Value], field: Field) -> list[Value] | None:
    """Return a column of plain numbers written as text, converted at once, or None: then each is looked at."""
    if field.type not in ("integer", "number", "money") or set(map(type, values)) != {str}:
        return None
    lines = "\n".join((*values, ""))  # type: ignore[arg-type]
    if lines.count("\n") != len(values):
        return None  # a cell of several lines, each of which may be a number
    if _INTEGER_LINES.fullmatch(lines):
        return list(map(int, values))  # type: ignore[arg-type]
    pattern = {None: _DECIMAL_LINES, ".": _POINT_LINES}.get(field.decimal)
    if field.type != "integer" and pattern is not None and pattern.fullmatch(lines):
        floats = list(map(float, values))  # type: ignore[arg-type]
        return [number if number % 1 else plainest(number) for number in floats]
    return None


def to_integer(value: Value, field: Field) -> Value:
    """Return a whole number."""
    if isinstance(value, bool):
        raise CannotConvert("is true or false, not a whole number")
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return _whole(value)
    if not isinstance(value, str):
        raise CannotConvert("is not a whole number")
    text = value.strip()
    if _INTEGER.fullmatch(text) and len(text) <= LONGEST:
        return int(text)
    digits = plain(_of_kind(text, "number"), field.decimal)
    if "e" in digits.lower():
        raise CannotConvert("is written with an exponent, which often means that digits were lost")
    whole, _, fraction = digits.partition(".")
    if fraction.strip("0"):
        raise CannotConvert("is not a whole number")
    return int(whole)


def _whole(value: float) -> int:
    if not value.is_integer():
        raise CannotConvert("is not a whole number")
    if abs(value) > _LARGEST_EXACT:
        raise CannotConvert("is too large: its last digits are lost in the document")
    return int(value)


def to_number(value: Value, field: Field) -> Value:
    """Return a number: without currency, without percent sign."""
    return _number(value, field, "number")


def to_money(value: Value, field: Field) -> Value:
    """Return the number of an amount, with or without a currency."""
    return _number(value, field, "money")


def _number(value: Value, field: Field, kind: str) -> Value:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise CannotConvert("is not a number")
    if not isinstance(value, str):
        return _finite(value)
    text = value.strip()
    if _INTEGER.fullmatch(text) and len(text) <= LONGEST:
        return int(text)
    if _ONE_READING.fullmatch(text) and (field.decimal is None or field.decimal in text):
        return _exact(text.replace(",", "."))
    return _exact(plain(_of_kind(text, kind), field.decimal))


def to_percent(value: Value, field: Field) -> Value:
    """Return a share of one: 19 % is 0.19, as in a workbook, whose cells with a percent format hold 0.19."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise CannotConvert("is not a percentage")
    if not isinstance(value, str):
        return _finite(value)
    number = written(value)
    if number is None or number.currency:
        raise CannotConvert("is not a percentage")
    if not number.has_percent:
        raise Ambiguous("has no percent sign, so 0.5 could be half a percent or a half; use type number")
    digits = plain(number, field.decimal)
    if "e" in digits.lower():
        raise CannotConvert("is not a percentage")
    return _exact(f"{digits}e-2")


def _of_kind(text: str, kind: str) -> Written:
    number = peeled(text)
    if number is None:
        raise CannotConvert("is not a number")
    if number.kind not in ("number", kind):
        raise CannotConvert(_USE[number.kind] if decimal_marks(number) else "is not a number")
    return number


def _finite(value: float) -> float:
    if isinstance(value, int) or math.isfinite(value):
        return value
    raise CannotConvert("is not a number")


def _exact(digits: str) -> float | int:
    """Return the number that digits in Python's notation stand for, unless it would lose some of them."""
    if "." not in digits and "e" not in digits.lower():
        return int(digits)
    number = float(digits)
    if math.isinf(number):
        raise CannotConvert("is too large a number")
    if (len(digits) > _EXACT_DIGITS + 1 or "e" in digits.lower()) and not _keeps(number, digits):
        raise CannotConvert("has more digits than a number holds; use type text, or round it in a transform")
    return plainest(number)


def plainest(number: float) -> float | int:
    """Return a whole number as int, as readers do: 5.00 in a text and 5 in a workbook are the same to a rule."""
    return int(number) if number.is_integer() and abs(number) <= _LARGEST_EXACT else number


def _keeps(number: float, digits: str) -> bool:
    """Return whether the number, written with as many digits, is what was written."""
    if repr(number) == digits:
        return True
    from decimal import Decimal  # few columns have this many digits

    exact = Decimal(digits)
    return Decimal(format(number, f".{len(exact.as_tuple().digits)}g")) == exact


CONVERTERS: dict[str, Callable[[Value, Field], Value]] = {
    "integer": to_integer,
    "number": to_number,
    "money": to_money,
    "percent": to_percent,
}
