"""Builds as people see them: with the names of what they belong to, and how many runs wait for them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.paging import below
from ade.database.queue.builds import FullBuild, b
from ade.database.queue.runs import QUEUED, r
from ade.database.rows import Rows
from ade.database.schema import builds, configuration_versions, configurations, runs, workers
from ade.database.transaction import Transaction

_waiting = (
    sa.select(sa.func.count()).select_from(runs).where(QUEUED, r.build_id == b.id).correlate(builds).scalar_subquery()
)
# A build that a test run had made is that of the version published afterwards with the same files.
_published = configuration_versions.alias("published")
_published_number = (
    sa.select(sa.func.max(_published.c.number))
    .where(
        _published.c.configuration_id == configuration_versions.c.configuration_id,
        _published.c.digest == configuration_versions.c.digest,
        _published.c.published_at.is_not(None),
    )
    .correlate(configuration_versions)
    .scalar_subquery()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBuild(FullBuild):
    """A build with the names of what it belongs to."""

    configuration_name: str
    version_number: int
    snapshot_of: str | None
    published_number: int | None
    worker_name: str | None
    waiting_run_count: int


_NAMES: dict[str, sa.ColumnElement[Any]] = {
    "configuration_name": configurations.c.name,
    "version_number": configuration_versions.c.number,
    "snapshot_of": configuration_versions.c.snapshot_of,
    "published_number": _published_number,
    "worker_name": workers.c.name,
    "waiting_run_count": _waiting,
}
_SEEN = Rows(ListedBuild, builds, **_NAMES)
# A manifest is as large as a message of a child can be: a quarter of a megabyte, in hundreds of builds of a list.
_LISTED = Rows(ListedBuild, builds, **_NAMES, manifest=sa.null())


def _joined(chosen: sa.Select[Any]) -> sa.Select[Any]:
    return (
        chosen.select_from(builds)
        .join(configurations, b.configuration_id == configurations.c.id)
        .join(configuration_versions, b.version_id == configuration_versions.c.id)
        .outerjoin(workers, b.claimed_by == workers.c.id)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFilter:
    """Which builds someone wants to see."""

    workspace_ids: Collection[str] | None = None  # None: all
    configuration_id: str | None = None
    status: str | None = None


def get(tx: Transaction, build_id: str) -> ListedBuild | None:
    """Return a build with what it belongs to, or None."""
    return _SEEN.one_or_none(tx, _joined(_SEEN.select(b.id == build_id)))


def page(
    tx: Transaction, wanted: BuildFilter, *, after: tuple[datetime, str] | None, limit: int
) -> Sequence[ListedBuild]:
    """Return builds without their manifests, newest first."""
    query = _joined(_LISTED.select())
    if wanted.workspace_ids is not None:
        query = query.where(b.workspace_id.in_(sorted(wanted.workspace_ids)))
    if wanted.configuration_id:
        query = query.where(b.configuration_id == wanted.configuration_id)
    if wanted.status:
        query = query.where(b.status == wanted.status)
    if after is not None:
        query = query.where(below((b.created_at, b.id), after))
    return _LISTED.all(tx, query.order_by(b.created_at.desc(), b.id.desc()).limit(limit))
