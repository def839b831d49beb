"""The order of the queue: effective priority, order key, plan, phase, submission sequence.

The order key is the instant a run became ready, in units fine enough to place other runs between two of them.
"""

from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from ade.domain.priority import Priority

# What the order goes by, first to last: the columns of every index and ORDER BY of the queue.
ORDER = ("effective_priority", "order_key", "plan_sequence", "phase", "sequence")
_place = attrgetter(*ORDER)
UNITS_PER_MICROSECOND = 1000
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


def place_of(run: Any) -> tuple[int, ...]:
    """Return the place of a run in the order."""
    place: tuple[int, ...] = _place(run)
    return place


def order_key_at(instant: datetime) -> int:
    """Return the key of what becomes ready at this instant."""
    return (instant - _EPOCH) // timedelta(microseconds=1) * UNITS_PER_MICROSECOND


def one_level_up(priority: int) -> int:
    """Return the priority after ageing once: the next named level, and never above urgent."""
    return max((int(level) for level in Priority if level < priority), default=priority)


def keys_between(low: int, high: int, count: int) -> list[int]:
    """Return `count` growing keys strictly between two others, or nothing when they do not fit."""
    step = (high - low) // (count + 1)
    return [low + step * number for number in range(1, count + 1)] if step else []
