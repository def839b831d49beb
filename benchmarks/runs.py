"""How fast runs are executed: many small documents through a worker, and one warm run, zygote beside spawn.

    bin/bench runs                                1000 documents, SQLite, two slots
    bin/bench runs --runs 100 --slots 4 --modes zygote

Also tells how long a cancelled run that ignores signals lives on. Prints one table.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import sqlalchemy as sa  # noqa: E402

from ade.database.schema import runs  # noqa: E402
from ade.logs import configure_logs  # noqa: E402
from ade.worker.start import create_worker  # noqa: E402
from worker import processes  # noqa: E402
from worker.stage import STUBBORN, Stage  # noqa: E402

Mode = Literal["zygote", "spawn"]
CONFIGURATION = ROOT / "samples/configurations/people"
SMALL = ROOT / "samples/title_above_header.xlsx"
HUNDRED_ROWS = "Member number;First name;Last name;E-mail;Joined\n" + "".join(
    f"{number:05};Ada{number};Lovelace;ada{number}@example.org;2024-01-{number % 28 + 1:02}\n" for number in range(100)
)


@dataclass(frozen=True)
class Figures:
    """What one mode measured."""

    mode: Mode
    runs_per_second: float
    memory_first_mb: float
    memory_last_mb: float
    most_children: int
    warm_ms: float
    warm_p90_ms: float
    steps_ms: dict[str, float]
    worker_cpu_ms: float
    children_cpu_ms: float
    cancel_ms: float


def main() -> int:
    """Measure each mode and print the table."""
    arguments = parse()
    configure_logs(level="error")
    figures = [measure(mode, arguments) for mode in arguments.modes]
    show(figures, arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps({"modes": [asdict(one) for one in figures]}, indent=1) + "\n")
    return 0


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--slots", type=int, default=2)
    parser.add_argument("--warm", type=int, default=20, help="runs of the warm measurement")
    parser.add_argument("--cancels", type=int, default=5, help="runs that ignore signals and are cancelled")
    parser.add_argument("--modes", nargs="+", choices=["zygote", "spawn"], default=["zygote", "spawn"])
    parser.add_argument("--json", type=Path, help="also write the figures there")
    parser.add_argument("--database", default="", help="another database than a fresh SQLite file")
    return parser.parse_args()


def measure(mode: Mode, arguments: argparse.Namespace) -> Figures:
    """Drain the queue once, then time single runs."""
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as folder:
        stage = Stage(Path(folder) / "data", database_url=arguments.database, tick_seconds=1, lease_seconds=15)
        Path(folder).chmod(0o755)
        configuration = stage.configuration(configuration_files())
        worker, tools = create_worker(stage.system, slots=arguments.slots, mode=mode)
        thread = threading.Thread(target=worker.run)
        thread.start()
        try:
            warm_up(stage, configuration)
            drained = drain(stage, configuration, arguments.runs if mode == "zygote" else max(arguments.runs // 10, 10))
            warm = time_single_runs(stage, configuration, arguments.warm)
            cancel_ms = time_cancels(stage, arguments.cancels)
        finally:
            worker.stop()
            thread.join()
            tools.close()
            stage.close()
    return Figures(mode=mode, **drained, **warm, cancel_ms=cancel_ms)


def configuration_files() -> dict[str, str | bytes]:
    """Return the sample configuration."""
    found = [path for path in CONFIGURATION.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return {path.relative_to(CONFIGURATION).as_posix(): path.read_bytes() for path in found}


def warm_up(stage: Stage, configuration: str) -> None:
    """Have the build made and everything imported."""
    stage.wait_for_end(stage.submit(configuration, *(stage.document() for _ in range(4))))


def drain(stage: Stage, configuration: str, count: int) -> dict[str, Any]:
    """Submit all runs at once, and watch them go."""
    documents = [stage.document(SMALL.read_bytes(), "people.xlsx") for _ in range(count)]
    watch = Watch()
    own, others = cpu_seconds()
    submitted: list[str] = []
    started = time.perf_counter()
    for start in range(0, count, 1000):
        submitted += stage.submit(configuration, *documents[start : start + 1000])
    with watch:
        wait_for_all(stage)
    seconds = time.perf_counter() - started
    failed = stage.statuses().get("failed", 0)
    if failed:
        raise SystemExit(f"{failed} runs failed")
    own_after, others_after = cpu_seconds()
    return {
        "runs_per_second": count / seconds,
        "worker_cpu_ms": (own_after - own) / count * 1000,
        "children_cpu_ms": (others_after - others) / count * 1000,
        **watch.figures(),
    }


def wait_for_all(stage: Stage) -> None:
    """Wait without taking much of the processor from what is measured."""
    left = sa.select(runs.c.id).where(runs.c.finished_at.is_(None)).limit(1)
    while stage.read(left):
        time.sleep(0.05)


def cpu_seconds() -> tuple[float, float]:
    """Return the processor time of this process, and of all it started: those that ended and the zygotes' own."""
    ticks = os.sysconf("SC_CLK_TCK")
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = ended.ru_utime + ended.ru_stime
    for pid, _ in processes.children(os.getpid()):
        with suppress(OSError):
            facts = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            others += sum(int(value) for value in facts[11:15]) / ticks
    return time.process_time(), others


class Watch:
    """Looks at memory and children from a thread of its own."""

    def __init__(self) -> None:
        self._memory: list[float] = []
        self._most_children = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def figures(self) -> dict[str, Any]:
        """Return the memory at the start and the end, and the most children there were at once."""
        quarter = max(len(self._memory) // 10, 1)
        return {
            "memory_first_mb": statistics.mean(self._memory[:quarter]),
            "memory_last_mb": statistics.mean(self._memory[-quarter:]),
            "most_children": self._most_children,
        }

    def _look(self) -> None:
        while not self._is_over.wait(0.2):
            self._memory.append(resident_mb())
            self._most_children = max(self._most_children, children_count())


def resident_mb() -> float:
    """Return the memory of this process, which holds the worker."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def children_count() -> int:
    """Return how many runs have a process now."""
    own = processes.children(os.getpid())
    named = processes.names(own)
    keepers = sum(" keeper " in command for command in named.values())
    zygotes = [pid for pid, command in named.items() if " zygote " in command]
    return keepers + sum(len(processes.living(processes.children(pid))) for pid in zygotes)


def time_single_runs(stage: Stage, configuration: str, count: int) -> dict[str, Any]:
    """Time runs of a hundred rows, one after the other, from claim to finished, as the database saw them."""
    document = stage.document(HUNDRED_ROWS.encode(), "members.csv")
    took: list[float] = []
    steps: list[dict[str, float]] = []
    for _ in range(count):
        [run_id] = stage.submit(configuration, document)
        stage.wait_for_end([run_id])
        row = stage.read(sa.select(runs.c.started_at, runs.c.finished_at, runs.c.metrics).where(runs.c.id == run_id))[0]
        took.append((row.finished_at - row.started_at).total_seconds() * 1000)
        steps.append(row.metrics["steps"])
    means = {name: statistics.median(each[name] for each in steps) * 1000 for name in steps[0]}
    return {
        "warm_ms": statistics.median(took),
        "warm_p90_ms": sorted(took)[int(len(took) * 0.9)],
        "steps_ms": means,
    }


def time_cancels(stage: Stage, count: int) -> float:
    """Return the longest time from asking until a run that ignores signals is cancelled and all of it is gone."""
    configuration = stage.configuration(STUBBORN)
    took: list[float] = []
    for _ in range(count):
        [run_id] = stage.submit(configuration)
        stage.wait_for_event(run_id, "engine.run.started")
        started = time.perf_counter()
        stage.cancel(run_id)
        stage.wait_for(run_id, "cancelled")
        while children_count():
            time.sleep(0.005)
        took.append((time.perf_counter() - started) * 1000)
    return max(took, default=0.0)


def show(figures: list[Figures], arguments: argparse.Namespace) -> None:
    """Print the table."""
    print(f"{arguments.runs} small documents, {arguments.slots} slots (spawn: a tenth of them)")
    head = ("mode", "runs/s", "memory MB start", "end", "most children", "warm ms p50", "p90", "CPU ms worker",
            "CPU ms children", "cancel ms max", "steps ms (p50)")  # fmt: skip
    print("  ".join(f"{word:>15}" for word in head))
    for one in figures:
        steps = " ".join(f"{name} {value:.0f}" for name, value in one.steps_ms.items())
        cells = (
            one.mode, f"{one.runs_per_second:.1f}", f"{one.memory_first_mb:.0f}", f"{one.memory_last_mb:.0f}",
            str(one.most_children), f"{one.warm_ms:.0f}", f"{one.warm_p90_ms:.0f}",
            f"{one.worker_cpu_ms:.0f}", f"{one.children_cpu_ms:.0f}", f"{one.cancel_ms:.0f}", steps,
        )  # fmt: skip
        print("  ".join(f"{cell:>15}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
