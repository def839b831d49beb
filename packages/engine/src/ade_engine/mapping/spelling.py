"""How similar two texts are letter by letter; no library is loaded for the few that are compared."""

from __future__ import annotations


def edits(one: str, other: str) -> int:
    """Return how many letters have to be taken out or put in to make one text of the other."""
    places: dict[str, int] = {}
    bit = 1
    for letter in one:
        places[letter] = places.get(letter, 0) | bit
        bit <<= 1
    # The longest common subsequence, all places of `one` at once (Hyyrö 2004): a bit that is 0 is a letter in common.
    row = every = bit - 1
    for letter in other:
        found = row & places.get(letter, 0)
        row = (row + found) | (row - found)
    return len(one) + len(other) - 2 * (every & ~row).bit_count()


def alike(one: str, other: str) -> int:
    """Return 100 for equal texts, and less for each letter that differs, in whole percent of all letters."""
    length = len(one) + len(other)
    return 100 - (100 * edits(one, other) + length - 1) // length
