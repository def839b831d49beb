"""The worker's sign of life: a thread that extends its leases and stops what it lost or what was cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from ade.domain.queue import QueueRules
from ade.errors import AdeError
from ade.logs import get_logger
from ade.operations.queue.claiming import Lease, heartbeat
from ade.system import System
from ade.worker.held import Held, Holder

log = get_logger()
# A lease is given up before it ends, so that no child of ours is still at work when another worker starts.
SAFE_SHARE_OF_LEASE = 0.8
# A person who cancels a run waits no longer than this, whatever the tick.
LONGEST_SECONDS_BETWEEN_BEATS = 1.0


class Heartbeat:
    """Beats while the worker works. A busy child cannot starve it: it has a thread and needs no slot."""

    def __init__(
        self, system: System, held: Held, *, rules: QueueRules, worker_id: str, on_declared_dead: Callable[[], str]
    ) -> None:
        """`on_declared_dead` registers the worker again and returns its new id."""
        self._system = system
        self._worker_id = worker_id
        self._held = held
        self._rules = rules
        self._on_declared_dead = on_declared_dead
        seconds = min(rules.tick.total_seconds(), rules.lease.total_seconds() / 4)
        self._interval = min(seconds, LONGEST_SECONDS_BETWEEN_BEATS)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._beat_until_over, name="heartbeat", daemon=True)
        self._watch = threading.Thread(target=self._watch_until_over, name="lease-watch", daemon=True)
        self._last_beat = time.monotonic()

    def __enter__(self) -> Self:
        self._thread.start()
        self._watch.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self._watch.join()

    def _beat_until_over(self) -> None:
        while not self._is_over.wait(self._interval):
            try:
                self._beat()
            except Exception:
                log.exception("worker.heartbeat_crashed")

    def _beat(self) -> None:
        # What is claimed while we ask is not in the answer: only what we held before can be missing from it.
        before = self._held.attempts()
        ids = [attempt.claim.id for attempt in before]
        asked_at = time.monotonic()
        facts = {
            "idle_reason": self._held.idle_reason,
            "details": self._held.details,
            "crowded": self._held.crowded or None,
        }
        try:
            leases = self._system.database.write(
                lambda tx: heartbeat(tx, self._worker_id, rules=self._rules, at_work_on=ids, **facts)
            )
        except AdeError as error:
            log.warning("worker.heartbeat_failed", reason=str(error), code=error.code)
            return
        self._last_beat = asked_at
        self._compare(before, leases or [])
        if leases is None:
            log.error("worker.declared_dead", worker_id=self._worker_id)
            self._worker_id = self._on_declared_dead()

    def _compare(self, before: Sequence[Holder], leases: list[Lease]) -> None:
        known = {(lease.kind, lease.id, lease.token): lease for lease in leases}
        for attempt in before:
            lease = known.get((attempt.claim.kind, attempt.claim.id, attempt.claim.token))
            if lease is None:
                attempt.lose()
            elif lease.is_cancel_requested:
                attempt.cancel()

    def _watch_until_over(self) -> None:
        """Stop what is held before its lease ends, also when the beat itself hangs in a database that is gone."""
        while not self._is_over.wait(self._interval / 2):
            silent_for = time.monotonic() - self._last_beat
            if silent_for > self._rules.lease.total_seconds() * SAFE_SHARE_OF_LEASE:
                for attempt in self._held.attempts():
                    attempt.lose()
