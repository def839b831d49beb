"""The worker's loop: claim for every free slot, start an attempt for each claim, stop in good order."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta

import structlog

from ade.database.wakeups import Listener, listen
from ade.domain.queue import Claim
from ade.errors import Unavailable
from ade.operations.queue import Room, claim_next
from ade.operations.rules import queue_rules
from ade.operations.workers import retire_worker
from ade.system import System
from ade.worker.attempt import Attempt
from ade.worker.build_attempt import BuildAttempt
from ade.worker.disk import free_disk_reason
from ade.worker.heartbeat import Heartbeat
from ade.worker.held import Held
from ade.worker.identity import WorkerIdentity, register
from ade.worker.tools import Tools

log = structlog.get_logger()


class Worker:
    """Executes runs and builds until it is told to stop."""

    def __init__(self, system: System, tools: Tools, identity: WorkerIdentity, *, slots: int) -> None:
        self._system = system
        self._tools = tools
        self._identity = identity
        self._rules = queue_rules(system.settings)
        self._held = Held(slots)
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="slot")
        self._listener: Listener = listen(system.database)
        self._is_stopping = threading.Event()
        self.worker_id = ""

    def run(self) -> None:
        """Work until `stop` is called; then let what runs finish, or give it back."""
        self.worker_id = register(self._system, self._identity, self._tools, slots=self._held.slots)
        self._tools.launcher.warm()
        log.info("worker.started", worker_id=self.worker_id, name=self._identity.name, slots=self._held.slots)
        with Heartbeat(self._system, self.worker_id, self._held, rules=self._rules, identity=self._identity):
            try:
                while not self._is_stopping.is_set():
                    self._turn()
            finally:
                self._drain()
        self._system.database.write(lambda tx: retire_worker(tx, self.worker_id))
        self._listener.close()
        log.info("worker.stopped", worker_id=self.worker_id)

    def stop(self) -> None:
        """Claim nothing from now on. Safe in a signal handler and from any thread."""
        self._is_stopping.set()
        self._held.changed.set()

    def _turn(self) -> None:
        """Claim what fits, or wait until something may have changed."""
        claims = self._claim()
        for claim in claims:
            self._start(claim)
        if not claims:
            self._wait()

    def _claim(self) -> list[Claim]:
        free = self._held.free_slots
        self._held.idle_reason = free_disk_reason(self._system.settings)
        if not free or self._held.idle_reason or self._held.is_draining:
            return []
        room = Room(slots=free)
        try:
            return self._system.database.write(lambda tx: claim_next(tx, self.worker_id, rules=self._rules, room=room))
        except Unavailable as error:
            # Contention and lost connections pass; the next tick tries again.
            log.warning("worker.claim_postponed", reason=str(error), code=error.code)
            return []

    def _start(self, claim: Claim) -> None:
        kind = Attempt if claim.kind == "run" else BuildAttempt
        attempt = kind(self._system, self._tools, claim, slot=self._held.take_slot(), worker_id=self.worker_id)
        self._held.add(attempt)
        self._pool.submit(attempt.execute).add_done_callback(lambda done: self._ended(attempt, done))

    def _ended(self, attempt: Attempt | BuildAttempt, done: Future[None]) -> None:
        self._held.remove(attempt)
        if (error := done.exception()) is not None:
            # A bug: the lease runs out and the run is recovered, here or elsewhere.
            log.error("attempt.crashed", kind=attempt.claim.kind, id=attempt.claim.id, exc_info=error)

    def _wait(self) -> None:
        """Sleep until a slot frees, someone wakes us, or the tick is over."""
        if self._held.free_slots:
            self._listener.wait(self._rules.tick)
        else:
            self._held.changed.wait(self._rules.tick.total_seconds())
            self._held.changed.clear()

    def _drain(self) -> None:
        grace = timedelta(seconds=self._system.settings.shutdown_grace_seconds)
        if not self._held.wait_until_empty(grace):
            for attempt in self._held.attempts():
                attempt.give_back()
        self._pool.shutdown(wait=True)
