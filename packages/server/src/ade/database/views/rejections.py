"""Counts of refused submissions by hour and priority."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.schema import queue_rejections
from ade.database.transaction import Transaction

c = queue_rejections.c


def add(tx: Transaction, *, priority: int, count: int) -> None:
    """Count refused runs in the hour they came."""
    hour = tx.now.replace(minute=0, second=0, microsecond=0)
    here = sa.and_(c.hour_at == hour, c.priority == priority)
    grow = sa.update(queue_rejections).where(here).values(rejected_count=c.rejected_count + count)
    if tx.execute(grow).rowcount == 1:
        return
    try:
        with tx.savepoint():
            tx.execute(sa.insert(queue_rejections).values(hour_at=hour, priority=priority, rejected_count=count))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
        tx.execute(grow)  # another one counted the first of this hour meanwhile


def by_hour(tx: Transaction, *, window: timedelta) -> dict[tuple[datetime, int], int]:
    """Return {(hour, priority): count} of the window."""
    chosen = sa.select(c.hour_at, c.priority, c.rejected_count).where(c.hour_at >= tx.now - window)
    return {(row.hour_at, row.priority): row.rejected_count for row in tx.execute(chosen)}
