"""Bugs put in on purpose. Each must be found: an oracle that never objects proves nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database import schema
from ade.database.queue import builds as build_store
from ade.database.queue import claim, control, endings, finishing, idle, ordering, waiting, wakeups, workers
from ade.database.queue import runs as run_store
from ade.database.queue.control import Dispatch, ask_lock, lock_dispatch
from ade.database.queue.endings import LOST, Lost
from ade.database.queue.kinds import RUN, Changed, Kind, RunRow, change, first
from ade.database.queue.runs import QUEUED, RUNNING, r
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.wire.prepared import PreparedRows, Values
from ade.domain.access import SYSTEM
from ade.domain.claiming import Holds
from ade.domain.order import order_key_at
from ade.domain.queue import Claim, timed_out
from ade.domain.run import Block, RunStatus
from ade.domain.start_rate import StartRate, Starts
from ade.operations.queue import claiming as queue
from ade.operations.queue import returning, runs, submit, upkeep

Swap = tuple[Any, str, Any]  # a module or class, a name in it, what stands there instead

_cancel_run, _ask_holds, _unblock_build = runs.cancel_run, claim.ask_holds, waiting.unblock_build
_overdue, _recover_lost, _held_under = endings.overdue, returning.recover_lost, Kind.held_under
_return, _return_counted = endings._return, endings.return_counted
_pick, _note_idle = idle.pick, queue._note_idle


def _held_by_anyone(kind: Kind[Changed], subject_id: str, token: int) -> sa.ColumnElement[bool]:
    return sa.and_(r.id == subject_id, RUNNING) if kind is RUN else _held_under(kind, subject_id, token)


def _overdue_when_idle(tx: Transaction, kind: Kind[Changed]) -> list[Lost]:
    room = queue.Room(slots=1)
    heads = claim.ask_run_heads(tx, room)
    builds = claim.ask_build_heads(tx, most=1, surroundings=str(room.surroundings))
    return [] if heads() or builds() else _overdue(tx, kind)


def _forget_the_sibling(tx: Transaction, run: Any) -> None:
    runs._move_plan_on(tx, run)
    wake_workers(tx)


def _beat_though_dead(tx: Transaction, worker_id: str, **_values: Any) -> Callable[[], bool]:
    dead_or_not = schema.workers.c.id == worker_id
    is_known = tx.execute(sa.update(schema.workers).where(dead_or_not).values(heartbeat_at=tx.now)).rowcount == 1
    return lambda: is_known


def _lost_without_another_look(
    tx: Transaction, kind: Kind[Changed], condition: sa.ColumnElement[bool], **_words: Any
) -> list[Lost]:
    rows, is_held = LOST[kind.name], kind.is_(kind.held)
    found = rows.all(tx, rows.select(is_held, condition))
    return [Lost(kind, row, sa.and_(kind.columns.id == row.id, is_held)) for row in found]


def _time_out_the_lost(tx: Transaction, lost: Lost, *, rules: Any) -> bool:
    if lost.kind is RUN and lost.row.deadline_at < tx.now:
        return returning._end(tx, endings.fail_lost(tx, lost, timed_out("run", 1)))
    return _recover_lost(tx, lost, rules=rules)


def _cancel_without_counting(tx: Transaction, run_id: str, **words: Any) -> RunStatus:
    status = _cancel_run(tx, run_id, **words)
    if status == RunStatus.CANCELLED:
        lock_dispatch(tx, opened=1)
    return status


def _unblock_but_keep_lazy_blocks(tx: Transaction, build_id: str) -> list[RunRow]:
    was = {row.id: row.block_mask for row in tx.execute(sa.select(r.id, r.block_mask).where(QUEUED))}
    released = _unblock_build(tx, build_id)
    for row in released:
        lazy = was[row.id] & ~int(waiting.KNOWN_AT_SUBMISSION)
        tx.execute(sa.update(r.id.table).where(r.id == row.id).values(block_mask=r.block_mask.bitwise_or(lazy)))
    return released


def _only_the_newest_pause(tx: Transaction, **asked: Any) -> Callable[[], Holds]:
    holds = _ask_holds(tx, **asked)()
    return lambda: replace(holds, pauses=holds.pauses[-1:])


def _age_without_unparking(tx: Transaction, *, rules: Any) -> int:
    aged = ordering.age(tx, next_at=tx.now + rules.age_after, most=500)
    for run, before in aged:
        changes = {"effective_priority": [before, run.effective_priority]}
        runs.audit_change(tx, SYSTEM, run, action="run.aged", changes=changes)
        build_store.hurry(tx, run.build_id, effective_priority=run.effective_priority)
    return len(aged)


def _return_and_count(tx: Transaction, kind: Kind[Changed], held: Claim) -> Changed | None:
    return first(_return(tx, kind, kind.held_under(held.id, held.token), event=f"{kind.name}.released"))


def _return_for_ever(tx: Transaction, kind: Kind[Changed], held: Claim, failure: Any, **_words: Any) -> Changed | None:
    return _return_counted(tx, kind, held, failure, most_claims=1000)


def _one_token_for_all(tx: Transaction, **counts: Any) -> Callable[[], Dispatch]:
    lock = ask_lock(tx, **counts)
    return lambda: replace(lock(), number=1)


def _return_to_the_end(tx: Transaction, kind: Kind[Changed], *where: Any, **values: Any) -> list[Changed]:
    return _return(tx, kind, *where, order_key=order_key_at(tx.now), **values)


def _set_priority_but_stay_paused(tx: Transaction, run_ids: Any, priority: int, *, ages_at: Any) -> list[RunRow]:
    values = {"priority": priority, "effective_priority": priority, "ages_at": ages_at}
    told = {"event": "run.priority_changed", "data": {"priority": priority}}
    return change(tx, RUN, QUEUED, r.id.in_(run_ids), **told, **values)  # type: ignore[arg-type]


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


def _clock_that_goes_back() -> PreparedRows[Dispatch]:
    now = sa.bindparam("now", type_=Instant)
    return PreparedRows(control._DISPATCH, control._LOCK_AT.statement.values(clock_at=now))


def _pick_and_notify_nobody(tx: Transaction, *, most: int) -> list[str]:
    _pick(tx, most=most)
    return []


def _signs_without_builds(values: Values) -> claim.Signs:
    clock_at, upkept_at, run_id, _, capped_id = values
    return claim.Signs(run_id is not None or capped_id is not None, clock_at, upkept_at)


def _wake_one(tx: Transaction, *, count: int = wakeups.ALL) -> None:
    wake_workers(tx, count=count if count == wakeups.ALL else 1)


def _note_idle_and_pass_nothing_on(tx: Transaction, turn: Any, taken: Any, *, free: int, is_waiting: bool) -> None:
    _note_idle(tx, turn, taken, free=free, is_waiting=False)


PLANTED: dict[str, Callable[[], list[Swap]]] = {
    "the fence is removed": lambda: [
        (Kind, "held_under", _held_by_anyone),
        (finishing, "_is_held", lambda row, _ending: row is not None),
    ],
    "leases are swept only when the queue is idle": lambda: [(endings, "overdue", _overdue_when_idle)],
    "an ending forgets to un-park the sibling": lambda: [
        (runs, "_after_ending", _forget_the_sibling),
        (runs, "_unblock_followers", _forget_the_sibling),
    ],
    "a dead worker's heartbeat is accepted": lambda: [(workers, "ask_beat", _beat_though_dead)],
    "expiry does not look at the lease again": lambda: [(endings, "_lost", _lost_without_another_look)],
    "a run whose worker was gone times out": lambda: [(returning, "recover_lost", _time_out_the_lost)],
    "time in which a run was not heard of is its own": lambda: [
        (workers, "_deadline", lambda table: table.c.deadline_at),
        (workers, "_extend", workers._extend.__wrapped__),  # the statement is kept: it must be made again
    ],
    "cancelling a queued run is not counted": lambda: [(runs, "cancel_run", _cancel_without_counting)],
    "a finished build leaves lazy blocks": lambda: [(waiting, "unblock_build", _unblock_but_keep_lazy_blocks)],
    "overlapping pauses do not compose": lambda: [(claim, "ask_holds", _only_the_newest_pause)],
    "resuming un-parks nothing": lambda: [(waiting, "unpark_scope", _nothing)],
    "ageing does not un-park": lambda: [(upkeep, "age", _age_without_unparking)],
    "returning unharmed counts as a claim": lambda: [(endings, "return_uncounted", _return_and_count)],
    "what hosts fail is returned for ever": lambda: [(endings, "return_counted", _return_for_ever)],
    "tokens are used again": lambda: [(queue, "ask_lock", _one_token_for_all)],
    "a recovered run goes to the end": lambda: [(endings, "_return", _return_to_the_end)],
    "another priority leaves a run paused": lambda: [(ordering, "set_priority", _set_priority_but_stay_paused)],
    "a large run keeps its siblings parked": lambda: [(waiting, "unpark_document", _unpark_only_the_best)],
    "what comes back is not looked at again": lambda: [(returning, "_back_in_place", _nothing)],
    "builds are not hurried": lambda: [(build_store, "hurry", _nothing)],
    "a removed cap leaves runs parked": lambda: [
        (waiting, "unpark_capped", _nothing),
        (waiting, "unpark_uncapped", lambda _tx: 0),
    ],
    "what no living worker could build is left": lambda: [(build_store, "queued_surroundings", lambda _tx: [])],
    "runs move to a build and do not wait for it": lambda: [(waiting, "hold_for_build", _nothing)],
    "the start rate holds on average only": lambda: [(StartRate, "free_at", _bucket_that_refills)],
    "starts are not counted": lambda: [(queue, "_count_starts", _nothing)],
    "a worker is picked and not notified": lambda: [(idle, "pick", _pick_and_notify_nobody)],
    "a worker that waits is not noted": lambda: [(idle, "note", _nothing)],
    "one worker is woken for many runs, and wakes no other": lambda: [
        (submit, "wake_workers", _wake_one),
        (queue, "_note_idle", _note_idle_and_pass_nothing_on),
    ],
    "a look without the lock misses builds": lambda: [(claim, "_signs", _signs_without_builds)],
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
