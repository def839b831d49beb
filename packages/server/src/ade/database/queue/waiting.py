"""Why queued runs wait: setting and clearing the causes in `block_mask`.

SCHEDULED, EARLIER_PHASE and BUILD are known when a run is submitted. DOCUMENT_BUSY, PAUSED and CAPACITY are set lazily,
when a claim meets a run that may not start, so that the next claim does not meet it again; clearing one of the former
drops the latter as well, since they may be out of date.
"""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import first_row
from ade.database.queue.kinds import RUN, RunRow, change
from ade.database.queue.runs import IN_ORDER, QUEUED, READY, r
from ade.database.schema import runs, workspaces
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Prepared, Values
from ade.domain.order import order_key_at
from ade.domain.pause import COVERED_BY, PauseScope
from ade.domain.run import Block

MOST_IN_A_LIST = 500
FIRST_LOOK = 64
MOST_PARKED = 5000  # in one transaction: the whole queue waits for it
KNOWN_AT_SUBMISSION = Block.SCHEDULED | Block.EARLIER_PHASE | Block.BUILD


def park_document(tx: Transaction, document_id: str, *, met: str) -> bool:
    """Park the run a claim met, and others near it of a document that another run has in work.

    Return whether these were as many as one transaction may change: then more may follow.
    """
    return len(_park(tx, r.input_document_id == document_id, met=met, block=Block.DOCUMENT_BUSY)) >= MOST_PARKED


def park_scope(tx: Transaction, scope: PauseScope, value: str, *, met: str, block: Block) -> bool:
    """Park the run a claim met, and others near it of the priority, workspace or plan; let their siblings come forward.

    `met` is the id of that run. Return whether these were as many as one transaction may change: then more may follow.
    """
    covered = _covers(scope, value)
    parked = _park(tx, covered, met=met, block=block)
    for document_id in having_parked_runs(tx, set(parked)):
        # Not one the same cause covers: it would be met and parked in turn, and then the next one, down the queue.
        unpark_document(tx, document_id, sa.not_(covered))
    return len(parked) >= MOST_PARKED


def unpark_scope(tx: Transaction, scope: PauseScope, value: str) -> None:
    """Let the runs of a lifted pause be claimed again; one that another pause covers is parked again when it is met."""
    _unpark(tx, _covers(scope, value), block=Block.PAUSED)


def _covers(scope: PauseScope, value: str) -> sa.ColumnElement[bool]:
    column: sa.Column[Any] = r[COVERED_BY[scope]]
    if scope == PauseScope.PRIORITY:
        return column == int(value)
    return sa.and_(column.is_not(None), column == value)  # so that "not covered" is true of a run without a plan


def _park(tx: Transaction, covered: sa.ColumnElement[bool], *, met: str, block: Block) -> list[str]:
    """Park the runs at the head of the ready index that a cause covers; return the document of each.

    Continues until it finds something else; runs behind others are parked when a claim gets there. No other
    index will do: one by document or workspace leads through all that was parked before.
    """
    documents: list[str] = []
    look = FIRST_LOOK
    while True:
        is_covered = sa.case((sa.or_(r.id == met, covered), 1), else_=0).label("is_covered")
        heads = sa.select(r.id, r.input_document_id, is_covered).where(READY).order_by(*IN_ORDER).limit(look)
        found = tx.execute(heads).all()
        parked = [row for row in found if row.is_covered]
        # The one that was met may stand further on: what is too big for the worker is in this index too.
        set_aside = sa.or_(r.id == met, r.id.in_([row.id for row in parked]))
        park = sa.update(runs).where(READY, set_aside).values(block_mask=int(block))
        documents += tx.execute(park.returning(r.input_document_id)).scalars()
        if len(parked) < look or len(documents) >= MOST_PARKED:
            return documents
        look = MOST_IN_A_LIST


def _unpark(tx: Transaction, *where: sa.ColumnElement[bool], block: Block) -> int:
    has = r.block_mask.bitwise_and(int(block)) != 0
    cleared = sa.update(runs).where(QUEUED, has, *where).values(block_mask=r.block_mask.bitwise_and(~int(block)))
    return tx.execute(cleared).rowcount


def unpark_document(tx: Transaction, document_id: str, *where: sa.ColumnElement[bool]) -> None:
    """Let the best waiting run of a document be claimed, if nothing but the document held it.

    When that one needs memory or processors, the best of those that need less comes forward too: the workers may have
    no room for the first, and no other transaction would wake the others.
    """
    conditions = [*where]
    while (best := _best_of(tx, document_id, *conditions)) is not None:
        run_id, block_mask, memory_mb, cpu_count = best
        if block_mask:
            tx.execute(sa.update(runs).where(r.id == run_id, QUEUED).values(block_mask=0))
        needs_less = [
            sa.or_(column.is_(None), column < needed)
            for column, needed in ((r.memory_mb, memory_mb), (r.cpu_count, cpu_count))
            if needed is not None
        ]
        if not needs_less:
            return
        conditions.append(sa.or_(*needs_less))


def _best_of(tx: Transaction, document_id: str, *where: sa.ColumnElement[bool]) -> Values | None:
    asked = {"document_id": document_id}
    if not where:
        return next(iter(_PREPARED_BEST_OF.rows(tx, asked)), None)
    found = tx.execute(_BEST_OF.where(*where), asked).one_or_none()
    return None if found is None else tuple(found)


_BEST_OF = first_row(
    sa.select(r.id, r.block_mask, r.memory_mb, r.cpu_count)
    .where(
        QUEUED,
        r.input_document_id == sa.bindparam("document_id", type_=r.input_document_id.type),
        r.block_mask.in_([sa.literal_column("0"), sa.literal_column(str(int(Block.DOCUMENT_BUSY)))]),
    )
    .order_by(*IN_ORDER)
)
_PREPARED_BEST_OF = Prepared(_BEST_OF)


def having_parked_runs(tx: Transaction, document_ids: Collection[str]) -> list[str]:
    """Return those of the documents that have runs parked behind another one."""
    found: list[str] = []
    listed = sorted(document_ids)
    for start in range(0, len(listed), MOST_IN_A_LIST):
        chunk = listed[start : start + MOST_IN_A_LIST]
        parked = sa.select(r.input_document_id).distinct().where(QUEUED, r.block_mask == int(Block.DOCUMENT_BUSY))
        found += tx.execute(parked.where(r.input_document_id.in_(chunk))).scalars()
    return sorted(found)


_FOR_CAPACITY = sa.and_(QUEUED, r.block_mask == sa.literal_column(str(int(Block.CAPACITY))))


def unpark_capacity(tx: Transaction, workspace_id: str, *, most: int, memory_mb: int, cpu_count: float) -> int:
    """Let as many runs of a capped workspace be claimed as it has room for, of those that fit the worker."""
    asked = {"workspace_id": workspace_id, "most": most, "memory_mb": memory_mb, "cpu_count": cpu_count}
    chosen = [run_id for (run_id,) in _CAPPED_THAT_FIT.rows(tx, asked)]
    return _unpark(tx, r.id.in_(chosen), block=Block.CAPACITY) if chosen else 0


_CAPPED_THAT_FIT = Prepared(
    sa.select(r.id)
    .where(
        _FOR_CAPACITY,
        r.workspace_id == sa.bindparam("workspace_id", type_=r.workspace_id.type),
        sa.or_(r.memory_mb.is_(None), r.memory_mb <= sa.bindparam("memory_mb", type_=sa.Integer)),
        sa.or_(r.cpu_count.is_(None), r.cpu_count <= sa.bindparam("cpu_count", type_=sa.Float)),
    )
    .order_by(*IN_ORDER)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
# The first in order, and not "is there any": only one index gives that order, and any would do for the other.
_first_parked = (
    sa.select(r.id).where(_FOR_CAPACITY, r.workspace_id == workspaces.c.id).order_by(*IN_ORDER).limit(1)
).scalar_subquery()
_UNCAPPED = sa.select(workspaces.c.id).where(workspaces.c.max_running.is_(None), _first_parked.is_not(None))


def unpark_uncapped(tx: Transaction, *, but: Collection[str] = ()) -> int:
    """Unpark the runs whose workspace no longer has a cap, except workspaces that are held back now."""
    return sum(
        _unpark(tx, r.workspace_id == workspace_id, block=Block.CAPACITY)
        for workspace_id in list(tx.execute(_UNCAPPED).scalars())
        if workspace_id not in but
    )


def unpark_capped(tx: Transaction, workspace_id: str) -> None:
    """Let all runs of a workspace be looked at again, its cap having changed."""
    _unpark(tx, r.workspace_id == workspace_id, block=Block.CAPACITY)


def unblock(tx: Transaction, *where: sa.ColumnElement[bool], block: Block) -> list[RunRow]:
    """Clear a cause that was known at submission; what has no other becomes ready now, at the end of its level.

    Runs released together keep their submission order, since they get one order key. A run someone placed stays there.
    """
    has = r.block_mask.bitwise_and(int(block)) != 0
    left = r.block_mask.bitwise_and(int(KNOWN_AT_SUBMISSION & ~block))
    is_ready = left == 0
    return change(
        tx,
        RUN,
        QUEUED,
        has,
        *where,
        event="run.released",
        data={"from": str(block.name).lower()},
        block_mask=left,
        ready_at=sa.case((is_ready, sa.literal(tx.now, r.ready_at.type)), else_=r.ready_at),
        order_key=sa.case((sa.and_(is_ready, r.placed_at.is_(None)), order_key_at(tx.now)), else_=r.order_key),
    )


def unblock_build(tx: Transaction, build_id: str) -> list[RunRow]:
    """Unblock the runs of a finished build."""
    return unblock(tx, r.build_id == build_id, block=Block.BUILD)


def hold_for_build(tx: Transaction, build_id: str) -> None:
    """Hold back the queued runs of a build that must be made again."""
    held = sa.update(runs).where(QUEUED, r.build_id == build_id)
    held = held.values(block_mask=r.block_mask.bitwise_or(int(Block.BUILD)))
    documents = set(tx.execute(held.returning(r.input_document_id)).scalars())
    for document_id in having_parked_runs(tx, documents):
        unpark_document(tx, document_id)


def move_to_build(tx: Transaction, build_id: str, other_id: str) -> None:
    """Let the queued runs of a build use another one."""
    tx.execute(sa.update(runs).where(QUEUED, r.build_id == build_id).values(build_id=other_id))


def unblock_phase(tx: Transaction, plan_id: str, phase: int) -> list[RunRow]:
    """Unblock a phase whose predecessor has succeeded."""
    return unblock(tx, r.plan_id == plan_id, r.phase == phase, block=Block.EARLIER_PHASE)


def unblock_scheduled(tx: Transaction) -> list[RunRow]:
    """Unblock the runs whose time has come."""
    is_due = (r.scheduled_at.is_not(None), r.ready_at.is_(None), r.scheduled_at <= tx.now)
    return unblock(tx, *is_due, block=Block.SCHEDULED)
