"""The start rate: any second holds at most this many starts, and a queue that is never empty reaches that many."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

Starts = Sequence[tuple[datetime, int]]  # how many started at each instant, oldest first
# Above this many starts in a window, instants are rounded up: the list of starts must stay short.
MOST_INSTANTS = 100


@dataclass(frozen=True, slots=True)
class StartRate:
    """Starts a second, kept as `most` in any `window`: 4 a second, or for 2.5 a second, 3 in any 1.2 seconds."""

    per_second: float

    @property
    def most(self) -> int:
        """Return how many starts a window may hold."""
        return math.ceil(self.per_second)

    @property
    def window(self) -> timedelta:
        """Return the length of the window; one second when the rate is a whole number."""
        return timedelta(microseconds=math.ceil(1_000_000 * self.most / self.per_second))

    def within(self, starts: Starts, now: datetime) -> list[tuple[datetime, int]]:
        """Return the starts that still count."""
        return [(at, count) for at, count in starts if at > now - self.window]

    def free_at(self, starts: Starts, now: datetime) -> int:
        """Return how many more may start now."""
        return max(0, self.most - sum(count for _, count in self.within(starts, now)))

    def next_start_at(self, starts: Starts, now: datetime) -> datetime:
        """Return when the next one may start: now, or when the oldest that counts leaves the window."""
        counted = self.within(starts, now)
        return counted[0][0] + self.window if counted and not self.free_at(starts, now) else now

    def adding(self, count: int, starts: Starts, now: datetime) -> list[tuple[datetime, int]]:
        """Return the starts that count after some more."""
        counted, at = self.within(starts, now), self._rounded(now)
        if counted and counted[-1][0] == at:
            count += counted.pop()[1]
        return [*counted, (at, count)]

    def _rounded(self, now: datetime) -> datetime:
        """Round up, so that no window holds too many; one in a hundred starts may come later for it."""
        if self.most <= MOST_INSTANTS:
            return now
        step = self.window / MOST_INSTANTS
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - (midnight - now) // step * step
