"""The dispatch row: one lock, one clock that never goes back, and the numbers that must be exact."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import NOW_MICROSECONDS, now_microseconds
from ade.database.rows import Rows
from ade.database.schema import queue_control
from ade.database.transaction import Transaction
from ade.database.types import Instant, from_microseconds, to_microseconds
from ade.database.wire.prepared import Answer, Prepared, PreparedRows
from ade.domain.start_rate import Starts

control = queue_control.c
# SQL Server reads the clock before it waits for the lock; PostgreSQL does when the transaction that held it rolls back.
LONGEST_UNNOTICED_WAIT = timedelta(milliseconds=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """The dispatch row: as this transaction holds it, or as it was read."""

    now: datetime
    number: int  # of this transaction: grows with each, so it serves as the token of a claim
    run_sequence: int
    order_version: int
    open_run_count: int
    oldest_generation: int


_DISPATCH = Rows(Dispatch, queue_control, now=control.clock_at, number=control.claim_sequence)


def _lock_statement(now: sa.ColumnElement[Any]) -> sa.UpdateBase:
    return (
        sa.update(queue_control)
        .where(control.name == sa.literal_column("'dispatch'"))
        .values(
            clock_at=_next_time(now),
            read_at=now,
            claim_sequence=control.claim_sequence + 1,
            run_sequence=control.run_sequence + sa.bindparam("opened", type_=sa.Integer),
            open_run_count=control.open_run_count
            + sa.bindparam("opened", type_=sa.Integer)
            - sa.bindparam("closed", type_=sa.Integer),
        )
        .returning(*_DISPATCH.columns)
    )


def _next_time(now: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Return the queue's next time: the database's, or while that is behind, half as fast as that advances.

    Standing still instead would be simpler, and a clock that was set back by an hour would stop leases, upkeep and the
    start rate for that hour.
    """
    elapsed = sa.type_coerce(now, sa.BigInteger) - sa.type_coerce(control.read_at, sa.BigInteger)
    slowly = sa.type_coerce(control.clock_at, sa.BigInteger) + elapsed // 2
    return sa.case(
        (now > control.clock_at, now), (now > control.read_at, sa.type_coerce(slowly, Instant)), else_=control.clock_at
    )


# The clock is part of the statement, so that it is read as late as possible.
_LOCK = {
    dialect: PreparedRows(_DISPATCH, _lock_statement(sa.type_coerce(now_microseconds(dialect), Instant)))
    for dialect in NOW_MICROSECONDS
}
_LOCK_AT = PreparedRows(_DISPATCH, _lock_statement(sa.bindparam("now", type_=Instant)))


def lock_dispatch(tx: Transaction, *, opened: int = 0, closed: int = 0) -> Dispatch:
    """Lock the queue until the end of the transaction; count runs that open and close in the same statement.

    Fixes the transaction's time: from here on `tx.now` is the queue's clock.
    """
    return ask_lock(tx, opened=opened, closed=closed)()


def ask_lock(tx: Transaction, *, opened: int = 0, closed: int = 0) -> Callable[[], Dispatch]:
    """Ask for the queue's lock; what is asked next is read under it, and travels in the same message."""
    if isinstance(tx.held, Dispatch) and not opened and not closed:
        held = tx.held
        return lambda: held
    answer, asked_at = _ask_row(tx, opened=opened, closed=closed), time.monotonic()
    return lambda: _locked(tx, answer, asked_at=asked_at)


def _locked(tx: Transaction, answer: Answer[Dispatch], *, asked_at: float) -> Dispatch:
    [dispatch] = answer()
    if tx.clock is None and time.monotonic() - asked_at > LONGEST_UNNOTICED_WAIT.total_seconds():
        [dispatch] = _ask_row(tx, opened=0, closed=0)()  # the lock is ours, so this is not waited for
    tx.held, tx.now = dispatch, dispatch.now
    return dispatch


def _ask_row(tx: Transaction, *, opened: int, closed: int) -> Answer[Dispatch]:
    counts = {"opened": opened, "closed": closed}
    if tx.clock is None:
        return _LOCK[tx.dialect].ask(tx, counts)
    return _LOCK_AT.ask(tx, {**counts, "now": tx.clock.now()})


def queue_time(tx: Transaction) -> datetime:
    """Return the queue's time without locking it: never behind that of the dispatch row."""
    return max(tx.now, state(tx).now)


def state(tx: Transaction) -> Dispatch:
    """Return the numbers of the dispatch row without locking it."""
    return ask_state(tx)()


def ask_state(tx: Transaction) -> Callable[[], Dispatch]:
    """Ask for the numbers of the dispatch row without locking it; return what gives them."""
    answer = _STATE.ask(tx, {})
    return lambda: answer()[0]


_STATE = PreparedRows(_DISPATCH, _DISPATCH.select(control.name == sa.literal_column("'dispatch'")))


def bump_order(tx: Transaction) -> int:
    """Note that a person changed the order; return the new version."""
    changed = (
        sa.update(queue_control)
        .where(control.name == sa.literal_column("'dispatch'"))
        .values(order_version=control.order_version + 1)
        .returning(control.order_version)
    )
    return int(tx.execute(changed).scalar_one())


def recent_starts(tx: Transaction) -> Starts:
    """Return the starts that were kept for the start rate, oldest first."""
    [[starts]] = _RECENT_STARTS.rows(tx, {})
    return [(from_microseconds(at), count) for at, count in starts or ()]


_RECENT_STARTS = Prepared(sa.select(control.recent_starts).where(control.name == sa.literal_column("'dispatch'")))


def keep_starts(tx: Transaction, starts: Starts) -> None:
    """Keep the starts that count for the start rate; the queue must be locked."""
    kept = [[to_microseconds(at), count] for at, count in starts]
    tx.execute(sa.update(queue_control).where(control.name == "dispatch").values(recent_starts=kept))


def ask_upkeep_turn(tx: Transaction, *, every: timedelta) -> Callable[[], bool]:
    """Ask for this process's turn, one a tick, by compare and swap; return what gives whether it got it."""
    answer = _TAKE_TURN.ask(tx, {"before": tx.now - every, "now": tx.now})
    return lambda: bool(answer())


_TAKE_TURN = Prepared(
    sa.update(queue_control)
    .where(control.name == sa.literal_column("'upkeep'"), control.clock_at <= sa.bindparam("before", type_=Instant))
    .values(clock_at=sa.bindparam("now", type_=Instant))
    .returning(control.name)
)


def correct_open_count(tx: Transaction, count: int) -> None:
    """Set the number of open runs to what was counted."""
    tx.execute(sa.update(queue_control).where(control.name == "dispatch").values(open_run_count=count))
