"""How a drain grows with workers on one PostgreSQL, and what the queue adds to the work.

    bin/bench workers                       1 to 4 workers of one slot, 300 documents each time
    bin/bench workers --most 8 --runs 1000 --rows 2000

Each worker is a process of its own; they share the database and the files. The curve rises until the processors are
used. What the queue adds is the difference to the same attempts one after the other in a plain loop, which claims
nothing, asks nothing and writes no end. A worker of one slot and the loop take turns in one process, a few documents
each, since the machine is quicker in one minute than in the next.
"""

from __future__ import annotations

import argparse
import gc
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import sqlalchemy as sa  # noqa: E402

from ade.database.maintenance import migrate  # noqa: E402
from ade.database.schema import runs  # noqa: E402
from ade.database.transaction import Database  # noqa: E402
from ade.domain.queue import Ending  # noqa: E402
from ade.domain.run import RunStatus  # noqa: E402
from ade.logs import configure_logs  # noqa: E402
from ade.operations.queue.attempts import RunOrder, begin_run  # noqa: E402
from ade.operations.queue.claiming import Room, finish_and_claim, finish_run  # noqa: E402
from ade.operations.queue.rules import queue_rules  # noqa: E402
from ade.worker.attempt import Attempt  # noqa: E402
from ade.worker.endings import Ended, Endings  # noqa: E402
from ade.worker.identity import register, take_identity  # noqa: E402
from ade.worker.loop import Worker  # noqa: E402
from ade.worker.start import create_tools  # noqa: E402
from postgres import Postgres  # noqa: E402
from worker.stage import Stage  # noqa: E402

T = TypeVar("T")
UNFINISHED = sa.select(runs.c.id).where(runs.c.finished_at.is_(None)).limit(1)
RULES = {
    "columns/name.py": 'from ade_engine import Field\n\nfield = Field("name", aliases=["Name"])\n',
    "columns/age.py": 'from ade_engine import Field\n\nfield = Field("age", type="integer", aliases=["Age"])\n',
}


def main() -> int:
    """Measure each number of workers on a fresh database; print the curve."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=4, help="workers of the last measurement")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=60, help="of batches of the plain loop and one worker")
    parser.add_argument("--batch", type=int, default=10, help="documents of each")
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
    added = measure(lambda stage: what_the_queue_adds(stage, arguments))
    low, middle, high = statistics.quantiles(added, n=4)
    print(f"the queue adds {middle:.1%} (median of {len(added)} pairs; half of them {low:.1%} to {high:.1%})")


def measure(work: Callable[[Stage], T]) -> T:
    """Measure on a fresh, durable database."""
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
    return arguments.runs / seconds_of(stage, submitted)


def what_the_queue_adds(stage: Stage, arguments: argparse.Namespace) -> list[float]:
    """Return how much longer a worker takes than the plain loop, pair by pair."""
    configuration = stage.configuration(RULES)
    with Bench(stage, lambda count: submit(stage, configuration, count, arguments.rows)) as bench:
        bench.queued(4)  # makes the build
        bench.looped(4)
        added = []
        for number in range(arguments.pairs):
            first, second = (bench.queued, bench.looped) if number % 2 else (bench.looped, bench.queued)
            taken = {measured: measured(arguments.batch) for measured in (first, second)}
            added.append(taken[bench.queued] / taken[bench.looped] - 1)
        return added


class Bench:
    """A worker and a plain loop that make the same attempts with the same tools, one after the other."""

    def __init__(self, stage: Stage, submit_: Callable[[int], list[str]]) -> None:
        self._stage = stage
        self._submit = submit_
        self._identity = take_identity(stage.system.settings.data_dir)
        self._tools = create_tools(stage.system, self._identity, slots=1, mode="zygote")

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._tools.close()

    def queued(self, count: int) -> float:
        """Return the seconds a worker takes from its first claim to its last end."""
        submitted = set(self._submit(count))
        worker = Worker(self._stage.system, self._tools, self._identity, slots=1)
        thread = threading.Thread(target=worker.run)
        thread.start()
        wait_for_all(self._stage, every=0.2)
        worker.stop()
        thread.join()
        return seconds_of(self._stage, submitted)

    def looped(self, count: int) -> float:
        """Return the seconds of the same attempts without a queue: all was claimed and asked before."""
        self._submit(count)
        attempts, rules = list(self._claimed(count)), queue_rules(self._stage.system.settings)
        gc.freeze()  # as a worker does
        started = time.perf_counter()
        for attempt in attempts:
            attempt.execute()
        taken = time.perf_counter() - started
        for attempt in attempts:
            self._stage.write(lambda tx, attempt=attempt: finish_run(tx, Ending(claim=attempt.claim), rules=rules))
        return taken

    def _claimed(self, count: int) -> Iterator[Loose]:
        """Claim everything there is and ask what each needs."""
        system, tools = self._stage.system, self._tools
        worker_id = register(system, self._identity, tools, slots=1)
        rules = queue_rules(system.settings)
        room = Room(slots=count)
        _, claims = self._stage.write(lambda tx: finish_and_claim(tx, worker_id, [], rules=rules, room=room))
        for claim in claims:
            attempt = Loose(system, tools, claim, slot=0, worker_id=worker_id, endings=Unwritten())
            folder = f"runs/{claim.id}/{claim.token}"
            attempt.order = self._stage.write(
                lambda tx, claim=claim, folder=folder: begin_run(tx, claim, folder=folder)
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
    """Submit a number of documents."""
    content = b"Name,Age\n" + b"".join(b"Ada %d,%d\n" % (n, n % 90) for n in range(rows))
    return stage.submit(configuration, *(stage.document(content) for _ in range(count)))


def wait_for_all(stage: Stage, *, every: float = 1) -> None:
    """Wait without taking much of the processor from what is measured."""
    while stage.read(UNFINISHED):
        time.sleep(every)


def seconds_of(stage: Stage, submitted: set[str]) -> float:
    """Return the time from the first start to the last end."""
    found = [
        row for row in stage.read(sa.select(runs.c.id, runs.c.started_at, runs.c.finished_at)) if row.id in submitted
    ]
    whole: timedelta = max(row.finished_at for row in found) - min(row.started_at for row in found)
    return whole.total_seconds()


if __name__ == "__main__":
    sys.exit(main())
