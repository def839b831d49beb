"""The files of a configuration version."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from ade.database.schema import configuration_files
from ade.database.transaction import Transaction

f = configuration_files.c
_FACTS = (f.path, f.size_bytes, f.sha256, f.updated_at)


def listed(tx: Transaction, version_id: str) -> Sequence[sa.Row[Any]]:
    """Return path, size, digest and time of every file of a version, by path; without contents."""
    return tx.execute(sa.select(*_FACTS).where(f.version_id == version_id).order_by(f.path)).all()


def contents(tx: Transaction, version_id: str, *, only: Sequence[str] | None = None) -> dict[str, bytes]:
    """Return every file of a version, or those of some paths only."""
    chosen = sa.select(f.path, f.content).where(f.version_id == version_id).order_by(f.path)
    if only is not None:
        chosen = chosen.where(f.path.in_(only))
    return {row.path: row.content for row in tx.execute(chosen)}


def get(tx: Transaction, version_id: str, path: str) -> sa.Row[Any] | None:
    """Return a file with its content, or None."""
    return tx.execute(sa.select(configuration_files).where(f.version_id == version_id, f.path == path)).one_or_none()


def put(tx: Transaction, version_id: str, path: str, values: Mapping[str, Any]) -> None:
    """Add or replace a file."""
    here = sa.and_(f.version_id == version_id, f.path == path)
    changed = tx.execute(sa.update(configuration_files).where(here).values(**values, updated_at=tx.now))
    if changed.rowcount == 0:
        row = {"version_id": version_id, "path": path, "updated_at": tx.now, **values}
        tx.execute(sa.insert(configuration_files).values(**row))


def insert_all(tx: Transaction, version_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add the files of a new version."""
    if rows:
        given = [{"version_id": version_id, "updated_at": tx.now, **row} for row in rows]
        tx.execute(sa.insert(configuration_files), given)


def delete(tx: Transaction, version_id: str, path: str) -> bool:
    """Remove a file; tell whether there was one."""
    return tx.execute(sa.delete(configuration_files).where(f.version_id == version_id, f.path == path)).rowcount == 1


def copy(tx: Transaction, source_id: str, target_id: str) -> None:
    """Give a version the files of another."""
    names = ["version_id", "path", "content", "size_bytes", "sha256", "updated_at"]
    moment = sa.literal(tx.now, f.updated_at.type)
    chosen = sa.select(sa.literal(target_id), f.path, f.content, f.size_bytes, f.sha256, moment).where(
        f.version_id == source_id
    )
    tx.execute(sa.insert(configuration_files).from_select(names, chosen))
