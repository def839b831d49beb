"""How long a submission holds the queue's lock, by the way the API takes: from the lock's statement to the commit.

The dispatch row says when it was locked (`read_at`, by the server's clock); client and server share that clock here.
"""

from __future__ import annotations

import time

import sqlalchemy as sa
import world as worlds
from figures import Report, median, percentile
from world import World

from ade.database.queue import idle
from ade.database.schema import queue_control
from ade.database.transaction import Database, Transaction

WARMING_UP = 20


def measure(report: Report, contestant: str, world: World, *, waiting: int, idle_workers: int, samples: int) -> None:
    """Report the median with many runs queued and many workers that wait for work."""
    database = Database(world.url)
    worlds.fill(database, world, waiting, first=1)
    database.write(lambda tx: _add_idle(tx, idle_workers))
    worlds.vacuum(database)
    held = [hold(database, world, document) for document in worlds.add_documents(database, world, WARMING_UP + samples)]
    database.close()
    subject = f"a submission holds the lock with {waiting:,} queued and {idle_workers} idle workers"
    note = f"p10 {percentile(held[WARMING_UP:], 0.1):.2f} ms, p99 {percentile(held[WARMING_UP:], 0.99):.2f} ms"
    report.add(subject, contestant, median(held[WARMING_UP:]), "ms", note)


def hold(database: Database, world: World, document_id: str) -> float:
    """Submit a run; return the milliseconds from the lock to the commit."""
    world.submit(database, document_id)
    ended = time.time()
    return 1000 * (ended - database.read(_locked_at) / 1e6)


def _locked_at(tx: Transaction) -> int:
    asked = sa.select(sa.type_coerce(queue_control.c.read_at, sa.BigInteger)).where(queue_control.c.name == "dispatch")
    return int(tx.execute(asked).scalar_one())


def _add_idle(tx: Transaction, count: int) -> None:
    for number in range(count):
        idle.add(tx, f"idle-{number}")
        idle.note(tx, f"idle-{number}", is_waiting=True)
