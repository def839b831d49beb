"""Finds out from a number format what a number means, and turns date serials into dates.

A cell formatted as a date without a time and holding a whole serial is a `date`, with a fraction a `datetime`. A format
with a date and a time is a `datetime`. A serial below one day is a `time`; elapsed time ([h]) is a `timedelta`.
A serial outside of what the calendar holds stays the number it is, which readers report.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta

NUMBER, DATE, DATETIME, TIME, ELAPSED = "number", "date", "datetime", "time", "elapsed"

Moment = datetime | date | time | timedelta | int | float

# The ids a workbook may use without spelling the format; 27-36 and 50-58 are East Asian dates, 71-81 Thai ones.
BUILT_IN_FORMATS = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm", 37: "#,##0;(#,##0)", 38: "#,##0;[Red](#,##0)",
    39: "#,##0.00;(#,##0.00)", 40: "#,##0.00;[Red](#,##0.00)", 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@",
    **dict.fromkeys((27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58, 71, 72, 73, 74), "yyyy-mm-dd"),
    **dict.fromkeys((32, 33, 34, 35, 55, 56, 75, 76, 80), "h:mm:ss"),
    77: "yyyy-mm-dd h:mm", 78: "mm:ss", 79: "[h]:mm:ss", 81: "yyyy-mm-dd",
}  # fmt: skip

_DAY_MS = 86_400_000
_LITERAL = re.compile(r'"[^"]*"?|\\.|_.|\*.')
_ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
_BRACKETS = re.compile(r"\[[^\]]*\]?")
_AM_PM = re.compile(r"am/pm|a/p|上午/下午", re.IGNORECASE)
_ERA = re.compile(r"(?<![a-z])(?:g{1,3}e{1,2}|r{1,2}|e{1,4})(?![a-z+\-0-9])", re.IGNORECASE)


def meaning(number_format: str) -> str:
    """Return what numbers with this format are: number, date, datetime, time or elapsed."""
    # Only the first section is for positive numbers; dates have no other.
    code = _LITERAL.sub("", number_format).split(";", 1)[0]
    if _ELAPSED.search(code):
        return ELAPSED
    code = _BRACKETS.sub("", code).lower()
    has_clock = bool(_AM_PM.search(code))
    code = _AM_PM.sub("", code)
    if "general" in code or "standard" in code or _is_numeric(code):
        return NUMBER
    has_clock = has_clock or "h" in code or "s" in code
    has_date = "y" in code or "d" in code or ("m" in code and not has_clock) or bool(_ERA.search(code))
    if has_date:
        return DATETIME if has_clock else DATE
    return TIME if has_clock else NUMBER


def _is_numeric(code: str) -> bool:
    # 0 after seconds is a fraction of a second ("mm:ss.000"); anywhere else a digit place says number.
    without_fractions = re.sub(r"s[.,]0+", "s", code)
    return any(sign in without_fractions for sign in "0#?@")


class Calendar:
    """Turns serials into moments, in the 1900 or the 1904 date system."""

    def __init__(self, *, is_1904: bool = False) -> None:
        self._is_1904 = is_1904
        self._midnight = datetime(1904, 1, 1) if is_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no zones
        self._last = 2_957_003 if is_1904 else 2_958_465  # 9999-12-31

    def moment(self, serial: float, kind: str) -> Moment:
        """Return the serial as `kind` says, or the serial itself when there is no such day."""
        if kind == ELAPSED:
            return self._elapsed(serial)
        if not 0 <= serial < self._last + 1:
            return serial
        if kind == TIME and serial < 1:
            return self._clock(serial)
        moment = self._datetime(serial)
        if moment is None:
            return self._clock(serial) if serial < 1 else serial
        return moment.date() if kind == DATE and serial == int(serial) else moment

    def _elapsed(self, serial: float) -> Moment:
        if not -self._last <= serial <= self._last:
            return serial
        return timedelta(milliseconds=round(serial * _DAY_MS))

    def _clock(self, serial: float) -> Moment:
        milliseconds = round(serial * _DAY_MS)
        if milliseconds >= _DAY_MS:
            return serial
        return (self._midnight + timedelta(milliseconds=milliseconds)).time()

    def _datetime(self, serial: float) -> datetime | None:
        days = int(serial)
        if not self._is_1904:
            # The 1900 system counts a 29 February 1900 that never was: serial 60. Day 0 is none either.
            if days in (0, 60):
                return None
            if days < 60:
                days += 1
        milliseconds = round((serial - int(serial)) * _DAY_MS)
        try:
            return self._midnight + timedelta(days=days, milliseconds=milliseconds)
        except OverflowError:
            return None
