"""What only builds do: become ready, be made again in the same row, and lose their files."""

from typing import Any

import sqlalchemy as sa

from ade.database.queue import endings
from ade.database.queue.builds import BUILDING, QUEUED, b
from ade.database.queue.kinds import BUILD, BuildRow, first, move
from ade.database.transaction import Transaction
from ade.database.views import totals
from ade.domain.build import BuildStatus
from ade.domain.queue import Claim, Failure


def make_ready(tx: Transaction, claim: Claim, **facts: Any) -> BuildRow | None:
    """End a build well, or return None when the claim is not the present one."""
    held = BUILD.held_under(claim.id, claim.token)
    made = move(tx, BUILD, held, to=BuildStatus.READY, finished_at=tx.now, **BUILD.ended, **facts)
    totals.add(tx, "build.ready", len(made))
    return first(made)


def fail(tx: Transaction, claim: Claim, failure: Failure, **facts: Any) -> BuildRow | None:
    """End a build badly, or return None when the claim is not the present one."""
    return first(endings.fail(tx, BUILD, BUILD.held_under(claim.id, claim.token), failure=failure, **facts))


def cancel(tx: Transaction, build_id: str) -> BuildRow | None:
    """Cancel a build that waits or is being made; its worker finds its claim gone."""
    return first(endings.cancel(tx, BUILD, b.id == build_id, sa.or_(QUEUED, BUILDING)))


def make_again(tx: Transaction, build_id: str, *, effective_priority: int, order_key: int) -> BuildRow | None:
    """Queue a build that ended, or whose files are gone."""
    values: dict[str, Any] = {
        "queued_at": tx.now,
        "started_at": None,
        "finished_at": None,
        "files_removed_at": None,
        "failure_code": None,
        "failure_resource": None,
        "failure_message": None,
        "claim_count": 0,
        "effective_priority": effective_priority,
        "order_key": order_key,
    }
    return first(move(tx, BUILD, b.id == build_id, to=BuildStatus.QUEUED, **values, **BUILD.ended))


def remove(tx: Transaction, build_id: str, *where: sa.ColumnElement[bool]) -> BuildRow | None:
    """Note that the files of a ready build are gone, under some condition."""
    values: dict[str, Any] = {"file_key": None, "files_removed_at": tx.now}
    return first(move(tx, BUILD, b.id == build_id, *where, to=BuildStatus.REMOVED, **values))
