"""How a workspace stands, counted from its runs."""

from typing import Any

import sqlalchemy as sa

from ade.database.run_lists import NEWEST
from ade.database.runs import QUEUED, RUNNING, r
from ade.database.schema import configuration_versions, documents, runs
from ade.database.transaction import Transaction
from ade.domain.run import RunStatus


def _sum(number: Any) -> sa.ColumnElement[int]:
    return sa.func.coalesce(sa.func.sum(number), 0)


_found = sa.func.coalesce(r.issue_count, 0)
_NOW = (
    _sum(sa.case((RUNNING, 1), else_=0)).label("running_count"),
    _sum(sa.case((QUEUED, 1), else_=0)).label("queued_count"),
)
_RESULTS = (
    sa.func.count().label("document_count"),
    _sum(sa.case((r.status == sa.literal_column(f"'{RunStatus.FAILED}'"), 1), else_=0)).label("failed_count"),
    _sum(sa.case((_found > 0, 1), else_=0)).label("with_issues_count"),
    _sum(_found).label("issue_count"),
)


def unfinished(tx: Transaction, workspace_id: str) -> sa.Row[Any]:
    """Return (running_count, queued_count) of a workspace."""
    return tx.execute(sa.select(*_NOW).where(r.workspace_id == workspace_id, sa.or_(RUNNING, QUEUED))).one()


def results(tx: Transaction, workspace_id: str) -> sa.Row[Any]:
    """Return (document_count, failed_count, with_issues_count, issue_count) of the newest run of each document."""
    newest = (
        sa.select(*_RESULTS)
        .select_from(runs)
        .join(configuration_versions, r.version_id == configuration_versions.c.id)
        .join(documents, r.input_document_id == documents.c.id)
        .where(r.workspace_id == workspace_id, NEWEST)
    )
    return tx.execute(newest).one()
