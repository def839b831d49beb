"""Names and numbers in the sentences of a verdict."""

from __future__ import annotations

from collections.abc import Sequence

_LONGEST_NAME = 40
_MOST_NAMED = 3


def in_places(places: Sequence[str]) -> str:
    """Return where something is, or nothing when it is everywhere."""
    return f" in {listed(places)}" if places else ""


def were(labels: Sequence[str]) -> str:
    """Return names with the verb that fits their number."""
    return f"{listed(labels)} {'was' if len(labels) == 1 else 'were'}"


def listed(names: Sequence[str], *, longest: int = _LONGEST_NAME) -> str:
    """Return names in words; only the first few of many."""
    shown = [cut(name, longest) for name in names[:_MOST_NAMED]]
    if len(names) > _MOST_NAMED:
        return f"{', '.join(shown)} and {len(names) - _MOST_NAMED} more"
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def cut(name: str, longest: int = _LONGEST_NAME) -> str:
    """Return a name, or the beginning of a long one."""
    name = " ".join(name.split())
    return name if len(name) <= longest else name[: longest - 1] + "…"


def counted(count: int, noun: str) -> str:
    """Return a number of things."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
