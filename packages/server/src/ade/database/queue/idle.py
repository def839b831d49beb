"""The workers that wait for work. A transaction that makes runs ready wakes as many of them, not all.

One row for each worker, which is changed only while the dispatch row is locked: a worker notes that it waits in the
transaction in which it found nothing, so either it saw a run, or the submission of that run sees it waiting. The rows
are not those of `workers`: heartbeats lock these, and do not lock the queue.
"""

import sqlalchemy as sa

from ade.database.schema import idle_workers
from ade.database.transaction import Transaction
from ade.database.types import Instant
from ade.database.wire.prepared import Prepared

i = idle_workers.c
_WORKER_ID = sa.bindparam("idle_worker_id", type_=i.worker_id.type)


def is_kept(tx: Transaction) -> bool:
    """Return whether waiting workers are noted: only where they get messages."""
    return tx.dialect != "mssql"


def add(tx: Transaction, worker_id: str) -> None:
    """Add a worker that starts: it has not looked for work yet."""
    tx.execute(sa.insert(idle_workers).values(worker_id=worker_id))


def remove(tx: Transaction, worker_id: str) -> None:
    """Remove a worker that stopped."""
    tx.execute(sa.delete(idle_workers).where(i.worker_id == worker_id))


def note(tx: Transaction, worker_id: str, *, is_waiting: bool) -> None:
    """Note whether a worker waits for work."""
    _NOTE.change(tx, {"idle_worker_id": worker_id, "waits_since": tx.now if is_waiting else None})


_NOTE = Prepared(
    sa.update(idle_workers).where(i.worker_id == _WORKER_ID).values(since=sa.bindparam("waits_since", type_=Instant))
)
# Those that waited longest, so that work is spread over the hosts.
_longest = (
    sa.select(i.worker_id)
    .where(i.since.is_not(None))
    .order_by(i.since, i.worker_id)
    .limit(sa.bindparam("most", type_=sa.Integer))
)
_pick = sa.update(idle_workers).where(i.worker_id.in_(_longest)).values(since=None).returning(i.worker_id)
_PICK = Prepared(_pick)


def pick(tx: Transaction, *, most: int) -> list[str]:
    """Return workers to wake, and note that they no longer wait."""
    return [worker_id for (worker_id,) in _PICK.rows(tx, {"most": most})]


def pick_and_notify(tx: Transaction, channel: str, *, most: int) -> None:
    """Do the same and notify each by its id, in one statement: PostgreSQL."""
    _PICK_AND_NOTIFY.change(tx, {"most": most, "channel": channel})


_picked = _pick.cte("picked")
_PICK_AND_NOTIFY = Prepared(
    sa.select(sa.func.pg_notify(sa.bindparam("channel", type_=sa.Text), _picked.c.worker_id).label("sent"))
)
