"""The files of a configuration version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.rows import Rows
from ade.database.schema import configuration_files, configuration_versions, configurations
from ade.database.transaction import Transaction

f = configuration_files.c
BYTES_OF_ROW = 4096  # so that the files of a workspace, which are added up for each change, stay some 100,000


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """A file of a version, without its content."""

    path: str
    size_bytes: int
    sha256: str
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow(FileFacts):
    """A file of a version."""

    content: bytes


_FACTS = Rows(FileFacts, configuration_files)
_FILES = Rows(FileRow, configuration_files)


def listed(tx: Transaction, version_id: str) -> Sequence[FileFacts]:
    """Return path, size, digest and time of every file of a version, by path; without contents."""
    return _FACTS.all(tx, _FACTS.select(f.version_id == version_id).order_by(f.path))


def contents(tx: Transaction, version_id: str, *, only: Sequence[str] | None = None) -> dict[str, bytes]:
    """Return every file of a version, or those of some paths only."""
    chosen = sa.select(f.path, f.content).where(f.version_id == version_id).order_by(f.path)
    if only is not None:
        chosen = chosen.where(f.path.in_(only))
    return {row.path: row.content for row in tx.execute(chosen)}


def stored_bytes(tx: Transaction, workspace_id: str) -> int:
    """Return what all files of all versions of a workspace's configurations take; a small one takes a row too."""
    versions, owners = configuration_versions.c, configurations.c
    stored = configuration_files.join(configuration_versions, f.version_id == versions.id).join(
        configurations, versions.configuration_id == owners.id
    )
    total = sa.select(sa.func.sum(sa.cast(f.size_bytes, sa.BigInteger) + BYTES_OF_ROW)).select_from(stored)
    return int(tx.execute(total.where(owners.workspace_id == workspace_id)).scalar() or 0)


def get(tx: Transaction, version_id: str, path: str) -> FileRow | None:
    """Return a file with its content, or None."""
    return _FILES.one_or_none(tx, _FILES.select(f.version_id == version_id, f.path == path))


def put(tx: Transaction, version_id: str, path: str, values: Mapping[str, Any], *, is_new: bool) -> None:
    """Add or replace a file."""
    if is_new:
        insert_all(tx, version_id, [{"path": path, **values}])
        return
    here = sa.and_(f.version_id == version_id, f.path == path)
    tx.execute(sa.update(configuration_files).where(here).values(**values, updated_at=tx.now))


def insert_all(tx: Transaction, version_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add the files of a new version."""
    if rows:
        given = [{"version_id": version_id, "updated_at": tx.now, **row} for row in rows]
        tx.execute(sa.insert(configuration_files), given)


def delete(tx: Transaction, version_id: str, path: str) -> bool:
    """Remove a file; return whether there was one."""
    return tx.execute(sa.delete(configuration_files).where(f.version_id == version_id, f.path == path)).rowcount == 1


def copy(tx: Transaction, source_id: str, target_id: str) -> None:
    """Give a version the files of another."""
    names = ["version_id", "path", "content", "size_bytes", "sha256", "updated_at"]
    moment = sa.literal(tx.now, f.updated_at.type)
    chosen = sa.select(sa.literal(target_id), f.path, f.content, f.size_bytes, f.sha256, moment).where(
        f.version_id == source_id
    )
    tx.execute(sa.insert(configuration_files).from_select(names, chosen))
