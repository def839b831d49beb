"""Tells idle workers that there may be work, once the transaction that made it is committed."""

from ade.database import wakeups
from ade.database.transaction import Transaction


def wake_workers(tx: Transaction) -> None:
    """Wake every idle worker: by the database, or a signal on this host; what both miss, the tick finds."""
    wakeups.notify(tx)
