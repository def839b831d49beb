"""How runs and builds stop being held or waiting: failed, cancelled, returned to the queue, found without a worker.

A worker's write carries the token of its claim; when it does not match, no row changes and the worker must discard.
What a worker that holds runs writes of their ends is in finishing.py; what only builds do, in build_endings.py.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import without_held
from ade.database.queue.kinds import BUILD, RUN, Changed, Kind, R, RunRow, change, first, move
from ade.database.queue.runs import QUEUED, RUNNING, r
from ade.database.rows import Rows
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.views import totals
from ade.domain.queue import Claim, Failure
from ade.domain.run import FailureCode
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS


def return_uncounted(tx: Transaction, kind: Kind[R], claim: Claim) -> R | None:
    """Return it to its place as if it had not been claimed; None when the claim is not the present one."""
    held, uncounted = kind.held_under(claim.id, claim.token), kind.columns.claim_count - 1
    return first(_return(tx, kind, held, event=kind.returned_uncounted_event, claim_count=uncounted))


def return_counted(tx: Transaction, kind: Kind[R], claim: Claim, failure: Failure, *, most_claims: int) -> R | None:
    """Return what its host failed to its place; the claim counts.

    None when this was its last claim, or is not the present one.
    """
    may_be_claimed = kind.columns.claim_count < most_claims
    held = kind.held_under(claim.id, claim.token)
    return first(_recover(tx, kind, held, may_be_claimed, data=failure_data(failure)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overdue:
    """What decides about a run or a build in work whose worker is gone."""

    id: str
    claim_count: int
    cancel_requested_at: datetime | None
    lease_expires_at: datetime
    deadline_at: datetime


LOST = {
    RUN.name: Rows(Overdue, RUN.table),
    BUILD.name: Rows(Overdue, BUILD.table, cancel_requested_at=sa.cast(sa.null(), Instant)),
}


@dataclass(frozen=True, slots=True)
class Lost:
    """A run or build whose worker is gone, and the condition that it still is.

    A heartbeat takes no lock on the queue, so it may extend the lease after we looked: the condition is repeated in the
    WHERE of what is done about it.
    """

    kind: Kind[Changed]
    row: Overdue
    condition: sa.ColumnElement[bool]
    is_worker_dead: bool = False  # known, not only supposed

    @property
    def is_cancel_requested(self) -> bool:
        """Return whether someone asked to cancel it; builds are cancelled at once."""
        return self.row.cancel_requested_at is not None


def overdue(tx: Transaction, kind: Kind[Changed]) -> list[Lost]:
    """Return what is held and whose lease or time ran out. Few: only what is held is looked at.

    Not what another transaction has locked: that is a heartbeat, and if its process was stopped in the middle,
    all others would wait for it here, with the queue locked.
    """
    columns = kind.columns
    return _lost(tx, kind, sa.or_(columns.lease_expires_at < tx.now, columns.deadline_at < tx.now), is_waiting=False)


def left_by(tx: Transaction, kind: Kind[Changed], worker_id: str) -> list[Lost]:
    """Return what a worker that is known to be dead still holds."""
    found = _lost(tx, kind, kind.columns.claimed_by == worker_id, is_waiting=True)
    return [replace(lost, is_worker_dead=True) for lost in found]


def _lost(tx: Transaction, kind: Kind[Changed], condition: sa.ColumnElement[bool], *, is_waiting: bool) -> list[Lost]:
    rows, is_held = LOST[kind.name], kind.is_(kind.held)
    asked = rows.select(is_held, condition).order_by(kind.columns.sequence)
    found = rows.all(tx, asked if is_waiting else without_held(asked, kind.table))
    return [Lost(kind, row, sa.and_(kind.columns.id == row.id, is_held, condition)) for row in found]


def return_lost(tx: Transaction, lost: Lost) -> Changed | None:
    """Return what a dead worker held to its place; the claim counts. None when a heartbeat came first."""
    return first(_recover(tx, lost.kind, lost.condition))


def fail_lost(tx: Transaction, lost: Lost, failure: Failure) -> Changed | None:
    """Fail what a dead worker held; None when a heartbeat came first."""
    return first(fail(tx, lost.kind, lost.condition, failure=failure))


def cancel_lost(tx: Transaction, lost: Lost) -> Changed | None:
    """Cancel what a dead worker held and someone asked to cancel; None when a heartbeat came first."""
    return first(cancel(tx, lost.kind, lost.condition))


def fail(tx: Transaction, kind: Kind[R], *where: sa.ColumnElement[bool], failure: Failure, **facts: Any) -> list[R]:
    """Fail what matches."""
    data, values = failure_data(failure), failure_values(failure)
    failed = move(
        tx, kind, *where, to=kind.failed, data=data, finished_at=tx.now, **values, **kind.ended, **facts
    )  # fmt: skip
    if kind.are_ends_counted:
        totals.add(tx, kind.events[kind.failed], len(failed))
    return failed


def cancel(tx: Transaction, kind: Kind[R], *where: sa.ColumnElement[bool]) -> list[R]:
    """Cancel what matches."""
    return move(tx, kind, *where, to=kind.cancelled, finished_at=tx.now, **kind.ended)


def _recover(tx: Transaction, kind: Kind[R], *where: sa.ColumnElement[bool], **values: Any) -> list[R]:
    """Return what a worker or a host failed to its place, and count it."""
    recovered = _return(tx, kind, *where, event=kind.returned_counted_event, **values)
    totals.add(tx, kind.returned_counted_event, len(recovered))
    return recovered


def _return(tx: Transaction, kind: Kind[R], *where: sa.ColumnElement[bool], event: str, **values: Any) -> list[R]:
    return move(tx, kind, *where, to=kind.queued, event=event, started_at=None, **kind.returned, **values)


def failure_values(failure: Failure) -> dict[str, Any]:
    """Return the columns that say why something failed."""
    return {
        "failure_code": failure.code,
        "failure_resource": failure.resource,
        "failure_message": failure.message[:MAX_MESSAGE_CHARACTERS],
    }


def failure_data(failure: Failure) -> dict[str, Any]:
    """Return what the event says of a failure."""
    message = failure.message[:MAX_MESSAGE_CHARACTERS]
    return {"code": failure.code, "message": message, "resource": failure.resource}


# What only runs do.


def cancel_held(tx: Transaction, claim: Claim) -> RunRow | None:
    """End a run that was cancelled while it ran, or return None when the claim is not the present one."""
    return first(cancel(tx, RUN, RUN.held_under(claim.id, claim.token)))


def is_cancel_requested(tx: Transaction, claim: Claim) -> bool:
    """Return whether someone asked to cancel the run that this claim holds."""
    asked = sa.select(r.id).where(RUN.held_under(claim.id, claim.token), r.cancel_requested_at.is_not(None))
    return tx.execute(asked).first() is not None


def cancel_queued(tx: Transaction, run_id: str) -> RunRow | None:
    """Cancel a run before it starts, or return None when it does not wait."""
    return first(cancel(tx, RUN, r.id == run_id, QUEUED))


def request_cancel(tx: Transaction, run_id: str) -> RunRow | None:
    """Ask the worker to stop a running run, or return None when it does not run."""
    asked = sa.func.coalesce(r.cancel_requested_at, sa.literal(tx.now, r.cancel_requested_at.type))
    return first(change(tx, RUN, r.id == run_id, RUNNING, event="run.cancel_requested", cancel_requested_at=asked))


def fail_waiting_on_build(tx: Transaction, build_id: str, message: str) -> list[RunRow]:
    """Fail the queued runs of a build that failed, with its message."""
    return fail(
        tx, RUN, QUEUED, r.build_id == build_id, failure=Failure(code=FailureCode.BUILD_FAILED, message=message)
    )


def end_later_phases(tx: Transaction, plan_id: str, phase: int, failure: Failure | None) -> list[RunRow]:
    """End the phases behind one that did not succeed: failed with a reason, or cancelled."""
    later = (QUEUED, r.plan_id == plan_id, r.phase > phase)
    return fail(tx, RUN, *later, failure=failure) if failure else cancel(tx, RUN, *later)
