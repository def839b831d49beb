"""How the queue has been doing: waits, run times, throughput, rejections, utilisation."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from ade.database.transaction import Transaction
from ade.database.views import rejections, statistics
from ade.domain.run import RunStatus

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
Percentiles = dict[int, dict[int, timedelta]]  # {priority: {50: …, 90: …, 99: …}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """An hour or a day."""

    at: datetime
    succeeded_count: int
    failed_count: int
    cancelled_count: int
    rejected_count: int
    utilisation: float | None  # busy slots among all there were; None without workers


@dataclass(frozen=True, slots=True, kw_only=True)
class Analytics:
    """What the window tells."""

    since: datetime
    wait: Percentiles
    run: Percentiles
    slices: list[Slice]


def analyse(tx: Transaction, *, window: timedelta) -> Analytics:
    """Return the figures of the last window: by the hour up to three days, by the day beyond."""
    since, bucket = tx.now - window, HOUR if window <= 3 * DAY else DAY
    return Analytics(
        since=since,
        wait=statistics.percentiles(tx, statistics.WAIT, since=since),
        run=statistics.percentiles(tx, statistics.DURATION, since=since),
        slices=_slices(tx, since=since, bucket=bucket),
    )


def _slices(tx: Transaction, *, since: datetime, bucket: timedelta) -> list[Slice]:
    counts: dict[datetime, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    busy: dict[datetime, timedelta] = defaultdict(timedelta)
    for at, status, count, time in statistics.finished_by_bucket(tx, since=since, bucket=bucket):
        counts[at][status] += count
        busy[at] += time
    for (hour, _), count in rejections.by_hour(tx, window=tx.now - since).items():
        counts[statistics.start_of(hour, bucket)]["rejected"] += count
    available = _available(tx, since=since, bucket=bucket, buckets=sorted(counts))
    return [
        Slice(
            at=at,
            succeeded_count=count[RunStatus.SUCCEEDED],
            failed_count=count[RunStatus.FAILED],
            cancelled_count=count[RunStatus.CANCELLED],
            rejected_count=count["rejected"],
            utilisation=min(1.0, busy[at] / available[at]) if available[at] else None,
        )
        for at, count in sorted(counts.items())
    ]


def _available(
    tx: Transaction, *, since: datetime, bucket: timedelta, buckets: list[datetime]
) -> dict[datetime, timedelta]:
    """Return the slot time there was in each slice."""
    spans = statistics.worker_spans(tx, since=since)
    lived = {at: [(slots, min(to, at + bucket) - max(begun, at)) for slots, begun, to in spans] for at in buckets}
    return {at: sum((max(timedelta(), time) * slots for slots, time in lived[at]), timedelta()) for at in buckets}
