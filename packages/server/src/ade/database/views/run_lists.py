"""Runs as people see them: with the names and states of what they belong to."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.queue.runs import RUNNING, FullRun, r
from ade.database.rows import Rows
from ade.database.schema import builds, configuration_versions, configurations, documents, runs, workers
from ade.database.transaction import Transaction
from ade.domain.run import WITH_RESULT, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRun(FullRun):
    """A run with the names and states of what it belongs to."""

    build_status: str
    document_name: str
    configuration_name: str
    version_number: int
    snapshot_of: str | None
    worker_name: str | None


_OTHERS = {
    "build_status": builds.c.status,
    "document_name": documents.c.name,
    "configuration_name": configurations.c.name,
    "version_number": configuration_versions.c.number,
    "snapshot_of": configuration_versions.c.snapshot_of,
    "worker_name": workers.c.name,
}
_ALONE = Rows(ListedRun, runs, **_OTHERS)
# Without corrections: those of one run may take 64 kB, and of a list as much memory and time as a hundred others.
_LISTED = Rows(ListedRun, runs, corrections=sa.null(), **_OTHERS)


def _joined(rows: Rows[ListedRun]) -> sa.Select[Any]:
    return (
        rows.select()
        .join(builds, r.build_id == builds.c.id)
        .join(documents, r.input_document_id == documents.c.id)
        .join(configurations, r.configuration_id == configurations.c.id)
        .join(configuration_versions, r.version_id == configuration_versions.c.id)
        .outerjoin(workers, r.claimed_by == workers.c.id)
    )


_seen = _joined(_LISTED)
_newer, _version = runs.alias("newer"), configuration_versions.alias("version")


def _says_something(of_run: Any, of_version: Any) -> sa.ColumnElement[bool]:
    """Return whether a run has a result that counts: it was neither cancelled nor a test."""
    return sa.and_(of_run.status.in_(sorted(WITH_RESULT)), ~_is_test(of_run, of_version))


def _is_test(of_run: Any, of_version: Any) -> sa.ColumnElement[bool]:
    """Return whether a run tests a draft, or only tries corrections."""
    return sa.or_(of_version.snapshot_of.is_not(None), of_run.is_trial == sa.true())


# The last submitted of the runs of a document that say something about it; a document that was deleted has none.
NEWEST = sa.and_(
    _says_something(r, configuration_versions.c),
    documents.c.deleted_at.is_(None),
    ~sa.exists()
    .where(
        _newer.c.input_document_id == r.input_document_id,
        _newer.c.sequence > r.sequence,
        _version.c.id == _newer.c.version_id,
        _says_something(_newer.c, _version.c),
    )
    .correlate(runs),
)

_ONE = _joined(_ALONE).where(r.id == sa.bindparam("run_id"))  # made once: every submission asks it


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """Which runs someone wants to see."""

    workspace_ids: Collection[str] | None = None  # None: all
    statuses: Collection[str] = ()
    document_id: str | None = None
    configuration_id: str | None = None
    build_id: str | None = None
    plan_id: str | None = None
    is_test: bool | None = None
    is_newest: bool = False  # of those of its document that say something about it
    has_issues: bool | None = None
    verdicts: Collection[str] = ()
    proposal: str | None = None


def get(tx: Transaction, run_id: str) -> ListedRun | None:
    """Return a run with what it belongs to and its corrections, or None."""
    return _ALONE.one_or_none(tx, _ONE, {"run_id": run_id})


def chosen(tx: Transaction, run_ids: Sequence[str]) -> list[ListedRun]:
    """Return runs in the order asked for."""
    found: dict[str, ListedRun] = {}
    for start in range(0, len(run_ids), 500):
        found |= {row.id: row for row in _LISTED.all(tx, _seen.where(r.id.in_(run_ids[start : start + 500])))}
    return [found[run_id] for run_id in run_ids if run_id in found]


def corrections_of(tx: Transaction, run_ids: Sequence[str]) -> dict[str, Any]:
    """Return the corrections of some runs by run: few, because those of one run may take 64 kB."""
    found = tx.execute(sa.select(r.id, r.corrections).where(r.id.in_(run_ids)))
    return {row.id: row.corrections for row in found}


def page(tx: Transaction, wanted: RunFilter, *, after: int | None, limit: int) -> Sequence[ListedRun]:
    """Return runs, the latest submission first."""
    query = _seen.where(*_conditions(wanted))
    if after is not None:
        query = query.where(r.sequence < after)
    return _LISTED.all(tx, query.order_by(r.sequence.desc()).limit(limit))


def _conditions(wanted: RunFilter) -> list[sa.ColumnElement[bool]]:
    equal = {
        r.input_document_id: wanted.document_id,
        r.configuration_id: wanted.configuration_id,
        r.build_id: wanted.build_id,
        r.plan_id: wanted.plan_id,
    }
    conditions = [column == value for column, value in equal.items() if value is not None]
    if wanted.workspace_ids is not None:
        conditions.append(r.workspace_id.in_(sorted(wanted.workspace_ids)))
    if wanted.statuses:
        conditions.append(r.status.in_(sorted(wanted.statuses)))
    if wanted.is_test is None:
        conditions.append(r.is_trial == sa.false())
    else:
        is_test = _is_test(r, configuration_versions.c)
        conditions.append(is_test if wanted.is_test else ~is_test)
    if wanted.is_newest:
        conditions.append(NEWEST)
    if wanted.has_issues is not None:
        conditions.append(r.issue_count > 0 if wanted.has_issues else sa.func.coalesce(r.issue_count, 0) == 0)
    if wanted.proposal is not None:
        conditions += [r.proposal.is_not(None), r.proposal == wanted.proposal, documents.c.deleted_at.is_(None)]
    if wanted.verdicts:
        conditions += [r.status == RunStatus.SUCCEEDED, r.verdict.in_(sorted(wanted.verdicts))]
    return conditions


def newest_of(tx: Transaction, document_ids: Sequence[str]) -> dict[str, ListedRun]:
    """Return by document the newest run that says something about it."""
    rows = _LISTED.all(tx, _seen.where(NEWEST, r.input_document_id.in_(sorted(document_ids))))
    return {row.input_document_id: row for row in rows}


def running(tx: Transaction) -> Sequence[ListedRun]:
    """Return what runs now, oldest first."""
    return _LISTED.all(tx, _seen.where(RUNNING).order_by(r.started_at, r.sequence))
