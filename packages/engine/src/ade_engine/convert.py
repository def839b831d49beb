"""Converts a value to a field's type when it can only mean one thing, and says why when it cannot."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time

from ade_engine.cells import CellError, Value
from ade_engine.convert_dates import to_date, to_datetime, to_time
from ade_engine.convert_numbers import CONVERTERS, convert_all
from ade_engine.fields import Field
from ade_engine.notation import Ambiguous, CannotConvert

__all__ = ["EXACT_TYPES", "Ambiguous", "CannotConvert", "Convert", "convert_all", "converter"]

_TRUE_WORDS = "true yes y ja oui sí si sim waar wahr vrai vero verdadero verdadeiro 1"
_TRUE = frozenset(_TRUE_WORDS.split())
_FALSE_WORDS = "false no n nein non não nao onwaar falsch faux falso 0"
_FALSE = frozenset(_FALSE_WORDS.split())


# A column of nothing but these has nothing to convert.
EXACT_TYPES: dict[str, frozenset[type]] = {
    "text": frozenset({str, type(None)}),
    "integer": frozenset({int, type(None)}),
    "number": frozenset({int, float, type(None)}),
    "money": frozenset({int, float, type(None)}),
    "percent": frozenset({int, float, type(None)}),
    "boolean": frozenset({bool, type(None)}),
    "date": frozenset({date, type(None)}),
    "datetime": frozenset({datetime, type(None)}),
    "time": frozenset({time, type(None)}),
}

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


def _to_boolean(value: Value, _: Field) -> Value:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise CannotConvert("is not a yes or no")


_CONVERTERS: dict[str, Callable[[Value, Field], Value]] = {
    "text": _to_text,
    **CONVERTERS,
    "boolean": _to_boolean,
    "date": to_date,
    "datetime": to_datetime,
    "time": to_time,
}
