"""Reads a header as a person does: its words, what they mean, and which of them say little."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ade_engine.mapping.headers import letter_or_blank, plain_letters, split_words, without_brackets
from ade_engine.mapping.vocabulary import vocabulary
from ade_engine.records import record

_VERSION = re.compile(r"(?i)(?<=[a-z0-9])[_ -]*(?<![a-z][rl]e)v(?:er|ersion)?[_ ]?(\d{1,2})$")
_PARTS = re.compile(r"\d+|[^\d\s]+")
_BRACKETED = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}")
_VOWELS = re.compile("[aeiouy]")
_LITTLE_WORDS = """
v raw clean cleaned new old tmp temp final copy ext sys system internal int external src tgt stg col column field fld
tbl table x y of the a an per for in at to by on and or de la le les des du der die das den von del di da do dos van het
el los e et und o il lo i z w na dim fact db crm erp sap legacy prop cur
"""
_LITTLE = frozenset(_LITTLE_WORDS.split())
_SIGNS = {"%": " percent ", "$": " dollar ", "€": " euro ", "£": " pound ", "¥": " yen "}
GENERIC, LITTLE, NUMBER, PLAIN = 50, 10, 40, 100  # how much a word says, in percent
_MOST_WORDS = 12


@record
class Name:
    """A header as read: words in order with concept and weight, and the same without what the whole table shares."""

    text: str
    told: tuple[str, ...]  # the words as a person writes them, phrases with blanks
    words: tuple[str, ...]
    concepts: tuple[frozenset[str], ...]  # of each word
    weights: tuple[int, ...]
    numbers: frozenset[str]
    bracketed: frozenset[str]
    joined: str
    skeleton: str
    phrases: frozenset[str]  # the concepts of all words that say something
    near: tuple[frozenset[str], ...]  # of each word, its concepts and those that stand in for them


@lru_cache(maxsize=4096)
def words_of(header: str) -> tuple[str, ...]:
    """Return the words of a header without case and accents; compounds are taken apart."""
    text = _VERSION.sub(r" v\1", header)
    found: list[str] = []
    known = vocabulary()
    letters = "".join(_SIGNS.get(sign) or letter_or_blank(sign) for sign in plain_letters(split_words(text)))
    for part in _PARTS.findall(letters):
        found.extend(known.parts(part))
    return tuple(found[:_MOST_WORDS])


def read_names(headers: Sequence[str]) -> list[Name]:
    """Return the headers of a table as read, without the words that nearly all of them begin or end with."""
    plain = [words_of(without_brackets(header)) or words_of(header) for header in headers]
    plain = _without_common(plain, ends=False)
    plain = _without_common(plain, ends=True)
    return [_name(header, words) for header, words in zip(headers, plain, strict=True)]


def _without_common(lines: list[tuple[str, ...]], *, ends: bool) -> list[tuple[str, ...]]:
    """Take off, again and again, the word that nearly all headers have at one end and that is not all they have."""
    for _ in range(3):
        place = -1 if ends else 0
        counts = Counter(words[place] for words in lines if len(words) > 1)
        word, times = counts.most_common(1)[0] if counts else ("", 0)
        if times < 3 or times < 0.7 * len(lines):
            return lines
        lines = [_cut(words, ends) if len(words) > 1 and words[place] == word else words for words in lines]
    return lines


def _cut(words: tuple[str, ...], ends: bool) -> tuple[str, ...]:
    return words[:-1] if ends else words[1:]


def _name(header: str, words: tuple[str, ...]) -> Name:
    known = vocabulary()
    units = _units(words)
    words = tuple(word.replace(" ", "") for word in units)
    concepts = tuple(frozenset(known.concepts.get(unit) or known.concepts.get(_stem(unit), ())) for unit in units)
    inside = " ".join("".join(groups) for groups in _BRACKETED.findall(header))
    joined = "".join(words)
    return Name(
        text=header,
        told=tuple(units),
        words=words,
        concepts=concepts,
        weights=tuple(map(_weight, words, concepts)),
        numbers=frozenset(word for word in words if word.isdecimal()),
        bracketed=frozenset(words_of(inside)) if inside else frozenset(),
        joined=joined,
        skeleton=skeleton(joined),
        phrases=frozenset(c for word, its in zip(words, concepts, strict=True) if word not in _LITTLE for c in its),
        near=tuple(its.union(*(known.near[c] for c in its if c in known.near)) for its in concepts),
    )


def _weight(word: str, concepts: frozenset[str]) -> int:
    if word in _LITTLE:
        return LITTLE
    if word.isdecimal():
        return NUMBER
    return GENERIC if concepts and concepts <= vocabulary().generic else PLAIN


def _units(words: tuple[str, ...]) -> list[str]:
    """Return the words of a header, those of a known phrase such as "first name" as one."""
    known = vocabulary().concepts
    found: list[str] = []
    place = 0
    while place < len(words):
        phrases = (" ".join(words[place : place + length]) for length in (3, 2) if place + length <= len(words))
        unit = next((phrase for phrase in phrases if phrase in known), words[place])
        found.append(unit)
        place += unit.count(" ") + 1
    return found


@lru_cache(maxsize=4096)
def _stem(word: str) -> str:
    """Return a word without the ending of a plural."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def skeleton(text: str) -> str:
    """Return a text without vowels, as people shorten it."""
    return _VOWELS.sub("", text)
