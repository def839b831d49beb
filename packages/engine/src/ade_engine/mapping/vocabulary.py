"""The words of headers by what they mean, in several languages: "Kunde" and "client" both name a customer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ade_engine.records import record

_FILE = Path(__file__).with_name("vocabulary.txt")
_LINKS = ("", "s", "n", "en", "er", "es", "e")  # what German and Dutch put between the parts of a compound
_SHORTEST_PART = 4
_SHORT_HEADS = frozenset({"id", "no", "nr", "dt", "cd", "nm"})


@record
class Vocabulary:
    """Concepts by word and by phrase; a word may have several, as "estado" does.

    `generic` concepts are heads of many headers. `near` has the concepts that tables use in place of each other.
    """

    concepts: dict[str, tuple[str, ...]]
    generic: frozenset[str]
    near: dict[str, frozenset[str]]

    def parts(self, word: str) -> tuple[str, ...]:
        """Return a word, or the parts of a compound of known words, such as "rechnungs" + "nummer"."""
        if word in self.concepts or len(word) < 2 or word.isdecimal():
            return (word,)
        if not word.isascii() and any(_has_no_spaces(letter) for letter in word):
            return self._characters(word)
        if word[-2:] in _SHORT_HEADS and word[:-2] in self.concepts and len(word) - 2 >= _SHORTEST_PART:
            return (word[:-2], word[-2:])
        return self._compound(word) if len(word) >= 2 * _SHORTEST_PART - 1 else (word,)

    def _compound(self, word: str) -> tuple[str, ...]:
        for length in range(len(word) - 3, 2, -1):
            head = word[:length]
            for link in _LINKS:
                plain = head[: len(head) - len(link)] if link and head.endswith(link) else ("" if link else head)
                if len(plain) < 3 or plain not in self.concepts:
                    continue
                rest = word[length:]
                if rest in self.concepts and (len(rest) >= _SHORTEST_PART or len(plain) >= _SHORTEST_PART):
                    return (plain, rest)
                further = self._compound(rest) if len(rest) >= 2 * _SHORTEST_PART - 1 else ()
                if len(further) > 1:
                    return (plain, *further)
        return (word,)

    def _characters(self, word: str) -> tuple[str, ...]:
        """Return the longest known words of a text that is written without blanks, and what lies between."""
        found: list[str] = []
        place = rest = 0
        while place < len(word):
            length = next(
                (n for n in range(min(6, len(word) - place), 0, -1) if word[place : place + n] in self.concepts), 0
            )
            if not length:
                place += 1
                continue
            if rest < place:
                found.append(word[rest:place])
            found.append(word[place : place + length])
            place = rest = place + length
        return (*found, word[rest:]) if rest < len(word) else tuple(found)


def _has_no_spaces(letter: str) -> bool:
    return "\u3040" <= letter <= "\u30ff" or "\u3400" <= letter <= "\u9fff"


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary, read once."""
    concepts: dict[str, tuple[str, ...]] = {}
    generic: set[str] = set()
    near: dict[str, frozenset[str]] = {}
    for line in _FILE.read_text("utf-8").splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] == "=":
            group = frozenset(line[1:].split())
            near.update({concept: near.get(concept, frozenset()) | group for concept in group})
            continue
        name, _, words = line.partition(":")
        concept = name.lstrip("~")
        if name[0] == "~":
            generic.add(concept)
        for word in words.split():
            plain = word.replace("_", " ")
            concepts[plain] = (*concepts.get(plain, ()), concept)
    return Vocabulary(concepts, frozenset(generic), near)
