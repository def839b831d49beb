"""Classifies what a cell looks like: a number, a date, a code, text, a placeholder, or nothing.

Formats without types (csv) hold text only, so text is read the way a person would: "1,200 €" is a number. The answer
feeds the evidence for rows and never changes a value.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from functools import cache, lru_cache
from typing import Final

from ade_engine.cells import CellError, Value

EMPTY: Final = 0
TEXT: Final = 1
LONG: Final = 2
CODE: Final = 3
NUMBER: Final = 4
YEAR: Final = 5
DATE: Final = 6
MARK: Final = 7
FLAG: Final = 8

NUMERIC: Final = frozenset({NUMBER, YEAR})
TEXTUAL: Final = frozenset({TEXT, LONG})
VALUES: Final = frozenset({CODE, NUMBER, YEAR, DATE, FLAG})

LONG_LENGTH: Final = 60
CODE_LENGTH: Final = 6
FIRST_YEAR, LAST_YEAR = 1900, 2100

_CURRENCY = r"(?:[$€£¥₽₹]|US\$|USD|EUR|GBP|CHF|JPY|Kč|zł|kr\.?|R\$)"
_NUMBER = re.compile(
    rf"[<>~≈±]?\s*\(?\s*[-+\u2212\u2013]?\s*{_CURRENCY}?\s*[-+\u2212\u2013]?\s*"
    rf"(?:\d+(?:[.,'\s\u00a0]\d+)*[.,]?|[.,]\d+)(?:[eE][-+]?\d+)?\s*(?:%|{_CURRENCY}|-)?\s*\)?[*†]?"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|januar[iy]|january|february|march|april|june|july|august"
    r"|september|october|november|december|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre"
    r"|novembre|décembre|märz|juni|juli|oktober|dezember|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre"
    r"|novembre|dicembre)\.?"
)
_CODE = re.compile(r"(?=\S*\d)\S{2,}|[^\s@]+@[^\s@]+\.[^\s@]+|https?://\S+|www\.\S+|[+(]?\d[\d\s()./x-]{5,}")
_FLAGS = frozenset({"true", "false", "yes", "no", "ja", "nein", "oui", "non", "si", "sí", "y", "n"})
_ERRORS = frozenset({"#N/A", "#VALUE!", "#REF!", "#DIV/0!", "#NUM!", "#NAME?", "#NULL!"})
_MARKS = frozenset({"-", "--", "---", "\u2013", "\u2014", ".", "..", "...", "…", "n/a", "na", "n.a.", "n.a",
                    "null", "none", "nil", "nan", "x", "*", "?", "tbd", "tba", "s", "d", "(d)", "(x)"})  # fmt: skip


def kind_of(value: Value) -> int:
    """Return the kind a value has."""
    if value is None:
        return EMPTY
    if type(value) is str:
        return kind_of_text(value) if len(value) < 200 else LONG
    return _kind_of_typed(value)


def _kind_of_typed(value: Value) -> int:
    if isinstance(value, bool):
        return FLAG
    if isinstance(value, int | float):
        return YEAR if FIRST_YEAR <= value <= LAST_YEAR and value == int(value) else NUMBER
    if isinstance(value, datetime | date | time | timedelta):
        return DATE
    # An error stands where a formula should have left a value.
    return NUMBER if isinstance(value, CellError) else TEXT


@lru_cache(maxsize=65536)
def kind_of_text(text: str) -> int:
    """Return the kind a piece of text has."""
    text = text.strip()
    if not text:
        return EMPTY
    if text[0].isalpha() and text.casefold() not in _FLAGS | _MARKS and not any(map(str.isdigit, text)):
        return _kind_of_words(text)
    return _kind_of_signs(text)


def _kind_of_words(text: str) -> int:
    if "@" in text or "://" in text or text.startswith("www."):
        return CODE if _CODE.fullmatch(text) else _text_or_long(text)
    return _text_or_long(text)


def _kind_of_signs(text: str) -> int:
    lowered = text.casefold()
    if text in _ERRORS:
        return NUMBER
    if lowered in _MARKS:
        return MARK
    if lowered in _FLAGS:
        return FLAG
    if len(text) > LONG_LENGTH:
        return LONG
    if _NUMBER.fullmatch(text):
        return _number_or_year(text)
    if _date().fullmatch(text):
        return DATE
    # Scripts without spaces write whole sentences in one piece; codes are short or plain.
    may_be_code = text.isascii() or len(text) <= CODE_LENGTH
    return CODE if may_be_code and _CODE.fullmatch(text) else _text_or_long(text)


def _number_or_year(text: str) -> int:
    digits = text.strip("()").removesuffix(".0")
    return YEAR if len(digits) == 4 and digits.isdigit() and FIRST_YEAR <= int(digits) <= LAST_YEAR else NUMBER


def _text_or_long(text: str) -> int:
    return LONG if len(text) > LONG_LENGTH else TEXT


@cache
def _date() -> re.Pattern[str]:
    """Build the pattern when first needed: typed formats never ask for it."""
    return re.compile(
        r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})(?:[T ]\s*\d{1,2}:\d{2}.*)?"
        r"|\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:am|pm|AM|PM)?"
        rf"|(?:\d{{1,2}}\.?[-/\s])?{_MONTH}[-/\s]?'?\d{{2,4}}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s\d{{4}})?"
        rf"|\d{{1,2}}\.?[-/\s]{_MONTH}",
        re.IGNORECASE,
    )
