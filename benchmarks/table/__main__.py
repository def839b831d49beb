"""Queue, runs and engine beside their peers: one table and one picture, from one run.

    bin/ade bench                       a quarter of an hour on two cores
    bin/ade bench --quick               small sizes: whether it works, not how fast
    bin/ade bench --picture bench.png   where the picture goes

Machines differ by a factor of ten, and so does one machine from hour to hour: only the ratios mean something.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1]
ONE, TEN = "claimed one at a time", "claimed for ten slots"


@dataclass(frozen=True)
class Line:
    """A row of the table: a number of ours beside one of a peer."""

    part: str
    subject: str
    unit: str
    ours: float
    peer: str = ""
    theirs: float = 0.0
    is_less_better: bool = False
    paired: float | None = None  # the median ratio of rounds that were measured side by side, where there were some

    @property
    def ratio(self) -> float | None:
        """Return how many times better ours is."""
        if self.paired is not None:
            return self.paired
        if not self.peer or not self.ours or not self.theirs:
            return None
        return self.theirs / self.ours if self.is_less_better else self.ours / self.theirs


def main() -> int:
    """Measure, print the table, save the picture."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as scratch:
        lines = [*_queue(Path(scratch), options), *_runs(Path(scratch), options), *_engine(Path(scratch), options)]
    print(_table(lines))
    _draw(lines, options.picture)
    print(f"picture: {options.picture}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bin/ade bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--picture", type=Path, default=Path("bench.png"))
    return parser.parse_args()


def _queue(scratch: Path, options: argparse.Namespace) -> list[Line]:
    size = ["--quick"] if options.quick else []
    told = _measured(scratch, "queue", ["--only", "drain", "--only", "pickup", *size])
    found = {(one["subject"], one["contestant"]): one["value"] for one in told["figures"]}
    one, ten = f"drain, 1 process, {ONE}", f"drain, 1 process, {TEN}"
    once, often = "drain one at a time", "drain for ten slots"
    rows = [
        (one, "ADE, PostgreSQL", "procrastinate", one, f"{once} / procrastinate"),
        (one, "ADE, PostgreSQL", "pgqueuer", one, f"{once} / pgqueuer"),
        (ten, "ADE, PostgreSQL", "procrastinate", ten, f"{often} / procrastinate"),
        (ten, "ADE, PostgreSQL", "pgqueuer", ten, f"{often} / pgqueuer"),
        (ten, "ADE, PostgreSQL", "raw", "drain, raw loop, one connection", f"{often} / raw loop"),
        (one, "ADE, SQLite", "huey, SQLite", one, f"{once} / huey"),
    ]
    lines = [
        Line("queue", f"{subject}, {ours}", "runs/s", found[subject, ours], peer, found[theirs, peer],
             paired=found.get((ratio, ours)))
        for subject, ours, peer, theirs, ratio in rows
        if (subject, ours) in found and (theirs, peer) in found
    ]  # fmt: skip
    pickups = [(key, value) for key, value in found.items() if key[0] == "pickup p99"]
    return lines + [Line("queue", f"{subject}, {who}", "ms", value) for (subject, who), value in pickups]


def _runs(scratch: Path, options: argparse.Namespace) -> list[Line]:
    modes = _measured(scratch, "runs.py", ["--runs", "60" if options.quick else "400"])["modes"]
    zygote, spawn = (next(one for one in modes if one["mode"] == mode) for mode in ("zygote", "spawn"))
    return [
        Line("runs", "small documents, two slots, SQLite", "runs/s", zygote["runs_per_second"], "spawned children",
             spawn["runs_per_second"]),
        Line("runs", "a warm run of 100 rows, claim to end", "ms", zygote["warm_ms"], "spawned children",
             spawn["warm_ms"], is_less_better=True),
    ]  # fmt: skip


def _engine(scratch: Path, options: argparse.Namespace) -> list[Line]:
    rows = 10_000 if options.quick else 100_000
    words = ["speed", "--rows", str(rows), "--repeats", "1" if options.quick else "2"]
    costs = _measured(scratch, "engine", words)["sizes"][str(rows)]
    lines = []
    for name, peer in (("peer_streaming", "openpyxl + polars"), ("bare", "our bare read + write")):
        for key, unit in (("cpu_seconds", "CPU s"), ("peak_mb", "MB")):
            subject = f"{rows:,} x 12, xlsx to xlsx"
            lines.append(Line("engine", subject, unit, costs["run"][key], peer, costs[name][key], is_less_better=True))
    return lines


def _measured(scratch: Path, name: str, words: list[str]) -> dict[str, Any]:
    target = scratch / f"{name}.json"
    print(f"measuring: {name} {' '.join(words)}", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, str(FOLDER / name), *words, "--json", str(target)], check=True, stdout=sys.stderr)
    told: dict[str, Any] = json.loads(target.read_text())
    return told


def _table(lines: list[Line]) -> str:
    head = [f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", ""]
    cells = [("part", "what", "unit", "ADE", "beside", "theirs", "ratio")]
    for line in lines:
        ratio = f"{line.ratio:.2f} x" if line.ratio else ""
        theirs = f"{line.theirs:,.1f}" if line.peer else ""
        cells.append((line.part, line.subject, line.unit, f"{line.ours:,.1f}", line.peer, theirs, ratio))
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    return "\n".join(
        [*head, *("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)]
    )


def _draw(lines: list[Line], path: Path) -> None:
    """Save the ratios as bars: right of one, ADE is better."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    compared = [(line, line.ratio) for line in lines if line.ratio]
    colours = {"queue": "#3b6ea5", "runs": "#5a9367", "engine": "#b5653a"}
    figure, axes = pyplot.subplots(figsize=(10, 0.5 * len(compared) + 1.5))
    names = [f"{line.part}: {line.subject} ({line.unit})\nbeside {line.peer}" for line, _ in compared]
    ratios = [ratio for _, ratio in compared]
    bars = axes.barh(names, [ratio - 1 for ratio in ratios], left=1, color=[colours[line.part] for line, _ in compared])
    axes.bar_label(bars, [f" {ratio:.2g} x " for ratio in ratios])
    axes.set_xscale("log")
    axes.set_xlim(min(*ratios, 1) / 1.6, max(*ratios, 1) * 1.6)
    marks = [
        mark for mark in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32) if axes.get_xlim()[0] <= mark <= axes.get_xlim()[1]
    ]
    axes.set_xticks(marks, [f"{mark:g}" for mark in marks])
    axes.minorticks_off()
    axes.axvline(1, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel("times better than the other, in one run on one machine")
    axes.tick_params(axis="y", labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


if __name__ == "__main__":
    sys.exit(main())
