"""Makes names of fields out of headers: readable, in the script of the header, and all different."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from ade_engine.mapping.headers import in_full, joined, precise, split_words, without_brackets

LONGEST = 60
_SYMBOL_NAMES = {
    "%": "percent", "€": "euro", "$": "dollar", "£": "pound", "¥": "yen", "&": "and", "+": "plus", "@": "at",
    "*": "star", "=": "equals", "<": "below", ">": "above", "°": "degree",
}  # fmt: skip
_SYMBOLS = re.compile("|".join(map(re.escape, _SYMBOL_NAMES)))
_GAPS = re.compile(r"_+")


def short_name(header: str) -> str:
    """Return a name without the part in brackets, if anything remains: "Weight (kg)" is weight."""
    return _name(without_brackets(header)) or full_name(header)


def full_name(header: str) -> str:
    """Return a name with everything that a header says: "Price (net) €" is price_net_euro."""
    return _name(_SYMBOLS.sub(lambda found: f" {_SYMBOL_NAMES[found[0]]} ", header)) or "field"


def _name(header: str) -> str:
    letters = "".join(map(_letter, split_words(unicodedata.normalize("NFKC", header)))).lower()
    cleaned = "".join(sign if f"a{sign}".isidentifier() else " " for sign in unicodedata.normalize("NFKC", letters))
    name = _GAPS.sub("_", "_".join(in_full(cleaned.split()))).strip("_")[:LONGEST].strip("_")
    return f"field_{name}" if name and not name.isidentifier() else name


def _letter(letter: str) -> str:
    """Return a letter without accent, if it is a Latin one: elsewhere, marks make other words."""
    plain = unicodedata.normalize("NFKD", letter)[0]
    return plain if plain.isascii() and plain.isalpha() else {"ß": "ss", "'": "", "’": ""}.get(letter, letter)  # noqa: RUF001


def different_names(groups: Sequence[Sequence[str]]) -> list[str]:
    """Return one name for each group of headers, after its first header; the others are aliases.

    No name is a header of another group: columns are found by names, too.
    """
    shorts = Counter(short_name(group[0]) for group in groups)
    taken = _Taken(groups)
    for group in groups:
        short = short_name(group[0])
        taken.take(short if shorts[short] == 1 else full_name(group[0]), group)
    return list(taken.names)


class _Taken:
    """The names given so far, and the headers that no name of another group may be."""

    def __init__(self, groups: Sequence[Sequence[str]]) -> None:
        self.names: dict[str, None] = {}
        self._headers = Counter(header for group in groups for header in group)
        self._aliases = Counter(alias for group in groups for alias in _like_aliases(group))
        self._numbers: dict[str, int] = {}  # thousands of headers may want one name: counting continues where it was

    def take(self, wanted: str, group: Sequence[str]) -> None:
        """Give a group the name it wants, or that name with the next number that is free."""
        headers, aliases = Counter(group), Counter(_like_aliases(group))
        name, number = wanted, self._numbers.get(wanted, 1)
        if number > 1:
            name = f"{wanted}_{number}"
        while name in self.names or self._is_of_others(name, headers, aliases):
            number += 1
            name = f"{wanted}_{number}"
        self._numbers[wanted] = number
        self.names[name] = None

    def _is_of_others(self, name: str, headers: Counter[str], aliases: Counter[str]) -> bool:
        like = joined(precise(name))
        return self._headers[name] > headers[name] or self._aliases[like] > aliases[like]


def _like_aliases(group: Sequence[str]) -> list[str]:
    return [joined(precise(alias)) for alias in group[1:]]
