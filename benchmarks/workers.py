"""How a drain grows with workers on one PostgreSQL, and what the queue adds to the work.

    bin/bench workers.py                    1 to 4 workers of one slot, 300 documents each time
    bin/bench workers.py --most 8 --runs 1000 --rows 2000

Each worker is a process of its own; they share the database and the files. The curve rises until the processors are
used. "Queue" is the share of a slot's time that is no work on a run (fetching its document, preparing, executing,
collecting): claiming, finishing, waiting for either, and telling what happens.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import defaultdict
from datetime import datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import sqlalchemy as sa  # noqa: E402

from ade.database import migrate  # noqa: E402
from ade.database.schema import runs  # noqa: E402
from ade.database.transaction import Database  # noqa: E402
from postgres import Postgres  # noqa: E402
from worker.stage import Stage  # noqa: E402

RULES = {
    "columns/name.py": 'from ade_engine import Field\n\nfield = Field("name", aliases=["Name"])\n',
    "columns/age.py": 'from ade_engine import Field\n\nfield = Field("age", type="integer", aliases=["Age"])\n',
}


def main() -> int:
    """Measure each number of workers on a fresh database; print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=4, help="workers of the last measurement")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--rows", type=int, default=1000, help="rows of each document")
    arguments = parser.parse_args()
    print(f"{arguments.runs} documents of {arguments.rows} rows, {os.cpu_count()} processors, PostgreSQL, durable")
    print(f"{'workers':>8} {'runs/s':>8} {'against one':>12} {'queue':>7}")
    first = 0.0
    for workers in range(1, arguments.most + 1):
        rate, share = measure(workers, arguments)
        first = first or rate
        print(f"{workers:>8} {rate:>8.1f} {rate / first:>11.2f}x {share:>6.1%}", flush=True)
    return 0


def measure(workers: int, arguments: argparse.Namespace) -> tuple[float, float]:
    """Return runs a second and the queue's share, with so many workers."""
    server = Postgres(is_durable=True)
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as folder:
        Path(folder).chmod(0o755)
        database = Database(server.url())
        migrate.upgrade(database)
        database.close()
        stage = Stage(Path(folder), database_url=server.url(), tick_seconds=1, lease_seconds=15, max_concurrency=1)
        try:
            content = b"Name,Age\n" + b"".join(b"Ada %d,%d\n" % (n, n % 90) for n in range(arguments.rows))
            configuration = stage.configuration(RULES)
            processes = [stage.start("worker") for _ in range(workers)]
            stage.wait_for_end(stage.submit(configuration, *(stage.document(content) for _ in range(4 * workers))))
            documents = [stage.document(content) for _ in range(arguments.runs)]
            submitted = set(stage.submit(configuration, *documents))
            wait_for_all(stage)
            for process in processes:
                stage.stop(process)
            return figures(stage, submitted)
        finally:
            stage.close()
            server.stop()


def wait_for_all(stage: Stage) -> None:
    """Wait without taking much of the processor from what is measured."""
    left = sa.select(runs.c.id).where(runs.c.finished_at.is_(None)).limit(1)
    while stage.read(left):
        time.sleep(0.1)


def figures(stage: Stage, submitted: set[str]) -> tuple[float, float]:
    """Return the rate from the first start to the last end, and the share of the slots' time that was no work."""
    columns = sa.select(runs.c.id, runs.c.claimed_by, runs.c.started_at, runs.c.finished_at, runs.c.metrics)
    slots: dict[str, list[tuple[datetime, datetime]]] = defaultdict(list)
    worked = 0.0
    for row in stage.read(columns):
        if row.id in submitted:
            slots[row.claimed_by].append((row.started_at, row.finished_at))
            worked += sum(row.metrics["steps"].values())
    starts, ends = zip(*(span for used in slots.values() for span in used), strict=True)
    whole = sum((max(used)[1] - min(used)[0]).total_seconds() for used in slots.values())
    return len(starts) / (max(ends) - min(starts)).total_seconds(), 1 - worked / whole


if __name__ == "__main__":
    sys.exit(main())
