"""How attempts at runs end: together with what the worker's loop claims next, in one transaction, while it is busy.

A worker with a queue before it commits once for all that ended since its last look and for what takes their slots. One
that waits for work has nothing to claim, so an attempt writes its end itself.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ade.database.transaction import Database
from ade.domain.queue import Ending, QueueRules, lease_lost
from ade.domain.run import RunStatus
from ade.operations.queue.claiming import finish_run
from ade.worker.held import Holder


class Ended(Holder, Protocol):
    """An attempt that may have been stopped meanwhile."""

    stopped_because: Literal["cancelled", "lost", "returned"] | None


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """An attempt that waits for its end to be written."""

    attempt: Ended
    ending: Ending
    status: Future[RunStatus] = field(default_factory=Future)


class Endings:
    """Where attempts hand in how they ended. Attempts call `write` from any thread, the loop calls the rest."""

    def __init__(self, database: Database, *, rules: QueueRules, on_arrival: Callable[[], None]) -> None:
        self._database = database
        self._rules = rules
        self._on_arrival = on_arrival
        self._lock = threading.Lock()
        self._waiting: list[Waiting] = []
        self._is_attended = False

    def write(self, attempt: Ended, ending: Ending) -> RunStatus:
        """Write the end of a run and return the status it has now; raise LeaseLost when another worker may own it."""
        handed_in = Waiting(attempt, ending)
        with self._lock:
            is_attended = self._is_attended
            if is_attended:
                self._waiting.append(handed_in)
        if not is_attended:
            return self._write_alone(ending)
        self._on_arrival()
        return handed_in.status.result()

    def attend(self) -> None:
        """Promise to look at what is handed in, soon."""
        with self._lock:
            self._is_attended = True

    def leave(self) -> bool:
        """Take the promise back, unless something was handed in already; return whether it was possible."""
        with self._lock:
            self._is_attended = bool(self._waiting)
            return not self._is_attended

    def waiting(self) -> list[Waiting]:
        """Return what was handed in and is still to be written; what was lost meanwhile is not."""
        with self._lock:
            waiting = list(self._waiting)
        lost = [one for one in waiting if one.attempt.stopped_because == "lost"]
        self._answer(lost, {})
        return [one for one in waiting if one not in lost]

    def written(self, waiting: list[Waiting], statuses: Mapping[str, RunStatus]) -> None:
        """Pass to attempts how their runs ended; those without a status have lost them."""
        self._answer(waiting, statuses)

    def close(self) -> None:
        """Write what was handed in one by one, and let attempts write their own ends from now on."""
        with self._lock:
            waiting, self._waiting, self._is_attended = self._waiting, [], False
        for one in waiting:
            try:
                one.status.set_result(self._write_alone(one.ending))
            except Exception as error:  # noqa: BLE001 - the attempt raises it
                one.status.set_exception(error)

    def _answer(self, waiting: list[Waiting], statuses: Mapping[str, RunStatus]) -> None:
        with self._lock:
            for one in waiting:
                with suppress(ValueError):
                    self._waiting.remove(one)
        for one in waiting:
            claim = one.ending.claim
            if claim.id in statuses:
                one.status.set_result(statuses[claim.id])
            else:
                one.status.set_exception(lease_lost(claim))

    def _write_alone(self, ending: Ending) -> RunStatus:
        return self._database.write(lambda tx: finish_run(tx, ending, rules=self._rules))
