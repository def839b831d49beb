"""The worker's sign of life: a thread that extends its leases and stops what it lost or what was cancelled."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

import structlog

from ade.domain.queue import QueueRules
from ade.errors import AdeError
from ade.operations.queue import Lease, heartbeat
from ade.system import System
from ade.worker.held import Held
from ade.worker.identity import WorkerIdentity

log = structlog.get_logger()
# A lease is given up before it ends, so that no child of ours is still at work when another worker starts.
SAFE_SHARE_OF_LEASE = 0.8


class Heartbeat:
    """Beats while the worker works. A busy child cannot starve it: it has a thread and needs no slot."""

    def __init__(
        self, system: System, worker_id: str, held: Held, *, rules: QueueRules, identity: WorkerIdentity
    ) -> None:
        self._system = system
        self._worker_id = worker_id
        self._held = held
        self._rules = rules
        self._identity = identity
        self._interval = min(rules.tick, rules.lease / 4).total_seconds()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat_until_over, name="heartbeat", daemon=True)
        self._last_beat = time.monotonic()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _beat_until_over(self) -> None:
        while not self._is_over.wait(self._interval):
            self._beat()

    def _beat(self) -> None:
        # What is claimed while we ask is not in the answer: only what we held before can be missing from it.
        before = self._held.attempts()
        asked_at = time.monotonic()
        try:
            leases = self._system.database.write(
                lambda tx: heartbeat(tx, self._worker_id, rules=self._rules, idle_reason=self._held.idle_reason)
            )
        except AdeError as error:
            log.warning("worker.heartbeat_failed", reason=str(error), code=error.code)
            self._stop_before_the_leases_end()
            return
        self._last_beat = asked_at
        self._compare(before, leases or [])
        if leases is None:
            log.error("worker.declared_dead", worker_id=self._worker_id)

    def _compare(self, before: list, leases: list[Lease]) -> None:  # type: ignore[type-arg]
        known = {(lease.kind, lease.id, lease.token): lease for lease in leases}
        for attempt in before:
            lease = known.get((attempt.claim.kind, attempt.claim.id, attempt.claim.token))
            if lease is None:
                attempt.lose()
            elif lease.is_cancel_requested:
                attempt.cancel()

    def _stop_before_the_leases_end(self) -> None:
        silent_for = time.monotonic() - self._last_beat
        if silent_for > self._rules.lease.total_seconds() * SAFE_SHARE_OF_LEASE:
            for attempt in self._held.attempts():
                attempt.lose()
