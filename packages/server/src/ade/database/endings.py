"""How a run stops running or waiting: finished, failed, cancelled, given back, expired.

A worker's write carries the token of its claim; when it does not match, no row changes and the worker must discard.
"""

from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from ade.database import totals
from ade.database.dialects import without_held
from ade.database.runs import QUEUED, RUNNING, RunRow, change, held, move, r
from ade.database.schema import builds, runs
from ade.database.transaction import Transaction
from ade.domain.queue import Failure
from ade.domain.run import Block, FailureCode, RunStatus

_IS_BUILT = (
    sa.exists().where(builds.c.id == r.build_id, builds.c.status == sa.literal_column("'ready'")).correlate(runs)
)
_NO_LEASE: dict[str, Any] = {"lease_expires_at": None, "ages_at": None}


def cancel_held(tx: Transaction, run_id: str, token: int, **facts: Any) -> RunRow | None:
    """End a run that was cancelled while it ran, or return None when the claim is not the present one."""
    return _first(_cancel(tx, held(run_id, token), **facts))


def cancel_requested(tx: Transaction, run_id: str, token: int) -> bool:
    """Tell whether someone asked to cancel what this claim holds."""
    asked = sa.select(r.id).where(held(run_id, token), r.cancel_requested_at.is_not(None))
    return tx.execute(asked).first() is not None


def cancel_queued(tx: Transaction, run_id: str) -> RunRow | None:
    """Cancel a run before it starts, or return None when it does not wait."""
    return _first(_cancel(tx, r.id == run_id, QUEUED))


def request_cancel(tx: Transaction, run_id: str) -> RunRow | None:
    """Ask the worker to stop a running run, or return None when it does not run."""
    asked = sa.func.coalesce(r.cancel_requested_at, sa.literal(tx.now, r.cancel_requested_at.type))
    return _first(change(tx, r.id == run_id, RUNNING, event="run.cancel_requested", cancel_requested_at=asked))


def give_back(tx: Transaction, run_id: str, token: int) -> RunRow | None:
    """Return a run to its place unharmed: the claim does not count."""
    return _first(_requeue(tx, held(run_id, token), event="run.released", claim_count=r.claim_count - 1))


def hand_back(tx: Transaction, run_id: str, token: int, failure: Failure, *, most_claims: int) -> RunRow | None:
    """Return a run that a host failed to its place; None when this was its last claim, or is not the present one."""
    may_be_claimed = r.claim_count < most_claims
    data = told_failure(failure)
    return _first(_recover(tx, held(run_id, token), may_be_claimed, data=data))


@dataclass(frozen=True, slots=True)
class Lost:
    """A running run whose worker is gone, and the condition that it still is.

    A heartbeat takes no lock on the queue, so it may extend the lease after we looked: the condition is repeated in the
    WHERE of what is done about it.
    """

    run: RunRow
    condition: sa.ColumnElement[bool]
    is_worker_dead: bool = False  # known, not only supposed


def overdue(tx: Transaction) -> list[Lost]:
    """Return the running runs whose lease or time ran out. Few: only what runs is looked at.

    Not those that somebody holds at this moment: that is a heartbeat, and if its process was stopped in the middle of
    it, all others would wait for it here, with the queue locked.
    """
    return _lost(tx, sa.or_(r.lease_expires_at < tx.now, r.deadline_at < tx.now), is_waiting=False)


def left_by(tx: Transaction, worker_id: str) -> list[Lost]:
    """Return what a worker that is known to be dead still holds."""
    return [replace(lost, is_worker_dead=True) for lost in _lost(tx, r.claimed_by == worker_id, is_waiting=True)]


def _lost(tx: Transaction, condition: sa.ColumnElement[bool], *, is_waiting: bool) -> list[Lost]:
    columns = (r.id, r.claim_count, r.cancel_requested_at, r.lease_expires_at, r.deadline_at)
    asked = sa.select(*columns).where(RUNNING, condition).order_by(r.sequence)
    found = tx.execute(asked if is_waiting else without_held(asked, runs)).all()
    return [Lost(row, sa.and_(r.id == row.id, RUNNING, condition)) for row in found]


def requeue_lost(tx: Transaction, lost: Lost) -> RunRow | None:
    """Return the run of a dead worker to its place; None when a heartbeat came first."""
    return _first(_recover(tx, lost.condition))


def fail_lost(tx: Transaction, lost: Lost, failure: Failure) -> RunRow | None:
    """Fail the run of a dead worker; None when a heartbeat came first."""
    return _first(_fail(tx, lost.condition, failure=failure))


def cancel_lost(tx: Transaction, lost: Lost) -> RunRow | None:
    """Cancel the run of a dead worker that someone asked to cancel; None when a heartbeat came first."""
    return _first(_cancel(tx, lost.condition))


def fail_queued(tx: Transaction, *where: sa.ColumnElement[bool], failure: Failure) -> list[RunRow]:
    """Fail runs that wait for what will not come."""
    return _fail(tx, QUEUED, *where, failure=failure)


def fail_waiting_on_build(tx: Transaction, build_id: str, message: str) -> list[RunRow]:
    """Fail the queued runs of a build that failed, with its message."""
    return fail_queued(tx, r.build_id == build_id, failure=Failure(code=FailureCode.BUILD_FAILED, message=message))


def end_later_phases(tx: Transaction, plan_id: str, phase: int, failure: Failure | None) -> list[RunRow]:
    """End the phases behind one that did not succeed: failed with a reason, or cancelled."""
    later = (r.plan_id == plan_id, r.phase > phase)
    return fail_queued(tx, *later, failure=failure) if failure else _cancel(tx, QUEUED, *later)


def _fail(tx: Transaction, *where: sa.ColumnElement[bool], failure: Failure, **facts: Any) -> list[RunRow]:
    return move(
        tx,
        *where,
        to=RunStatus.FAILED,
        event="run.failed",
        data=told_failure(failure),
        finished_at=tx.now,
        **failure_values(failure),
        **_NO_LEASE,
        **facts,
    )


def failure_values(failure: Failure) -> dict[str, Any]:
    """Return the columns that say why a run failed."""
    return {
        "failure_code": failure.code,
        "failure_resource": failure.resource,
        "failure_message": failure.message[:240],
    }


def told_failure(failure: Failure) -> dict[str, Any]:
    """Return what the event says of a failure."""
    return {"code": failure.code, "message": failure.message[:240], "resource": failure.resource}


def _cancel(tx: Transaction, *where: sa.ColumnElement[bool], **facts: Any) -> list[RunRow]:
    return move(tx, *where, to=RunStatus.CANCELLED, event="run.cancelled", finished_at=tx.now, **_NO_LEASE, **facts)


def _recover(tx: Transaction, *where: sa.ColumnElement[bool], **values: Any) -> list[RunRow]:
    """Return what a worker or a host failed to its place, and count it."""
    recovered = _requeue(tx, *where, event="run.requeued", **values)
    totals.add(tx, "run.requeued", len(recovered))
    return recovered


def _requeue(tx: Transaction, *where: sa.ColumnElement[bool], event: str, **values: Any) -> list[RunRow]:
    return move(
        tx,
        *where,
        to=RunStatus.QUEUED,
        event=event,
        block_mask=sa.case((_IS_BUILT, 0), else_=int(Block.BUILD)),  # its build may have to be made again
        claimed_by=None,
        claim_token=None,
        lease_expires_at=None,
        deadline_at=None,
        started_at=None,
        **values,
    )


def _first(rows: list[RunRow]) -> RunRow | None:
    return rows[0] if rows else None
