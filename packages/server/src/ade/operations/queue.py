"""What a worker does with the queue: claim for its free slots, keep its leases, give back."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ade.database import builds, claim, control, runs, waiting, workers
from ade.database.claim import BUILDS, UPKEEP, Head, Hold
from ade.database.control import Dispatch, lock_dispatch
from ade.database.prepared import Answer
from ade.database.transaction import Transaction
from ade.database.types import to_microseconds
from ade.domain.fingerprint import Surroundings
from ade.domain.pause import PauseScope
from ade.domain.queue import GENERATION, Claim, Ending, QueueRules
from ade.domain.run import Block, RunStatus
from ade.operations import upkeep
from ade.operations.runs import finish_runs
from ade.operations.surroundings import here
from ade.operations.wake import wake_workers

OUTDATED = "This worker is older than the database asks for; upgrade it. Newer workers take what waits."
ANY_MEMORY = 2**31 - 1
ANY_CPU = 1e9
Candidate = tuple[str, Head]  # ("run" or "build", its row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a worker has free, and what the builds it makes depend on."""

    slots: int
    memory_mb: int = ANY_MEMORY
    cpu_count: float = ANY_CPU
    surroundings: Surroundings = field(default_factory=here)

    def fits(self, head: Head) -> bool:
        """Tell whether a run has room here beside what was taken already."""
        return (head.memory_mb or 0) <= self.memory_mb and (head.cpu_count or 0) <= self.cpu_count

    def beside(self, candidate: Candidate) -> "Room":
        """Return what is left when this is taken."""
        kind, head = candidate
        if kind == "build":
            return replace(self, slots=self.slots - 1)
        memory_mb, cpu_count = self.memory_mb - (head.memory_mb or 0), self.cpu_count - (head.cpu_count or 0)
        return replace(self, slots=self.slots - 1, memory_mb=memory_mb, cpu_count=cpu_count)


def claim_next(tx: Transaction, worker_id: str, *, rules: QueueRules, room: Room) -> list[Claim]:
    """Claim the next ready runs and builds for every free slot, best first; none when nothing may start.

    A worker that was declared dead gets nothing: nobody would extend its leases. Its next heartbeat tells it.

    Upkeep is done here too when it is due, so that a queue that never idles still recovers what dead workers held.
    """
    return _claim(tx, worker_id, rules=rules, room=room)[0]


def finish_and_claim(
    tx: Transaction, worker_id: str, endings: Sequence[Ending], *, rules: QueueRules, room: Room
) -> tuple[dict[str, RunStatus], list[Claim]]:
    """End runs and claim for the slots in one transaction: one commit for as many as end together.

    Return the status of each run that ended, and the claims. A run without a status is lost: another worker may own it,
    and the worker must discard what it made; unlike in `succeed_run` that undoes nothing of the others.
    """
    looks: list[_Look] = []

    def ask() -> None:
        looks.append(_Look(tx, worker_id, room))

    finished = finish_runs(tx, endings, meanwhile=ask)
    if any(run.has_let_go for run in finished):
        looks[0].is_outdated = True
    claims, held_back = _claim(tx, worker_id, rules=rules, room=room, look=looks[0] if looks else None)
    if finished and (len(claims) < len(finished) or held_back.caps):
        wake_workers(tx)  # what this worker left free, another may fill
    return {run.id: run.status for run in finished}, claims


class _Look:
    """What a claim reads under the queue's lock, asked for in one go with the lock itself."""

    def __init__(self, tx: Transaction, worker_id: str, room: Room) -> None:
        self.is_outdated = room.slots < 1  # something in this transaction may have changed the heads
        self.holds = claim.ask_holds(tx, worker_id=worker_id, surroundings=str(room.surroundings))
        self._tx = tx
        self._room = room
        self._runs = None if self.is_outdated else self._ask_runs(room)

    def heads(self, room: Room, *, has_builds: bool) -> list[Head]:
        """Return the heads of the queue that fit: those asked for with the lock, the first time, if they still hold."""
        answer, self._runs = self._runs, None
        if answer is None or self.is_outdated or room != self._room:
            answer = self._ask_runs(room)
        if has_builds or self.is_outdated:
            builds = claim.ask_build_heads(self._tx, most=room.slots, surroundings=str(room.surroundings))
            return [*answer(), *builds()]
        return answer()

    def _ask_runs(self, room: Room) -> Answer:
        return claim.ask_run_heads(self._tx, most=room.slots, memory_mb=room.memory_mb, cpu_count=room.cpu_count)


def _claim(
    tx: Transaction, worker_id: str, *, rules: QueueRules, room: Room, look: _Look | None = None
) -> tuple[list[Claim], "_HeldBack"]:
    looks = [look] if look else []
    is_alone = not tx.statement_count

    def ask() -> None:
        if not looks:
            looks.append(_Look(tx, worker_id, room))

    dispatch = lock_dispatch(tx, meanwhile=ask)
    [look] = looks
    if dispatch.oldest_generation > GENERATION:
        return [], _HeldBack([])
    held_back = _HeldBack(look.holds())
    if held_back.is_upkeep_due(dispatch.now - rules.tick):
        upkeep.do_if_due(tx, rules=rules, surroundings=room.surroundings)
        look.is_outdated = True
    started = _Started(tx, worker_id, dispatch=dispatch, rules=rules)
    if not held_back.is_everything:
        _take(tx, look, started, held_back, _allowed(tx, dispatch, rules=rules, room=room))
        _count_starts(tx, dispatch, rules=rules, count=len(started.claims))
    if is_alone and not started.claims and not look.is_outdated:
        tx.void()
    return started.claims, held_back


def _take(tx: Transaction, look: _Look, started: "_Started", held_back: "_HeldBack", room: Room) -> None:
    is_worth_looking = True
    while is_worth_looking and room.slots > 0:
        room, is_worth_looking = _claim_batch(tx, look, started, held_back, room)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a head may not start: its document is busy, a pause covers it, or its workspace is at its cap."""

    block: Block
    scope: PauseScope | None
    value: str
    met: str  # the run


_NARROW_SCOPES = frozenset(PauseScope) - {PauseScope.ALL}


class _HeldBack:
    """The pauses and caps in force, and what else was told with them."""

    def __init__(self, found: list[Hold]) -> None:
        self.has_builds = any(scope == BUILDS for scope, _, _ in found)
        self.is_everything = any(scope in {"all", "worker"} for scope, _, _ in found)
        self._upkept_at = next((at for scope, _, at in found if scope == UPKEEP), 0)
        self.caps = {str(value): cap for scope, value, cap in found if scope == "cap"}
        self.pauses = [(PauseScope(scope), value or "") for scope, value, _ in found if scope in _NARROW_SCOPES]

    def is_upkeep_due(self, before: datetime) -> bool:
        """Tell whether the last upkeep was no later than an instant."""
        return self._upkept_at <= to_microseconds(before)

    def pause_of(self, head: Head) -> tuple[PauseScope, str] | None:
        """Return the first pause that holds a run back."""
        if not self.pauses:
            return None
        facts = {
            PauseScope.PRIORITY: str(head.priority),
            PauseScope.WORKSPACE: head.workspace_id,
            PauseScope.PLAN: head.plan_id,
        }
        return next(((scope, value) for scope, value in self.pauses if facts[scope] == value), None)


class _Started:
    """What this claim has taken so far."""

    def __init__(self, tx: Transaction, worker_id: str, *, dispatch: Dispatch, rules: QueueRules) -> None:
        self.claims: list[Claim] = []
        self._tx = tx
        self._terms_of: dict[str, dict[str, Any]] = {
            kind: {
                "worker_id": worker_id,
                "token": dispatch.number,
                "lease_expires_at": tx.now + rules.lease,
                "deadline_at": tx.now + timeout,
            }
            for kind, timeout in (("build", rules.build_timeout), ("run", rules.run_timeout))
        }

    def start(self, taken: list[Candidate]) -> None:
        """Take runs and builds, keeping the order given."""
        started = self._start_builds([head.id for kind, head in taken if kind == "build"])
        self._start_runs([head for kind, head in taken if kind == "run"])
        self.claims.extend(self._claim(kind, head) for kind, head in taken if kind == "run" or head.id in started)

    def _claim(self, kind: str, head: Head) -> Claim:
        terms = self._terms_of[kind]
        return Claim(
            kind=kind,
            id=head.id,
            token=terms["token"],
            lease_expires_at=terms["lease_expires_at"],
            deadline_at=terms["deadline_at"],
            memory_mb=head.memory_mb,
            cpu_count=head.cpu_count,
        )

    def _start_builds(self, ids: list[str]) -> list[str]:
        if not ids:
            return []
        return builds.start(self._tx, ids, **self._terms_of["build"])

    def _start_runs(self, heads: list[Head]) -> None:
        if not heads:
            return
        started = claim.start(self._tx, heads, **self._terms_of["run"])
        asked = {head.id for head in heads}

        def keep_what_started() -> None:
            lost = asked - started()
            self.claims[:] = [claim for claim in self.claims if claim.id not in lost]

        self._tx.after_commit(keep_what_started)


def _claim_batch(
    tx: Transaction, look: _Look, started: _Started, held_back: _HeldBack, room: Room
) -> tuple[Room, bool]:
    """Take the next heads up to the first that is held back, and park what waits for the same cause as that one.

    Return the room that is left and whether it is worth looking again.
    """
    room_of = _room_in_capped_workspaces(tx, held_back.caps, room)
    look.is_outdated = look.is_outdated or bool(room_of)
    heads = look.heads(room, has_builds=held_back.has_builds)
    candidates = [(head.kind, head) for head in sorted(heads, key=_place)[: room.slots]]
    taken, left, obstacle = _runnable(candidates, held_back, room_of, room)
    started.start(taken)
    is_worth_looking = obstacle is not None or len(candidates) == room.slots
    if obstacle is not None:
        look.is_outdated = True
        if _park(tx, obstacle):
            wake_workers(tx)  # who comes next goes on: others need the queue too
            is_worth_looking = False
    return left, is_worth_looking


def _place(head: Head) -> tuple[int, ...]:
    """Return the key of the one order of runs and builds; a build goes before a run of the same place."""
    same_instant = (head.kind == "run", head.plan_sequence, head.phase, head.sequence)
    return (head.effective_priority, head.order_key, *same_instant)


def _runnable(
    candidates: list[Candidate], held_back: _HeldBack, room_of: dict[str, int], room: Room
) -> tuple[list[Candidate], Room, Obstacle | None]:
    """Return the candidates that fit before the first that is held back, the room they leave, and what holds that."""
    taken: list[Candidate] = []
    documents: set[str] = set()
    for kind, head in candidates:
        if kind == "run":
            if obstacle := _obstacle(head, held_back, room_of, documents):
                return taken, room, obstacle
            if not room.fits(head):
                continue  # the next look asks for what fits beside those taken
            documents.add(head.input_document_id)
            if head.workspace_id in room_of:
                room_of[head.workspace_id] -= 1
        taken.append((kind, head))
        room = room.beside((kind, head))
    return taken, room, None


def _obstacle(head: Head, held_back: _HeldBack, room_of: dict[str, int], documents: set[str]) -> Obstacle | None:
    """Return what holds a run back, if anything: a pause, its document being busy, its workspace's cap."""
    if pause := held_back.pause_of(head):
        return Obstacle(Block.PAUSED, *pause, head.id)
    if head.is_busy or head.input_document_id in documents:
        return Obstacle(Block.DOCUMENT_BUSY, None, head.input_document_id, head.id)
    if room_of.get(head.workspace_id, 1) <= 0:
        return Obstacle(Block.CAPACITY, PauseScope.WORKSPACE, head.workspace_id, head.id)
    return None


def _park(tx: Transaction, obstacle: Obstacle) -> bool:
    """Take what waits for the same cause out of the way, so that the next claim does not meet it again.

    Tell whether it is so much that the rest is left to the next one.
    """
    if obstacle.scope is None:
        return waiting.park_document(tx, obstacle.value, met=obstacle.met)
    return waiting.park_scope(tx, obstacle.scope, obstacle.value, met=obstacle.met, block=obstacle.block)


def _room_in_capped_workspaces(tx: Transaction, caps: dict[str, int], room: Room) -> dict[str, int]:
    """Return how many more runs each capped workspace may start, and bring its parked ones back up to that."""
    if not caps:
        return {}
    running = runs.running_counts(tx)
    room_of = {workspace: cap - running.get(workspace, 0) for workspace, cap in caps.items()}
    for workspace, most in room_of.items():
        if most > 0:
            waiting.unpark_capacity(tx, workspace, most=most, memory_mb=room.memory_mb, cpu_count=room.cpu_count)
    return room_of


def _allowed(tx: Transaction, dispatch: Dispatch, *, rules: QueueRules, room: Room) -> Room:
    """Return the room for as many as may start now under the deployment's limits."""
    slots = room.slots
    if rules.max_running:
        slots = min(slots, rules.max_running - sum(runs.running_counts(tx).values()))
    if rules.start_rate:
        slots = min(slots, rules.start_rate.free_at(control.recent_starts(tx), dispatch.now))
    return room if slots == room.slots else replace(room, slots=max(slots, 0))


def _count_starts(tx: Transaction, dispatch: Dispatch, *, rules: QueueRules, count: int) -> None:
    if rules.start_rate and count:
        starts = control.recent_starts(tx)
        control.keep_starts(tx, rules.start_rate.adding(count, starts, dispatch.now))


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
    told = control.ask_state(tx)
    now = tx.now  # asked for in one message with the state
    state = told()
    tx.now = max(now, state.clock_at)
    if state.oldest_generation > GENERATION:
        facts["idle_reason"] = OUTDATED
    is_known = workers.ask_beat(tx, worker_id, **facts)
    held = workers.ask_held(tx, worker_id, only=at_work_on)
    if not is_known():
        return None
    extended = workers.extend_leases(tx, worker_id, held, lease_expires_at=tx.now + rules.lease)
    return [
        Lease(kind=row.kind, id=row.id, token=row.claim_token, is_cancel_requested=row.cancel_requested_at is not None)
        for row in extended
    ]
