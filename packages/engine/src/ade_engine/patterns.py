"""Regular expressions that are compiled when they are first used: most runs need few of those there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

# Before 3.11.5, Python continues from the wrong place when the last turn of a possessive group fails half-way.
_IS_POSSESSIVE_SOUND = re.fullmatch(r"(?:ab?c)++a", "aca") is not None


def sound(pattern: str) -> str:
    """Return a pattern that matches right on every Python: where possessive groups do not, they may backtrack."""
    return pattern if _IS_POSSESSIVE_SOUND else re.sub(r"\)([*+?])\+", r")\1", pattern)


class Pattern:
    """A regular expression for whole texts."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """Return the match of a whole text, or None."""
        return re.compile(sound(self._text), self._flags).fullmatch
