"""Makes names of fields out of headers: readable, in the script of the header, and all different."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence

from ade_engine.mapping.headers import in_full, joined, precise, split_words, without_brackets

LONGEST = 60
_SYMBOL_NAMES = {
    "%": "percent", "€": "euro", "$": "dollar", "£": "pound", "¥": "yen", "&": "and", "+": "plus", "@": "at",
    "*": "star", "=": "equals", "<": "below", ">": "above", "°": "degree", "ß": "ss",
}  # fmt: skip
_SYMBOLS = re.compile("|".join(map(re.escape, _SYMBOL_NAMES)))
_GAPS = re.compile(r"_+")


def short_name(header: str) -> str:
    """Return a name without what stands in brackets, if anything remains: "Weight (kg)" is weight."""
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
    names: dict[str, None] = {}
    for number, group in enumerate(groups):
        short = short_name(group[0])
        wanted = short if shorts[short] == 1 else full_name(group[0])
        others = [other for place, other in enumerate(groups) if place != number]
        names[_unused(wanted, names, others)] = None
    return list(names)


def _unused(wanted: str, taken: Mapping[str, None], others: Sequence[Sequence[str]]) -> str:
    written = {header for group in others for header in group}
    like_aliases = {joined(precise(alias)) for group in others for alias in group[1:]}
    name, number = wanted, 1
    while name in taken or name in written or joined(precise(name)) in like_aliases:
        number += 1
        name = f"{wanted}_{number}"
    return name
