"""The claim: take the heads of the queue, once, under any number of workers.

Because the dispatch row is locked, this is plain portable SQL: read the heads of the ready index in order, then mark
them by id with the status repeated. Only the lock's clock differs between databases (control.py, dialects.py).
"""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database import runs as store
from ade.database.prepared import Answer, Prepared
from ade.database.runs import IN_ORDER, READY, r
from ade.database.schema import builds, pauses, queue_control, runs, workers, workspaces
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.domain.run import RunStatus

Head = Any  # a row of one of the statements below
Hold = tuple[str, str | None, int]
UPKEEP, BUILDS = "upkeep", "builds"  # what is told with the holds

control = queue_control.c
_running = runs.alias("running_run")
_is_busy = sa.exists().where(
    _running.c.status == sa.literal_column("'running'"), _running.c.input_document_id == r.input_document_id
)
_MOST = sa.bindparam("most", type_=sa.Integer)
# Its values are a part of it: PostgreSQL would plan it anew each time if it did not know them, and that takes longer
# than the answer.
_RUN_HEADS = Prepared(
    sa.select(
        sa.literal_column("'run'").label("kind"),
        r.id,
        r.workspace_id,
        r.plan_id,
        r.priority,
        r.input_document_id,
        r.memory_mb,
        r.cpu_count,
        r.event_count,
        *IN_ORDER,
        sa.case((_is_busy, 1), else_=0).label("is_busy"),
    )
    .where(
        READY,
        sa.or_(r.memory_mb.is_(None), r.memory_mb <= sa.bindparam("memory_mb", type_=sa.Integer)),
        sa.or_(r.cpu_count.is_(None), r.cpu_count <= sa.bindparam("cpu_count", type_=sa.Float)),
    )
    .order_by(*IN_ORDER)
    .limit(_MOST),
    is_inlined=True,
)


def _no(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.cast(sa.null(), column.type)  # with its type: a bare NULL is text to PostgreSQL


_is_waiting_build = sa.and_(
    builds.c.status == sa.literal_column("'queued'"),
    builds.c.surroundings == sa.bindparam("surroundings", type_=builds.c.surroundings.type),
)
_BUILD_HEADS = Prepared(
    sa.select(
        sa.literal_column("'build'").label("kind"),
        builds.c.id,
        builds.c.workspace_id,
        _no(r.plan_id).label("plan_id"),
        builds.c.effective_priority.label("priority"),
        _no(r.input_document_id).label("input_document_id"),
        _no(r.memory_mb).label("memory_mb"),
        _no(r.cpu_count).label("cpu_count"),
        builds.c.event_count,
        builds.c.effective_priority,
        builds.c.order_key,
        sa.literal_column("0").label("plan_sequence"),
        sa.literal_column("0").label("phase"),
        builds.c.sequence,
        sa.literal_column("0").label("is_busy"),
    )
    .where(_is_waiting_build)
    .order_by(builds.c.effective_priority, builds.c.order_key, builds.c.sequence)
    .limit(_MOST)
)
_HOLDS = Prepared(
    sa.union_all(
        sa.select(
            pauses.c.scope.label("scope"), pauses.c.value.label("value"), sa.literal_column("0").label("cap")
        ).where(pauses.c.lifted_at.is_(None)),
        sa.select(sa.literal_column("'cap'"), workspaces.c.id, workspaces.c.max_running).where(
            workspaces.c.max_running.is_not(None)
        ),
        sa.select(sa.literal_column("'worker'"), workers.c.id, sa.literal_column("0")).where(
            workers.c.id == sa.bindparam("worker_id", type_=workers.c.id.type),
            sa.or_(workers.c.stopped_at.is_not(None), workers.c.drain_requested_at.is_not(None)),
        ),
        sa.select(
            sa.literal_column(f"'{UPKEEP}'"), control.name, sa.type_coerce(control.clock_at, sa.BigInteger)
        ).where(control.name == sa.literal_column("'upkeep'")),
        sa.select(sa.literal_column(f"'{BUILDS}'"), sa.literal_column("''"), sa.literal_column("0")).where(
            sa.exists().where(_is_waiting_build)
        ),
    )
)


def ask_run_heads(tx: Transaction, *, most: int, memory_mb: int, cpu_count: float) -> Answer:
    """Ask for the next ready runs that fit, the best first, and whether the document of each is busy."""
    return _RUN_HEADS.ask(tx, {"most": most, "memory_mb": memory_mb, "cpu_count": cpu_count})


def ask_build_heads(tx: Transaction, *, most: int, surroundings: str) -> Answer:
    """Ask for the next builds of these surroundings, the best first; their rows have the columns of runs."""
    return _BUILD_HEADS.ask(tx, {"most": most, "surroundings": surroundings})


def ask_holds(tx: Transaction, *, worker_id: str, surroundings: str) -> Callable[[], list[Hold]]:
    """Ask what holds runs back, and what else decides how a claim goes on; return what gives the answer.

    It has (pause scope, value, 0) for each pause; ("cap", workspace, limit) for each cap; ("worker", id, 0) when this
    worker was declared dead or asked to drain; (UPKEEP, …, microseconds) for when upkeep was; and (BUILDS, …) when a
    build waits for these surroundings. Few do, so a claim looks for the best of them only then.
    """
    answer = _HOLDS.ask(tx, {"worker_id": worker_id, "surroundings": surroundings})
    return lambda: [(row.scope, row.value, row.cap) for row in answer()]


def start(
    tx: Transaction,
    chosen: Sequence[Head],
    *,
    worker_id: str,
    token: int,
    lease_expires_at: datetime,
    deadline_at: datetime,
) -> Callable[[], set[str]]:
    """Mark runs as running under one token; return what tells, once this is committed, which of them were still ready.

    All were: who takes a run off the queue holds its lock, and so do we. So nobody waits for that answer.
    """
    values = {
        **{f"run_{number}": head.id for number, head in enumerate(chosen)},
        "worker_id": worker_id,
        "token": token,
        "token_text": str(token),
        "lease_until": lease_expires_at,
        "deadline": deadline_at,
        "now": tx.now,
    }
    answer = _start(len(chosen)).ask(tx, values)
    told = {"worker_id": worker_id, "token": token}
    store.tell(tx, sorted(chosen, key=lambda head: head.sequence), event="run.claimed", data=told, counted=1)
    return lambda: {row.id for row in answer()}


_own_folder = (
    sa.literal("runs/", r.file_key.type)
    .concat(r.id)
    .concat(sa.literal("/", r.file_key.type))
    .concat(sa.bindparam("token_text", type_=r.file_key.type))
)


@cache
def _start(count: int) -> Prepared:
    """Return the statement that starts so many runs."""
    return Prepared(
        sa.update(runs)
        .where(
            store.status_allows(RunStatus.RUNNING),
            READY,
            r.id.in_([sa.bindparam(f"run_{number}", type_=r.id.type) for number in range(count)]),
        )
        .values(
            status=RunStatus.RUNNING,
            claimed_by=sa.bindparam("worker_id", type_=r.claimed_by.type),
            claim_token=sa.bindparam("token", type_=r.claim_token.type),
            claim_count=r.claim_count + 1,
            lease_expires_at=sa.bindparam("lease_until", type_=Instant),
            deadline_at=sa.bindparam("deadline", type_=Instant),
            started_at=sa.bindparam("now", type_=Instant),
            event_count=r.event_count + 1,
            # The first claim's folder is the run's from the start; a later one carries on the stream of the last first.
            file_key=sa.case((r.file_key.is_(None), _own_folder), else_=r.file_key),
        )
        .returning(r.id)
    )
