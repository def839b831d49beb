"""Bugs put in on purpose. Each must be found: an oracle that never objects proves nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database import builds as build_store
from ade.database import claim, control, endings, finishing, ordering, schema, waiting, workers
from ade.database import runs as run_store
from ade.database.control import Dispatch, lock_dispatch
from ade.database.endings import Lost
from ade.database.prepared import Prepared
from ade.database.runs import QUEUED, RUNNING, RunRow, r
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.domain.access import SYSTEM
from ade.domain.order import order_key_at
from ade.domain.run import Block, RunStatus
from ade.domain.start_rate import StartRate, Starts
from ade.operations import queue, runs, upkeep
from ade.operations.wake import wake_workers

Swap = tuple[Any, str, Any]  # a module or class, a name in it, what stands there instead

_overdue, _age, _give_back_sql, _cancel_run = endings.overdue, ordering.age, endings.give_back, runs.cancel_run
_ask_holds, _requeue, _release_build = claim.ask_holds, endings._requeue, waiting.release_build
_recover_lost, _hand_back = runs.recover_lost, endings.hand_back


def _held_by_anyone(run_id: str, _token: int) -> sa.ColumnElement[bool]:
    return sa.and_(r.id == run_id, RUNNING)


def _overdue_when_idle(tx: Transaction) -> list[Lost]:
    room = queue.Room(slots=1)
    heads = claim.ask_run_heads(tx, most=1, memory_mb=room.memory_mb, cpu_count=room.cpu_count)
    builds = claim.ask_build_heads(tx, most=1, surroundings=str(room.surroundings))
    return [] if heads() or builds() else _overdue(tx)


def _forget_the_sibling(tx: Transaction, run: Any) -> None:
    runs._move_plan_on(tx, run)
    wake_workers(tx)


def _beat_though_dead(tx: Transaction, worker_id: str, **_values: Any) -> Callable[[], bool]:
    dead_or_not = schema.workers.c.id == worker_id
    is_known = tx.execute(sa.update(schema.workers).where(dead_or_not).values(heartbeat_at=tx.now)).rowcount == 1
    return lambda: is_known


def _lost_without_another_look(tx: Transaction, condition: sa.ColumnElement[bool], **_words: Any) -> list[Lost]:
    columns = (r.id, r.claim_count, r.cancel_requested_at, r.lease_expires_at, r.deadline_at)
    found = tx.execute(sa.select(*columns).where(RUNNING, condition)).all()
    return [Lost(row, sa.and_(r.id == row.id, RUNNING)) for row in found]


def _time_out_the_lost(tx: Transaction, lost: Lost, *, rules: Any) -> RunRow | None:
    if lost.run.deadline_at < tx.now:
        return runs._close_lost(tx, endings.fail_lost(tx, lost, runs._timed_out(rules)))
    return _recover_lost(tx, lost, rules=rules)


def _cancel_without_counting(tx: Transaction, run_id: str, **words: Any) -> RunStatus:
    status = _cancel_run(tx, run_id, **words)
    if status == RunStatus.CANCELLED:
        lock_dispatch(tx, opened=1)
    return status


def _release_but_keep_lazy_blocks(tx: Transaction, build_id: str) -> list[RunRow]:
    was = {row.id: row.block_mask for row in tx.execute(sa.select(r.id, r.block_mask).where(QUEUED))}
    released = _release_build(tx, build_id)
    for row in released:
        lazy = was[row.id] & ~int(waiting.KNOWN_AT_SUBMISSION)
        tx.execute(sa.update(r.id.table).where(r.id == row.id).values(block_mask=r.block_mask.bitwise_or(lazy)))
    return released


def _only_the_newest_pause(tx: Transaction, **asked: Any) -> Callable[[], list[claim.Hold]]:
    answer = _ask_holds(tx, **asked)

    def answered() -> list[claim.Hold]:
        found = answer()
        pauses = [hold for hold in found if hold[0] not in {"all", "cap", "worker", "upkeep", "builds"}]
        return [hold for hold in found if hold not in pauses[:-1]]

    return answered


def _age_without_unparking(tx: Transaction, *, rules: Any) -> int:
    aged = ordering.age(tx, next_at=tx.now + rules.age_after, most=500)
    for run, before in aged:
        changes = {"effective_priority": [before, run.effective_priority]}
        runs.audit_change(tx, SYSTEM, run, action="run.aged", changes=changes)
        build_store.hurry(tx, run.build_id, effective_priority=run.effective_priority)
    return len(aged)


def _give_back_and_count(tx: Transaction, run_id: str, token: int) -> RunRow | None:
    return endings._first(endings._requeue(tx, run_store.held(run_id, token), event="run.released"))


def _hand_back_for_ever(tx: Transaction, run_id: str, token: int, failure: Any, **_words: Any) -> RunRow | None:
    return _hand_back(tx, run_id, token, failure, most_claims=1000)


def _one_token_for_all(tx: Transaction, **counts: Any) -> Dispatch:
    return replace(lock_dispatch(tx, **counts), number=1)


def _requeue_at_the_end(tx: Transaction, *where: Any, **values: Any) -> list[RunRow]:
    return _requeue(tx, *where, order_key=order_key_at(tx.now), **values)


def _set_priority_but_stay_paused(tx: Transaction, run_ids: Any, priority: int, *, ages_at: Any) -> list[RunRow]:
    values = {"priority": priority, "effective_priority": priority, "ages_at": ages_at}
    told = {"event": "run.priority_changed", "data": {"priority": priority}}
    return run_store.change(tx, QUEUED, r.id.in_(run_ids), **told, **values)  # type: ignore[arg-type]


def _unpark_only_the_best(tx: Transaction, document_id: str, *where: sa.ColumnElement[bool]) -> None:
    best = (
        sa.select(r.id)
        .where(QUEUED, r.input_document_id == document_id, r.block_mask.in_((0, int(Block.DOCUMENT_BUSY))), *where)
        .order_by(*run_store.IN_ORDER)
        .limit(1)
    )
    tx.execute(sa.update(r.id.table).where(r.id.in_(best)).values(block_mask=0))


def _bucket_that_refills(self: StartRate, starts: Starts, now: datetime) -> int:
    """Hold the rate on average only: what was started half a window ago counts half."""
    counted = self.within(starts, now)
    refilled = int((now - counted[0][0]) / self.window * self.most) if counted else 0
    return min(self.most, self.most - sum(count for _, count in counted) + refilled)


def _nothing(*_words: Any, **_more: Any) -> Any:
    return None


def _clock_that_goes_back() -> Prepared:
    now = sa.bindparam("now", type_=Instant)
    return Prepared(control._LOCK_AT.statement.values(clock_at=now))


PLANTED: dict[str, Callable[[], list[Swap]]] = {
    "the fence is removed": lambda: [
        (endings, "held", _held_by_anyone),
        (finishing, "_is_held", lambda row, _ending: row is not None),
    ],
    "leases are swept only when the queue is idle": lambda: [(endings, "overdue", _overdue_when_idle)],
    "an ending forgets to un-park the sibling": lambda: [
        (runs, "_after_ending", _forget_the_sibling),
        (runs, "_let_go_on", _forget_the_sibling),
    ],
    "a dead worker's heartbeat is accepted": lambda: [(workers, "ask_beat", _beat_though_dead)],
    "expiry does not look at the lease again": lambda: [(endings, "_lost", _lost_without_another_look)],
    "a run whose worker was gone times out": lambda: [(runs, "recover_lost", _time_out_the_lost)],
    "time in which a run was not heard of is its own": lambda: [
        (workers, "_deadline", lambda table: table.c.deadline_at),
        (workers, "_extend", workers._extend.__wrapped__),  # the statement is kept: it must be made again
    ],
    "cancelling a queued run is not counted": lambda: [(runs, "cancel_run", _cancel_without_counting)],
    "a finished build leaves lazy blocks": lambda: [(waiting, "release_build", _release_but_keep_lazy_blocks)],
    "overlapping pauses do not compose": lambda: [(claim, "ask_holds", _only_the_newest_pause)],
    "resuming un-parks nothing": lambda: [(waiting, "unpark_scope", _nothing)],
    "ageing does not un-park": lambda: [(upkeep, "age", _age_without_unparking)],
    "giving back counts as a claim": lambda: [(endings, "give_back", _give_back_and_count)],
    "what hosts fail is handed back for ever": lambda: [(endings, "hand_back", _hand_back_for_ever)],
    "tokens are used again": lambda: [(queue, "lock_dispatch", _one_token_for_all)],
    "a recovered run goes to the end": lambda: [(endings, "_requeue", _requeue_at_the_end)],
    "another priority leaves a run paused": lambda: [(ordering, "set_priority", _set_priority_but_stay_paused)],
    "a large run keeps its siblings parked": lambda: [(waiting, "unpark_document", _unpark_only_the_best)],
    "what comes back is not looked at again": lambda: [(runs, "_back_in_place", _nothing)],
    "builds are not hurried": lambda: [(build_store, "hurry", _nothing)],
    "a removed cap leaves runs parked": lambda: [
        (waiting, "unpark_capped", _nothing),
        (waiting, "unpark_uncapped", lambda _tx: 0),
    ],
    "what no living worker could build is left": lambda: [(build_store, "queued_surroundings", lambda _tx: [])],
    "runs move to a build and do not wait for it": lambda: [(waiting, "hold_for_build", _nothing)],
    "the start rate holds on average only": lambda: [(StartRate, "free_at", _bucket_that_refills)],
    "starts are not counted": lambda: [(queue, "_count_starts", _nothing)],
    "the queue's clock follows the database's back": lambda: [(control, "_LOCK_AT", _clock_that_goes_back())],
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    """Put a bug in, and take it out again."""
    swaps = PLANTED[name]()
    kept = [(place, attribute, getattr(place, attribute)) for place, attribute, _ in swaps]
    for place, attribute, bug in swaps:
        setattr(place, attribute, bug)
    try:
        yield
    finally:
        for place, attribute, original in kept:
            setattr(place, attribute, original)
