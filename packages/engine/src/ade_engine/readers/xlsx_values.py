"""Turns the content of a cell's markup into a value, one cell or a whole column at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from functools import cache
from math import isfinite

from ade_engine.cells import CellError, Value
from ade_engine.errors import InputError
from ade_engine.readers.number_formats import NUMBER, Calendar
from ade_engine.readers.xlsx_strings import Strings, decode_text
from ade_engine.readers.xlsx_styles import Styles

_ATTRIBUTE = re.compile(r"""(?<![A-Za-z:])([A-Za-z:]++)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_MEMO_COUNT = 100_000
_LARGEST_EXACT = 2**53
_BOOLEANS: dict[str, Value] = {"1": True, "0": False}

CellConverter = Callable[[str], Value]
ColumnConverter = Callable[[Sequence[str]], list[Value]]


class CellKind:
    """What the attributes of a cell say: its style, and how to read its content."""

    __slots__ = ("column", "has_formula", "style")

    def __init__(self, *, style: int, column: ColumnConverter, has_formula: bool) -> None:
        self.style = style
        self.column = column
        self.has_formula = has_formula


class Values:
    """The converters of one workbook. Kinds are made once per spelling of a cell's attributes."""

    def __init__(self, *, strings: Strings, styles: Styles, calendar: Calendar) -> None:
        self._strings = strings
        self._styles = styles
        self._calendar = calendar
        self._moments: dict[str, dict[str, Value]] = {}
        self.has_impossible_dates = False
        """Set when a number with a date format was no date."""
        self.kinds = _Kinds(self._kind)
        self.plain = styles.plain

    def _kind(self, markup: str) -> CellKind:
        attributes = read_attributes(markup)
        style = self._styles.known(whole(attributes.get("s", "0")))
        name = "str" if markup.endswith("<is>") else attributes.get("t", "n")
        column = self._column(name, self._styles.meanings[style])
        return CellKind(style=style, column=column, has_formula=markup.endswith("<f"))

    def _column(self, name: str, meaning: str) -> ColumnConverter:
        match name:
            case "s":
                return self._shared_column
            case "str":
                return _text_column
            case "inlineStr":
                # Such a cell holds its text in <is>; a <v> means nothing, and no program shows it.
                return _each(_nothing)
            case "b":
                return _boolean_column
            case "e":
                return _each(_error)
            case "d":
                return _each(_iso_moment)
            case _:
                return _number_column if meaning == NUMBER else self._moment_column(meaning)

    def _shared_column(self, texts: Sequence[str]) -> list[Value]:
        strings = self._strings
        try:
            indexes = list(map(int, texts))
            if min(indexes) >= 0:
                return [strings[index] for index in indexes]
        except (ValueError, IndexError):
            pass
        raise InputError(
            "A cell refers to a text that the workbook does not hold. Open it elsewhere and save it again.",
            cause="malformed",
        )

    def _moment_column(self, meaning: str) -> ColumnConverter:
        memo = self._moments.setdefault(meaning, {})
        calendar = self._calendar

        def moment(text: str) -> Value:
            found = memo.get(text)
            if found is None:
                if len(memo) > _MEMO_COUNT:
                    memo.clear()
                serial = number(text)
                if not isinstance(serial, int | float):
                    return serial
                found = calendar.moment(serial, meaning)
                if isinstance(found, int | float):
                    self.has_impossible_dates = True
                else:
                    memo[text] = found
            return found

        def column(texts: Sequence[str]) -> list[Value]:
            try:
                return [memo[text] for text in texts]
            except KeyError:
                return [moment(text) for text in texts]

        return column


class _Kinds(dict[str | None, CellKind]):
    def __init__(self, make: Callable[[str], CellKind]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, markup: str | None) -> CellKind:
        if len(self) > _MEMO_COUNT:
            self.clear()
        kind = self[markup] = self._make(markup or "")
        return kind


def read_attributes(markup: str) -> dict[str, str]:
    """Return the attributes of a start tag by name."""
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(markup)}


def is_hidden(markup: str) -> bool:
    """Return whether the attributes of a row or column hide it."""
    return read_attributes(markup).get("hidden", "0").lower() in ("1", "true", "on")


def whole(text: str) -> int:
    """Return a small number without a sign, or 0 when the text is none."""
    return int(text) if text.isdecimal() and len(text) < 10 else 0


def number(text: str) -> Value:
    """Return a number, as an int if it is whole; text that is no number stays text.

    Google Sheets and Apache POI write 7 as 7.0, and spreadsheet programs show both as 7.
    """
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return text.strip() or None
    if not isfinite(value):
        return text
    return int(value) if value.is_integer() and abs(value) <= _LARGEST_EXACT else value


def _number_column(texts: Sequence[str]) -> list[Value]:
    try:
        return list(map(int, texts))
    except ValueError:
        pass
    try:
        floats = list(map(float, texts))
    except ValueError:
        return [number(text) for text in texts]
    if not isfinite(sum(floats)):  # may be a false alarm, and costs less than to look at each
        return [number(text) for text in texts]
    return [value if value % 1 else number(text) for value, text in zip(floats, texts, strict=True)]


def _text_column(texts: Sequence[str]) -> list[Value]:
    joined = "".join(texts)
    if "&" in joined or "_x" in joined:
        return [decode_text(text) or None for text in texts]
    return [text or None for text in texts] if "" in texts else list(texts)


def _boolean_column(texts: Sequence[str]) -> list[Value]:
    try:
        return [_BOOLEANS[text] for text in texts]
    except KeyError:
        return [_boolean(text) for text in texts]


def _boolean(text: str) -> Value:
    return text.strip().lower() not in ("0", "false", "")


@cache
def _error(text: str) -> Value:
    return CellError(decode_text(text)[:32])


def _iso_moment(text: str) -> Value:
    """Return the moment that ISO 8601 text says; what is none stays text."""
    text = text.strip().removesuffix("Z")
    for read in (date.fromisoformat, datetime.fromisoformat, time.fromisoformat):
        try:
            return read(text)
        except ValueError:
            continue
    return text or None


def _nothing(_text: str) -> Value:
    return None


def _each(one: CellConverter) -> ColumnConverter:
    return lambda texts: [one(text) for text in texts]
