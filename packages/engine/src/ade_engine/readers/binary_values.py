"""Turns the numbers and error codes of binary workbooks (xls, xlsb) into values."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache
from math import isfinite

from ade_engine.cells import CellError, Value
from ade_engine.readers.number_formats import NUMBER, Calendar, Moment
from ade_engine.readers.xlsx_styles import Styles

_LARGEST_INTEGER = 2**53
_MEMO_COUNT = 100_000
_DOUBLE = struct.Struct("<d").unpack_from
_UPPER_HALF = struct.Struct("<ii").pack
_ERRORS = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


class Numbers:
    """Numbers of one sheet: whole ones are integers, those with a date format are dates."""

    def __init__(self, styles: Styles, calendar: Calendar) -> None:
        kinds = {kind: _converter(calendar, kind) for kind in set(styles.meanings) if kind != NUMBER}
        self.moments = {index: kinds[kind] for index, kind in enumerate(styles.meanings) if kind != NUMBER}
        """By style, what makes a date or time of a number."""
        self.has_impossible_dates = False

    def value(self, number: float, style: int) -> Value:
        """Return what a number in a cell of this style means."""
        if number % 1 == 0 and -_LARGEST_INTEGER <= number <= _LARGEST_INTEGER:
            number = int(number)
        elif not isfinite(number):
            return error_value(0x24)
        return self.moment(number, style) if style in self.moments else number

    def moment(self, number: float, style: int) -> Value:
        """Return the date or time of a number; the number itself when there is no such day."""
        value = self.moments[style](number)
        if isinstance(value, int | float):
            self.has_impossible_dates = True
        return value


def _converter(calendar: Calendar, kind: str) -> Callable[[float], Moment]:
    @lru_cache(_MEMO_COUNT)
    def convert(number: float) -> Moment:
        return calendar.moment(number, kind)

    return convert


def unpacked(packed: int) -> int | float:
    """Return the number of an RK value: an integer or the upper half of a float, perhaps a hundred times too large."""
    if packed & 3 == 2:
        return packed >> 2
    number: float = packed >> 2 if packed & 2 else _DOUBLE(_UPPER_HALF(0, packed & ~3), 0)[0]
    if packed & 1:
        number /= 100
    if number % 1 == 0:
        return int(number)
    if not isfinite(number):
        raise ValueError("a number without end")
    return number


@lru_cache(256)
def error_value(code: int) -> CellError:
    """Return the error of a code."""
    return CellError(_ERRORS.get(code, "#UNKNOWN!"))
