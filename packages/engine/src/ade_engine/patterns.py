"""Regular expressions that are compiled when they are first used: most runs need few of those there are."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property


class Pattern:
    """A regular expression for whole texts."""

    def __init__(self, text: str, flags: int = 0) -> None:
        self._text = text
        self._flags = flags

    @cached_property
    def fullmatch(self) -> Callable[[str], re.Match[str] | None]:
        """Return the match of a whole text, or None."""
        return re.compile(self._text, self._flags).fullmatch
