"""What upkeep has to do, in one question: mostly nothing, and every claim asks it once a tick.

The earliest moment of each kind is read from its index and compared here. "Is there any" would be shorter, and lets a
planner that expects many read all of them to find none.
"""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from ade.database.queue import builds as build_store
from ade.database.queue.builds import BUILDING, b
from ade.database.queue.runs import IN_ORDER, QUEUED, RUNNING, r
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.wire.prepared import Prepared
from ade.domain.run import Block

RUNS, BUILDS, SCHEDULED, AGES = "runs", "builds", "scheduled", "ages"
AT_A_CAP, UNBUILT = "at_a_cap", "unbuilt"  # due whenever there is one


def _earliest_held(kind: str, column: sa.ColumnElement[Any], condition: sa.ColumnElement[bool]) -> sa.Select[Any, Any]:
    return sa.select(
        sa.literal_column(f"'{kind}'").label("kind"), sa.func.min(column, type_=Instant).label("at")
    ).where(condition)


def _earliest_queued(kind: str, column: sa.ColumnElement[Any], *where: sa.ColumnElement[bool]) -> sa.Select[Any, Any]:
    waits = sa.select(column.label("at")).where(QUEUED, column.is_not(None), *where)
    first = waits.order_by(column).limit(1).subquery(kind)
    return sa.select(sa.literal_column(f"'{kind}'").label("kind"), first.c.at)


def _first(kind: str, id_: sa.ColumnElement[Any], where: sa.ColumnElement[bool], *order: Any) -> sa.Select[Any, Any]:
    first = sa.select(id_).where(where).order_by(*order).limit(1).subquery(kind)
    return sa.select(sa.literal_column(f"'{kind}'").label("kind"), sa.literal_column("0").label("at")).select_from(
        first
    )


_EARLIEST = sa.union_all(
    _earliest_held(RUNS, r.lease_expires_at, RUNNING),
    _earliest_held(RUNS, r.deadline_at, RUNNING),
    _earliest_held(BUILDS, b.lease_expires_at, BUILDING),
    _earliest_held(BUILDS, b.deadline_at, BUILDING),
    _earliest_queued(SCHEDULED, r.scheduled_at, r.ready_at.is_(None)),
    _earliest_queued(AGES, r.ages_at),
    _first(
        AT_A_CAP,
        r.id,
        sa.and_(QUEUED, r.block_mask == sa.literal_column(str(int(Block.CAPACITY)))),
        r.workspace_id,
        *IN_ORDER,
    ),
    _first(UNBUILT, b.id, build_store.QUEUED, b.surroundings, b.effective_priority, b.order_key, b.sequence),
)
_PREPARED = Prepared(_EARLIEST)


def ask(tx: Transaction) -> Callable[[], set[str]]:
    """Ask what is due and return what gives the answer: held runs or builds that may be lost, runs whose time has come,

    runs that waited too long, runs held back by a cap, builds that wait.
    """
    answer = _PREPARED.ask(tx, {})
    return lambda: {kind for kind, at in answer() if at is not None and at <= tx.now}
