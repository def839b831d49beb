"""The state of a workspace, counted from its runs."""

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.queue.runs import QUEUED, RUNNING, r
from ade.database.schema import configuration_versions, documents, runs
from ade.database.transaction import Transaction
from ade.database.views.run_lists import NEWEST
from ade.domain.proposal import ProposalState
from ade.domain.run import RunStatus
from ade.domain.verdict import Verdict


def _sum(number: Any) -> sa.ColumnElement[int]:
    return sa.cast(sa.func.coalesce(sa.func.sum(number), 0), sa.BigInteger)  # PostgreSQL's sums are decimals


def _is_judged(verdict: Verdict) -> sa.ColumnElement[bool]:
    succeeded = r.status == sa.literal_column(f"'{RunStatus.SUCCEEDED}'")
    return sa.and_(succeeded, r.verdict == sa.literal_column(f"'{verdict}'"))


_found = sa.func.coalesce(r.issue_count, 0)

_UNFINISHED = (
    _sum(sa.case((RUNNING, 1), else_=0)).label("running"),
    _sum(sa.case((QUEUED, 1), else_=0)).label("queued"),
)
_RESULTS = (
    sa.func.count().label("documents"),
    _sum(sa.case((r.status == sa.literal_column(f"'{RunStatus.FAILED}'"), 1), else_=0)).label("failed"),
    _sum(sa.case((_found > 0, 1), else_=0)).label("with_issues"),
    _sum(_found).label("issues"),
    *(_sum(sa.case((_is_judged(verdict), 1), else_=0)).label(verdict) for verdict in Verdict),
)


def unfinished(tx: Transaction, workspace_id: str) -> tuple[int, int]:
    """Return how many runs of a workspace run, and how many wait."""
    open_runs = sa.select(*_UNFINISHED).where(r.workspace_id == workspace_id, sa.or_(RUNNING, QUEUED))
    found = tx.execute(open_runs).one()
    return found.running, found.queued


def waiting_proposals(tx: Transaction, workspace_id: str) -> int:
    """Return how many corrections of documents wait for an author."""
    waiting = (
        sa.select(sa.func.count())
        .select_from(runs)
        .join(documents, r.input_document_id == documents.c.id)
        .where(
            r.workspace_id == workspace_id,
            r.proposal.is_not(None),
            r.proposal == ProposalState.WAITING,
            documents.c.deleted_at.is_(None),
        )
    )
    return int(tx.execute(waiting).scalar_one())


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """How many documents have a newest run, and what those runs came to."""

    documents: int
    failed: int
    with_issues: int
    issues: int
    ready: int
    check: int
    not_usable: int


def results(tx: Transaction, workspace_id: str) -> Results:
    """Return what the newest runs of the documents of a workspace came to."""
    newest = (
        sa.select(*_RESULTS)
        .select_from(runs)
        .join(configuration_versions, r.version_id == configuration_versions.c.id)
        .join(documents, r.input_document_id == documents.c.id)
        .where(r.workspace_id == workspace_id, NEWEST)
    )
    return Results(**tx.execute(newest).mappings().one())
