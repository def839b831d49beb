"""Counts the requests of this process: by route and class of status, and how long answers took to begin."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from threading import Lock
from typing import Any

from fastapi.routing import iter_route_contexts
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric
from starlette.routing import BaseRoute
from starlette.types import Scope

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
CLASSES = ("2xx", "3xx", "4xx", "5xx")
NO_ROUTE = ("other", "none")  # refused before a route was found: a wrong host, a method that no route has
Place = tuple[str, str]  # method and route


class HttpFigures:
    """What the process answered since it started. Labels come from the routes alone, never from what callers send."""

    def __init__(self, routes: Sequence[BaseRoute]) -> None:
        self._lock = Lock()
        self._place_of = _places(routes)
        self._places = sorted({NO_ROUTE, *self._place_of.values()})
        self._counts: dict[tuple[Place, str], int] = defaultdict(int)
        self._seconds: dict[Place, float] = defaultdict(float)
        self._buckets: dict[Place, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))

    def note(self, scope: Scope, *, status: int, seconds: float) -> None:
        """Count one request."""
        place = self._place_of.get((scope["method"], scope.get("endpoint")), NO_ROUTE)
        with self._lock:
            self._counts[place, f"{min(max(status // 100, 2), 5)}xx"] += 1
            self._seconds[place] += seconds
            self._buckets[place][bisect_left(BUCKETS, seconds)] += 1

    def families(self) -> Iterator[Metric]:
        """Return the figures as Prometheus reads them, zeros included."""
        requests = CounterMetricFamily(
            "ade_http_requests",
            "Requests this process answered, by route and class of status.",
            labels=["method", "route", "status"],
        )
        durations = HistogramMetricFamily(
            "ade_http_request_duration_seconds",
            "Time until this process began to answer.",
            labels=["method", "route"],
        )
        with self._lock:
            for place in self._places:
                for status in CLASSES:
                    requests.add_metric([*place, status], self._counts.get((place, status), 0))
                if place in self._buckets:
                    durations.add_metric(place, _cumulative(self._buckets[place]), self._seconds[place])
        yield requests
        yield durations


def _places(routes: Sequence[BaseRoute]) -> dict[tuple[str, Callable[..., Any] | None], Place]:
    """Return method and route as written in the program, by method and the function that answers."""
    return {
        (method, getattr(one.original_route, "endpoint", None)): (method, str(one.path))
        for one in iter_route_contexts(routes)
        for method in one.methods or ()
    }


def _cumulative(counts: Sequence[int]) -> list[tuple[str, float]]:
    names = [*(f"{edge:g}" if edge % 1 else f"{edge:.1f}" for edge in BUCKETS), "+Inf"]
    return list(zip(names, accumulate(counts), strict=True))
