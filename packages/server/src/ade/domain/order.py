"""The order of the queue: effective priority, order key, plan, phase, submission sequence.

The order key is the instant a run became ready, in units fine enough to place other runs between two of them.
"""

from datetime import datetime, timedelta

from ade.domain.priority import Priority

UNITS_PER_MICROSECOND = 1000
_EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")


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
