"""Looks a header up among the names of all fields at once: exact, normalised, hinted, misspelled or sharing words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ade_engine.evidence import DIGITS, Contribution
from ade_engine.fields import Field
from ade_engine.mapping.headers import joined, normalise, precise
from ade_engine.mapping.spelling import edits

EXACT, NORMALISED, HINT = 1.0, 0.95, 0.4
_LOWEST = 0.85  # below "Customer", "Name" is a little less sure to be the name of a person
_FUZZY_FLOOR, _FUZZY_LENGTH = 90.0, 5


class HeaderIndex:
    """The names, labels, aliases and hints of a configuration's fields. Fields are numbered in their order."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self._written: dict[str, dict[int, None]] = {}
        self._precise: dict[str, dict[int, None]] = {}
        self._joined: dict[str, dict[int, None]] = {}
        self._hints: dict[str, dict[int, None]] = {}
        self._by_letter: dict[str, list[tuple[int, str]]] = {}
        self._by_word: dict[str, list[tuple[int, frozenset[str]]]] = {}
        for number, field in enumerate(fields):
            for hint in field.hints:
                self._hints.setdefault(joined(normalise(hint)), {})[number] = None
            for name in dict.fromkeys((field.name, field.title, *field.aliases)):
                self._add(number, name.strip())

    def _add(self, number: int, name: str) -> None:
        self._written.setdefault(name, {})[number] = None
        words, exact_words = normalise(name), joined(precise(name))
        if exact_words:
            self._precise.setdefault(exact_words, {})[number] = None
        if not words:
            return  # a header of nothing but signs is compared as written
        self._joined.setdefault(joined(words), {})[number] = None
        self._by_letter.setdefault(words[0], []).append((number, words))
        for word in words.split():
            self._by_word.setdefault(word, []).append((number, frozenset(words.split())))

    def contributions(self, header: str, lowest: str = "", numbered: str = "") -> dict[int, Contribution]:
        """Return what a header says for each field it could name.

        `lowest` is the last row of a stacked header. `numbered` is "Total (2)" for the second "Total" of a table.
        """
        found = self._whole(numbered if numbered.strip() in self._written else header)
        for number, contribution in self._named(lowest).items():
            part = Contribution("header.lowest", round(_LOWEST * contribution.delta, DIGITS))
            if number not in found or part.delta > found[number].delta:
                found[number] = part
        return found

    def _named(self, header: str) -> dict[int, Contribution]:
        """Return the fields a header names, as written or apart from case and punctuation."""
        if found := self._written.get(header.strip()):
            return dict.fromkeys(found, Contribution("header.alias", EXACT))
        alike = self._alike(header)
        return dict.fromkeys(alike, Contribution("header.normalised", NORMALISED)) if len(alike) == 1 else {}

    def _alike(self, header: str) -> Collection[int]:
        """Return the fields whose names differ from a header in writing only, or else in brackets and symbols.

        Where these are several, as "YTD (2011)" and "YTD (2012)" are for "YTD (2013)", what differs matters.
        """
        words = joined(normalise(header))
        if found := self._precise.get(joined(precise(header)), ()):
            return found
        alike = self._joined.get(words, ())
        plain = [number for number in alike if number in self._precise.get(words, ())]
        return plain if len(alike) > 1 and len(plain) == 1 else alike

    def _whole(self, header: str) -> dict[int, Contribution]:
        words, found = normalise(header), self._named(header)
        if found or not words or self._alike(header):
            return found  # a header that names a field is not guessed to be a misspelling of another
        for number in self._hints.get(joined(words), ()):
            found.setdefault(number, Contribution("header.hint", HINT))
        for contribution_of in (self._misspelled, self._sharing_words):
            for number, contribution in contribution_of(words):
                if number not in found or contribution.delta > found[number].delta:
                    found[number] = contribution
        return found

    def _misspelled(self, words: str) -> Iterable[tuple[int, Contribution]]:
        # A slip of the pen rarely hits the first letter, and short words are too close to each other to guess.
        names = [pair for pair in self._by_letter.get(words[0], ()) if _could_resemble(words, pair[1])]
        if len(words) < _FUZZY_LENGTH or not names:
            return
        for number, name in names:
            likeness = 100 - 100 * edits(words, name) / (len(words) + len(name))
            if likeness >= _FUZZY_FLOOR:
                delta = 0.5 + 0.3 * (likeness - _FUZZY_FLOOR) / (100 - _FUZZY_FLOOR)
                yield number, Contribution("header.fuzzy", round(delta, DIGITS))

    def _sharing_words(self, words: str) -> Iterable[tuple[int, Contribution]]:
        """Yield fields whose words are all among the header's, or the other way round: not enough on its own."""
        ours = frozenset(words.split())
        for word in sorted(ours):
            for number, theirs in self._by_word.get(word, ()):
                if ours < theirs or theirs < ours:
                    share = min(len(ours), len(theirs)) / max(len(ours), len(theirs))
                    yield number, Contribution("header.words", round(0.05 + 0.45 * share, DIGITS))


def _could_resemble(words: str, name: str) -> bool:
    """Return whether the letters alone, in any order, allow for enough likeness. Cheap, and nearly always a no."""
    length = len(words) + len(name)
    if len(name) < _FUZZY_LENGTH or 200 * min(len(words), len(name)) < _FUZZY_FLOOR * length:
        return False
    shared = sum(min(words.count(letter), name.count(letter)) for letter in set(words))
    return 200 * shared >= _FUZZY_FLOOR * length
