"""Stopping an attempt from another thread: what it started is killed, also what it starts a moment later."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Literal

Reason = Literal["cancelled", "lost", "returned"]


class Stoppable:
    """The part of an attempt that other threads may call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kill: Callable[[], None] | None = None
        self._is_stopped = threading.Event()
        self.stopped_because: Reason | None = None

    def cancel(self) -> None:
        """Stop because someone asked for it."""
        self._stop("cancelled")

    def lose(self) -> None:
        """Stop because another worker may own this; write nothing."""
        self._stop("lost")

    def return_uncounted(self) -> None:
        """Stop because the worker stops; this returns to its place."""
        self._stop("returned")

    def _stop(self, reason: Reason) -> None:
        with self._lock:
            # A lost lease outranks the rest: from then on nothing may be written.
            if self.stopped_because is None or reason == "lost":
                self.stopped_because = reason
            self._is_stopped.set()
            if self._kill is not None:
                self._kill()

    def _wait(self, seconds: float) -> bool:
        """Wait; return whether this was stopped meanwhile."""
        return self._is_stopped.wait(seconds)

    def _watch(self, kill: Callable[[], None]) -> None:
        """Name what to kill when this is stopped; at once if it was stopped already."""
        with self._lock:
            self._kill = kill
            if self.stopped_because is not None:
                kill()
