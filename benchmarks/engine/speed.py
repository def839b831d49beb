"""Measures whole runs beside the usual way and beside bare reading and writing, in one sitting, as ratios."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from dataset import HEADERS

DATASET = Path(__file__).parent / "dataset.py"
TASKS = Path(__file__).parent / "tasks.py"
NAMES = {
    "run": "our whole run",
    "bare": "our bare read + bare write",
    "read": "our bare read",
    "calamine": "calamine + our writer",
    "calamine_xlsxwriter": "calamine + xlsxwriter",
    "peer": "openpyxl + polars, workbook in memory",
    "peer_streaming": "openpyxl + polars, streaming modes",
}
# These take minutes, or gigabytes, at a million rows.
SMALL_ONLY = {"peer", "peer_streaming", "calamine_xlsxwriter"}
# An installed engine has its bytecode; one that may not be written would be compiled at each start.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
IMPORTS = "import ade_engine.pipeline, ade_engine.readers.xlsx, ade_engine.writers.xlsx, ade_engine.configuration.load"


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def report_speed(
    sizes: list[int], *, peer_rows: int, repeats: int, folder: Path
) -> tuple[list[str], dict[int, dict[str, Cost]]]:
    """Return the lines of the report and the costs; each size is printed when it is done."""
    lines: list[str] = []
    measured: dict[int, dict[str, Cost]] = {}
    for row_count in sizes:
        source = _made(folder / f"{row_count}.xlsx", row_count)
        names = [name for name in NAMES if row_count <= peer_rows or name not in SMALL_ONLY]
        costs = {name: best(name, source, 1 if name.startswith("peer") else repeats) for name in names}
        measured[row_count] = costs
        part = _table(row_count, costs)
        print("\n".join(part), flush=True)
        lines += part
        source.unlink()
    part = ["", "## Start", "", *_start(folder)]
    print("\n".join(part), flush=True)
    return lines + part, measured


def _made(path: Path, row_count: int) -> Path:
    # In a process of its own: a child is charged for the memory its parent held when it was started.
    subprocess.run([sys.executable, str(DATASET), str(path), str(row_count)], check=True)
    return path


def best(task: str, source: Path, repeats: int) -> Cost:
    """Return the cheapest of several measurements: whatever else the machine does only adds."""
    return min((measure(task, source) for _ in range(repeats)), key=lambda cost: cost.cpu_seconds)


def measure(task: str, source: Path) -> Cost:
    """Run a task in a process of its own and return what the system says it took."""
    output = source.with_name(f"{task}.xlsx")
    started = time.monotonic()
    child = subprocess.Popen([sys.executable, str(TASKS), task, str(source), str(output)], env=ENVIRONMENT)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{task} ended with {child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1024)


def _table(row_count: int, costs: dict[str, Cost]) -> list[str]:
    run = costs["run"]
    lines = [
        "",
        f"## {row_count:,} rows x {len(HEADERS)} columns, xlsx to xlsx",
        "",
        "| task | CPU s | wall s | peak MB | CPU against our run | memory against our run |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, cost in costs.items():
        ratio = f"{cost.cpu_seconds / run.cpu_seconds:.2f} x | {cost.peak_mb / run.peak_mb:.2f} x"
        lines.append(
            f"| {NAMES[name]} | {cost.cpu_seconds:.2f} | {cost.wall_seconds:.2f} | {cost.peak_mb:.0f} | {ratio} |"
        )
    lines += ["", f"The whole run takes {run.cpu_seconds / costs['bare'].cpu_seconds:.2f} x bare read + bare write."]
    return lines


def _start(folder: Path) -> list[str]:
    source = _made(folder / "small.xlsx", 5000)
    first = min(_first_row(source) for _ in range(5))
    imports = min(_import_ms() for _ in range(5))
    idle = best("nothing", source, 5)
    return [
        f"- Python alone: {idle.cpu_seconds * 1000:.0f} ms CPU, {idle.peak_mb:.0f} MB",
        f"- importing what a run needs: {imports:.0f} ms",
        f"- first row at the writer, from the start of the process: {first:.0f} ms",
    ]


def _first_row(source: Path) -> float:
    started = time.clock_gettime(time.CLOCK_MONOTONIC)
    words = [sys.executable, str(TASKS), "first_row", str(source), str(source.with_name("first.xlsx")), str(started)]
    return _number(words)


def _import_ms() -> float:
    code = f"import time; a = time.perf_counter(); {IMPORTS}; print((time.perf_counter() - a) * 1000)"
    return _number([sys.executable, "-c", code])


def _number(words: list[str]) -> float:
    return float(subprocess.run(words, capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout)
