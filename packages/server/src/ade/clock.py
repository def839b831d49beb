"""Time, as everything in the server asks for it."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


def as_text(instant: datetime) -> str:
    """Return an instant in UTC the way the API writes it: 2026-01-01T00:00:00Z."""
    return instant.isoformat().replace("+00:00", "Z")


class Clock(Protocol):
    """Gives the time, always aware and in UTC, and waits."""

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
