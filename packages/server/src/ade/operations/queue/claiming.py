"""What a worker does with the queue: end what it holds and claim for its free slots, and keep its leases."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

from ade.database.queue import builds, claim, control, finishing, idle, runs, waiting, workers
from ade.database.queue.control import Dispatch, ask_lock, lock_dispatch
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.claiming import Capacity, Head, Holds, Obstacle, choose
from ade.domain.fingerprint import Surroundings
from ade.domain.queue import GENERATION, Claim, Ending, QueueRules, lease_lost
from ade.domain.run import RunStatus
from ade.operations.queue import upkeep
from ade.operations.queue.runs import unblock_after
from ade.operations.queue.surroundings import here

OUTDATED = "This worker is older than the database requires; upgrade it. Newer workers claim the waiting runs."


@dataclass(frozen=True, slots=True, kw_only=True)
class Room(Capacity):
    """What a worker has free, what the builds it makes depend on, and the workspaces it starts nothing of."""

    surroundings: Surroundings = field(default_factory=here)
    crowded: frozenset[str] = frozenset()


def finish_and_claim(
    tx: Transaction,
    worker_id: str,
    endings: Sequence[Ending],
    *,
    rules: QueueRules,
    room: Room,
    is_waiting: bool = False,
) -> tuple[dict[str, RunStatus], list[Claim]]:
    """End runs and claim for the slots in one transaction: one commit for as many as end together.

    Return the status of each run that ended, and the claims: the next ready runs and builds for every free slot, best
    first. A run without a status is lost: another worker may own it, and the worker must discard what it made; unlike
    in `finish_run` that undoes nothing of the others. A worker that was declared dead gets no claims: nothing would
    extend its leases. Upkeep that is due is done here too, so that a busy queue still recovers what dead workers held.

    A worker that has slots left is noted to wait. `is_waiting`: it was noted after its last turn, so if the note is
    gone, another process has picked it.
    """
    is_alone = not tx.statement_count
    # Gather: one message takes the lock, reads what ends, what holds runs back, and the heads of the queue.
    lock = ask_lock(tx, closed=len(endings))
    finish = finishing.ask_to_finish(tx, endings)
    holds_asked = claim.ask_holds(tx, worker_id=worker_id, surroundings=str(room.surroundings))
    heads_asked = claim.ask_run_heads(tx, room) if room.slots > 0 else None
    dispatch = lock()
    finished = finish()
    unblock_after(tx, finished, closed_count=len(endings))
    found = holds_asked()
    holds = replace(found, caps={**found.caps, **dict.fromkeys(room.crowded, 0)})
    turn = _Turn(worker_id=worker_id, dispatch=dispatch, rules=rules, holds=holds, room=room)
    is_changed = _upkeep_if_due(tx, turn) or any(run.unblocks_others for run in finished)
    taken = _Taken(room=room)
    if turn.may_claim:
        taken = _claim(tx, turn, None if is_changed else heads_asked)
    if finished and (holds.caps or (rules.max_running and len(taken.claims) < len(finished))):
        wake_workers(tx)  # what a limit held back, another may start
    if room.slots > 0:
        _note_idle(tx, turn, taken, free=room.slots - len(taken.claims), is_waiting=is_waiting)
    if is_alone and not endings and not is_changed and not taken.has_written:
        tx.void()
    return {run.id: run.status for run in finished}, taken.claims


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A worker's turn: what it read under the lock."""

    worker_id: str
    dispatch: Dispatch
    rules: QueueRules
    holds: Holds
    room: Room

    @property
    def is_outdated(self) -> bool:
        """Return whether the queue asks for newer workers."""
        return self.dispatch.oldest_generation > GENERATION

    @property
    def may_claim(self) -> bool:
        """Return whether this worker may start anything now."""
        return not self.is_out and not self.holds.is_everything_paused

    @property
    def is_out(self) -> bool:
        """Return whether others must take what waits."""
        return self.is_outdated or self.holds.is_worker_out


@dataclass(slots=True)
class _Taken:
    """What a claim took so far, and the room that is left."""

    room: Capacity
    claims: list[Claim] = field(default_factory=list)
    has_written: bool = False


def _upkeep_if_due(tx: Transaction, turn: _Turn) -> bool:
    """Do the upkeep if it is due; return whether it was, for then the heads may be others."""
    upkept_at = turn.holds.upkept_at
    if turn.is_outdated or (upkept_at is not None and upkept_at > turn.dispatch.now - turn.rules.tick):
        return False
    upkeep.do_if_due(tx, rules=turn.rules, surroundings=turn.room.surroundings, crowded=turn.room.crowded)
    return True


def _claim(tx: Transaction, turn: _Turn, heads_asked: claim.AskedHeads | None) -> _Taken:
    """Decide and write: take heads of the queue until the room is used up or nothing else may start.

    `heads_asked` gives the runs that were asked for with the lock, or is None when something has changed since. The
    first head that may not start is parked with those that wait for the same cause, and the heads are read again.
    """
    allowed = _allowed(tx, turn)
    if allowed != turn.room or turn.holds.caps:
        heads_asked = None
    taken = _Taken(room=allowed, has_written=bool(turn.holds.caps))
    is_more = True
    while is_more and taken.room.slots > 0:
        free_by_workspace = _free_by_workspace(tx, turn.holds.caps, taken.room)
        heads = _heads(tx, turn, taken.room, heads_asked)
        choice = choose(heads, holds=turn.holds, room=taken.room, free_by_workspace=free_by_workspace)
        _start(tx, turn, choice.taken, taken)
        taken.room, is_more, heads_asked = choice.room, choice.is_more, None
        if choice.obstacle is not None:
            taken.has_written = True
            if _park(tx, choice.obstacle):
                wake_workers(tx)  # the next worker continues: others need the queue too
                is_more = False
    _count_starts(tx, turn, count=len(taken.claims))
    return taken


def _allowed(tx: Transaction, turn: _Turn) -> Capacity:
    """Return the room for as many as may start now under the deployment's limits."""
    room, rules = turn.room, turn.rules
    slots = room.slots
    if rules.max_running:
        slots = min(slots, rules.max_running - sum(runs.running_counts(tx).values()))
    if rules.start_rate:
        slots = min(slots, rules.start_rate.free_at(control.recent_starts(tx), turn.dispatch.now))
    return room if slots == room.slots else replace(room, slots=max(slots, 0))


def _free_by_workspace(tx: Transaction, caps: Mapping[str, int], room: Capacity) -> dict[str, int]:
    """Return how many more runs each capped workspace may start, and bring its parked ones back up to that."""
    if not caps:
        return {}
    running = runs.running_counts(tx)
    free_by_workspace = {workspace: cap - running.get(workspace, 0) for workspace, cap in caps.items()}
    for workspace, most in free_by_workspace.items():
        if most > 0:
            waiting.unpark_capacity(tx, workspace, most=most, memory_mb=room.memory_mb, cpu_count=room.cpu_count)
    return free_by_workspace


def _heads(tx: Transaction, turn: _Turn, room: Capacity, heads_asked: claim.AskedHeads | None) -> list[Head]:
    """Return the heads that fit: those asked for with the lock, or as they are now."""
    if heads_asked is not None and not turn.holds.is_build_waiting:
        return heads_asked()
    runs_asked = heads_asked or claim.ask_run_heads(tx, room)
    builds_asked = claim.ask_build_heads(tx, most=room.slots, surroundings=str(turn.room.surroundings))
    return [*runs_asked(), *builds_asked()]


def _start(tx: Transaction, turn: _Turn, heads: Sequence[Head], taken: _Taken) -> None:
    """Write that runs and builds are started, and add their claims in the order given."""
    if not heads:
        return
    taken.has_written = True
    chosen_runs = [head for head in heads if head.kind == "run"]
    started_builds = _start_builds(tx, turn, [head.id for head in heads if head.kind == "build"])
    if chosen_runs:
        claim.start(tx, chosen_runs, **_terms(tx, turn, turn.rules.run_timeout))
    taken.claims += [_claimed(tx, turn, head) for head in heads if head.kind == "run" or head.id in started_builds]


def _start_builds(tx: Transaction, turn: _Turn, ids: list[str]) -> Collection[str]:
    return builds.start(tx, ids, **_terms(tx, turn, turn.rules.build_timeout)) if ids else ()


def _terms(tx: Transaction, turn: _Turn, timeout: timedelta) -> dict[str, Any]:
    """Return under what terms a worker holds what it starts."""
    return {
        "worker_id": turn.worker_id,
        "token": turn.dispatch.number,
        "lease_expires_at": tx.now + turn.rules.lease,
        "deadline_at": tx.now + timeout,
    }


def _claimed(tx: Transaction, turn: _Turn, head: Head) -> Claim:
    timeout = turn.rules.run_timeout if head.kind == "run" else turn.rules.build_timeout
    return Claim(
        kind=head.kind,
        id=head.id,
        token=turn.dispatch.number,
        lease_expires_at=tx.now + turn.rules.lease,
        deadline_at=tx.now + timeout,
        memory_mb=head.memory_mb,
        cpu_count=head.cpu_count,
    )


def _park(tx: Transaction, obstacle: Obstacle) -> bool:
    """Take what waits for the same cause out of the way, so that the next claim does not meet it again.

    Return whether it is so much that the rest is left to the next one.
    """
    if obstacle.scope is None:
        return waiting.park_document(tx, obstacle.value, met=obstacle.met)
    return waiting.park_scope(tx, obstacle.scope, obstacle.value, met=obstacle.met, block=obstacle.block)


def _count_starts(tx: Transaction, turn: _Turn, *, count: int) -> None:
    rate, now = turn.rules.start_rate, turn.dispatch.now
    if rate and count:
        control.keep_starts(tx, rate.adding(count, control.recent_starts(tx), now))


def _note_idle(tx: Transaction, turn: _Turn, taken: _Taken, *, free: int, is_waiting: bool) -> None:
    """Note whether the worker waits now; wake another one if it was picked and cannot claim."""
    if not idle.is_kept(tx):
        return
    is_idle = free > 0 and not turn.is_out
    if is_idle != turn.holds.is_idle:
        idle.note(tx, turn.worker_id, is_waiting=is_idle)
        taken.has_written = True
    if is_waiting and not turn.holds.is_idle and not is_idle:
        wake_workers(tx, count=1)


def finish_run(tx: Transaction, ending: Ending, *, rules: QueueRules) -> RunStatus:
    """End a run as its worker found it to end, and claim nothing; raise LeaseLost when another worker may own it."""
    statuses, _ = finish_and_claim(tx, "", [ending], rules=rules, room=Room(slots=0))
    if not statuses:
        raise lease_lost(ending.claim)
    return statuses[ending.claim.id]


def may_claim_more(claims: Sequence[Claim], *, rules: QueueRules) -> bool:
    """Return whether another turn may claim more at once: a build used a place that a limit on runs left."""
    return bool(claims) and bool(rules.max_running or rules.start_rate)


def is_turn_due(tx: Transaction, *, rules: QueueRules, room: Room) -> bool:
    """Return whether a worker that waits should take a turn; reads without a lock, so that many may ask at once.

    It is when something is ready that fits, or upkeep is due. While the database's clock is behind the queue's, too:
    the queue's advances only when it is locked.
    """
    asked = claim.ask_signs(tx, room, surroundings=str(room.surroundings))
    now = tx.now  # asked for in one message with the signs
    signs = asked()
    return signs.is_something_ready or now < signs.clock_at or signs.upkept_at <= now - rules.tick


def pass_on(tx: Transaction) -> None:
    """Wake another worker instead of this one, which was picked and cannot claim now."""
    lock_dispatch(tx)
    wake_workers(tx, count=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a heartbeat found a worker to hold."""

    kind: str
    id: str
    token: int
    is_cancel_requested: bool


def heartbeat(
    tx: Transaction, worker_id: str, *, rules: QueueRules, at_work_on: Collection[str] | None = None, **facts: Any
) -> list[Lease] | None:
    """Extend every lease of a worker and return what it holds, or None when the worker was declared dead.

    Does not lock the queue: any number of workers may beat at once. What the worker believes to hold and is not in the
    answer is lost: it must stop it and discard the result. `at_work_on` are the ids it really works on: what it claimed
    and dropped by a fault of its own must not be kept alive, so that its lease ends and it is recovered.
    """
    answer = control.ask_state(tx)
    now = tx.now  # asked for in one message with the state
    state = answer()
    tx.now = max(now, state.now)
    if state.oldest_generation > GENERATION:
        facts["idle_reason"] = OUTDATED
    is_known = workers.ask_beat(tx, worker_id, **facts)
    held = workers.ask_held(tx, worker_id, only=at_work_on)
    if not is_known():
        return None
    extended = workers.extend_leases(tx, worker_id, held, lease_expires_at=tx.now + rules.lease)
    return [
        Lease(kind=kind, id=subject_id, token=token, is_cancel_requested=cancel_requested_at is not None)
        for kind, subject_id, token, cancel_requested_at in extended
    ]
