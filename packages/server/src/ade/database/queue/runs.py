"""Runs: adding and reading them. Their status is written by kinds.py alone, with an event in the same transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.queue.events import Event, record_events
from ade.database.queue.kinds import RUN, RunRow
from ade.database.rows import Rows
from ade.database.schema import runs
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Prepared
from ade.domain.order import ORDER
from ade.domain.proposal import ProposalState
from ade.domain.run import RunStatus

r = runs.c
QUEUED = RUN.is_(RunStatus.QUEUED)
RUNNING = RUN.is_(RunStatus.RUNNING)
READY = sa.and_(QUEUED, r.block_mask == sa.literal_column("0"))
IN_ORDER = tuple(r[name] for name in ORDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class FullRun(RunRow):
    """A run with all its columns."""

    version_id: str
    order_key: int
    plan_sequence: int
    block_mask: int
    created_at: datetime
    scheduled_at: datetime | None
    ready_at: datetime | None
    placed_at: datetime | None
    ages_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    deadline_at: datetime | None
    cancel_requested_at: datetime | None
    claimed_by: str | None
    lease_expires_at: datetime | None
    submitted_by: str | None
    sheets: list[str] | None
    corrections: list[dict[str, Any]] | None
    is_trial: bool
    earlier_run_id: str | None
    proposal: str | None
    proposal_note: str | None
    proposal_decided_by: str | None
    proposal_decided_at: datetime | None
    runtime_network_access: bool
    memory_mb: int | None
    cpu_count: float | None
    trace_id: str | None
    failure_code: str | None
    failure_resource: str | None
    failure_message: str | None
    isolation: str | None
    metrics: dict[str, Any] | None
    issue_count: int | None
    verdict: str | None
    verdict_reason: str | None
    fit: float | None
    file_key: str | None
    files_removed_at: datetime | None


FULL = Rows(FullRun, runs)
_INSERT = sa.insert(runs)


def insert_runs(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add runs that wait, each with its first event."""
    complete = [{**row, "status": RunStatus.QUEUED, "event_count": 1} for row in rows]
    if len(complete) == 1:
        _insert(tuple(complete[0])).change(tx, {f"new_{name}": value for name, value in complete[0].items()})
    else:
        tx.execute(_INSERT, complete)
    record_events(
        tx,
        [
            Event(
                subject_kind=RUN.name,
                subject_id=row["id"],
                sequence=1,
                workspace_id=row["workspace_id"],
                type="run.queued",
                data={"priority": row["priority"]},
            )
            for row in rows
        ],
    )


@cache
def _insert(names: tuple[str, ...]) -> Prepared:
    """Return the statement that adds one run."""
    values = {name: sa.bindparam(f"new_{name}", type_=runs.c[name].type) for name in names}
    return Prepared(sa.insert(runs).inline().values(values))


def get(tx: Transaction, run_id: str) -> FullRun | None:
    """Return a run, or None."""
    return FULL.one_or_none(tx, FULL.select(r.id == run_id))


def set_proposal(tx: Transaction, run_id: str, state: str | None, *, note: str | None, decided_by: str | None) -> bool:
    """Write what becomes of a proposal that waits; return whether it did wait."""
    values = {
        "proposal": state,
        "proposal_note": note,
        "proposal_decided_by": decided_by,
        "proposal_decided_at": tx.now if decided_by is not None else None,
    }
    changed = sa.update(runs).where(r.id == run_id, r.proposal == ProposalState.WAITING).values(values)
    return tx.execute(changed).rowcount == 1


def most_urgent_of_build(tx: Transaction, build_id: str) -> int | None:
    """Return the best effective priority of the queued runs of a build, or None when there are none."""
    best = sa.select(sa.func.min(r.effective_priority)).where(QUEUED, r.build_id == build_id)
    level: int | None = tx.execute(best).scalar_one()
    return level


def count_open(tx: Transaction) -> int:
    """Count the runs that wait or run."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(runs).where(sa.or_(QUEUED, RUNNING))).scalar_one())


def count_open_of(tx: Transaction, workspace_id: str, *, most: int) -> int:
    """Count the runs of a workspace that wait or run, up to a number."""
    some = sa.select(r.id).where(r.workspace_id == workspace_id, sa.or_(QUEUED, RUNNING)).limit(most).subquery()
    return int(tx.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())


def running_counts(tx: Transaction) -> dict[str, int]:
    """Return how many runs each workspace has running."""
    return dict(_RUNNING_COUNTS.rows(tx, {}))


_RUNNING_COUNTS = Prepared(sa.select(r.workspace_id, sa.func.count()).where(RUNNING).group_by(r.workspace_id))


def running_by_document(tx: Transaction, document_ids: Sequence[str]) -> dict[str, str]:
    """Return the run that each of the documents is busy with, if any."""
    among = r.input_document_id.in_(sorted(set(document_ids)))
    found = tx.execute(sa.select(r.input_document_id, r.id).where(RUNNING, among))
    return {row.input_document_id: row.id for row in found}


def builds_of_running(tx: Transaction) -> set[str]:
    """Return the builds of the runs in work."""
    return set(tx.execute(sa.select(r.build_id).where(RUNNING).distinct()).scalars())


def running(tx: Transaction) -> list[tuple[str, str, str]]:
    """Return (id, workspace, worker) of the runs in work, oldest first."""
    found = tx.execute(sa.select(r.id, r.workspace_id, r.claimed_by).where(RUNNING).order_by(r.sequence))
    return [(row.id, row.workspace_id, row.claimed_by) for row in found]
