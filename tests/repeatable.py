"""A clock and ids that repeat themselves exactly, for tests and simulations."""

from datetime import UTC, datetime, timedelta
from itertools import count

from ade.ids import NewId


class FakeClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self.current = start

    def now(self) -> datetime:
        """Return the instant it stands at."""
        return self.current

    def sleep(self, duration: timedelta) -> None:
        """Move on by the duration at once."""
        self.advance(duration)

    def advance(self, duration: timedelta) -> None:
        """Move on; a negative duration steps back."""
        self.current += duration


def counting_ids(prefix: str = "0") -> NewId:
    """Return a source of ids that counts."""
    numbers = count(1)
    return lambda: f"{prefix:0>8}-0000-7000-8000-{next(numbers):012}"
