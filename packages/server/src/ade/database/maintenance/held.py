"""How much disk the files of each workspace take."""

from collections import Counter

import sqlalchemy as sa

from ade.database.maintenance.retention import has_files
from ade.database.queue.runs import r
from ade.database.schema import documents
from ade.database.transaction import Transaction

d = documents.c


def held_bytes(tx: Transaction, workspace_id: str | None = None) -> Counter[str]:
    """Return what documents and outputs take by workspace, or of one; with deleted ones whose bytes are still there."""
    held: Counter[str] = Counter()
    of_documents = sa.select(d.workspace_id.label("holder"), sa.func.sum(d.size_bytes).label("total"))
    of_runs = sa.select(r.workspace_id.label("holder"), sa.func.sum(r.output_bytes).label("total"))
    for asked, holder in (
        (of_documents.where(d.expired_at.is_(None)), d.workspace_id),
        (of_runs.where(has_files), r.workspace_id),
    ):
        chosen = asked if workspace_id is None else asked.where(holder == workspace_id)
        for row in tx.execute(chosen.group_by(holder)):
            held[row.holder] += int(row.total or 0)
    return held
