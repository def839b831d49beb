"""Converts values to dates, dates with a time, and times of day, when they can be read in one way only."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from ade_engine.cells import Value
from ade_engine.fields import Field
from ade_engine.month_names import in_english
from ade_engine.notation import Ambiguous, CannotConvert
from ade_engine.patterns import Pattern

_NUMERIC = Pattern(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")
_IN_WORDS = Pattern(
    r"(?:(\d{1,2})(?:st|nd|rd|th)?[ -]+)?([A-Za-z]{3,9})[. -]+(?:(\d{1,2})(?:st|nd|rd|th)?,? +)?(\d{4})"
)
# Of what Python reads as ISO 8601: whole days only, since a week is no day; a time only after T or a blank, since an
# offset may follow a day directly; at most six decimals of a second, since further ones would be cut off.
_ISO = Pattern(
    r"\d{4}(?:-\d\d-\d\d|\d{4}|-?W\d\d-?\d)"
    r"(?:[Tt ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,6}0*)?)?)?(?:[Zz]|[-+]\d\d(?::?\d\d(?::?\d\d)?)?)?)?",
)
_TIME = Pattern(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?")
_MONTH_NAMES = "january february march april may june july august september october november december"
_MONTHS = _MONTH_NAMES.split()


def to_date(value: Value, field: Field) -> Value:
    """Return a day; a time of day other than midnight is not dropped."""
    if isinstance(value, str):
        value = _parsed(value.strip(), field)
    if isinstance(value, datetime):
        if value.time() != time():
            raise CannotConvert("has a time of day; use type datetime")
        return value.date()
    if isinstance(value, date):
        return value
    raise CannotConvert("is not a date")


def to_datetime(value: Value, field: Field) -> Value:
    """Return a day and a time; a day alone starts at midnight."""
    if isinstance(value, str):
        value = _parsed(value.strip(), field)
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 - cells have no time zone
    raise CannotConvert("is not a date and time")


def to_time(value: Value, _: Field) -> Value:
    """Return a time of day."""
    if isinstance(value, time):
        return value
    if isinstance(value, timedelta) and timedelta() <= value < timedelta(days=1):
        seconds = value.seconds
        return time(seconds // 3600, seconds // 60 % 60, seconds % 60, value.microseconds)
    if isinstance(value, str) and (found := _TIME.fullmatch(value.strip())):
        return time(int(found[1]), int(found[2]), int(found[3] or 0))
    raise CannotConvert("is not a time of day")


def _parsed(text: str, field: Field) -> date | datetime:
    if field.formats:
        return _by_formats(text, field)
    try:
        return _unambiguous(text, field.day_first)
    except ValueError:
        raise CannotConvert("is not a date") from None


def _by_formats(text: str, field: Field) -> datetime:
    found = {day for form in field.formats if (day := _by_format(text, form)) is not None}
    if not found:
        raise CannotConvert("is in none of the field's date formats")
    if len(found) > 1:
        raise Ambiguous("fits several of the field's date formats, which read it as different dates")
    return found.pop()


def _by_format(text: str, form: str) -> datetime | None:
    if "%B" in form or "%b" in form:
        text = in_english(text, form)
    try:
        return datetime.strptime(text, form)  # noqa: DTZ007 - cells have no time zone
    except ValueError:
        return None


def _unambiguous(text: str, day_first: bool | None) -> date | datetime:
    if found := _NUMERIC.fullmatch(text):
        return _numeric(int(found[1]), int(found[3]), int(found[4]), day_first)
    if found := _IN_WORDS.fullmatch(text):
        return _in_words(found[1], found[2], found[3], int(found[4]))
    if not _ISO.fullmatch(text):
        raise CannotConvert("is not a date")
    return date.fromisoformat(text) if len(text) <= 10 else datetime.fromisoformat(text)


def _numeric(first: int, second: int, year: int, day_first: bool | None) -> date:
    if day_first is None and first != second and first <= 12 and second <= 12:
        raise Ambiguous("can be read as day or month first; set day_first or formats on the field")
    is_day_first = day_first if day_first is not None else first > 12
    day, month = (first, second) if is_day_first else (second, first)
    return date(year, month, day)


def _in_words(before: str | None, word: str, after: str | None, year: int) -> date:
    if (before is None) == (after is None):
        raise CannotConvert("is not a date")  # a month, or two days
    return date(year, _month(word), int(before or after or 0))


def _month(word: str) -> int:
    word = word.lower()
    for number, name in enumerate(_MONTHS, start=1):
        if word in (name, name[:3]) or (word == "sept" and number == 9):
            return number
    raise CannotConvert("is not a date")
