"""Time, as everything in the server asks for it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


def as_text(instant: datetime) -> str:
    """Return an instant in UTC the way the API writes it: 2026-01-01T00:00:00Z."""
    return instant.isoformat().replace("+00:00", "Z")


class Clock(Protocol):
    """Tells the time, always aware and in UTC, and waits."""

    def now(self) -> datetime:
        """Return the current instant."""
        ...

    def sleep(self, duration: timedelta) -> None:
        """Return after the duration."""
        ...


class SystemClock:
    """The host's clock: for logs and waiting. Leases and order ask the database (Transaction.now)."""

    def now(self) -> datetime:
        """Return the host's current instant."""
        return datetime.now(UTC)

    def sleep(self, duration: timedelta) -> None:
        """Block this thread for the duration."""
        time.sleep(duration.total_seconds())


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
