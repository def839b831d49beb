"""The pages about a deployment that come from its code: events.md and metrics.md."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ade.api.routes import metrics
from ade.domain.events import RECORDED, TOLD_BY_ENGINE, TOLD_BY_WORKER
from ade.operations.rules import queue_rules
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
            "What happens to a run or a build is told as events, numbered from 1 without gaps: `seq`, `at`, `type`,",
            "`run_id` or `build_id`, and what the type adds. Read them as a list (`/api/v1/runs/{id}/events`), a",
            "download (`events.ndjson`), or a stream that goes on where `Last-Event-ID` says (`events/stream`);",
            "`ade runs events ID` prints them. [Events and files](../explanation/events-and-files.md) tells how they",
            "are kept.",
            "",
            "## Recorded by the database",
            "",
            "Written in the transaction of what they tell. In the stream they also have `lifecycle`, their number in",
            "the database.",
            "",
            *_table(RECORDED),
            "",
            "## Told by the worker",
            "",
            *_table(TOLD_BY_WORKER),
            "",
            "## Told by the engine",
            "",
            "From the process that runs user code: shown, and believed in nothing. How a run ended is decided outside",
            "of it.",
            "",
            *_table(TOLD_BY_ENGINE),
            "",
        ]
    )


def _table(types: Mapping[str, str]) -> list[str]:
    return ["| type | meaning |", "| --- | --- |", *(f"| `{name}` | {says} |" for name, says in types.items())]


def metrics_page() -> str:
    """Return every number of /metrics, as told for an empty database."""
    with empty_system() as system:
        rules = queue_rules(system.settings)
        families = system.database.read(lambda tx: list(metrics._families(tx, rules)))  # noqa: SLF001 - told as served
    rows = [
        f"| `{family.name}{'_total' if family.type == 'counter' else ''}` | {family.type} | {_labels(family)} | "
        f"{family.documentation} |"
        for family in families
    ]
    return "\n".join(
        [
            "# Metrics",
            "",
            "`GET /metrics` answers in Prometheus' text format. The numbers are read from the database when",
            "they are asked for, so any one server tells those of the whole deployment: scrape one address, not each",
            "process. In team mode the request needs an API key; one of the scope `read` is enough.",
            "",
            "| name | type | labels | meaning |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
            "Counters of claims and recoveries count the events that are kept: retention lowers them, which Prometheus",
            "takes for a restart.",
            "",
        ]
    )


def _labels(family: object) -> str:
    return ", ".join(f"`{label}`" for label in getattr(family, "_labelnames", ()))
