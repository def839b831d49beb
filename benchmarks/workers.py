"""How a drain grows with workers on one PostgreSQL, and what the queue adds to the work.

    bin/bench workers.py                    1 to 4 workers of one slot, 300 documents each time
    bin/bench workers.py --most 8 --runs 1000 --rows 2000

Each worker is a process of its own; they share the database and the files. The curve rises until the processors are
used. What the queue adds is the difference to the same attempts one after the other in a plain loop, which claims
nothing, asks nothing and writes no end, measured in turns with one worker of one slot.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import sqlalchemy as sa  # noqa: E402

from ade.database import migrate  # noqa: E402
from ade.database.schema import runs  # noqa: E402
from ade.database.transaction import Database  # noqa: E402
from ade.domain.queue import Ending  # noqa: E402
from ade.domain.run import RunStatus  # noqa: E402
from ade.logs import configure_logs  # noqa: E402
from ade.operations.attempts import RunOrder, begin_run  # noqa: E402
from ade.operations.queue import Room, claim_next  # noqa: E402
from ade.operations.rules import queue_rules  # noqa: E402
from ade.worker.attempt import Attempt  # noqa: E402
from ade.worker.endings import Ended, Endings  # noqa: E402
from ade.worker.identity import register, take_identity  # noqa: E402
from ade.worker.start import create_tools  # noqa: E402
from ade.worker.tools import Tools  # noqa: E402
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
    parser.add_argument("--rounds", type=int, default=5, help="of the plain loop and one worker, in turns")
    parser.add_argument("--rows", type=int, default=1000, help="rows of each document")
    arguments = parser.parse_args()
    with tempfile.TemporaryFile("w") as told, redirect_stderr(told):
        configure_logs(log_format="json")  # as a worker's, for the loop
        measure_all(arguments)
    return 0


def measure_all(arguments: argparse.Namespace) -> None:
    """Print the curve, then what the queue adds."""
    print(f"{arguments.runs} documents of {arguments.rows} rows, {os.cpu_count()} processors, PostgreSQL, durable")
    print(f"{'workers':>8} {'runs/s':>8} {'against one':>12}")
    first = 0.0
    for workers in range(1, arguments.most + 1):
        rate = measure(lambda stage, workers=workers: drained(stage, workers, arguments))
        first = first or rate
        print(f"{workers:>8} {rate:>8.1f} {rate / first:>11.2f}x", flush=True)
    added = []
    for _ in range(arguments.rounds):
        bare = measure(lambda stage: looped(stage, arguments))
        queued = measure(lambda stage: drained(stage, 1, arguments))
        added.append(bare / queued - 1)
        print(f"a plain loop {bare:.1f} runs/s, one worker {queued:.1f}: the queue adds {added[-1]:.1%}", flush=True)
    print(f"the queue adds {statistics.median(added):.1%} (median of {len(added)})")


def measure(work: Callable[[Stage], float]) -> float:
    """Return runs a second, on a fresh database whose build is made."""
    server = Postgres(is_durable=True)
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as folder:
        Path(folder).chmod(0o755)
        database = Database(server.url())
        migrate.upgrade(database)
        database.close()
        stage = Stage(Path(folder), database_url=server.url(), tick_seconds=1, lease_seconds=15, max_concurrency=1)
        try:
            return work(stage)
        finally:
            stage.close()
            server.stop()


def drained(stage: Stage, workers: int, arguments: argparse.Namespace) -> float:
    """Let workers drain a queue."""
    processes = [stage.start("worker") for _ in range(workers)]
    configuration = stage.configuration(RULES)
    stage.wait_for_end(submit(stage, configuration, 4 * workers, arguments.rows))
    submitted = set(submit(stage, configuration, arguments.runs, arguments.rows))
    wait_for_all(stage)
    for process in processes:
        stage.stop(process)
    return rate_of(stage, submitted)


def looped(stage: Stage, arguments: argparse.Namespace) -> float:
    """Take the same attempts one after the other, without a queue: all was claimed and asked before."""
    configuration = stage.configuration(RULES)
    process = stage.start("worker")
    stage.wait_for_end(submit(stage, configuration, 4, arguments.rows))
    stage.stop(process)
    submit(stage, configuration, arguments.runs + 4, arguments.rows)
    identity = take_identity(stage.system.settings.data_dir)
    tools = create_tools(stage.system, identity, slots=1, mode="zygote")
    try:
        tools.launcher.warm()
        worker_id = register(stage.system, identity, tools, slots=1)
        attempts = list(claimed(stage, tools, worker_id, arguments.runs + 4))
        for attempt in attempts[:4]:
            attempt.execute()
        gc.freeze()  # as a worker does
        started = time.perf_counter()
        for attempt in attempts[4:]:
            attempt.execute()
        return arguments.runs / (time.perf_counter() - started)
    finally:
        tools.close()


def claimed(stage: Stage, tools: Tools, worker_id: str, count: int) -> Iterator[Attempt]:
    """Claim everything there is and ask what each needs."""
    rules = queue_rules(stage.system.settings)
    claims = stage.write(lambda tx: claim_next(tx, worker_id, rules=rules, room=Room(slots=count)))
    for claim in claims:
        attempt = Loose(stage.system, tools, claim, slot=0, worker_id=worker_id, endings=Unwritten())
        attempt.order = stage.system.database.read(
            lambda tx, claim=claim: begin_run(tx, claim, folder=f"runs/{claim.id}/{claim.token}")
        )
        yield attempt


class Unwritten(Endings):
    """Takes the end of a run as written."""

    def __init__(self) -> None:
        """Need no database."""

    def write(self, attempt: Ended, ending: Ending) -> RunStatus:  # noqa: ARG002
        """Write nothing."""
        return RunStatus.SUCCEEDED


class Loose(Attempt):
    """An attempt that knows already what to do."""

    order: RunOrder

    def _execute(self) -> None:
        self._carry_out(self.order)


def submit(stage: Stage, configuration: str, count: int, rows: int) -> list[str]:
    """Submit so many documents."""
    content = b"Name,Age\n" + b"".join(b"Ada %d,%d\n" % (n, n % 90) for n in range(rows))
    return stage.submit(configuration, *(stage.document(content) for _ in range(count)))


def wait_for_all(stage: Stage) -> None:
    """Wait without taking much of the processor from what is measured."""
    left = sa.select(runs.c.id).where(runs.c.finished_at.is_(None)).limit(1)
    while stage.read(left):
        time.sleep(1)


def rate_of(stage: Stage, submitted: set[str]) -> float:
    """Return runs a second from the first start to the last end."""
    found = [
        row for row in stage.read(sa.select(runs.c.id, runs.c.started_at, runs.c.finished_at)) if row.id in submitted
    ]
    whole = max(row.finished_at for row in found) - min(row.started_at for row in found)
    return len(found) / whole.total_seconds()


if __name__ == "__main__":
    sys.exit(main())
