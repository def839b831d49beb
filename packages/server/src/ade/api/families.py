"""The metrics of the deployment, from the database: every known label value is there, also while it is zero."""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import product

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from ade import __version__
from ade.database.queue import control
from ade.database.transaction import Transaction
from ade.database.views import gauges, statistics, totals
from ade.domain.build import BuildStatus
from ade.domain.isolation import Isolation
from ade.domain.priority import Priority
from ade.domain.queue import QueueRules
from ade.domain.run import FINISHED, Block, RunStatus
from ade.operations.views.analytics import Percentiles

WINDOW = timedelta(hours=1)
LEVELS = tuple(str(int(level)) for level in Priority)
READY = "ready"
Values = dict[tuple[str, ...], float]


def families(tx: Transaction, rules: QueueRules) -> Iterator[Metric]:
    """Return every metric that is the same whichever process is asked."""
    yield _gauge("ade_build_info", "The version of this server.", {(__version__,): 1}, "version")
    waiting = gauges.queued(tx)
    yield from _queue(tx, rules, waiting)
    yield from _runs(tx, sum(count for _, _, count in waiting))
    yield from _builds(tx)
    yield from _workers(tx, rules)
    for name, measure, says in (
        ("ade_run_wait_seconds", statistics.WAIT, "Wait of the runs that ended within the hour; NaN without any."),
        ("ade_run_duration_seconds", statistics.DURATION, "Duration of the same runs, from start to end."),
    ):
        found = statistics.percentiles(tx, measure, since=tx.now - WINDOW)
        yield _gauge(name, says, _percentiles(found), "priority", "percentile")


def _queue(tx: Transaction, rules: QueueRules, waiting: list[tuple[int, int, int]]) -> Iterator[Metric]:
    reasons = [READY, *(str(block.name).lower() for block in Block)]
    depth = _zeros(LEVELS, reasons)
    for priority, mask, count in waiting:
        reason = next((str(block.name).lower() for block in Block if mask & block), READY)
        depth[str(priority), reason] = depth.get((str(priority), reason), 0) + count
    yield _gauge("ade_queue_depth", "Runs that wait.", depth, "priority", "reason")
    yield _gauge("ade_queue_limit", "Runs that may wait or run at once (ADE_QUEUE_SIZE).", {(): rules.queue_size})
    oldest: datetime | None = gauges.oldest_ready(tx)
    waited = (tx.now - oldest).total_seconds() if oldest else 0
    says = "How long the oldest ready run has been waiting."
    yield _gauge("ade_queue_oldest_ready_seconds", says, {(): max(0, waited)})
    refused = _zeros(LEVELS) | {(str(priority),): count for priority, count in gauges.rejected(tx).items()}
    yield _counter("ade_rejections", "Submissions refused because the queue was full.", refused, "priority")


def _runs(tx: Transaction, queued_count: int) -> Iterator[Metric]:
    ended = _by_label(sorted(FINISHED), gauges.finished_runs(tx))
    at_work: Values = {(RunStatus.QUEUED,): queued_count, (RunStatus.RUNNING,): statistics.running_count(tx)}
    yield _gauge("ade_runs", "Runs by status.", at_work | ended, "status")
    submitted = int(control.state(tx).run_sequence)
    yield _counter("ade_runs_submitted", "Runs that were submitted.", {(): submitted})
    yield _counter("ade_runs_finished", "Runs that ended, by status.", ended, "status")
    levels = _by_label(Isolation, gauges.runs_by_isolation(tx, window=WINDOW))
    yield _gauge("ade_runs_isolation", "Runs that ended within the hour, by isolation.", levels, "isolation")


def _builds(tx: Transaction) -> Iterator[Metric]:
    by_status = gauges.builds_by_status(tx)
    yield _gauge("ade_builds", "Builds by status.", _by_label(BuildStatus, by_status), "status")
    yield _counter(
        "ade_builds_requested", "Builds that were requested for the first time.", {(): sum(by_status.values())}
    )
    counted = totals.read(tx)
    ended: Values = {(status,): counted.get(f"build.{status}", 0) for status in (BuildStatus.FAILED, BuildStatus.READY)}
    yield _counter("ade_builds_finished", "Builds that were made or failed.", ended, "status")
    says = "Runs and builds queued again because their worker died or their host failed them."
    again: Values = {(kind,): counted.get(f"{kind}.requeued", 0) for kind in ("build", "run")}
    yield _counter("ade_recoveries", says, again, "kind")


def _workers(tx: Transaction, rules: QueueRules) -> Iterator[Metric]:
    worker_count, slots = gauges.worker_slots(tx, silent_after=2 * rules.lease)
    yield _gauge("ade_workers", "Workers with a recent heartbeat.", {(): worker_count})
    yield _gauge("ade_worker_slots", "Runs these workers can execute at once.", {(): slots})


def _percentiles(found: Percentiles) -> Values:
    shown: Values = dict.fromkeys(product(LEVELS, map(str, statistics.PERCENTILES)), math.nan)
    for priority, by_percent in found.items():
        shown |= {(str(priority), str(percent)): taken.total_seconds() for percent, taken in by_percent.items()}
    return shown


def _zeros(*labels: Iterable[str]) -> Values:
    return dict.fromkeys(product(*labels), 0)


def _by_label(known: Iterable[str], counts: Mapping[str, int]) -> Values:
    return {(str(label),): counts.get(label, 0) for label in known}


def _gauge(name: str, says: str, values: Values, *labels: str) -> Metric:
    return _filled(GaugeMetricFamily(name, says, labels=labels), values)


def _counter(name: str, says: str, values: Values, *labels: str) -> Metric:
    return _filled(CounterMetricFamily(name, says, labels=labels), values)


def _filled(family: GaugeMetricFamily | CounterMetricFamily, values: Values) -> Metric:
    for key, value in sorted(values.items()):
        family.add_metric(list(key), value)
    return family
