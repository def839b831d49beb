"""Figures about the queue, from the runs themselves."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from ade.database.queue.builds import BUILDING
from ade.database.queue.runs import RUNNING, r
from ade.database.schema import builds, runs, workers
from ade.database.transaction import Transaction
from ade.database.types import EPOCH, Instant

MICROSECOND = timedelta(microseconds=1)
PERCENTILES = (50, 90, 99)


def _number(column: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    return sa.type_coerce(column, sa.BigInteger)


_READY = sa.func.coalesce(_number(r.ready_at), _number(r.created_at))
WAIT = _number(r.started_at) - _READY
DURATION = _number(r.finished_at) - _number(r.started_at)


def recent_durations(tx: Transaction, *, most: int) -> list[timedelta]:
    """Return how long the runs that finished last took."""
    chosen = (
        sa.select(DURATION.label("duration"))
        .where(r.finished_at.is_not(None), r.started_at.is_not(None))
        .order_by(r.finished_at.desc())
        .limit(most)
    )
    return [row.duration * MICROSECOND for row in tx.execute(chosen)]


_RUNNING_COUNT = sa.select(sa.func.count()).select_from(runs).where(RUNNING)


def running_count(tx: Transaction) -> int:
    """Count what runs."""
    return int(tx.execute(_RUNNING_COUNT).scalar_one())


_BUSY_COUNTS = sa.select(
    _RUNNING_COUNT.scalar_subquery().label("running"),
    sa.select(sa.func.count()).select_from(builds).where(BUILDING).scalar_subquery().label("building"),
)


def busy_counts(tx: Transaction) -> tuple[int, int]:
    """Count the runs and the builds that workers have in work."""
    row = tx.execute(_BUSY_COUNTS).one()
    return int(row.running), int(row.building)


def percentiles(tx: Transaction, measure: sa.ColumnElement[int], *, since: datetime) -> dict[int, dict[int, timedelta]]:
    """Return {priority: {percentile: duration}} of the runs that finished since, by nearest rank."""
    ranked = (
        sa.select(
            r.priority,
            measure.label("measure"),
            sa.func.row_number().over(partition_by=r.priority, order_by=measure).label("rank"),
            sa.func.count().over(partition_by=r.priority).label("total"),
        )
        .where(r.finished_at.is_not(None), r.finished_at >= since, r.started_at.is_not(None))
        .subquery()
    )
    nearest = {each: _is_nearest(ranked.c.rank, ranked.c.total, each) for each in PERCENTILES}
    chosen = sa.select(ranked.c.priority, ranked.c.measure, ranked.c.rank, ranked.c.total).where(
        sa.or_(*nearest.values())
    )
    found: dict[int, dict[int, timedelta]] = {}
    for row in tx.execute(chosen):
        its = {each: row.measure * MICROSECOND for each in PERCENTILES if _is_nearest(row.rank, row.total, each)}
        found[row.priority] = found.get(row.priority, {}) | its
    return found


def _is_nearest(rank: Any, total: Any, percentile: int) -> Any:
    """Return whether a rank is the nearest to a percentile: of numbers, or of columns."""
    return (rank * 100 >= total * percentile) & ((rank - 1) * 100 < total * percentile)


def finished_by_bucket(
    tx: Transaction, *, since: datetime, bucket: timedelta
) -> list[tuple[datetime, str, int, timedelta]]:
    """Return (beginning, status, how many, how long they ran together) for each slice of time, earliest first."""
    # In the text: as parameters, the slice that is selected and the one that is grouped by differ to SQL Server.
    # And cast: a number of more than 31 bits is a decimal there, and would not be divided as a whole number.
    width = sa.cast(sa.literal_column(str(bucket // MICROSECOND)), sa.BigInteger)
    slice_ = sa.type_coerce(_number(r.finished_at) // width * width, Instant)
    busy = sa.func.coalesce(sa.func.sum(DURATION), 0)
    statement = (
        sa.select(slice_.label("bucket_at"), r.status, sa.func.count().label("run_count"), busy.label("busy"))
        .where(r.finished_at.is_not(None), r.finished_at >= since)
        .group_by(slice_, r.status)
        .order_by(slice_, r.status)
    )
    found = tx.execute(statement).all()
    return [(row.bucket_at, row.status, row.run_count, int(row.busy) * MICROSECOND) for row in found]


def worker_spans(tx: Transaction, *, since: datetime) -> list[tuple[int, datetime, datetime]]:
    """Return (slots, from, to) of each worker that lived in the window."""
    ended = sa.func.coalesce(workers.c.stopped_at, workers.c.heartbeat_at, type_=Instant).label("ended_at")
    found = tx.execute(sa.select(workers.c.slots, workers.c.started_at, ended).where(ended >= since)).all()
    return [(row.slots, row.started_at, row.ended_at) for row in found]


def start_of(instant: datetime, bucket: timedelta) -> datetime:
    """Return the beginning of the slice an instant falls into, as finished_by_bucket cuts them."""
    return EPOCH + (instant - EPOCH) // bucket * bucket
