"""How a build stops being made: ready, failed, cancelled, given back, expired."""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from ade.database import totals
from ade.database.builds import BUILDING, QUEUED, BuildRow, b, held, move
from ade.database.dialects import without_held
from ade.database.schema import builds
from ade.database.transaction import Transaction
from ade.domain.build import BuildStatus
from ade.domain.queue import Failure

_NO_LEASE: dict[str, Any] = {"lease_expires_at": None, "claim_token": None, "claimed_by": None, "deadline_at": None}


def make_ready(tx: Transaction, build_id: str, token: int, **facts: Any) -> BuildRow | None:
    """End a build well, or return None when the claim is not the present one."""
    made = move(
        tx,
        held(build_id, token),
        to=BuildStatus.READY,
        event="build.ready",
        finished_at=tx.now,
        **_NO_LEASE,
        **facts,
    )
    totals.add(tx, "build.ready", len(made))
    return _first(made)


def fail(tx: Transaction, build_id: str, token: int, failure: Failure, **facts: Any) -> BuildRow | None:
    """End a build badly, or return None when the claim is not the present one."""
    return _first(_fail(tx, held(build_id, token), failure=failure, **facts))


def give_back(tx: Transaction, build_id: str, token: int) -> BuildRow | None:
    """Return a build to the queue unharmed."""
    return _first(_requeue(tx, held(build_id, token), event="build.released", claim_count=b.claim_count - 1))


def hand_back(tx: Transaction, build_id: str, token: int, failure: Failure, *, most_claims: int) -> BuildRow | None:
    """Return a build that a host failed; None when this was its last claim, or is not the present one."""
    may_be_claimed = b.claim_count < most_claims
    data = {"code": failure.code, "message": failure.message[:240]}
    return _first(_recover(tx, held(build_id, token), may_be_claimed, data=data))


def cancel(tx: Transaction, build_id: str) -> BuildRow | None:
    """Cancel a build that waits or is being made; its worker finds its claim gone."""
    unfinished = sa.or_(QUEUED, BUILDING)
    return _first(
        move(
            tx,
            b.id == build_id,
            unfinished,
            to=BuildStatus.CANCELLED,
            event="build.cancelled",
            finished_at=tx.now,
            **_NO_LEASE,
        )
    )


def make_again(tx: Transaction, build_id: str, *, effective_priority: int, order_key: int) -> BuildRow | None:
    """Queue a build that ended, or whose files are gone."""
    return _first(
        move(
            tx,
            b.id == build_id,
            to=BuildStatus.QUEUED,
            event="build.queued",
            queued_at=tx.now,
            started_at=None,
            finished_at=None,
            files_removed_at=None,
            failure_code=None,
            failure_resource=None,
            failure_message=None,
            claim_count=0,
            effective_priority=effective_priority,
            order_key=order_key,
            **_NO_LEASE,
        )
    )


def remove(tx: Transaction, build_id: str, *where: sa.ColumnElement[bool]) -> BuildRow | None:
    """Note that the files of a ready build are gone, under some condition."""
    values: dict[str, Any] = {"file_key": None, "files_removed_at": tx.now}
    return _first(move(tx, b.id == build_id, *where, to=BuildStatus.REMOVED, event="build.removed", **values))


@dataclass(frozen=True, slots=True)
class LostBuild:
    """A build in the making whose worker is gone, and the condition that it still is."""

    build: BuildRow
    condition: sa.ColumnElement[bool]
    is_worker_dead: bool = False  # known, not only supposed


def overdue(tx: Transaction) -> list[LostBuild]:
    """Return the builds whose lease or time ran out, but not those that somebody holds at this moment."""
    return _lost(tx, sa.or_(b.lease_expires_at < tx.now, b.deadline_at < tx.now), is_waiting=False)


def left_by(tx: Transaction, worker_id: str) -> list[LostBuild]:
    """Return what a worker that is known to be dead was making."""
    return [replace(lost, is_worker_dead=True) for lost in _lost(tx, b.claimed_by == worker_id, is_waiting=True)]


def _lost(tx: Transaction, condition: sa.ColumnElement[bool], *, is_waiting: bool) -> list[LostBuild]:
    asked = sa.select(builds).where(BUILDING, condition).order_by(b.sequence)
    found = tx.execute(asked if is_waiting else without_held(asked, builds)).all()
    return [LostBuild(row, sa.and_(b.id == row.id, BUILDING, condition)) for row in found]


def requeue_lost(tx: Transaction, lost: LostBuild) -> BuildRow | None:
    """Queue the build of a dead worker again; None when a heartbeat came first."""
    return _first(_recover(tx, lost.condition))


def fail_lost(tx: Transaction, lost: LostBuild, failure: Failure) -> BuildRow | None:
    """Fail the build of a dead worker; None when a heartbeat came first."""
    return _first(_fail(tx, lost.condition, failure=failure))


def _fail(tx: Transaction, *where: sa.ColumnElement[bool], failure: Failure, **facts: Any) -> list[BuildRow]:
    failed = move(
        tx,
        *where,
        to=BuildStatus.FAILED,
        event="build.failed",
        data={"code": failure.code, "message": failure.message[:240]},
        finished_at=tx.now,
        failure_code=failure.code,
        failure_resource=failure.resource,
        failure_message=failure.message[:240],
        **_NO_LEASE,
        **facts,
    )
    totals.add(tx, "build.failed", len(failed))
    return failed


def _recover(tx: Transaction, *where: sa.ColumnElement[bool], **values: Any) -> list[BuildRow]:
    """Return what a worker or a host failed to the queue, and count it."""
    recovered = _requeue(tx, *where, event="build.requeued", **values)
    totals.add(tx, "build.requeued", len(recovered))
    return recovered


def _requeue(tx: Transaction, *where: sa.ColumnElement[bool], event: str, **values: Any) -> list[BuildRow]:
    return move(tx, *where, to=BuildStatus.QUEUED, event=event, started_at=None, **_NO_LEASE, **values)


def _first(rows: list[BuildRow]) -> BuildRow | None:
    return rows[0] if rows else None
