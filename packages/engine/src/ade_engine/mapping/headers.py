"""Compares headers the way a person reads them: case, accents, punctuation, camelCase and units do not matter."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER_SIGN = re.compile(r"[#№]")
_SEPARATORS = re.compile(r"[\W_]+")
_ABBREVIATIONS = {
    "no": "number",
    "nr": "number",
    "num": "number",
    "nbr": "number",
    "tel": "phone",
    "telephone": "phone",
}


@lru_cache(maxsize=8192)
def normalise(header: str) -> str:
    """Return the words of a header: "E-Mail_Address (work)" becomes "e mail address"."""
    bare = _BRACKETS.sub(" ", header)
    words = _words(bare) or _words(header)
    return " ".join(_ABBREVIATIONS.get(word, word) for word in words)


def _words(text: str) -> list[str]:
    split = _CAMEL.sub(" ", _NUMBER_SIGN.sub(" number ", text))
    letters = split.lower() if split.isascii() else _without_accents(split)
    # An apostrophe inside a word joins: "driver's" is one word, as "drivers" is.
    return _SEPARATORS.sub(" ", letters.replace("'", "").replace("’", "")).split()  # noqa: RUF001


def _without_accents(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def joined(words: str) -> str:
    """Return normalised words without spaces, so that "e mail" and "email" are the same."""
    return words.replace(" ", "")
