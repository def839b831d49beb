"""Wakes idle workers once the transaction is committed that made work for them."""

from ade.database.queue import wakeups
from ade.database.transaction import Transaction


def wake_workers(tx: Transaction, *, count: int = wakeups.ALL) -> None:
    """Wake this many idle workers, or all: by the database, or a signal on this host; what both miss, the tick finds.

    One for each run that any worker can take is enough. All, when only some may be able to take what became ready.
    """
    wakeups.notify(tx, count=count)
