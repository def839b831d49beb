"""Priorities: five names on a scale from 0 to 100; the lower number runs first."""

from enum import IntEnum

HIGHEST = 0
LOWEST = 100


class Priority(IntEnum):
    """The levels people choose from. Any whole number from 0 to 100 is accepted as well."""

    URGENT = 10
    HIGH = 20
    NORMAL = 50
    LOW = 70
    BACKGROUND = 90


DEFAULT_PRIORITY = int(Priority.NORMAL)


def parse_priority(text: str) -> int:
    """Return the number of a level's name or of a written number; raise ValueError for anything else."""
    level = Priority.__members__.get(text.strip().upper())
    if level is not None:
        return int(level)
    names = ", ".join(name.lower() for name in Priority.__members__)
    problem = f"priority must be one of {names}, or a whole number from {HIGHEST} to {LOWEST}"
    if not text.strip().isdecimal():
        raise ValueError(problem)
    number = int(text)
    if not HIGHEST <= number <= LOWEST:
        raise ValueError(problem)
    return number
