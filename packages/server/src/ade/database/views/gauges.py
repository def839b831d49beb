"""The numbers monitoring asks for."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from ade.database.queue.builds import b
from ade.database.queue.runs import QUEUED, r
from ade.database.schema import queue_rejections, workers
from ade.database.transaction import Transaction


def queued(tx: Transaction) -> list[tuple[int, int, int]]:
    """Return (priority, block mask, count) of what waits."""
    chosen = sa.select(r.effective_priority, r.block_mask, sa.func.count().label("found")).where(QUEUED)
    rows = tx.execute(chosen.group_by(r.effective_priority, r.block_mask))
    return [(row.effective_priority, row.block_mask, row.found) for row in rows]


def oldest_ready(tx: Transaction) -> datetime | None:
    """Return since when the run waits that is ready the longest, or None."""
    ready = (QUEUED, r.block_mask == sa.literal_column("0"))
    since: datetime | None = tx.execute(sa.select(sa.func.min(r.ready_at)).where(*ready)).scalar_one()
    return since


def waiting_since(tx: Transaction) -> datetime | None:
    """Return since when the run waits that has waited the longest, or None; a scheduled one waits from its time on."""
    is_scheduled = sa.and_(r.scheduled_at.is_not(None), r.scheduled_at > r.created_at)
    since = sa.case((is_scheduled, r.scheduled_at), else_=r.created_at)
    longest = sa.select(sa.func.min(since, type_=r.created_at.type)).where(QUEUED, since <= tx.now)
    found: datetime | None = tx.execute(longest).scalar_one()
    return found


def finished_runs(tx: Transaction) -> dict[str, int]:
    """Return how many runs ended with each status. A run stays when its files go, so these never grow smaller."""
    ended = sa.select(r.status, sa.func.count().label("found")).where(r.finished_at.is_not(None))
    return {row.status: row.found for row in tx.execute(ended.group_by(r.status))}


def runs_by_isolation(tx: Transaction, *, window: timedelta) -> dict[str, int]:
    """Return how many runs finished in the window under each level of isolation."""
    lately = (r.finished_at.is_not(None), r.finished_at >= tx.now - window, r.isolation.is_not(None))
    chosen = sa.select(r.isolation, sa.func.count().label("found")).where(*lately).group_by(r.isolation)
    return {row.isolation: row.found for row in tx.execute(chosen)}


def builds_by_status(tx: Transaction) -> dict[str, int]:
    """Return how many builds there are of each status."""
    chosen = sa.select(b.status, sa.func.count().label("found")).group_by(b.status)
    return {row.status: row.found for row in tx.execute(chosen)}


def rejected(tx: Transaction) -> dict[int, int]:
    """Return how many submissions were refused, by priority."""
    c = queue_rejections.c
    chosen = sa.select(c.priority, sa.func.sum(c.rejected_count).label("found")).group_by(c.priority)
    return {row.priority: int(row.found) for row in tx.execute(chosen)}


def worker_slots(tx: Transaction, *, silent_after: timedelta) -> tuple[int, int]:
    """Return how many workers were heard of lately, and their slots."""
    alive = (workers.c.stopped_at.is_(None), workers.c.heartbeat_at >= tx.now - silent_after)
    chosen = sa.select(sa.func.count().label("found"), sa.func.coalesce(sa.func.sum(workers.c.slots), 0).label("slots"))
    row = tx.execute(chosen.select_from(workers).where(*alive)).one()
    return int(row.found), int(row.slots)
