"""Turns the attributes and the text of an ods cell into a value."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from math import isfinite

from ade_engine.cells import CellError, Value

_LARGEST_INTEGER = 2**53
_DURATION = re.compile(r"(-)?P(?:(\d{1,9})D)?T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,12})?)S)?")
_DAY = timedelta(days=1)
# How OpenOffice shows errors.
_ERROR = re.compile(r"#(?:NULL!|DIV/0!|VALUE!|REF!|NAME\?|NUM!|N/A)|Err:\d{3}")


def read_value(attributes: dict[str, str], text: str, *, is_elapsed: bool) -> Value:
    """Return what a cell holds, by its attributes and its text."""
    if attributes.get("calcext:value-type") == "error":
        return CellError(text[:32]) if text else None
    if "formula" in attributes and attributes.get("value-type") == "float" and _ERROR.fullmatch(text):
        return CellError(text)  # written by OpenOffice as the number 0 that is shown as #N/A
    match attributes.get("value-type"):
        case "float" | "percentage" | "currency":
            return _number(attributes.get("value", ""), text)
        case "date":
            return _date(attributes.get("date-value", ""), text)
        case "time":
            return _time(attributes.get("time-value", ""), text, is_elapsed=is_elapsed)
        case "boolean":
            return attributes.get("boolean-value", text).strip().lower() in ("true", "1")
        case _:
            return attributes.get("string-value", text) or None


def _number(written: str, text: str) -> Value:
    try:
        number = float(written)
    except ValueError:
        return text or None
    if not isfinite(number):
        return text or None
    is_whole = number % 1 == 0 and -_LARGEST_INTEGER <= number <= _LARGEST_INTEGER
    return int(number) if is_whole else number


def _date(written: str, text: str) -> Value:
    written = written.strip().removesuffix("Z")
    for read in (date.fromisoformat, datetime.fromisoformat):
        try:
            return read(written)
        except ValueError:
            continue
    return text or written or None


def _time(written: str, text: str, *, is_elapsed: bool) -> Value:
    found = _DURATION.fullmatch(written.strip())
    if not found:
        return text or written or None
    sign, days, hours, minutes, seconds = found.groups()
    try:
        elapsed = timedelta(
            days=int(days or 0),
            hours=int(hours or 0),
            minutes=int(minutes or 0),
            seconds=float((seconds or "0").replace(",", ".")),
        )
    except OverflowError:
        return text or None
    if sign:
        elapsed = -elapsed
    if is_elapsed or not timedelta(0) <= elapsed < _DAY:
        return elapsed
    return (datetime.min + elapsed).time()  # noqa: DTZ901 - sheets know no zones
