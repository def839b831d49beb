"""Builds as people see them: with the names of what they belong to, and how many runs wait for them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.builds import b
from ade.database.paging import below
from ade.database.runs import QUEUED, r
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


def _with_names(*columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Return builds with these columns and what they belong to."""
    return (
        sa.select(
            *columns,
            configurations.c.name.label("configuration_name"),
            configuration_versions.c.number.label("version_number"),
            configuration_versions.c.snapshot_of.label("snapshot_of"),
            _published_number.label("published_number"),
            workers.c.name.label("worker_name"),
            _waiting.label("waiting_run_count"),
        )
        .select_from(builds)
        .join(configurations, b.configuration_id == configurations.c.id)
        .join(configuration_versions, b.version_id == configuration_versions.c.id)
        .outerjoin(workers, b.claimed_by == workers.c.id)
    )


_seen = _with_names(*b)
# A manifest is as large as a message of a child can be: a quarter of a megabyte, in hundreds of builds of a list.
_listed = _with_names(*(column for column in b if column is not b.manifest), sa.null().label("manifest"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFilter:
    """Which builds someone wants to see."""

    workspace_ids: Collection[str] | None = None  # None: all
    configuration_id: str | None = None
    status: str | None = None


def get(tx: Transaction, build_id: str) -> sa.Row[Any] | None:
    """Return a build with what it belongs to, or None."""
    return tx.execute(_seen.where(b.id == build_id)).one_or_none()


def page(
    tx: Transaction, wanted: BuildFilter, *, after: tuple[datetime, str] | None, limit: int
) -> Sequence[sa.Row[Any]]:
    """Return builds without their manifests, newest first."""
    query = _listed
    if wanted.workspace_ids is not None:
        query = query.where(b.workspace_id.in_(sorted(wanted.workspace_ids)))
    if wanted.configuration_id:
        query = query.where(b.configuration_id == wanted.configuration_id)
    if wanted.status:
        query = query.where(b.status == wanted.status)
    if after is not None:
        query = query.where(below((b.created_at, b.id), after))
    return tx.execute(query.order_by(b.created_at.desc(), b.id.desc()).limit(limit)).all()
