"""Workers: which are alive, what they hold, and when their last heartbeat was."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import holding
from ade.database.queue.kinds import KINDS
from ade.database.rows import Rows
from ade.database.schema import workers
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.wire.prepared import Answer, Prepared, PreparedRows, Values


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a worker that starts."""
    tx.execute(sa.insert(workers).values(**row))


def living_under(tx: Transaction, name: str) -> Sequence[str]:
    """Return the workers of this name that never said they stopped."""
    found = sa.select(workers.c.id).where(workers.c.name == name, workers.c.stopped_at.is_(None))
    return list(tx.execute(found).scalars())


def stop(tx: Transaction, worker_id: str) -> None:
    """Note that a worker stopped."""
    tx.execute(
        sa.update(workers).where(workers.c.id == worker_id, workers.c.stopped_at.is_(None)).values(stopped_at=tx.now)
    )


def silent_since(tx: Transaction, instant: datetime) -> Sequence[str]:
    """Return the workers that never said they stopped, and were not heard of since an instant."""
    silent = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at < instant)
    return list(tx.execute(sa.select(workers.c.id).where(*silent)).scalars())


def ask_beat(tx: Transaction, worker_id: str, **values: Any) -> Callable[[], bool]:
    """Note that a worker lives; return what gives whether it is still registered."""
    given = {"worker_id": worker_id, "new_heartbeat_at": tx.now, **{f"new_{name}": values[name] for name in values}}
    answer = _beat(tuple(sorted(values))).ask(tx, given)
    return lambda: bool(answer())


@cache
def _beat(names: tuple[str, ...]) -> Prepared:
    """Return the statement that notes that a worker lives, and these facts about it."""
    columns = {name: workers.c[name] for name in ("heartbeat_at", *names)}
    return Prepared(
        sa.update(workers)
        .where(workers.c.id == sa.bindparam("worker_id", type_=workers.c.id.type), workers.c.stopped_at.is_(None))
        .values({name: sa.bindparam(f"new_{name}", type_=column.type) for name, column in columns.items()})
        .returning(workers.c.id)
    )


Held = dict[str, Answer[Values]]  # the ids a worker holds, by kind


def ask_held(tx: Transaction, worker_id: str, *, only: Collection[str] | None = None) -> Held:
    """Ask for what a worker holds, or those of some ids, and lock it; return what gives the ids.

    In the order in which runs are ended: two transactions that lock rows in different orders wait for each other.
    """
    if only is not None and not only:
        return {}
    given = {"worker_id": worker_id, **_numbered(sorted(only or ()))}
    count = None if only is None else len(only)
    return {kind: _held(kind, count).ask(tx, given) for kind in KINDS}


@cache
def _held(kind: str, count: int | None) -> Prepared:
    table, is_held = KINDS[kind].table, KINDS[kind].is_(KINDS[kind].held)
    chosen = [table.c.claimed_by == sa.bindparam("worker_id", type_=table.c.claimed_by.type)]
    if count is not None:
        chosen.append(table.c.id.in_(_ids(table, count)))
    asked = sa.select(table.c.id).where(is_held, *chosen).order_by(table.c.id)
    return Prepared(holding(asked, table, by_key=count is not None))


def extend_leases(tx: Transaction, worker_id: str, held: Held, *, lease_expires_at: datetime) -> list[Values]:
    """Extend the leases of what is held and locked; return (kind, id, token, cancel_requested_at) of each.

    The time between the end of a lease and this heartbeat is not the run's: the worker or its host stood still, or the
    database's clock was set forward. The deadline moves on by it.

    Touches no index, so that it stays a cheap in-place update on PostgreSQL, and does not lock the queue.
    """
    found = {kind: [id_ for (id_,) in answer()] for kind, answer in held.items()}
    given = {"worker_id": worker_id, "lease_until": lease_expires_at, "now": tx.now}
    extended = [_extend(kind, len(ids)).ask(tx, {**given, **_numbered(ids)}) for kind, ids in found.items() if ids]
    return [row for answer in extended for row in answer()]


@cache
def _extend(kind: str, count: int) -> Prepared:
    """Return the statement that extends this many leases, by the key: that leads SQL Server to the rows.

    It repeats the fence. The rows are locked already, but a lease that was lost must not depend on that.
    """
    table, is_held = KINDS[kind].table, KINDS[kind].is_(KINDS[kind].held)
    is_its = table.c.claimed_by == sa.bindparam("worker_id", type_=table.c.claimed_by.type)
    return Prepared(
        sa.update(table)
        .where(table.c.id.in_(_ids(table, count)), is_held, is_its)
        .values(lease_expires_at=sa.bindparam("lease_until", type_=Instant), deadline_at=_deadline(table))
        .returning(sa.literal_column(f"'{kind}'").label("kind"), table.c.id, table.c.claim_token, _cancelled_at(table))
    )


def _cancelled_at(table: sa.Table) -> sa.ColumnElement[Any]:
    """Return when someone asked to cancel it; a build that is cancelled is no longer held."""
    if "cancel_requested_at" in table.c:
        return table.c.cancel_requested_at
    return sa.cast(sa.null(), Instant).label("cancel_requested_at")


def _ids(table: sa.Table, count: int) -> list[sa.BindParameter[Any]]:
    return [sa.bindparam(f"id_{number}", type_=table.c.id.type) for number in range(count)]


def _numbered(ids: Sequence[str]) -> dict[str, str]:
    return {f"id_{number}": id_ for number, id_ in enumerate(ids)}


def _deadline(table: sa.Table) -> sa.ColumnElement[datetime]:
    now = sa.bindparam("now", type_=Instant)
    lease, deadline = table.c.lease_expires_at, table.c.deadline_at
    unheard = sa.type_coerce(now, sa.BigInteger) - sa.type_coerce(lease, sa.BigInteger)
    later = sa.type_coerce(sa.type_coerce(deadline, sa.BigInteger) + unheard, Instant)
    return sa.case((lease < now, later), else_=deadline)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveWorker:
    """What a worker has room for."""

    surroundings: str
    slots: int
    memory_mb: int | None
    cpu_count: float | None
    idle_reason: str | None
    crowded: dict[str, str] | None
    drain_requested_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerRow(LiveWorker):
    """A worker."""

    id: str
    name: str
    host: str
    process_id: int
    version: str
    isolation: str | None
    details: dict[str, Any]
    started_at: datetime
    heartbeat_at: datetime
    stopped_at: datetime | None


_WORKERS = Rows(WorkerRow, workers)
_LIVING = Rows(LiveWorker, workers)
_LIVE = PreparedRows(
    _LIVING,
    _LIVING.select(
        workers.c.stopped_at.is_(None),
        workers.c.heartbeat_at >= sa.bindparam("since", type_=workers.c.heartbeat_at.type),
    ).order_by(workers.c.id),
)


def live(tx: Transaction, *, since: datetime) -> list[LiveWorker]:
    """Return the workers heard of since an instant: what they have room for, and why they claim nothing if so."""
    return _LIVE.rows(tx, {"since": since})


def living_surroundings(tx: Transaction, *, since: datetime) -> set[str]:
    """Return what the builds depend on that workers heard of since an instant can make."""
    alive = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= since, workers.c.drain_requested_at.is_(None))
    return set(tx.execute(sa.select(workers.c.surroundings).where(*alive).distinct()).scalars())


def listed(tx: Transaction, *, stopped_since: datetime) -> Sequence[WorkerRow]:
    """Return the workers at work, and those that stopped after an instant, latest start first."""
    kept = sa.or_(workers.c.stopped_at.is_(None), workers.c.stopped_at >= stopped_since)
    return _WORKERS.all(tx, _WORKERS.select(kept).order_by(workers.c.started_at.desc(), workers.c.id))


def request_drain(tx: Transaction, worker_id: str) -> bool:
    """Ask a worker to claim nothing more; return whether it is at work."""
    asked = sa.func.coalesce(workers.c.drain_requested_at, sa.literal(tx.now, workers.c.drain_requested_at.type))
    at_work = (workers.c.id == worker_id, workers.c.stopped_at.is_(None))
    return tx.execute(sa.update(workers).where(*at_work).values(drain_requested_at=asked)).rowcount == 1
