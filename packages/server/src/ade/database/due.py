"""What upkeep has to do, in one question: mostly nothing, and every claim asks it once a tick.

The earliest moment of each kind is read from its index and compared here. "Is there any" would be shorter, and lets a
planner that expects many read all of them to find none.
"""

from typing import Any

import sqlalchemy as sa

from ade.database.builds import BUILDING, b
from ade.database.runs import QUEUED, RUNNING, r
from ade.database.transaction import Transaction
from ade.database.types import Instant

RUNS, BUILDS, SCHEDULED, AGES = "runs", "builds", "scheduled", "ages"


def _earliest_held(kind: str, column: sa.ColumnElement[Any], condition: sa.ColumnElement[bool]) -> sa.Select[Any, Any]:
    return sa.select(
        sa.literal_column(f"'{kind}'").label("kind"), sa.func.min(column, type_=Instant).label("at")
    ).where(condition)


def _earliest_queued(kind: str, column: sa.ColumnElement[Any], *where: sa.ColumnElement[bool]) -> sa.Select[Any, Any]:
    waits = sa.select(column.label("at")).where(QUEUED, column.is_not(None), *where)
    first = waits.order_by(column).limit(1).subquery(kind)
    return sa.select(sa.literal_column(f"'{kind}'").label("kind"), first.c.at)


_EARLIEST = sa.union_all(
    _earliest_held(RUNS, r.lease_expires_at, RUNNING),
    _earliest_held(RUNS, r.deadline_at, RUNNING),
    _earliest_held(BUILDS, b.lease_expires_at, BUILDING),
    _earliest_held(BUILDS, b.deadline_at, BUILDING),
    _earliest_queued(SCHEDULED, r.scheduled_at, r.ready_at.is_(None)),
    _earliest_queued(AGES, r.ages_at),
)


def kinds(tx: Transaction) -> set[str]:
    """Return what is due: held runs or builds that may be lost, runs whose time has come, runs that waited too long."""
    return {row.kind for row in tx.execute(_EARLIEST) if row.at is not None and row.at <= tx.now}
