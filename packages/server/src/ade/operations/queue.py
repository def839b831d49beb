"""What a worker does with the queue: claim for its free slots, keep its leases, give back."""

from dataclasses import dataclass
from datetime import timedelta
from itertools import accumulate
from typing import Any

from ade.database import builds, claim, control, runs, waiting, workers
from ade.database.claim import Head
from ade.database.control import Dispatch, lock_dispatch
from ade.database.transaction import Transaction
from ade.domain.pause import PauseScope
from ade.domain.queue import Claim, QueueRules
from ade.domain.run import Block
from ade.operations import upkeep

ANY_MEMORY = 2**31 - 1
Candidate = tuple[str, Head]  # ("run" or "build", its row)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a worker has free."""

    slots: int
    memory_mb: int = ANY_MEMORY


def claim_next(tx: Transaction, worker_id: str, *, rules: QueueRules, room: Room) -> list[Claim]:
    """Claim the next ready runs and builds for every free slot, best first; none when nothing may start.

    A worker that was declared dead gets nothing: nobody would extend its leases. Its next heartbeat tells it.

    Upkeep is done here too when it is due, so that a queue that never idles still recovers what dead workers held.
    """
    dispatch = lock_dispatch(tx)
    upkeep.do_if_due(tx, rules=rules)
    held_back = _HeldBack.read(tx, worker_id)
    if held_back.is_everything:
        return []
    slots = _allowed(tx, dispatch, rules=rules, slots=room.slots)
    started = _Started(tx, worker_id, dispatch=dispatch, rules=rules)
    is_worth_looking = True
    while is_worth_looking and (free := slots - len(started.claims)) > 0:
        is_worth_looking = _claim_batch(tx, started, held_back, most=free, room=room)
    _count_starts(tx, dispatch, rules=rules, count=len(started.claims))
    return started.claims


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a head may not start: its document is busy, a pause covers it, or its workspace is at its cap."""

    block: Block
    scope: PauseScope | None
    value: str


class _HeldBack:
    """The pauses and caps in force."""

    def __init__(self, pauses: list[tuple[PauseScope, str]], caps: dict[str, int], *, is_everything: bool) -> None:
        self.pauses = pauses
        self.caps = caps
        self.is_everything = is_everything

    @classmethod
    def read(cls, tx: Transaction, worker_id: str) -> "_HeldBack":
        found = claim.holds(tx, worker_id)
        pauses = [(PauseScope(scope), value or "") for scope, value, _ in found if scope not in {"all", "cap", "dead"}]
        caps = {str(value): cap for scope, value, cap in found if scope == "cap"}
        return cls(pauses, caps, is_everything=any(scope in {"all", "dead"} for scope, _, _ in found))

    def pause_of(self, head: Head) -> tuple[PauseScope, str] | None:
        """Return the first pause that holds a run back."""
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
        self.memory_mb = 0
        self._tx = tx
        self._worker_id = worker_id
        self._token = dispatch.number
        self._rules = rules

    def start(self, kind: str, ids: list[str]) -> None:
        """Take runs or builds, keeping the order given."""
        if not ids:
            return
        timeout = self._rules.run_timeout if kind == "run" else self._rules.build_timeout
        lease_expires_at, deadline_at = self._tx.now + self._rules.lease, self._tx.now + timeout
        store = claim if kind == "run" else builds
        taken = set(
            store.start(
                self._tx,
                ids,
                worker_id=self._worker_id,
                token=self._token,
                lease_expires_at=lease_expires_at,
                deadline_at=deadline_at,
            )
        )
        self.claims.extend(
            Claim(kind=kind, id=taken_id, token=self._token, lease_expires_at=lease_expires_at, deadline_at=deadline_at)
            for taken_id in ids
            if taken_id in taken
        )


def _claim_batch(tx: Transaction, started: _Started, held_back: _HeldBack, *, most: int, room: Room) -> bool:
    """Take the next heads up to the first that is held back or does not fit beside those before it.

    Park what waits for the same cause as the one held back.

    Tell whether it is worth looking again.
    """
    memory_mb = room.memory_mb - started.memory_mb
    room_of = _room_in_capped_workspaces(tx, held_back.caps, memory_mb=memory_mb)
    candidates = _candidates(tx, most=most, memory_mb=memory_mb)
    taken, obstacle = _runnable(_fitting(candidates, memory_mb), held_back, room_of)
    started.start("build", [head.id for kind, head in taken if kind == "build"])
    started.start("run", [head.id for kind, head in taken if kind == "run"])
    started.memory_mb += sum(_memory_of(candidate) for candidate in taken)
    if obstacle is not None:
        _park(tx, obstacle)
    return obstacle is not None or len(candidates) == most or len(taken) < len(candidates)


def _candidates(tx: Transaction, *, most: int, memory_mb: int) -> list[Candidate]:
    """Return the next runs and builds in one order; a build goes before a run of the same place."""
    found: list[Candidate] = [("build", head) for head in claim.build_heads(tx, most=most)]
    found += [("run", head) for head in claim.heads(tx, most=most, memory_mb=memory_mb)]
    return sorted(found, key=lambda candidate: (candidate[1].effective_priority, candidate[1].order_key))[:most]


def _fitting(candidates: list[Candidate], memory_mb: int) -> list[Candidate]:
    """Return the candidates up to the first that has no room beside those before it; each alone has."""
    needed = accumulate(_memory_of(candidate) for candidate in candidates)
    return [candidate for candidate, sum_mb in zip(candidates, needed, strict=True) if sum_mb <= memory_mb]


def _memory_of(candidate: Candidate) -> int:
    kind, head = candidate
    return (head.memory_mb or 0) if kind == "run" else 0


def _runnable(
    candidates: list[Candidate], held_back: _HeldBack, room_of: dict[str, int]
) -> tuple[list[Candidate], Obstacle | None]:
    """Return the candidates before the first that is held back, and by what."""
    documents: set[str] = set()
    for number, (kind, head) in enumerate(candidates):
        if kind == "build":
            continue
        if pause := held_back.pause_of(head):
            return candidates[:number], Obstacle(Block.PAUSED, *pause)
        if head.is_busy or head.input_document_id in documents:
            return candidates[:number], Obstacle(Block.DOCUMENT_BUSY, None, head.input_document_id)
        if room_of.get(head.workspace_id, 1) <= 0:
            return candidates[:number], Obstacle(Block.CAPACITY, PauseScope.WORKSPACE, head.workspace_id)
        documents.add(head.input_document_id)
        if head.workspace_id in room_of:
            room_of[head.workspace_id] -= 1
    return candidates, None


def _park(tx: Transaction, obstacle: Obstacle) -> None:
    """Take all that wait for the same cause out of the way, so that the next claim does not meet them again."""
    if obstacle.scope is None:
        waiting.park_document(tx, obstacle.value)
    else:
        waiting.park_scope(tx, obstacle.scope, obstacle.value, block=obstacle.block)


def _room_in_capped_workspaces(tx: Transaction, caps: dict[str, int], *, memory_mb: int) -> dict[str, int]:
    """Return how many more runs each capped workspace may start, and bring its parked ones back up to that."""
    if not caps:
        return {}
    running = runs.running_counts(tx)
    room_of = {workspace: cap - running.get(workspace, 0) for workspace, cap in caps.items()}
    for workspace, room in room_of.items():
        if room > 0:
            waiting.unpark_capacity(tx, workspace, most=room, memory_mb=memory_mb)
    return room_of


def _allowed(tx: Transaction, dispatch: Dispatch, *, rules: QueueRules, slots: int) -> int:
    """Return how many may start now under the deployment's limits."""
    if rules.max_running:
        slots = min(slots, rules.max_running - sum(runs.running_counts(tx).values()))
    if rules.max_starts_per_second:
        slots = min(slots, _starts_due(dispatch, rules))
    return max(slots, 0)


def _starts_due(dispatch: Dispatch, rules: QueueRules) -> int:
    """Return how many starts the rate allows by now: at most one second's worth at once."""
    burst = max(1, int(rules.max_starts_per_second))
    free_since = max(dispatch.next_start_at, dispatch.now - burst * _spacing(rules))
    return max(0, int((dispatch.now - free_since) / _spacing(rules)))


def _count_starts(tx: Transaction, dispatch: Dispatch, *, rules: QueueRules, count: int) -> None:
    if not rules.max_starts_per_second or not count:
        return
    burst = max(1, int(rules.max_starts_per_second))
    free_since = max(dispatch.next_start_at, dispatch.now - burst * _spacing(rules))
    control.postpone_starts(tx, until=free_since + count * _spacing(rules))


def _spacing(rules: QueueRules) -> timedelta:
    return timedelta(seconds=1 / rules.max_starts_per_second)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What a heartbeat found a worker to hold."""

    kind: str
    id: str
    token: int
    is_cancel_requested: bool


def heartbeat(tx: Transaction, worker_id: str, *, rules: QueueRules, **facts: Any) -> list[Lease] | None:
    """Extend every lease of a worker and return what it holds, or None when the worker was declared dead.

    Does not lock the queue: any number of workers may beat at once. What the worker believes to hold and is not in the
    answer is lost: it must stop it and discard the result.
    """
    tx.now = control.queue_time(tx)
    if not workers.beat(tx, worker_id, **facts):
        return None
    extended = workers.extend_leases(tx, worker_id, lease_expires_at=tx.now + rules.lease)
    return [
        Lease(kind=row.kind, id=row.id, token=row.claim_token, is_cancel_requested=row.cancel_requested_at is not None)
        for row in extended
    ]
