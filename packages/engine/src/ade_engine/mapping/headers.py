"""Compares headers the way a person reads them: case, accents, punctuation, camelCase and units do not matter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NUMBER_SIGN = re.compile(r"[#№]")
# Accents of Latin, Greek and Cyrillic letters, and vowel points of Hebrew and Arabic. Other marks make other letters.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]")
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
    return " ".join(in_full(_words(without_brackets(header)) or _words(header)))


@lru_cache(maxsize=8192)
def precise(header: str) -> str:
    """Return the words of a header with those in brackets, and with its symbols: "Price (net) €" and "Price" differ."""
    text = plain_letters(_split(header))
    return " ".join(
        in_full("".join(f" {sign} " if is_symbol(sign) else letter_or_blank(sign) for sign in text).split())
    )


def without_brackets(header: str) -> str:
    """Return a header without the part in brackets."""
    return _BRACKETS.sub(" ", header)


def in_full(words: Iterable[str]) -> list[str]:
    """Write abbreviations out: "tel" is "phone"."""
    return [_ABBREVIATIONS.get(word, word) for word in words]


def is_symbol(sign: str) -> bool:
    """Return whether a sign says something, as "%" and "€" do; punctuation only separates."""
    return sign in "%&@*§†‰" or unicodedata.category(sign)[0] == "S"


def split_words(text: str) -> str:
    """Put blanks where camelCase changes, and write the number sign as a word."""
    return _CAMEL.sub(" ", _NUMBER_SIGN.sub(" number ", text))


def _split(text: str) -> str:
    # An apostrophe inside a word joins: "driver's" is one word, as "drivers" is.
    return split_words(text).replace("'", "").replace("’", "")  # noqa: RUF001


def _words(text: str) -> list[str]:
    return "".join(map(letter_or_blank, plain_letters(_split(text)))).split()


def plain_letters(text: str) -> str:
    """Return a text without case and accents."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold())))


def letter_or_blank(sign: str) -> str:
    """Return a letter, digit or mark of a letter as it is, and a blank for anything else."""
    return sign if sign.isalnum() or unicodedata.category(sign)[0] == "M" else " "


def joined(words: str) -> str:
    """Return normalised words without spaces, so that "e mail" and "email" are the same."""
    return words.replace(" ", "")


def comparable(header: str) -> str:
    """Return what two headers have in common that differ in case, spaces or punctuation only."""
    return joined(precise(header)) or header.strip()


def numbered(headers: Iterable[str]) -> list[str]:
    """Return headers of which each is different: the second "Total" of a table is "Total (2)". Empty ones stay."""
    taken = set(headers := list(headers))
    last: dict[str, int] = {}  # the number of each header that came last
    different = []
    for header in headers:
        if not header or header not in last:
            different.append(header)
            last[header] = 1
            continue
        last[header] = number = _unused(header, last[header] + 1, taken)
        different.append(f"{header} ({number})")
        taken.add(different[-1])
    return different


def _unused(header: str, number: int, taken: set[str]) -> int:
    while f"{header} ({number})" in taken:
        number += 1
    return number
