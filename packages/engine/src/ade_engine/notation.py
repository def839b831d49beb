"""Reads numbers as people write them: signs, parentheses, currencies, percent signs, grouped digits, decimal marks.

The mapper, which recognises columns of numbers, and the conversion, which turns them into numbers, both use this
module: what one calls a number, the other can read.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from ade_engine.currencies import CODES, SYMBOLS, agreed, code_of
from ade_engine.patterns import Pattern
from ade_engine.records import record

LONGEST = 400
_SPACES = "\u00a0\u2007\u2009\u202f"
# Full-width forms stand for the ASCII signs they look like. Superscripts do not stand for digits: they are footnotes.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SIGNS, _MEANT = "\u2212\u2019\uffe5\uffe1", "-'¥£"
_DASH = "\u2013"  # word processors put it in the place of a minus
# Marks that set the direction of writing, around amounts in Hebrew and Arabic, are not seen.
_UNSEEN = "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
_ALIKE = {
    **_FULL_WIDTH,
    **str.maketrans(_SIGNS, _MEANT),
    **str.maketrans(_SPACES, " " * len(_SPACES)),
    **str.maketrans("", "", _UNSEEN),
}

_GROUP = r"(?!0\D)\d{1,3}"
_BY_SIGNS = rf"{_GROUP}(?: \d{{3}})+|{_GROUP}(?:'\d{{3}})+"
# Digits by decimal mark. Groups of digits have one separator, which is not the mark. Only commas group the Indian way.
_DIGITS = {
    ".": Pattern(
        rf"(?:\d+|{_GROUP}(?:,\d{{3}})+|{_BY_SIGNS}|[1-9]\d?(?:,\d\d)+,\d{{3}})(?:\.\d+)?"
        r"|\d+\.|(?:\d+(?:\.\d*)?|\.\d+)[eE][-+]?\d{1,3}|\.\d+"
    ),
    ",": Pattern(
        rf"(?:\d+|{_GROUP}(?:\.\d{{3}})+|{_BY_SIGNS})(?:,\d+)?"
        r"|\d+,|(?:\d+(?:,\d*)?|,\d+)[eE][-+]?\d{1,3}|,\d+"
    ),
}
_OTHER = {".": ",", ",": "."}


class CannotConvert(Exception):
    """The value is not of the type. The message never holds the value."""


class Ambiguous(CannotConvert):
    """The value can be read in more than one way."""


@record
class Written:
    """A number as it is written. `digits` have neither sign nor currency; `currency` is a code or a shared symbol."""

    digits: str
    is_negative: bool
    currency: str | None
    has_percent: bool

    @property
    def kind(self) -> Literal["number", "money", "percent"]:
        """Return which type of field the notation asks for."""
        if self.has_percent:
            return "percent"
        return "number" if self.currency is None else "money"


def written(text: str) -> Written | None:
    """Return a text as a number with its signs and currency, or None when it is no number."""
    found = peeled(text)
    return found if found is not None and decimal_marks(found) else None


def peeled(text: str) -> Written | None:
    """Take signs, currency and percent sign off a text; whether the rest is digits, is not looked at."""
    text = text.strip()
    if not text or len(text) > LONGEST:
        return None
    if text[0].isdecimal() and text[-1].isdecimal() and text.isascii():
        return Written(text, False, None, False)
    return _Peel(_with_minus(text.translate(_ALIKE).strip())).written()


def _with_minus(text: str) -> str:
    """Return a text with a minus in the place of a dash before its digits; a dash behind them can mean no cents."""
    before, dash, after = text.partition(_DASH)
    return f"{before}-{after}" if dash and not any(map(str.isdecimal, before)) else text


def plain(number: Written, decimal: str | None) -> str:
    """Return the number in Python's notation; raise CannotConvert unless there is exactly one way to read it."""
    marks = (decimal,) if decimal else (".", ",")
    readings = {reading for mark in marks if (reading := _reading(number.digits, mark)) is not None}
    if not readings:
        is_number = decimal is not None and decimal_marks(number)
        raise CannotConvert("does not use the field's decimal mark" if is_number else "is not a number")
    if len(readings) > 1:
        raise Ambiguous("can be read as a decimal or as thousands; set decimal on the field")
    return ("-" if number.is_negative else "") + readings.pop()


def decimal_marks(number: Written) -> frozenset[str]:
    """Return the decimal marks with which the number can be read."""
    return frozenset(mark for mark in _DIGITS if _reading(number.digits, mark) is not None)


def _reading(digits: str, mark: str) -> str | None:
    if not _DIGITS[mark].fullmatch(digits):
        return None
    for separator in (_OTHER[mark], " ", "'"):
        digits = digits.replace(separator, "")
    digits = digits.replace(mark, ".")
    return f"0{digits}" if digits[0] == "." else digits


class _Peel:
    """Takes what surrounds the digits off, layer by layer: "-$ (5)" has two signs, and is no number."""

    def __init__(self, text: str) -> None:
        self._rest = text
        self._signs: list[str] = []
        self._before: str | None = None
        self._after: str | None = None
        self._percent_count = 0

    def written(self) -> Written | None:
        while self._peel():
            self._rest = self._rest.strip()
        if len(self._signs) > 1 or self._percent_count > 1 or (self._percent_count and (self._before or self._after)):
            return None
        currency = self._currency()
        if currency is None and (self._before or self._after):
            return None
        return Written(self._rest, bool(self._signs) and self._signs[0] != "+", currency, bool(self._percent_count))

    def _currency(self) -> str | None:
        if self._before and self._after:
            return agreed(self._before, self._after)  # "$5 CAD"
        return code_of(self._before or self._after or "") or None

    def _peel(self) -> bool:
        return self._peel_sign() or self._peel_percent() or self._peel_currency()

    def _peel_sign(self) -> bool:
        rest = self._rest
        if rest[:1] == "(" and rest[-1:] == ")":
            self._signs.append("(")
            self._rest = rest[1:-1]
        elif rest[:1] in ("-", "+"):
            self._signs.append(rest[0])
            self._rest = rest[1:]
        elif rest[-1:] in ("-", "+") and not (rest[-2:-1] in (".", ",") and rest[-3:-2].isdecimal()):
            # "5.-" is a price without cents, and no negative number.
            self._signs.append(rest[-1])
            self._rest = rest[:-1]
        else:
            return False
        return True

    def _peel_percent(self) -> bool:
        if self._rest[:1] == "%":
            self._rest = self._rest[1:]
        elif self._rest[-1:] == "%":
            self._rest = self._rest[:-1]
        else:
            return False
        self._percent_count += 1
        return True

    def _peel_currency(self) -> bool:
        if self._before is None and (found := _token(self._rest, is_first=True)):
            self._before, self._rest = found, self._rest[len(found) :]
            return True
        if self._after is None and (found := _token(self._rest, is_first=False)):
            self._after, self._rest = found, self._rest[: -len(found)]
            return True
        return False


def _token(text: str, *, is_first: bool) -> str | None:
    """Return the longest currency code or symbol that a text starts or ends with."""
    for length, tokens in _tokens():
        part = text[:length] if is_first else text[-length:]
        if part in tokens:
            return part
    return None


@cache
def _tokens() -> tuple[tuple[int, frozenset[str]], ...]:
    every = CODES.union(SYMBOLS)
    lengths = sorted(set(map(len, every)), reverse=True)
    return tuple((length, frozenset(token for token in every if len(token) == length)) for length in lengths)
