"""Configurations and their versions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.paging import below
from ade.database.rows import Rows
from ade.database.schema import configuration_versions, configurations
from ade.database.transaction import Transaction
from ade.domain.configuration import VERSION_TRANSITIONS, VersionStatus
from ade.domain.transitions import statuses_leading_to

c = configurations.c
v = configuration_versions.c


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigurationRow:
    """A configuration."""

    id: str
    workspace_id: str
    name: str
    created_by: str | None
    created_at: datetime
    archived_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A version of a configuration, or the snapshot of a draft."""

    id: str
    configuration_id: str
    number: int
    snapshot_of: str | None
    status: str
    note: str | None
    digest: str | None
    revision: int
    created_by: str | None
    created_at: datetime
    published_at: datetime | None
    archived_at: datetime | None


_CONFIGURATIONS = Rows(ConfigurationRow, configurations)
_VERSIONS = Rows(VersionRow, configuration_versions)


def insert(tx: Transaction, row: Mapping[str, Any]) -> bool:
    """Add a configuration; return whether its name was free."""
    return _is_done(tx, sa.insert(configurations).values(**row))


def _is_done(tx: Transaction, statement: sa.Insert | sa.Update) -> bool:
    """Execute a statement that gives a configuration a name; return whether no other one has it."""
    try:
        with tx.savepoint():
            tx.execute(statement)
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
        return False
    return True


def named(tx: Transaction, workspace_id: str, name: str) -> ConfigurationRow | None:
    """Return the configuration of a name, apart from those that were put away."""
    chosen = (c.workspace_id == workspace_id, c.name == name, c.archived_at.is_(None))
    return _CONFIGURATIONS.one_or_none(tx, _CONFIGURATIONS.select(*chosen))


_GET = _CONFIGURATIONS.select(c.id == sa.bindparam("configuration_id"))


def get(tx: Transaction, configuration_id: str) -> ConfigurationRow | None:
    """Return a configuration, or None."""
    return _CONFIGURATIONS.one_or_none(tx, _GET, {"configuration_id": configuration_id})


def page(
    tx: Transaction, *, workspace_id: str, is_archived: bool, after: tuple[datetime, str] | None, limit: int
) -> Sequence[ConfigurationRow]:
    """Return the configurations of a workspace, newest first."""
    query = _CONFIGURATIONS.select(c.workspace_id == workspace_id)
    query = query.where(c.archived_at.is_not(None) if is_archived else c.archived_at.is_(None))
    if after is not None:
        query = query.where(below((c.created_at, c.id), after))
    return _CONFIGURATIONS.all(tx, query.order_by(c.created_at.desc(), c.id.desc()).limit(limit))


def update(tx: Transaction, configuration_id: str, **values: Any) -> bool:
    """Change a configuration; return whether its name is free."""
    return _is_done(tx, sa.update(configurations).where(c.id == configuration_id).values(**values))


def keep_others_out(tx: Transaction, configuration_id: str) -> None:
    """Keep others from giving a configuration another version until the end of the transaction."""
    tx.execute(sa.update(configurations).where(c.id == configuration_id).values(name=c.name))


def insert_version(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a version."""
    tx.execute(sa.insert(configuration_versions).values(**row))


def versions(tx: Transaction, configuration_id: str, *, below: int | None, limit: int) -> Sequence[VersionRow]:
    """Return versions of a configuration, newest first; snapshots of drafts do not count."""
    query = _VERSIONS.select(v.configuration_id == configuration_id, v.snapshot_of.is_(None))
    if below is not None:
        query = query.where(v.number < below)
    return _VERSIONS.all(tx, query.order_by(v.number.desc()).limit(limit))


def versions_in_force(tx: Transaction, configuration_ids: Collection[str]) -> Sequence[VersionRow]:
    """Return the draft and the published version of each configuration."""
    chosen = (v.configuration_id.in_(sorted(configuration_ids)), v.status != VersionStatus.ARCHIVED)
    return _VERSIONS.all(tx, _VERSIONS.select(*chosen, v.snapshot_of.is_(None)))


def version(tx: Transaction, configuration_id: str, number: int) -> VersionRow | None:
    """Return the version of a number, or None."""
    chosen = (v.configuration_id == configuration_id, v.number == number, v.snapshot_of.is_(None))
    return _VERSIONS.one_or_none(tx, _VERSIONS.select(*chosen))


def version_with(tx: Transaction, configuration_id: str, status: VersionStatus) -> VersionRow | None:
    """Return the draft or the published version, or None."""
    has_status = v.status == sa.literal_column(f"'{status}'")  # a literal: SQL Server looks into a filtered index
    chosen = (v.configuration_id == configuration_id, has_status, v.snapshot_of.is_(None))
    return _VERSIONS.one_or_none(tx, _VERSIONS.select(*chosen))


def snapshot(tx: Transaction, draft_id: str, digest: str) -> VersionRow | None:
    """Return the snapshot of a draft with these very files, or None."""
    chosen = (v.snapshot_of == draft_id, v.digest == digest)
    return _VERSIONS.one_or_none(tx, _VERSIONS.select(*chosen).order_by(v.id).limit(1))


def next_number(tx: Transaction, configuration_id: str) -> int:
    """Return the number of the next version."""
    highest = sa.select(sa.func.max(v.number)).where(v.configuration_id == configuration_id)
    return int(tx.execute(highest).scalar_one() or 0) + 1


def move_version(tx: Transaction, version_id: str, *, to: VersionStatus, **values: Any) -> bool:
    """Change the status of a version, if the state machine allows it; return whether it did."""
    sources = sorted(statuses_leading_to(VERSION_TRANSITIONS, to))
    statement = (
        sa.update(configuration_versions)
        .where(v.id == version_id, v.status.in_(sources))
        .values(status=to, revision=v.revision + 1, **values)
    )
    return tx.execute(statement).rowcount == 1


def touch_draft(tx: Transaction, version_id: str) -> bool:
    """Note an edit of a draft, keeping others out until the end of the transaction; return whether it is a draft."""
    statement = (
        sa.update(configuration_versions)
        .where(v.id == version_id, v.status == VersionStatus.DRAFT)
        .values(revision=v.revision + 1)
    )
    return tx.execute(statement).rowcount == 1
