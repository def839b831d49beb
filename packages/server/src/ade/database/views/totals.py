"""Counts since the first start, which retention does not lower."""

import sqlalchemy as sa

from ade.database.schema import totals
from ade.database.transaction import Transaction

c = totals.c


def add(tx: Transaction, name: str, count: int) -> None:
    """Count something that happened; the caller holds the queue's lock, so the first of a name is added once."""
    grow = sa.update(totals).where(c.name == name).values(total=c.total + count)
    if count and tx.execute(grow).rowcount == 0:
        tx.execute(sa.insert(totals).values(name=name, total=count))


def read(tx: Transaction) -> dict[str, int]:
    """Return every total by name."""
    return {row.name: int(row.total) for row in tx.execute(sa.select(totals))}
