"""Numbers for Prometheus, read from the database when they are asked for: any process tells the whole deployment's."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from ade import __version__
from ade.api.access import Access, requires
from ade.api.dependencies import RulesDependency, SystemDependency
from ade.database import gauges
from ade.database.transaction import Transaction
from ade.domain.access import Role
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.operations.analytics import Percentiles, analyse

router = APIRouter(tags=["health"])
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
WINDOW = timedelta(hours=1)
_RECOVERIES = ("run.requeued", "build.requeued")
_CLAIMS = ("run.claimed", "build.claimed")


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Prometheus text.", "content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def get_metrics(
    system: SystemDependency, rules: RulesDependency, access: Annotated[Access, requires(Role.VIEWER, "deployment")]
) -> Response:
    """Tell the deployment's numbers as Prometheus reads them."""
    registry = CollectorRegistry()
    registry.register(_Collected(list(system.database.read(lambda tx: list(_families(tx, rules))))))
    return Response(generate_latest(registry), media_type=CONTENT_TYPE)


class _Collected(Collector):
    """Metrics that were read already."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _families(tx: Transaction, rules: QueueRules) -> Iterator[Metric]:
    yield _gauge("ade_build_info", "The version that answers.", ["version"], {(__version__,): 1})
    yield from _queue(tx)
    yield _gauge("ade_runs", "Runs by status.", ["status"], _labelled(gauges.runs_by_status(tx)))
    yield _gauge("ade_builds", "Builds by status.", ["status"], _labelled(gauges.builds_by_status(tx)))
    yield _gauge(
        "ade_runs_isolation",
        "Runs that finished within the hour, by isolation.",
        ["isolation"],
        _labelled(gauges.runs_by_isolation(tx, window=WINDOW)),
    )
    yield from _counters(tx)
    worker_count, slots = gauges.worker_slots(tx, silent_after=2 * rules.lease)
    yield _gauge("ade_workers", "Workers heard of lately.", [], {(): worker_count})
    yield _gauge("ade_worker_slots", "Runs they can execute at once.", [], {(): slots})
    figures = analyse(tx, window=WINDOW)
    yield _quantiles("ade_run_wait_seconds", "Wait of runs that started within the hour.", figures.wait)
    yield _quantiles("ade_run_duration_seconds", "Duration of runs that finished within the hour.", figures.run)


def _queue(tx: Transaction) -> Iterator[Metric]:
    depth: dict[tuple[str, ...], float] = {}
    for priority, mask, count in gauges.queued(tx):
        reason = next((str(block.name).lower() for block in Block if mask & block), "ready")
        depth[str(priority), reason] = depth.get((str(priority), reason), 0) + count
    yield _gauge("ade_queue_depth", "Runs that wait.", ["priority", "reason"], depth)
    oldest: datetime | None = gauges.oldest_ready(tx)
    waited = (tx.now - oldest).total_seconds() if oldest else 0
    yield _gauge(
        "ade_queue_oldest_ready_seconds", "How long the run waits that is ready the longest.", [], {(): waited}
    )


def _counters(tx: Transaction) -> Iterator[Metric]:
    claims, recoveries = gauges.events_by_type(tx, _CLAIMS), gauges.events_by_type(tx, _RECOVERIES)
    yield _counter("ade_claims", "Claims of runs and builds.", ["type"], _labelled(claims))
    yield _counter(
        "ade_recoveries",
        "What was queued again because its worker died or its host failed it.",
        ["type"],
        _labelled(recoveries),
    )
    refused = _labelled({str(priority): count for priority, count in gauges.rejected(tx).items()})
    yield _counter("ade_rejections", "Submissions refused because the queue was full.", ["priority"], refused)
    reused, total = gauges.reused_builds(tx)
    yield _counter("ade_build_cache_hits", "Runs that found their build made or being made.", [], {(): reused})
    yield _counter("ade_build_cache_lookups", "Runs that needed a build.", [], {(): total})


def _labelled(counts: dict[str, int]) -> dict[tuple[str, ...], float]:
    return {(label,): count for label, count in sorted(counts.items())}


def _gauge(name: str, help_text: str, labels: list[str], values: dict[tuple[str, ...], float]) -> Metric:
    family = GaugeMetricFamily(name, help_text, labels=labels)
    for key, value in values.items():
        family.add_metric(list(key), value)
    return family


def _counter(name: str, help_text: str, labels: list[str], values: dict[tuple[str, ...], float]) -> Metric:
    family = CounterMetricFamily(name, help_text, labels=labels)
    for key, value in values.items():
        family.add_metric(list(key), value)
    return family


def _quantiles(name: str, help_text: str, found: Percentiles) -> Metric:
    values = {
        (str(priority), str(percent / 100)): duration.total_seconds()
        for priority, by_percent in sorted(found.items())
        for percent, duration in sorted(by_percent.items())
    }
    return _gauge(name, help_text, ["priority", "quantile"], {tuple(key): value for key, value in values.items()})
