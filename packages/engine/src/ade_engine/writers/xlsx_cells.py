"""Turns values into the cells of sheet markup, a whole column at a time.

What is written after the reference of a cell is called its tail: ` t="b"><v>1</v></c>`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from math import isfinite
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.errors import InputError
from ade_engine.writers.look import PERCENT_FORMAT

LONGEST_TEXT = 32_767
LARGEST_INTEGER = 2**53

# Indexes of the cell formats in styles.xml; the highlighted ones follow in the same order.
GENERAL, HEADER, DATE, DATETIME, TIME, ELAPSED, QUOTED, PERCENT = range(8)
HIGHLIGHT = 8
_FIRST_OWN = 2 * HIGHLIGHT  # of the formats that a configuration names
_MOMENT = re.compile(rf' s="[{DATE}{DATETIME}{TIME}{ELAPSED}]"')

_ERRORS = frozenset({"#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A", "#GETTING_DATA"})
_NUMBERS = {int, float}
_FIRST_DAY = datetime(1899, 12, 30)  # noqa: DTZ001 - sheets know no zones
_FIRST_REAL_DAY = datetime(1900, 3, 1)  # noqa: DTZ001
_MEMO_COUNT = 20_000

# Text that cannot be written as it is: markup, characters that XML forbids, something that reads as an escape of such
# a character, blanks that XML would lose, and signs that make a spreadsheet program think of a formula.
_SPECIAL = re.compile(
    "[&<>\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_x[0-9A-Fa-f]{4}_|^[\\s=+\\-@]|\\s$", re.MULTILINE
)
_FIRST_SIGNS = frozenset({"", " ", "=", "+", "-", "@"})
_FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_PLAIN_TEXT = ' t="inlineStr"><is><t>'
_TEXT_END = "</t></is></c>"


class Texts(dict[str, str]):
    """The tails of texts, each made once as long as it is remembered."""

    def __missing__(self, text: str) -> str:
        if len(self) >= _MEMO_COUNT:
            self.clear()
        tail = self[text] = text_tail(text)
        return tail


def text_tail(text: str) -> str:
    """Return the tail of a text cell: always text, never a formula."""
    if len(text) > LONGEST_TEXT // 2 and len(text.encode("utf-16-le", "surrogatepass")) > 2 * LONGEST_TEXT:
        raise InputError(
            f"A text has {len(text)} characters, and a cell of xlsx holds {LONGEST_TEXT}. Choose csv as output.",
            cause="text_too_long",
        )
    if not _SPECIAL.search(text):
        return f"{_PLAIN_TEXT}{text}{_TEXT_END}"
    style = f' s="{QUOTED}"' if text[:1] in "=+-@" else ""
    escaped = _FORBIDDEN.sub(_escape, text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    space = ' xml:space="preserve"' if text != text.strip() else ""
    return f'{style} t="inlineStr"><is><t{space}>{escaped}{_TEXT_END}'


def _escape(found: re.Match[str]) -> str:
    return f"_x{ord(found.group()):04X}_"


def uniform_slot(values: Sequence[Any]) -> str | None:
    """Return what to fill the values of a column into as they are, or None when each needs a look of its own."""
    kinds = set(map(type, values))
    if len(kinds) > 1:
        return "><v>%s</v></c>" if kinds == _NUMBERS and _are_exact(values) else None
    kind = kinds.pop()
    if kind is str:
        return f"{_PLAIN_TEXT}%s{_TEXT_END}" if _are_plain(values) else None
    if kind is int and _are_exact(values):
        return "><v>%d</v></c>"
    if kind is float and all(map(isfinite, values)):
        return "><v>%r</v></c>"
    return None


def _are_exact(numbers: Sequence[float]) -> bool:
    """Return whether whole numbers are small enough for a cell and the others are finite; a no may be a false alarm."""
    return min(numbers) >= -LARGEST_INTEGER and max(numbers) <= LARGEST_INTEGER and isfinite(sum(numbers))


def _are_plain(texts: Sequence[str]) -> bool:
    """Return whether none of the texts is special, by looking at all of them at once; a no may be a false alarm."""
    joined = "".join(texts)
    # Printable text knows one kind of blank, so the edges are quickly looked at.
    if not joined.isprintable() or any(sign in joined for sign in ("&", "<", ">", "_x")):
        return False
    if not {text[:1] for text in texts}.isdisjoint(_FIRST_SIGNS) or " " in {text[-1:] for text in texts}:
        return False
    return max(map(len, texts)) <= LONGEST_TEXT // 2


def column_tails(values: Sequence[Value], texts: Texts) -> list[str | None]:
    """Return the tails of a column's cells; None where there is no cell."""
    return [
        (texts[value] if type(value) is str else _RENDER.get(type(value), _any)(value)) if value is not None else None
        for value in values
    ]


def _integer(value: int) -> str:
    return f"><v>{value}</v></c>" if -LARGEST_INTEGER <= value <= LARGEST_INTEGER else text_tail(str(value))


def _float(value: float) -> str:
    return f"><v>{value!r}</v></c>" if isfinite(value) else _error_tail("#NUM!")


def _boolean(value: bool) -> str:
    return ' t="b"><v>1</v></c>' if value else ' t="b"><v>0</v></c>'


@lru_cache(maxsize=_MEMO_COUNT)  # days repeat, and their serials take long to compute
def _date(value: date) -> str:
    return _moment(datetime(value.year, value.month, value.day), DATE)  # noqa: DTZ001


def _datetime(value: datetime) -> str:
    # A zone cannot be written with a serial, and dropping it would change the moment.
    return _moment(value, DATETIME) if value.tzinfo is None else text_tail(value.isoformat())


def _moment(value: datetime, style: int) -> str:
    if value < _FIRST_REAL_DAY:
        # Serials before March 1900 are off by one in some programs and do not exist in others.
        return text_tail(value.date().isoformat() if style == DATE else value.isoformat(" "))
    return f' s="{style}"><v>{_serial(value - _FIRST_DAY)}</v></c>'


def _time(value: time) -> str:
    if value.tzinfo is not None:
        return text_tail(value.isoformat())
    moment = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond)
    return f' s="{TIME}"><v>{_serial(moment)}</v></c>'


def _elapsed(value: timedelta) -> str:
    return f' s="{ELAPSED}"><v>{_serial(value)}</v></c>'


def _serial(span: timedelta) -> int | float:
    return span.days if not (span.seconds or span.microseconds) else span / timedelta(days=1)


def _error(value: CellError) -> str:
    return _error_tail(value.code) if value.code in _ERRORS else text_tail(value.code)


def _error_tail(code: str) -> str:
    return f' t="e"><v>{code}</v></c>'


def _nothing(_value: None) -> None:
    return None


def _any(value: object) -> str:
    """Render a subclass of a known type, such as an enum of texts, as what it is."""
    for kind, render in _RENDER.items():
        if kind is not type(None) and isinstance(value, kind):
            return str(render(value))
    if isinstance(value, str):
        return text_tail(str(value))
    raise TypeError(f"a cell cannot hold a {type(value).__name__}")


_RENDER: dict[type, Callable[..., str | None]] = {
    bool: _boolean,
    int: _integer,
    float: _float,
    datetime: _datetime,
    date: _date,
    time: _time,
    timedelta: _elapsed,
    CellError: _error,
    type(None): _nothing,
}


def header_tail(header: str) -> str:
    """Return the tail of a header cell."""
    tail = text_tail(header)
    return f' s="{HEADER}"{tail[tail.index(" t=") :]}'


class NumberFormats:
    """The number formats of a workbook besides the usual ones; each has a cell format and a highlighted one."""

    def __init__(self) -> None:
        self.codes: list[str] = []

    def style_of(self, code: str) -> int:
        """Return the index of a format's cell format."""
        if code == PERCENT_FORMAT:
            return PERCENT
        if code not in self.codes:
            self.codes.append(code)
        return _FIRST_OWN + 2 * self.codes.index(code)


def styled(tail: str, style: int) -> str:
    """Return the tail of the same cell in another format, if it is a number or, for a format of its own, a moment."""
    if tail.startswith("><v>"):
        return f' s="{style}"{tail}'
    found = _MOMENT.match(tail) if style >= _FIRST_OWN else None
    return f' s="{style}"{tail[found.end() :]}' if found else tail


def highlight(tail: str | None) -> str:
    """Return the tail of the same cell, highlighted."""
    if tail is None:
        return f' s="{HIGHLIGHT}"/>'
    found = re.match(r' s="([0-9]+)"', tail)
    style = int(found.group(1)) if found else GENERAL
    highlighted = style + 1 if style >= _FIRST_OWN else HIGHLIGHT + style
    return f' s="{highlighted}"{tail[found.end() if found else 0 :]}'
