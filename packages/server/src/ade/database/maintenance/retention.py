"""What may go: runs, documents and builds whose time is over and that nothing uses."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.queue import build_endings
from ade.database.queue.runs import QUEUED, RUNNING, r
from ade.database.schema import builds, documents, events, runs, workspaces
from ade.database.transaction import Transaction

d = documents.c
b = builds.c
has_files = sa.and_(r.finished_at.is_not(None), r.file_key.is_not(None))
_is_open = sa.or_(QUEUED, RUNNING)
_document_in_use = sa.exists().where(r.input_document_id == d.id, _is_open)
_build_in_use = sa.exists().where(r.build_id == b.id, _is_open)
_last_used = sa.func.coalesce(b.last_used_at, b.finished_at, b.created_at)
_not_at_work = sa.and_(b.status != sa.literal_column("'queued'"), b.status != sa.literal_column("'building'"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The workspaces a rule is for: these, or all but these."""

    workspace_ids: Collection[str] = ()
    is_all_but: bool = True

    def holds(self, column: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
        """Return the condition that a row is of such a workspace."""
        if self.is_all_but and not self.workspace_ids:
            return sa.true()
        among = column.in_(sorted(self.workspace_ids))
        return sa.not_(among) if self.is_all_but else among


EVERYWHERE = Where()
Kept = tuple[str, int]  # a run, and the size of its files


def own_days(tx: Transaction, what: str) -> dict[str, int]:
    """Return how many days each workspace that decided so itself keeps something: `runs_days` or `documents_days`."""
    found = tx.execute(sa.select(workspaces.c.id, workspaces.c.preferences))
    days_of = {row.id: ((row.preferences or {}).get("retention") or {}).get(what) for row in found}
    return {workspace_id: int(days) for workspace_id, days in days_of.items() if days}


def expired_runs(
    tx: Transaction, statuses: Sequence[str], *, before: datetime, most: int, where: Where = EVERYWHERE
) -> list[Kept]:
    """Return finished runs that still have files and ended before an instant, oldest first."""
    is_expired = (has_files, r.status.in_(statuses), r.finished_at < before, where.holds(r.workspace_id))
    return [*_runs(tx, sa.select(r.id, r.output_bytes).where(*is_expired).order_by(r.finished_at, r.id).limit(most))]


def runs_with_files(tx: Transaction) -> Iterator[Kept]:
    """Yield the finished runs that have files, newest first."""
    chosen = sa.select(r.id, r.output_bytes).where(has_files).order_by(r.finished_at.desc(), r.id.desc())
    return _runs(tx, chosen.execution_options(yield_per=1000))  # there may be millions


def _runs(tx: Transaction, chosen: sa.Select[Any]) -> Iterator[Kept]:
    return ((row.id, row.output_bytes or 0) for row in tx.execute(chosen))


def forget_runs(tx: Transaction, run_ids: Sequence[str]) -> None:
    """Note that the files of finished runs are gone, and drop their events. The runs themselves stay: history."""
    finished = sa.update(runs).where(r.id.in_(run_ids), r.finished_at.is_not(None))
    tx.execute(finished.values(file_key=None, files_removed_at=tx.now))
    of_runs = sa.and_(events.c.subject_kind == "run", events.c.subject_id.in_(run_ids))
    tx.execute(sa.delete(events).where(of_runs))


def expire_documents(tx: Transaction, *, before: datetime, is_dry_run: bool, where: Where = EVERYWHERE) -> int:
    """Delete, as a person would, the uploads older than an instant that no run has used since; return how many."""
    used_since = sa.exists().where(r.input_document_id == d.id, r.created_at >= before)
    expired = sa.and_(d.deleted_at.is_(None), d.created_at < before, sa.not_(_document_in_use), sa.not_(used_since))
    expired = sa.and_(expired, where.holds(d.workspace_id))
    if is_dry_run:
        return int(tx.execute(sa.select(sa.func.count()).select_from(documents).where(expired)).scalar_one())
    return tx.execute(sa.update(documents).where(expired).values(deleted_at=tx.now, expired_at=tx.now)).rowcount


def deleted_documents(tx: Transaction, *, before: datetime, most: int) -> list[tuple[str, str, int]]:
    """Return documents (id, key of its bytes, size) that were deleted before an instant and that no open run needs."""
    chosen = sa.select(d.id, d.file_key, d.size_bytes).where(
        d.deleted_at.is_not(None), d.deleted_at < before, d.file_key != "", sa.not_(_document_in_use)
    )
    found = tx.execute(chosen.order_by(d.deleted_at, d.id).limit(most))
    return [(row.id, row.file_key, row.size_bytes) for row in found]


def forget_document(tx: Transaction, document_id: str) -> bool:
    """Note that a document's bytes are gone, unless a run needs it now; return whether they may go."""
    gone = sa.update(documents).where(d.id == document_id, sa.not_(_document_in_use)).values(file_key="")
    return tx.execute(gone).rowcount == 1


def unused_builds(tx: Transaction, *, before: datetime, most: int) -> list[tuple[str, int | None]]:
    """Return builds (id, size) that have files and that no run has used since an instant."""
    is_unused = (b.file_key.is_not(None), _not_at_work, _last_used < before, sa.not_(_build_in_use))
    found = tx.execute(sa.select(b.id, b.size_bytes).where(*is_unused).order_by(b.sequence).limit(most))
    return [(row.id, row.size_bytes) for row in found]


def forget_build(tx: Transaction, build_id: str) -> bool:
    """Note that a build's files are gone, unless a run needs it now; return whether they may go.

    A build that was ready is so no longer: the next run of it has it made again.
    """
    if build_endings.remove(tx, build_id, sa.not_(_build_in_use)) is not None:
        return True
    unused = (b.id == build_id, _not_at_work, sa.not_(_build_in_use))
    gone = sa.update(builds).where(*unused).values(file_key=None, files_removed_at=tx.now)
    return tx.execute(gone).rowcount == 1


def kept_builds(tx: Transaction) -> dict[str, tuple[str, bool]]:
    """Return of each build that has files or is in use: the digest of its archive, and whether it is in use."""
    in_use = sa.or_(_build_in_use, sa.not_(_not_at_work))
    chosen = sa.select(b.id, b.metrics, sa.case((in_use, 1), else_=0).label("in_use"))
    found = tx.execute(chosen.where(sa.or_(b.file_key.is_not(None), in_use)))
    return {row.id: (str((row.metrics or {}).get("sha256", "")), bool(row.in_use)) for row in found}


def folders_in_use(tx: Transaction, kind: str, ids: Sequence[str]) -> dict[str, tuple[str | None, bool]]:
    """Return, for the runs or builds among the ids, the folder each has and whether a worker is at it."""
    table, at_work = (runs, RUNNING) if kind == "run" else (builds, b.status == sa.literal_column("'building'"))
    chosen = sa.select(table.c.id, table.c.file_key, sa.case((at_work, 1), else_=0).label("is_at_work"))
    found = tx.execute(chosen.where(table.c.id.in_(ids)))
    return {row.id: (row.file_key, bool(row.is_at_work)) for row in found}
