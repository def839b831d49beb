"""The steps of an attempt: each is tried twice when a fault may pass, never when trying again would do the same."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from ade.errors import Unavailable
from ade.sandbox.outcome import Outcome
from ade.telemetry import span
from ade.worker.event_log import EventLog

T = TypeVar("T")


class ChildVanished(Exception):
    """What watches the child was killed from outside or could not be started, or the disk was full: not its fault."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


TRANSIENT = (OSError, Unavailable, ChildVanished)


class Steps:
    """Runs steps and remembers how long each took."""

    def __init__(self, events: EventLog) -> None:
        self.durations: dict[str, float] = {}
        self._events = events

    def run(self, name: str, step: Callable[[], T]) -> T:
        """Run a step; once more after a transient fault, which is told as an event."""
        started = time.monotonic()
        self._events.tell("step.started", step=name)
        try:
            with span(f"step {name}"):
                return self._twice(name, step)
        finally:
            self.durations[name] = round(time.monotonic() - started, 4)

    def _twice(self, name: str, step: Callable[[], T]) -> T:
        try:
            return step()
        except TRANSIENT as fault:
            self._events.tell("step.retried", step=name, fault=type(fault).__name__)
        return step()
