"""The claim: take the heads of the queue, once, under any number of workers.

Because the dispatch row is locked, this is plain portable SQL: read the heads of the ready index in order, then mark
them by id with the status repeated. Only the lock's clock differs between databases (control.py, dialects.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import first_row
from ade.database.queue.kinds import RUN, record_changes
from ade.database.queue.runs import IN_ORDER, QUEUED, READY, r
from ade.database.rows import Rows
from ade.database.schema import builds, idle_workers, pauses, queue_control, runs, workers, workspaces
from ade.database.transaction import Transaction
from ade.database.types import Instant, from_microseconds
from ade.database.wire.prepared import Answer, Prepared, PreparedRows, Values
from ade.domain.claiming import Capacity, Head, Holds
from ade.domain.pause import COVERED_BY, Pause, PauseScope
from ade.domain.run import Block, RunStatus

AskedHeads = Answer[Head]  # gives the heads when it is called
control = queue_control.c


_running = runs.alias("running_run")
_is_busy = sa.exists().where(
    _running.c.status == sa.literal_column("'running'"), _running.c.input_document_id == r.input_document_id
)
_MOST = sa.bindparam("most", type_=sa.Integer)
_RUNS = Rows(Head, runs, kind=sa.literal_column("'run'", sa.String), is_busy=sa.case((_is_busy, 1), else_=0))
_FITS = (
    sa.or_(r.memory_mb.is_(None), r.memory_mb <= sa.bindparam("memory_mb", type_=sa.Integer)),
    sa.or_(r.cpu_count.is_(None), r.cpu_count <= sa.bindparam("cpu_count", type_=sa.Float)),
)
# Its values are a part of it: PostgreSQL would plan it again each time if it did not know them, and that takes longer
# than the answer.
_RUN_HEADS = PreparedRows(
    _RUNS,
    _RUNS.select(READY, *_FITS).order_by(*IN_ORDER).limit(_MOST),
    is_inlined=True,
)


def _no(column: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.cast(sa.null(), column.type)  # with its type: a bare NULL is text to PostgreSQL


_is_waiting_build = sa.and_(
    builds.c.status == sa.literal_column("'queued'"),
    builds.c.surroundings == sa.bindparam("surroundings", type_=builds.c.surroundings.type),
)
_BUILDS = Rows(
    Head,
    builds,
    kind=sa.literal_column("'build'", sa.String),
    plan_id=_no(r.plan_id),
    priority=builds.c.effective_priority,
    input_document_id=_no(r.input_document_id),
    memory_mb=_no(r.memory_mb),
    cpu_count=_no(r.cpu_count),
    plan_sequence=sa.literal_column("0", sa.Integer),
    phase=sa.literal_column("0", sa.Integer),
    is_busy=sa.literal_column("0", sa.Integer),
)
_BUILD_HEADS = PreparedRows(
    _BUILDS,
    _BUILDS.select(_is_waiting_build)
    .order_by(builds.c.effective_priority, builds.c.order_key, builds.c.sequence)
    .limit(_MOST),
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
        sa.select(sa.literal_column("'idle'"), idle_workers.c.worker_id, sa.literal_column("0")).where(
            idle_workers.c.worker_id == sa.bindparam("worker_id", type_=workers.c.id.type),
            idle_workers.c.since.is_not(None),
        ),
        sa.select(sa.literal_column("'upkeep'"), control.name, sa.type_coerce(control.clock_at, sa.BigInteger)).where(
            control.name == sa.literal_column("'upkeep'")
        ),
        sa.select(sa.literal_column("'builds'"), sa.literal_column("''"), sa.literal_column("0")).where(
            sa.exists().where(_is_waiting_build)
        ),
    )
)


_upkeep = queue_control.alias("upkeep_row")
_SIGNS = Prepared(
    sa.select(
        control.clock_at,
        sa.select(_upkeep.c.clock_at)
        .where(_upkeep.c.name == sa.literal_column("'upkeep'"))
        .scalar_subquery()
        .label("upkept_at"),
        # In order, and not "is there any": a planner that believes there are many reads all runs until it meets one.
        first_row(sa.select(r.id).where(READY, *_FITS).order_by(*IN_ORDER)).scalar_subquery().label("run_id"),
        sa.case((sa.exists().where(_is_waiting_build), 1), else_=0).label("is_build_waiting"),
        first_row(
            sa.select(r.id)
            .where(QUEUED, r.block_mask == sa.literal_column(str(int(Block.CAPACITY))))
            .order_by(r.workspace_id, *IN_ORDER)
        )
        .scalar_subquery()
        .label("capped_id"),
    ).where(control.name == sa.literal_column("'dispatch'")),
    is_inlined=True,
)


def ask_run_heads(tx: Transaction, room: Capacity) -> AskedHeads:
    """Ask for the next ready runs that fit, the best first, and whether the document of each is busy."""
    return _RUN_HEADS.ask(tx, {"most": room.slots, "memory_mb": room.memory_mb, "cpu_count": room.cpu_count})


def ask_build_heads(tx: Transaction, *, most: int, surroundings: str) -> AskedHeads:
    """Ask for the next builds of these surroundings, the best first; their rows have the columns of runs."""
    return _BUILD_HEADS.ask(tx, {"most": most, "surroundings": surroundings})


def ask_holds(tx: Transaction, *, worker_id: str, surroundings: str) -> Callable[[], Holds]:
    """Ask what holds runs back and what else decides how a claim continues; return what gives the answer.

    One statement gives rows of several kinds: (pause scope, value, 0) for each pause; ("cap", workspace, limit) for
    each cap; ("worker", id, 0) when this worker was declared dead or asked to drain; ("idle", id, 0) when it is noted
    to wait; ("upkeep", …, microseconds) for when upkeep was; ("builds", …) when a build waits for these surroundings:
    few do, so a claim reads the best of them only then.
    """
    answer = _HOLDS.ask(tx, {"worker_id": worker_id, "surroundings": surroundings})
    return lambda: _holds(answer())


def _holds(rows: Sequence[Values]) -> Holds:
    """Return the rows of the statement as one value."""
    values: dict[str, list[tuple[str, int]]] = {}
    for scope, value, cap in rows:
        values.setdefault(scope, []).append((value, cap))
    return Holds(
        is_everything_paused=PauseScope.ALL in values,
        is_worker_out="worker" in values,
        is_idle="idle" in values,
        pauses=[Pause(scope, value) for scope in COVERED_BY for value, _ in values.get(scope, ())],
        caps=dict(values.get("cap", ())),
        is_build_waiting="builds" in values,
        upkept_at=next((from_microseconds(at) for _, at in values.get("upkeep", ())), None),
    )


@dataclass(frozen=True, slots=True)
class Signs:
    """What a worker that waits reads without a lock."""

    is_something_ready: bool  # a run that fits, a build for its surroundings, or a run that a cap held back
    clock_at: datetime  # the queue's, when it was locked last
    upkept_at: datetime


def ask_signs(tx: Transaction, room: Capacity, *, surroundings: str) -> Callable[[], Signs]:
    """Ask whether a turn may find something, without locking the queue."""
    given = {"memory_mb": room.memory_mb, "cpu_count": room.cpu_count, "surroundings": surroundings}
    answer = _SIGNS.ask(tx, given)
    return lambda: _signs(answer()[0])


def _signs(values: Values) -> Signs:
    clock_at, upkept_at, run_id, is_build_waiting, capped_id = values
    is_something_ready = run_id is not None or bool(is_build_waiting) or capped_id is not None
    return Signs(is_something_ready, clock_at, upkept_at)


def start(
    tx: Transaction,
    chosen: Sequence[Head],
    *,
    worker_id: str,
    token: int,
    lease_expires_at: datetime,
    deadline_at: datetime,
) -> None:
    """Mark runs as running under one token, without waiting for the answer.

    All of them are still ready: a transaction that takes a run off the queue holds its lock, and so does this one.
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
    _start(len(chosen)).change(tx, values)
    in_order = sorted(chosen, key=lambda head: head.sequence)
    data = {"worker_id": worker_id, "token": token}
    record_changes(tx, RUN, in_order, event="run.claimed", data=data, are_rows_older=True)


_own_folder = (
    sa.literal("runs/", r.file_key.type)
    .concat(r.id)
    .concat(sa.literal("/", r.file_key.type))
    .concat(sa.bindparam("token_text", type_=r.file_key.type))
)


@cache
def _start(count: int) -> Prepared:
    """Return the statement that starts this many runs."""
    return Prepared(
        sa.update(runs)
        .where(
            RUN.allows(RunStatus.RUNNING),
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
            # A later claim takes over the folder of the one before only when it has continued its stream.
            file_key=sa.case((r.file_key.is_(None), _own_folder), else_=r.file_key),
        )
    )
