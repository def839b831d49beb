"""What a worker holds right now, shared by its loop, its slots and its heartbeat."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any, Protocol

from ade.domain.queue import Claim


class Holder(Protocol):
    """An attempt at a run or a build, as the heartbeat sees it."""

    claim: Claim
    slot: int

    def cancel(self) -> None:
        """Stop because someone asked for it."""
        ...

    def lose(self) -> None:
        """Stop because another worker may own it; write nothing."""
        ...

    def return_uncounted(self) -> None:
        """Stop because the worker stops; return it to the queue."""
        ...


class Held:
    """The attempts in progress. Every method may be called from any thread."""

    def __init__(self, slots: int) -> None:
        self.slots = slots
        self.idle_reason: str | None = None
        self.details: dict[str, Any] = {}  # replaced as a whole, never changed, as the next
        self.crowded: dict[str, str] = {}
        self.changed = threading.Event()
        self._free = list(range(slots))
        self._attempts: dict[tuple[str, str, int], Holder] = {}
        self._lock = threading.Condition()

    @property
    def free_slots(self) -> int:
        """Return how many more attempts fit."""
        with self._lock:
            return len(self._free)

    def memory_mb(self, *, default: int) -> int:
        """Return the memory the attempts in progress may use: what they declared, or the default."""
        return sum(attempt.claim.memory_mb or default for attempt in self.attempts())

    def cpu_count(self) -> float:
        """Return the processors the attempts in progress declared."""
        return sum(attempt.claim.cpu_count or 0 for attempt in self.attempts())

    def take_slot(self) -> int:
        """Take the lowest free slot: its number picks the user a child runs as."""
        with self._lock:
            return self._free.pop(0)

    def add(self, attempt: Holder) -> None:
        """Note an attempt that starts."""
        with self._lock:
            self._attempts[_key(attempt.claim)] = attempt

    def remove(self, attempt: Holder) -> None:
        """Forget an attempt that ended, and free its slot; nothing happens the second time."""
        with self._lock:
            if self._attempts.pop(_key(attempt.claim), None) is None:
                return
            self._free = sorted([*self._free, attempt.slot])
            self._lock.notify_all()
        self.changed.set()

    def attempts(self) -> list[Holder]:
        """Return the attempts in progress."""
        with self._lock:
            return list(self._attempts.values())

    def wait_until_empty(self, timeout: timedelta) -> bool:
        """Wait for the attempts to end; return whether all did."""
        with self._lock:
            return self._lock.wait_for(lambda: not self._attempts, timeout.total_seconds())


def _key(claim: Claim) -> tuple[str, str, int]:
    return claim.kind, claim.id, claim.token
