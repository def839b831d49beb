"""Workers: who is at work, and since when they were last heard of."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database import builds as build_store
from ade.database import runs as run_store
from ade.database.schema import builds, runs, workers
from ade.database.transaction import Transaction
from ade.database.types import Instant, to_microseconds


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


def silent_since(tx: Transaction, instant: Any) -> Sequence[str]:
    """Return the workers that never said they stopped, and were not heard of since an instant."""
    silent = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at < instant)
    return list(tx.execute(sa.select(workers.c.id).where(*silent)).scalars())


def beat(tx: Transaction, worker_id: str, **values: Any) -> bool:
    """Note that a worker lives; tell whether it is still known and asked to go on."""
    statement = (
        sa.update(workers)
        .where(workers.c.id == worker_id, workers.c.stopped_at.is_(None))
        .values(heartbeat_at=tx.now, **values)
    )
    return tx.execute(statement).rowcount == 1


def extend_leases(
    tx: Transaction, worker_id: str, *, lease_expires_at: Any, only: Collection[str] | None = None
) -> list[sa.Row[Any]]:
    """Extend every lease a worker holds, or those of some ids; return (kind, id, token, cancel_requested_at) of each.

    The time between the end of a lease and this heartbeat is not the run's: the worker or its host stood still, or the
    database's clock was set forward. The deadline moves on by it.

    Touches no index, so that it stays a cheap in-place update on PostgreSQL, and does not lock the queue.
    """
    extended: list[sa.Row[Any]] = []
    for kind, table, status in (("run", runs, run_store.RUNNING), ("build", builds, build_store.BUILDING)):
        held = (status, table.c.claimed_by == worker_id, *_among(table, only))
        # In the order in which runs are ended: who locks the same rows in another order waits for us, and we for them.
        tx.execute(sa.select(table.c.id).where(*held).order_by(table.c.id).with_for_update(key_share=True))
        statement = (
            sa.update(table)
            .where(*held)
            .values(lease_expires_at=lease_expires_at, deadline_at=_deadline(table, tx.now))
            .returning(sa.literal(kind).label("kind"), table.c.id, table.c.claim_token, table.c.cancel_requested_at)
        )
        extended.extend(tx.execute(statement).all())
    return extended


def _deadline(table: sa.Table, now: datetime) -> sa.ColumnElement[datetime]:
    lease, deadline = table.c.lease_expires_at, table.c.deadline_at
    unheard = to_microseconds(now) - sa.type_coerce(lease, sa.BigInteger)
    later = sa.type_coerce(sa.type_coerce(deadline, sa.BigInteger) + unheard, Instant)
    return sa.case((lease < now, later), else_=deadline)


def _among(table: sa.Table, ids: Collection[str] | None) -> list[sa.ColumnElement[bool]]:
    return [] if ids is None else [table.c.id.in_(sorted(ids))]


_LIVE_SLOTS = sa.select(sa.func.coalesce(sa.func.sum(workers.c.slots), 0)).where(
    workers.c.stopped_at.is_(None),
    workers.c.heartbeat_at >= sa.bindparam("since", type_=workers.c.heartbeat_at.type),
    workers.c.drain_requested_at.is_(None),
)


def live_slots(tx: Transaction, *, since: Any) -> int:
    """Return how many runs the living workers can execute at once."""
    return int(tx.execute(_LIVE_SLOTS, {"since": since}).scalar_one())


def living_surroundings(tx: Transaction, *, since: Any) -> set[str]:
    """Return what the builds depend on that workers heard of since an instant can make."""
    alive = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= since, workers.c.drain_requested_at.is_(None))
    return set(tx.execute(sa.select(workers.c.surroundings).where(*alive).distinct()).scalars())


def live_count(tx: Transaction, *, since: Any) -> int:
    """Return how many workers were heard of since an instant."""
    alive = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= since)
    return int(tx.execute(sa.select(sa.func.count()).select_from(workers).where(*alive)).scalar_one())


def listed(tx: Transaction, *, stopped_since: Any) -> Sequence[sa.Row[Any]]:
    """Return the workers at work, and those that stopped after an instant, latest start first."""
    kept = sa.or_(workers.c.stopped_at.is_(None), workers.c.stopped_at >= stopped_since)
    return tx.execute(sa.select(workers).where(kept).order_by(workers.c.started_at.desc(), workers.c.id)).all()


def request_drain(tx: Transaction, worker_id: str) -> bool:
    """Ask a worker to claim nothing more; tell whether it is at work."""
    asked = sa.func.coalesce(workers.c.drain_requested_at, sa.literal(tx.now, workers.c.drain_requested_at.type))
    at_work = (workers.c.id == worker_id, workers.c.stopped_at.is_(None))
    return tx.execute(sa.update(workers).where(*at_work).values(drain_requested_at=asked)).rowcount == 1
