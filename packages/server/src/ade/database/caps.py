"""How many runs each workspace may have running at once."""

from typing import Any

import sqlalchemy as sa

from ade.database.schema import workspaces
from ade.database.transaction import Transaction


def get(tx: Transaction, workspace_id: str) -> sa.Row[Any] | None:
    """Return a workspace's cap as `max_running`, or None when there is no such workspace."""
    return tx.execute(sa.select(workspaces.c.max_running).where(workspaces.c.id == workspace_id)).one_or_none()


def put(tx: Transaction, workspace_id: str, max_running: int | None) -> None:
    """Set a workspace's cap, or remove it."""
    tx.execute(sa.update(workspaces).where(workspaces.c.id == workspace_id).values(max_running=max_running))
