"""How far a child process is shut in, from nothing to everything."""

from enum import StrEnum


class Isolation(StrEnum):
    """The levels a self-test can prove, weakest first."""

    OPEN = "open"
    LIMITS = "limits"
    GUARDED = "guarded"
    CONFINED = "confined"
    ISOLATED = "isolated"

    @property
    def rank(self) -> int:
        """Return how strong the level is; higher is stronger."""
        return list(Isolation).index(self)
