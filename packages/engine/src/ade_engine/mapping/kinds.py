"""Recognises kinds of values: what an email, a phone number or a date looks like, in text and in typed cells."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

from ade_engine.cells import Value
from ade_engine.convert_numbers import CONVERTERS
from ade_engine.currencies import CODES, SYMBOLS
from ade_engine.fields import Field
from ade_engine.mapping.countries import COUNTRIES
from ade_engine.notation import Ambiguous, CannotConvert
from ade_engine.patterns import Pattern
from ade_engine.records import record

_EMAIL = Pattern(r"[^@\s,;<>]+@[^@\s,;<>.]+(\.[^@\s,;<>.]+)+")
_URL = Pattern(r"(https?://|www\.)[^\s]+\.[^\s]+", re.IGNORECASE)
_PHONE = Pattern(r"(\+|00|\(|0)?[\d(][\d\s()./-]{5,18}(\s*(x|ext\.?)\s*\d{1,6})?", re.IGNORECASE)
_DATE = Pattern(r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})( \d.*)?")
_DATE_IN_WORDS = Pattern(r"(\d{1,2}[. -]*)?[^\W\d]{3,10}[. ,-]*(\d{1,2},? +)?\d{4}")
_BOOLEAN_WORDS = "yes no true false y n ja nein oui non si sí sim não nao waar onwaar wahr falsch vrai faux x"
_BOOLEANS = frozenset(_BOOLEAN_WORDS.split())
_POSTAL = Pattern(
    r"\d{4,5}(-\d{3,4})?|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|\d{4} ?[A-Z]{2}|[A-Z]{1,2}-\d{4,5}"
)
_PERSON = Pattern(r"[^\W\d_]+\.?(['\u2019 -]+[^\W\d_]+\.?|, *[^\W\d_]+\.?){0,4}")
_FULL_NAME = Pattern(
    r"[^\W\d_a-z][^\W\d_]*\.?(?:,? +(?:[^\W\d_a-z][\w'\u2019.-]*|de|da|di|del|van|von|der|la|le|bin|al)){1,4}"
)
_CODE = Pattern(r"[A-Za-z0-9]+([-_/.:][A-Za-z0-9]+)*")
_NO_LETTER_WORDS = Pattern(r"[\d\W_]+")


@record
class Kind:
    """How a kind is recognised, and what agreement and disagreement of the values are worth."""

    matches: Callable[[Value], bool]
    support: float
    contradiction: float
    is_telling: bool = False  # hardly anything else looks like it


def _text(pattern: Pattern) -> Callable[[Value], bool]:
    def matches(value: Value) -> bool:
        return isinstance(value, str) and pattern.fullmatch(value.strip()) is not None

    return matches


def _is_phone(value: Value) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return 10**6 <= value < 10**15
    if not isinstance(value, str) or not _PHONE.fullmatch(value.strip()) or _DATE.fullmatch(value.strip()):
        return False
    return 7 <= sum(letter.isdigit() for letter in value) <= 20


def _is_date(value: Value) -> bool:
    if isinstance(value, str):
        text = value.strip()
        return _DATE.fullmatch(text) is not None or _DATE_IN_WORDS.fullmatch(text) is not None
    return isinstance(value, date)


def _converts(type_: str) -> Callable[[Value], bool]:
    """Return a test for what a field of a type can convert, or could if it knew how to read it."""
    field = Field("x", type=type_)

    def matches(value: Value) -> bool:
        try:
            CONVERTERS[type_](value, field)
        except Ambiguous:
            return True
        except CannotConvert:
            return False
        return True

    return matches


_is_integer = _converts("integer")


def _is_boolean(value: Value) -> bool:
    if isinstance(value, str):
        return value.strip().casefold() in _BOOLEANS
    return isinstance(value, bool) or value in (0, 1)


def _is_postal_code(value: Value) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return 1000 <= value <= 99999
    return isinstance(value, str) and _POSTAL.fullmatch(value.strip().upper()) is not None


def _is_country(value: Value) -> bool:
    return isinstance(value, str) and value.strip().casefold() in COUNTRIES


def _is_currency(value: Value) -> bool:
    return isinstance(value, str) and (value.strip().upper() in CODES or value.strip() in SYMBOLS)


def _is_code(value: Value) -> bool:
    if isinstance(value, str):
        text = value.strip()
        return len(text) <= 40 and any(map(str.isdigit, text)) and _CODE.fullmatch(text) is not None
    return _is_integer(value)


def _is_words(value: Value) -> bool:
    return isinstance(value, str) and _NO_LETTER_WORDS.fullmatch(value) is None and "@" not in value


KINDS: dict[str, Kind] = {
    "email": Kind(_text(_EMAIL), 0.6, 0.6, is_telling=True),
    "url": Kind(_text(_URL), 0.55, 0.5, is_telling=True),
    "phone": Kind(_is_phone, 0.2, 0.5),
    "date": Kind(_is_date, 0.2, 0.6),
    "number": Kind(_converts("number"), 0.1, 0.5),
    "integer": Kind(_is_integer, 0.1, 0.5),
    "money": Kind(_converts("money"), 0.15, 0.6),
    "percent": Kind(_converts("percent"), 0.15, 0.5),
    "boolean": Kind(_is_boolean, 0.15, 0.5),
    "postal_code": Kind(_is_postal_code, 0.2, 0.4),
    "country": Kind(_is_country, 0.3, 0.3),
    "currency": Kind(_is_currency, 0.3, 0.5),
    "person_name": Kind(_text(_PERSON), 0.15, 0.6),
    "full_name": Kind(_text(_FULL_NAME), 0.05, 0.6),
    "code": Kind(_is_code, 0.1, 0.3),
    "words": Kind(_is_words, 0.05, 0.6),
}
