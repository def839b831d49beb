"""The steps of an attempt: a fault that may pass is waited out, never one that would come again."""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ade.errors import FileRemoved, Unavailable
from ade.logs import get_logger
from ade.sandbox.outcome import Outcome
from ade.telemetry import span
from ade.worker.event_log import EventLog
from ade.worker.log_file import LogFile

T = TypeVar("T")
Faults = tuple[type[Exception], ...]
log = get_logger()
# Between tries, in seconds: a mount or a network that comes back within ten seconds fails nothing.
PAUSES = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4)
JITTER = 0.2  # so that the slots of all workers do not come back to a store at one moment
# A store that retries by itself may take minutes for one try: it is not asked again and again.
LONGEST_SECONDS = 15.0
_DISK_IS_FULL = {errno.ENOSPC, errno.EDQUOT}


class ChildVanished(Exception):
    """What watches the child was killed from outside or could not be started, or the disk was full: not its fault."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.message)
        self.outcome = outcome


TRANSIENT: Faults = (OSError, Unavailable, ChildVanished)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an attempt waits for a fault to pass."""

    wait: Callable[[float], bool]  # for this many seconds; True when the attempt was stopped meanwhile
    seconds_left: Callable[[], float]  # until its time is over
    pauses: Sequence[float] = PAUSES


class Steps:
    """Runs steps and remembers how long each took."""

    def __init__(self, events: EventLog, log_file: LogFile, patience: Patience) -> None:
        self.durations: dict[str, float] = {}
        self._events = events
        self._log_file = log_file
        self._patience = patience

    def run(self, name: str, step: Callable[[], T], *, passing: Faults = TRANSIENT) -> T:
        """Run a step; again after each fault that may pass, with growing pauses. Each is recorded as an event."""
        started = time.monotonic()
        self._events.note("step.started", step=name)
        try:
            with span(f"step {name}"):
                return self.persist(name, step, passing=passing)
        finally:
            self.durations[name] = round(time.monotonic() - started, 4)

    def persist(self, name: str, step: Callable[[], T], *, passing: Faults = TRANSIENT) -> T:
        """Do something again after each fault that may pass; raise the last one."""
        pauses, given_up_at = self._pauses(), float("inf")
        while True:
            try:
                return step()
            except passing as fault:
                given_up_at = min(given_up_at, time.monotonic() + LONGEST_SECONDS)
                pause = None if _is_definite(fault) else next(pauses, None)
                if pause is None or time.monotonic() >= given_up_at or pause >= self._patience.seconds_left():
                    raise
                if _is_tried_once_more(fault):
                    pauses = iter(())
                self._report(name, fault, pause)
                if self._patience.wait(pause):
                    raise

    def _pauses(self) -> Iterator[float]:
        for pause in self._patience.pauses:
            yield pause * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - jitter, not a secret

    def _report(self, name: str, fault: Exception, pause: float) -> None:
        fault_name, seconds = type(fault).__name__, round(pause, 2)
        log.warning("step.retried", step=name, fault=fault_name, reason=str(fault), pause_seconds=seconds)
        self._events.note("step.retried", step=name, fault=fault_name, pause_seconds=seconds)
        self._log_file.add(f"The step {name} failed ({fault_name}); it is tried again in {seconds:g} s.\n".encode())
        self._log_file.show()


def _is_definite(fault: Exception) -> bool:
    return isinstance(fault, FileRemoved)


def _is_tried_once_more(fault: Exception) -> bool:
    """Return whether one more try is enough: a child costs more than a pause, and a full disk needs another host."""
    return isinstance(fault, ChildVanished) or (isinstance(fault, OSError) and fault.errno in _DISK_IS_FULL)
