"""The pages about a deployment that come from its code: events.md and metrics.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from prometheus_client.metrics_core import Metric

from ade.api.families import families
from ade.api.http_figures import HttpFigures
from ade.domain.events import RECORDED, REPORTED_BY_ENGINE, REPORTED_BY_WORKER
from ade.operations.queue.rules import queue_rules
from ade.settings import load_settings
from ade.system import System, open_system


@contextmanager
def empty_system() -> Iterator[System]:
    """Open a system on an empty database with the settings' defaults."""
    with tempfile.TemporaryDirectory() as folder:
        system = open_system(load_settings(data_dir=Path(folder), database_url="", files_url="", auth_mode="local"))
        try:
            yield system
        finally:
            system.close()


def events_page() -> str:
    """Return every type of event."""
    return "\n".join(
        [
            "# Events",
            "",
            "What happens to a run or a build is recorded as events, numbered without gaps: `seq`, `at`, `type`,",
            "`run_id` or `build_id`, and what the type adds. Read them as a list (`/api/v1/runs/{id}/events`), a",
            "download (`events.ndjson`), or a stream that continues where `Last-Event-ID` says (`events/stream`);",
            "`ade runs events ID` prints them. [Events and files](../explanation/events-and-files.md) shows how they",
            "are kept.",
            "",
            "## Recorded by the database",
            "",
            "Written in the transaction of the change they record. In the stream they also have `lifecycle`, their",
            "number in the database.",
            "",
            *_table(RECORDED),
            "",
            "## Reported by the worker",
            "",
            *_table(REPORTED_BY_WORKER),
            "",
            "## Reported by the engine",
            "",
            "From the process that runs user code: shown, and believed in nothing. How a run ended is decided outside",
            "of it.",
            "",
            *_table(REPORTED_BY_ENGINE),
            "",
        ]
    )


def _table(types: Mapping[str, str]) -> list[str]:
    return ["| type | meaning |", "| --- | --- |", *(f"| `{name}` | {says} |" for name, says in types.items())]


def metrics_page() -> str:
    """Return every metric, as served for an empty database."""
    with empty_system() as system:
        rules = queue_rules(system.settings)
        shared = system.database.read(lambda tx: list(families(tx, rules)))
    return "\n".join(
        [
            "# Metrics",
            "",
            "`GET /metrics` answers in the text format of Prometheus. [Monitor](../how-to/monitor.md) has a scrape",
            "configuration, alert rules and a dashboard. In team mode a request needs `ADE_METRICS_TOKEN`, or an API",
            "key of an administrator of the deployment; the scope `read` is enough.",
            "",
            "## Of the deployment",
            "",
            "Read from the database at each scrape: every API server returns the same. Use `max` over instances.",
            "",
            *_rows(shared),
            "",
            "Each value of a label that ADE knows is there from the start, as 0. `priority` is the number of a",
            "[level](../glossary.md) (10 urgent, 20 high, 50 normal, 70 low, 90 background) or any other that was",
            "submitted; `reason` is what a run waits for, `ready` if only for a free slot; `percentile` is 50, 90 or",
            "99.",
            "",
            "Counters never fall: retention removes files and events, not what was counted. A restored backup, or rows",
            "of runs that you delete in the database, reset them, which Prometheus treats as a restart. The share",
            "of runs that found their build made already:",
            "`1 - rate(ade_builds_requested_total[1h]) / rate(ade_runs_submitted_total[1h])`.",
            "",
            "## Of one API server",
            "",
            "Counted in the process that answers, since it started: scrape each of them. Use `sum` over instances.",
            "",
            *_rows(HttpFigures([]).families()),
            "",
            "`route` is the route as in the API's reference, such as `/api/v1/runs/{run_id}`; `none` for requests that",
            "no route answers. `status` is the class: `2xx`, `3xx`, `4xx`, `5xx`. Of a stream or a download the time",
            "until its first byte counts.",
            "",
        ]
    )


def _rows(found: Iterable[Metric]) -> list[str]:
    rows = [
        f"| `{family.name}{'_total' if family.type == 'counter' else ''}` | {family.type} | {_labels(family)} | "
        f"{family.documentation} |"
        for family in found
    ]
    return ["| name | type | labels | meaning |", "| --- | --- | --- | --- |", *rows]


def _labels(family: object) -> str:
    return ", ".join(f"`{label}`" for label in getattr(family, "_labelnames", ()))
