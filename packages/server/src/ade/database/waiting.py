"""Why queued runs wait: setting and clearing the causes in `block_mask`.

SCHEDULED, EARLIER_PHASE and BUILD are known when a run is submitted. DOCUMENT_BUSY, PAUSED and CAPACITY are set lazily,
when a claim meets a run that may not start, so that the next claim does not meet it again; clearing one of the former
drops the latter as well, since they may be out of date.
"""

from typing import Any

import sqlalchemy as sa

from ade.database import runs as store
from ade.database.runs import IN_ORDER, QUEUED, READY, RunRow, r
from ade.database.schema import runs
from ade.database.transaction import Transaction
from ade.domain.order import order_key_at
from ade.domain.pause import PauseScope
from ade.domain.run import Block

KNOWN_AT_SUBMISSION = Block.SCHEDULED | Block.EARLIER_PHASE | Block.BUILD


def park_document(tx: Transaction, document_id: str) -> None:
    """Park the ready runs of a document that another run has in work."""
    _park(tx, r.input_document_id == document_id, block=Block.DOCUMENT_BUSY)


def park_scope(tx: Transaction, scope: PauseScope, value: str, *, block: Block) -> None:
    """Park the ready runs of a priority, workspace or plan; let others of their documents come forward."""
    covered = _covers(scope, value)
    _park(tx, covered, block=block)
    for document_id in _documents_parked_behind(tx, covered):
        unpark_document(tx, document_id)


def unpark_scope(tx: Transaction, scope: PauseScope, value: str) -> None:
    """Let the runs of a lifted pause be claimed again; one that another pause covers is parked again when it is met."""
    _unpark(tx, _covers(scope, value), block=Block.PAUSED)


def _covers(scope: PauseScope, value: str) -> sa.ColumnElement[bool]:
    if scope == PauseScope.PRIORITY:
        return r.priority == int(value)
    column: sa.Column[Any] = {PauseScope.WORKSPACE: r.workspace_id, PauseScope.PLAN: r.plan_id}[scope]
    return column == value


def _park(tx: Transaction, *where: sa.ColumnElement[bool], block: Block) -> None:
    tx.execute(sa.update(runs).where(READY, *where).values(block_mask=r.block_mask.bitwise_or(int(block))))


def _unpark(tx: Transaction, *where: sa.ColumnElement[bool], block: Block) -> int:
    has = r.block_mask.bitwise_and(int(block)) != 0
    cleared = sa.update(runs).where(QUEUED, has, *where).values(block_mask=r.block_mask.bitwise_and(~int(block)))
    return tx.execute(cleared).rowcount


def unpark_document(tx: Transaction, document_id: str) -> None:
    """Let the best waiting run of a document be claimed, if nothing but the document held it.

    If that one needs memory, it may not fit the worker that comes next: then the best of those that need less comes
    forward as well, or the document would wait for a worker that is busy, or that does not exist.
    """
    best = (
        sa.select(r.id, r.block_mask, r.memory_mb)
        .where(QUEUED, r.input_document_id == document_id, r.block_mask.in_((0, int(Block.DOCUMENT_BUSY))))
        .order_by(*IN_ORDER)
        .limit(1)
    )
    row = tx.execute(best).one_or_none()
    while row is not None:
        if row.block_mask:
            tx.execute(sa.update(runs).where(r.id == row.id, QUEUED).values(block_mask=0))
        if not row.memory_mb:
            return
        needs_less = sa.or_(r.memory_mb.is_(None), r.memory_mb < row.memory_mb)
        row = tx.execute(best.where(needs_less)).one_or_none()


def _documents_parked_behind(tx: Transaction, blocked: sa.ColumnElement[bool]) -> list[str]:
    """Return the documents whose waiting runs stand behind one that `blocked` matches."""
    behind = runs.alias()
    parked = sa.exists().where(
        behind.c.input_document_id == r.input_document_id,
        behind.c.status == sa.literal_column("'queued'"),
        behind.c.block_mask == int(Block.DOCUMENT_BUSY),
    )
    found = sa.select(r.input_document_id).distinct().where(QUEUED, blocked, parked)
    return list(tx.execute(found.order_by(r.input_document_id)).scalars())


def unpark_capacity(tx: Transaction, workspace_id: str, *, most: int, memory_mb: int) -> int:
    """Let as many runs of a capped workspace be claimed as it has room for, of those that fit the worker."""
    fits = sa.or_(r.memory_mb.is_(None), r.memory_mb <= memory_mb)
    parked = (
        sa.select(r.id)
        .where(QUEUED, r.workspace_id == workspace_id, r.block_mask == int(Block.CAPACITY), fits)
        .order_by(*IN_ORDER)
        .limit(most)
    )
    chosen = list(tx.execute(parked).scalars())
    return _unpark(tx, r.id.in_(chosen), block=Block.CAPACITY) if chosen else 0


def unpark_capped(tx: Transaction, workspace_id: str) -> None:
    """Let all runs of a workspace be looked at again, its cap having changed."""
    _unpark(tx, r.workspace_id == workspace_id, block=Block.CAPACITY)


def release(tx: Transaction, *where: sa.ColumnElement[bool], block: Block) -> list[RunRow]:
    """Clear a cause that was known at submission; what has no other becomes ready now, at the end of its level.

    Runs released together keep their submission order, since they get one order key. A run someone placed stays there.
    """
    has = r.block_mask.bitwise_and(int(block)) != 0
    left = r.block_mask.bitwise_and(int(KNOWN_AT_SUBMISSION & ~block))
    is_ready = left == 0
    return store.change(
        tx,
        QUEUED,
        has,
        *where,
        event="run.released",
        data={"from": str(block.name).lower()},
        block_mask=left,
        ready_at=sa.case((is_ready, sa.literal(tx.now, r.ready_at.type)), else_=r.ready_at),
        order_key=sa.case((sa.and_(is_ready, r.placed_at.is_(None)), order_key_at(tx.now)), else_=r.order_key),
    )


def release_build(tx: Transaction, build_id: str) -> list[RunRow]:
    """Let the runs of a finished build go on."""
    return release(tx, r.build_id == build_id, block=Block.BUILD)


def hold_for_build(tx: Transaction, build_id: str) -> None:
    """Hold back the queued runs of a build that must be made again."""
    held = r.build_id == build_id
    tx.execute(sa.update(runs).where(QUEUED, held).values(block_mask=r.block_mask.bitwise_or(int(Block.BUILD))))
    for document_id in _documents_parked_behind(tx, held):
        unpark_document(tx, document_id)


def release_phase(tx: Transaction, plan_id: str, phase: int) -> list[RunRow]:
    """Let a phase go on, its predecessor having succeeded."""
    return release(tx, r.plan_id == plan_id, r.phase == phase, block=Block.EARLIER_PHASE)


def release_scheduled(tx: Transaction) -> list[RunRow]:
    """Let the runs go on whose time has come."""
    return release(tx, r.scheduled_at.is_not(None), r.scheduled_at <= tx.now, block=Block.SCHEDULED)
