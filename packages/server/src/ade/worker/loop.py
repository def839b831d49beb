"""The worker's loop: write what ended, claim for every free slot, start an attempt for each, stop in good order."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

from ade.database.queue.wakeups import Listener, Wake, listen
from ade.database.transaction import Transaction
from ade.domain.queue import Claim
from ade.domain.run import RunStatus
from ade.errors import Unavailable
from ade.logs import get_logger
from ade.operations.queue import upkeep
from ade.operations.queue.claiming import Room, finish_and_claim, is_turn_due, may_claim_more, pass_on
from ade.operations.queue.free_disk import free_disk_reason
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.surroundings import here
from ade.operations.queue.workers import retire_worker
from ade.operations.views.waiting_reasons import until_next_start
from ade.system import System
from ade.worker.attempt import Attempt
from ade.worker.build_attempt import BuildAttempt
from ade.worker.disk_shares import DiskShares
from ade.worker.endings import Endings, Waiting
from ade.worker.heartbeat import Heartbeat
from ade.worker.held import Held
from ade.worker.identity import WorkerIdentity, details_of, register
from ade.worker.pulse import Pulse
from ade.worker.retention import Retention
from ade.worker.room import room_for
from ade.worker.tools import Tools

log = get_logger()
# A signal is noticed within this time, however long the tick.
LONGEST_SLEEP = timedelta(milliseconds=500)


class Worker:
    """Executes runs and builds until it is asked to stop."""

    def __init__(self, system: System, tools: Tools, identity: WorkerIdentity, *, slots: int) -> None:
        self._system = system
        self._tools = tools
        self._identity = identity
        self._rules = queue_rules(system.settings)
        self._held = Held(slots)
        self._shares = DiskShares(system)
        self._pulse = Pulse(system.settings, identity.number)
        self._endings = Endings(system.database, rules=self._rules, on_arrival=self._held.changed.set)
        self._pool = ThreadPoolExecutor(slots, thread_name_prefix="slot")
        self._listener: Listener = listen(system.database)
        self._is_stopping = threading.Event()
        self._last_turn_at = 0.0
        self._is_waiting = False  # noted in the database, so that it can be picked
        self._is_turn_certain = True  # take the next turn without asking first whether one is due
        self.worker_id = ""

    def run(self) -> None:
        """Work until `stop` is called; then let runs finish, or return them uncounted."""
        with closing(self._listener):
            if self._enter():
                self._work()
                self._leave()
        self._pulse.end()

    def stop(self) -> None:
        """Claim nothing from now on. Safe when a signal arrives and from any thread."""
        self._is_stopping.set()

    def _enter(self) -> bool:
        """Register, however long the database takes to answer; False when asked to stop before it did."""
        while not self._is_stopping.is_set():
            self._beat()
            try:
                self._register()
            except Unavailable as error:
                log.warning("worker.registration_postponed", reason=str(error), code=error.code)
            except Exception:
                # A full disk: that may pass too, and nothing restarts the worker of `ade serve`.
                log.exception("worker.registration_crashed")
            else:
                return True
            self._is_stopping.wait(self._rules.tick.total_seconds())
        return False

    def _beat(self, *, seconds: float = 0) -> None:
        try:
            self._pulse.beat(seconds=seconds)
        except OSError as error:  # a full disk: the worker reports that itself, and continues
            log.warning("worker.pulse_failed", reason=str(error))

    def _register(self) -> str:
        self._held.details = details_of(self._tools, self._system.settings)
        self.worker_id = register(self._system, self._identity, self._tools, slots=self._held.slots)
        self._is_waiting = False
        return self.worker_id

    def _work(self) -> None:
        self._tools.launcher.warm()
        log.info("worker.started", worker_id=self.worker_id, name=self._identity.name, slots=self._held.slots)
        beating = Heartbeat(
            self._system, self._held, rules=self._rules, worker_id=self.worker_id, on_declared_dead=self._register
        )
        gc.freeze()  # what is here now stays: to look through all of it again and again holds up claims
        with beating, Retention(self._system):
            try:
                while not self._is_stopping.is_set():
                    self._beat()
                    self._turn_or_wait()
            finally:
                self._drain()

    def _leave(self) -> None:
        try:
            self._system.database.write(lambda tx: retire_worker(tx, self.worker_id))
        except Unavailable as error:
            # It holds nothing now, and counts as dead after a lease.
            log.warning("worker.goodbye_failed", reason=str(error), code=error.code)
        log.info("worker.stopped", worker_id=self.worker_id)

    def _turn_or_wait(self) -> None:
        """Take a turn and start what was claimed, or wait until something may have changed."""
        try:
            claims = self._turn_if_due()
        except Unavailable as error:
            # Contention and lost connections pass; the next tick tries again.
            log.warning("worker.claim_postponed", reason=str(error), code=error.code)
            self._is_stopping.wait(self._rules.tick.total_seconds())
            return
        except Exception:
            # A full disk, a database that is a copy for now: that may pass too, and nothing restarts this worker.
            log.exception("worker.claim_crashed")
            self._endings.close()  # attempts that handed something in must not wait
            self._is_stopping.wait(self._rules.tick.total_seconds())
            return
        for claim in claims:
            self._start(claim)
        if may_claim_more(claims, rules=self._rules):
            self._is_turn_certain = True
        elif not claims or self._held.free_slots:  # with slots left, there was nothing else to claim
            self._wait(is_full=not self._held.free_slots)

    def _turn_if_due(self) -> list[Claim]:
        """Take a turn unless there is nothing to write and nothing to claim; return the claims."""
        self._held.changed.clear()
        self._endings.attend()
        self._held.details = details_of(self._tools, self._system.settings)
        self._held.idle_reason = free_disk_reason(self._system.settings) or self._tools.store.reason
        self._held.crowded = self._shares.reasons()
        ended = self._endings.waiting()
        room = room_for(self._held, self._system.settings, leaving=[one.ending.claim for one in ended])
        room = replace(room, crowded=frozenset(self._held.crowded))
        if self._held.idle_reason is not None:
            room = replace(room, slots=0)
        if not ended and not room.slots:
            return self._keep_up()
        if not ended and not self._is_turn_certain and not self._is_turn_due(room):
            return []
        return self._finish_and_claim(ended, room)

    def _keep_up(self) -> list[Claim]:
        """Do the upkeep although nothing can be claimed: others wait for what dead workers held."""
        if self._is_turn_certain and self._is_waiting:  # we were picked: another worker must take the turn
            self._is_waiting = False
            self._system.database.write(pass_on)
        if time.monotonic() - self._last_turn_at < self._rules.tick.total_seconds():
            return []
        self._last_turn_at = time.monotonic()
        crowded = self._held.crowded
        self._system.database.write(
            lambda tx: upkeep.do_if_due(tx, rules=self._rules, surroundings=here(), crowded=crowded)
        )
        return []

    def _is_turn_due(self, room: Room) -> bool:
        """Read without a lock whether there is something for us."""
        return self._system.database.read(lambda tx: is_turn_due(tx, rules=self._rules, room=room))

    def _finish_and_claim(self, ended: list[Waiting], room: Room) -> list[Claim]:
        """Write how runs ended and claim for the free slots; claim nothing if asked to stop meanwhile."""
        self._last_turn_at = time.monotonic()
        endings = [one.ending for one in ended]

        def work(tx: Transaction) -> tuple[dict[str, RunStatus], list[Claim]]:
            left = replace(room, slots=0) if self._is_stopping.is_set() else room
            return finish_and_claim(
                tx, self.worker_id, endings, rules=self._rules, room=left, is_waiting=self._is_waiting
            )

        try:
            statuses, claims = self._system.database.write(work)
        except Unavailable:
            self._is_waiting = True  # as far as we know: we may have been picked
            raise
        except Exception:
            self._is_waiting = True
            if not ended:
                raise
            # One of them cannot be written: each on its own, so that the others are.
            log.exception("worker.endings_refused", count=len(ended))
            self._endings.close()
            return []
        if room.slots:
            self._is_waiting = len(claims) < room.slots
        for one in ended:
            self._held.remove(one.attempt)
        self._endings.written(ended, statuses)
        return claims

    def _start(self, claim: Claim) -> None:
        attempt = self._attempt_at(claim, slot=self._held.take_slot())
        self._held.add(attempt)
        self._pool.submit(attempt.execute).add_done_callback(lambda done: self._ended(attempt, done))

    def _attempt_at(self, claim: Claim, *, slot: int) -> Attempt | BuildAttempt:
        system, tools, worker_id = self._system, self._tools, self.worker_id
        if claim.kind == "run":
            return Attempt(system, tools, claim, slot=slot, worker_id=worker_id, endings=self._endings)
        return BuildAttempt(system, tools, claim, slot=slot, worker_id=worker_id)

    def _ended(self, attempt: Attempt | BuildAttempt, done: Future[None]) -> None:
        self._held.remove(attempt)
        if (error := done.exception()) is not None:
            # A bug, or no database: the lease runs out and the run is recovered, here or elsewhere.
            log.error("attempt.crashed", kind=attempt.claim.kind, id=attempt.claim.id, exc_info=error)

    def _wait(self, *, is_full: bool) -> None:
        """Sleep until a slot frees, someone wakes us, we are stopped, or the tick is over."""
        left, self._is_turn_certain = self._longest_wait(), False
        while left > timedelta(0) and not self._is_stopping.is_set() and not self._held.changed.is_set():
            slice_ = min(left, LONGEST_SLEEP)
            left -= slice_
            if is_full:
                self._held.changed.wait(slice_.total_seconds())
            elif not self._endings.leave():
                return
            else:
                wake = self._listener.wait(slice_, self.worker_id)
                if wake is not Wake.NONE:
                    self._is_turn_certain = wake is Wake.NAMED
                    return
        if self._held.changed.is_set():
            self._is_turn_certain = True

    def _longest_wait(self) -> timedelta:
        """Return when to look again at the latest: after a tick, or as soon as the start rate allows the next start."""
        if not self._rules.start_rate:
            return self._rules.tick
        try:
            left = self._system.database.read(lambda tx: until_next_start(tx, rules=self._rules))
        except Unavailable:
            return self._rules.tick
        return min(left, self._rules.tick) if left > timedelta(0) else self._rules.tick

    def _drain(self) -> None:
        self._endings.close()
        grace = timedelta(seconds=self._system.settings.shutdown_grace_seconds)
        self._beat(seconds=grace.total_seconds())
        if not self._held.wait_until_empty(grace):
            for attempt in self._held.attempts():
                attempt.return_uncounted()
        self._pool.shutdown(wait=True)
