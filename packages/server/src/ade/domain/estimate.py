"""When a waiting run may start, judged from its position, the slots there are, and how long runs took lately."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How quickly the queue moves."""

    slots: int
    running_count: int
    median: timedelta  # of recent runs
    slow: timedelta  # nine of ten were quicker


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A start as a range."""

    earliest_at: datetime
    likely_at: datetime
    latest_at: datetime


def estimate_start(position: int, *, now: datetime, pace: Pace) -> Estimate | None:
    """Return when the run at a position may start, or None when nobody works."""
    if pace.slots <= 0:
        return None
    ahead = position - 1
    free = max(0, pace.slots - pace.running_count)
    rounds = max(0, ahead - free + pace.slots) // pace.slots if ahead >= free else 0
    return Estimate(
        earliest_at=now + max(0, rounds - 1) * pace.median,
        likely_at=now + rounds * pace.median,
        latest_at=now + rounds * pace.slow,
    )
