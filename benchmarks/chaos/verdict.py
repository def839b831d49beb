"""What must hold after everything that was done: read from the database, the files and the process table."""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from load import Load
from site_of_chaos import Site

from ade.client import Client
from ade.database.schema import builds, events, queue_control, runs
from ade.database.transaction import Database
from worker import processes

ENDINGS = ("run.succeeded", "run.failed", "run.cancelled")
KNOWN_FAILURES = {"process_terminated"}  # a child killed by our hand, twice in a row
PATIENCE_SECONDS = 240


def judge(site: Site, load: Load) -> list[str]:
    """Return each invariant that was broken, as a sentence."""
    database = Database(site.database_url)
    try:
        if not _all_end(database):
            return [f"runs did not end within {PATIENCE_SECONDS} s: {_waiting(database)}"]
        found = [*_of_runs(database, load), *_of_events(database), *_of_numbers(database)]
        with site.client(site.servers[0], timeout=60) as client:
            found += _of_files(client, database, load, site.folder)
        print(f"  {_statuses(database)}", flush=True)
        site.stop_processes()
        return [*found, *_of_processes(site)]
    finally:
        database.close()


def _all_end(database: Database) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if not _waiting(database):
            return True
        time.sleep(0.5)
    return False


def _waiting(database: Database) -> list[Any]:
    open_ones = sa.select(runs.c.id, runs.c.status, runs.c.block_mask).where(runs.c.status.in_(["queued", "running"]))
    return [tuple(row) for row in _rows(database, open_ones)]


def _statuses(database: Database) -> str:
    found = _rows(database, sa.select(runs.c.status, runs.c.failure_code))
    counts = Counter(f"{row.status} ({row.failure_code})" if row.failure_code else row.status for row in found)
    return ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))


def _of_runs(database: Database, load: Load) -> Iterator[str]:
    columns = sa.select(
        runs.c.id,
        runs.c.status,
        runs.c.failure_code,
        runs.c.failure_message,
        runs.c.created_at,
        runs.c.started_at,
        runs.c.finished_at,
    )
    statuses = {row.id: row for row in _rows(database, columns)}
    lost = set(load.accepted.values()) - set(statuses)
    if lost:
        yield f"{len(lost)} accepted runs are not there"
    if len(statuses) > len(load.accepted):
        yield f"{len(statuses)} runs of {len(load.accepted)} submissions: one was taken twice"
    for run in statuses.values():
        if run.status == "cancelled" and run.id not in load.cancelled:
            yield f"run {run.id} was cancelled by nobody"
        if not run.created_at <= (run.started_at or run.finished_at) <= run.finished_at:
            yield f"run {run.id} ended before it began"
        if run.status == "failed" and run.failure_code not in KNOWN_FAILURES:
            yield f"run {run.id} failed with {run.failure_code}: {run.failure_message}"


def _of_events(database: Database) -> Iterator[str]:
    told = _rows(database, sa.select(events).where(events.c.subject_kind == "run").order_by(events.c.position))
    endings = Counter(row.subject_id for row in told if row.type in ENDINGS)
    for run_id, count in endings.items():
        if count != 1:
            yield f"run {run_id} ended {count} times"
    sequences: dict[str, list[int]] = defaultdict(list)
    times: dict[str, list[Any]] = defaultdict(list)
    for row in told:
        sequences[row.subject_id].append(row.sequence)
        times[row.subject_id].append(row.at)
    for run_id, numbers in sequences.items():
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the recorded events of run {run_id} have gaps: {numbers}"
        if times[run_id] != sorted(times[run_id]):
            yield f"time went back in the recorded events of run {run_id}: {[str(at) for at in times[run_id]]}"


def _of_numbers(database: Database) -> Iterator[str]:
    open_count = _rows(database, sa.select(queue_control.c.open_run_count).where(queue_control.c.name == "dispatch"))
    if open_count[0].open_run_count != 0:
        yield f"{open_count[0].open_run_count} runs are counted as open, and none is"
    unfinished = _rows(database, sa.select(builds.c.id).where(builds.c.status.in_(["queued", "building"])))
    if unfinished:
        yield f"{len(unfinished)} builds never ended"


def _of_files(client: Client, database: Database, load: Load, folder: Path) -> Iterator[str]:
    """Every stream is whole, and runs of one document have one output."""
    outputs: dict[str, set[str]] = defaultdict(set)
    columns = sa.select(runs.c.id, runs.c.status, runs.c.input_document_id)
    for run in _rows(database, columns):
        told = client.call("GET", f"/runs/{run.id}/events")["items"]
        numbers = [event["seq"] for event in told]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"the stream of run {run.id} has gaps: {numbers}"
        if sum(event["type"] in ENDINGS for event in told) != 1 or told[-1]["type"] not in ENDINGS:
            yield f"the stream of run {run.id} does not end with its one ending"
        if run.status == "succeeded":
            target = folder / "output.xlsx"
            client.download(f"/api/v1/runs/{run.id}/output", target)
            digest = hashlib.sha256(target.read_bytes()).hexdigest()
            outputs[load.documents[run.input_document_id]].add(digest)
    for name, digests in outputs.items():
        if len(digests) != 1:
            yield f"{name} became {len(digests)} different workbooks"


def _of_processes(site: Site) -> Iterator[str]:
    deadline = time.monotonic() + 20
    while (left := processes.living(site.seen)) and time.monotonic() < deadline:
        time.sleep(0.2)
    if left:
        yield f"processes stayed behind: {processes.names(left)}"
    work = [path for name in site.workers for path in (site.data_of(name) / "work").glob("*/*")]
    if work:
        yield f"folders stayed behind: {sorted({str(path.relative_to(site.folder)) for path in work})[:5]}"


def _rows(database: Database, statement: sa.Select[Any]) -> Sequence[Any]:
    return database.read(lambda tx: tx.execute(statement).all())
