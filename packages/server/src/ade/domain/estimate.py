"""When a waiting run may start, judged from its position, the slots there are, and how long runs took lately."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How quickly the queue moves."""

    slots: int  # of the workers that claim, or fewer when the deployment allows fewer
    running_count: int
    building_count: int
    median: timedelta  # of recent runs
    slow: timedelta  # nine of ten were quicker
    starts_per_second: float = 0  # 0: no limit

    @property
    def free_slots(self) -> int:
        """Return how many runs could start at once."""
        return max(0, self.slots - self.running_count - self.building_count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A start as a range."""

    earliest_at: datetime
    likely_at: datetime
    latest_at: datetime


def estimate_start(position: int, *, now: datetime, pace: Pace, is_held: bool = False) -> Estimate | None:
    """Return when the run at a position may start, or None without workers.

    A run that is held until something else ends waits for one run at least, also when slots are free.
    """
    if pace.slots <= 0:
        return None
    ahead, free = position - 1, pace.free_slots
    rounds = max(0, ahead - free + pace.slots) // pace.slots if ahead >= free else 0
    limited = timedelta(seconds=ahead / pace.starts_per_second) if pace.starts_per_second else timedelta(0)
    at_least = max(rounds, 1 if is_held else 0)
    return Estimate(
        earliest_at=now + max(limited, max(0, rounds - 1) * pace.median),
        likely_at=now + max(limited, at_least * pace.median),
        latest_at=now + max(limited, at_least * pace.slow),
    )
