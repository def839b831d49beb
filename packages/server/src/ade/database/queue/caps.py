"""How many runs each workspace may have running at once."""

from collections.abc import Collection

import sqlalchemy as sa

from ade.database.schema import workspaces
from ade.database.transaction import Transaction


def among(tx: Transaction, workspace_ids: Collection[str]) -> dict[str, int]:
    """Return the caps of those of the workspaces that have one."""
    w = workspaces.c
    capped = sa.select(w.id, w.max_running).where(w.max_running.is_not(None), w.id.in_(sorted(workspace_ids)))
    return {row.id: row.max_running for row in tx.execute(capped)}


def put(tx: Transaction, workspace_id: str, max_running: int | None) -> None:
    """Set a workspace's cap, or remove it."""
    tx.execute(sa.update(workspaces).where(workspaces.c.id == workspace_id).values(max_running=max_running))
