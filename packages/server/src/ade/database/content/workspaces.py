"""Workspaces: where everything else belongs to."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.rows import Rows
from ade.database.schema import builds, configurations, documents, plans, runs, webhooks, workspaces
from ade.database.transaction import Transaction

w = workspaces.c
_OWNERS: dict[str, sa.Table] = {
    "document": documents,
    "configuration": configurations,
    "run": runs,
    "build": builds,
    "plan": plans,
    "webhook": webhooks,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceRow:
    """A workspace."""

    id: str
    slug: str
    name: str
    preferences: dict[str, Any]
    max_running: int | None
    revision: int
    created_at: datetime
    archived_at: datetime | None


_WORKSPACES = Rows(WorkspaceRow, workspaces)


def insert(tx: Transaction, row: Mapping[str, Any]) -> bool:
    """Add a workspace; return whether its slug was free."""
    try:
        with tx.savepoint():
            tx.execute(sa.insert(workspaces).values(**row))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
        return False
    return True


def get(tx: Transaction, workspace_id: str) -> WorkspaceRow | None:
    """Return a workspace, or None."""
    return _WORKSPACES.one_or_none(tx, _WORKSPACES.select(w.id == workspace_id))


def find(tx: Transaction, slug: str) -> WorkspaceRow | None:
    """Return the workspace of a slug, or None."""
    return _WORKSPACES.one_or_none(tx, _WORKSPACES.select(w.slug == slug))


def listed(tx: Transaction, *, among: Collection[str] | None) -> Sequence[WorkspaceRow]:
    """Return the workspaces in use, oldest first; only those `among`, unless that is None."""
    chosen = _WORKSPACES.select(w.archived_at.is_(None)).order_by(w.created_at, w.id)
    if among is not None:
        chosen = chosen.where(w.id.in_(sorted(among)))
    return _WORKSPACES.all(tx, chosen)


def are_several(tx: Transaction) -> bool:
    """Return whether there is more than one workspace."""
    return len(tx.execute(sa.select(workspaces.c.id).limit(2)).all()) > 1


def update(tx: Transaction, workspace_id: str, *, revision: int, values: Mapping[str, Any]) -> bool:
    """Change a workspace if it is still at this revision; return whether it was."""
    statement = (
        sa.update(workspaces)
        .where(w.id == workspace_id, w.revision == revision)
        .values(**values, revision=w.revision + 1)
    )
    return tx.execute(statement).rowcount == 1


# Made once: every request that names something asks one of these.
_OWNER_OF = {
    kind: sa.select(table.c.workspace_id).where(table.c.id == sa.bindparam("row_id")) for kind, table in _OWNERS.items()
}


def owner_of(tx: Transaction, kind: str, row_id: str) -> str | None:
    """Return the workspace that a document, configuration, run, build or plan belongs to, or None."""
    owner: str | None = tx.execute(_OWNER_OF[kind], {"row_id": row_id}).scalar_one_or_none()
    return owner
