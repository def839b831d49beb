"""The claim: take the heads of the queue, once, under any number of workers.

Because the dispatch row is locked, this is plain portable SQL: read the heads of the ready index in order, then mark
them by id with the status repeated. Only the lock's clock differs between databases (control.py, dialects.py).
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database import runs as store
from ade.database.runs import IN_ORDER, READY, r
from ade.database.schema import builds, pauses, runs, workers, workspaces
from ade.database.transaction import Transaction
from ade.domain.run import RunStatus

Head = sa.Row[Any]

_running = runs.alias("running_run")
_is_busy = sa.exists().where(
    _running.c.status == sa.literal_column("'running'"), _running.c.input_document_id == r.input_document_id
)
_HEADS = (
    sa.select(
        r.id,
        r.workspace_id,
        r.plan_id,
        r.priority,
        r.input_document_id,
        r.memory_mb,
        r.cpu_count,
        *IN_ORDER,
        sa.case((_is_busy, 1), else_=0).label("is_busy"),
    )
    .where(
        READY,
        sa.or_(r.memory_mb.is_(None), r.memory_mb <= sa.bindparam("memory_mb", type_=sa.Integer)),
        sa.or_(r.cpu_count.is_(None), r.cpu_count <= sa.bindparam("cpu_count", type_=sa.Float)),
    )
    .order_by(*IN_ORDER)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_BUILD_HEADS = (
    sa.select(builds.c.id, builds.c.effective_priority, builds.c.order_key, builds.c.sequence)
    .where(builds.c.status == sa.literal_column("'queued'"))
    .order_by(builds.c.effective_priority, builds.c.order_key, builds.c.sequence)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_HOLDS = sa.union_all(
    sa.select(pauses.c.scope.label("scope"), pauses.c.value.label("value"), sa.literal_column("0").label("cap")).where(
        pauses.c.lifted_at.is_(None)
    ),
    sa.select(sa.literal_column("'cap'"), workspaces.c.id, workspaces.c.max_running).where(
        workspaces.c.max_running.is_not(None)
    ),
    sa.select(sa.literal_column("'worker'"), workers.c.id, sa.literal_column("0")).where(
        workers.c.id == sa.bindparam("worker_id", type_=workers.c.id.type),
        sa.or_(workers.c.stopped_at.is_not(None), workers.c.drain_requested_at.is_not(None)),
    ),
)


def heads(tx: Transaction, *, most: int, memory_mb: int, cpu_count: float) -> Sequence[Head]:
    """Return the next ready runs that fit, best first, each with whether its document is busy."""
    return tx.execute(_HEADS, {"most": most, "memory_mb": memory_mb, "cpu_count": cpu_count}).all()


def build_heads(tx: Transaction, *, most: int) -> Sequence[Head]:
    """Return the next builds to make, best first."""
    return tx.execute(_BUILD_HEADS, {"most": most}).all()


def holds(tx: Transaction, *, worker_id: str = "") -> list[tuple[str, str | None, int]]:
    """Return what holds runs back: (pause scope, value, 0) for each pause, ("cap", workspace, limit) for each cap,

    and ("worker", id, 0) when this worker was declared dead or asked to drain.
    """
    return [(row.scope, row.value, row.cap) for row in tx.execute(_HOLDS, {"worker_id": worker_id})]


def start(
    tx: Transaction,
    run_ids: Sequence[str],
    *,
    worker_id: str,
    token: int,
    lease_expires_at: datetime,
    deadline_at: datetime,
) -> list[str]:
    """Mark runs as running under one token; return those that were still ready, in order of submission."""
    started = store.move(
        tx,
        READY,
        r.id.in_(run_ids),
        to=RunStatus.RUNNING,
        event="run.claimed",
        data={"worker_id": worker_id, "token": token},
        claimed_by=worker_id,
        claim_token=token,
        claim_count=r.claim_count + 1,
        lease_expires_at=lease_expires_at,
        deadline_at=deadline_at,
        started_at=tx.now,
    )
    return [row.id for row in started]
