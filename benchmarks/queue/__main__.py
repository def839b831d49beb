"""Measures the queue on SQLite and PostgreSQL, durable, beside others on the same databases, in one run.

    bin/bench queue                     everything: half an hour on two cores
    bin/bench queue --quick             a smoke test: small sizes, under a minute
    bin/bench queue --only drain        submissions, drain, pickup, recovery, claims or lock
    bin/bench queue --json out.json     the figures as data

Machines differ by a factor of ten, and so does one machine from hour to hour: compare within one run.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # the PostgreSQL launcher and the makers of rows

import cases  # noqa: E402
from figures import Report  # noqa: E402
from sites import Sites  # noqa: E402

QUICK = {
    "submissions": 50,
    "batch": 20,
    "runs": 100,
    "rounds": 1,
    "samples": 20,
    "pickups": 20,
    "waiting": 2_000,
    "blocked": 500,
    "queued": 10_000,
}
FULL = {
    "submissions": 1_000,
    "batch": 1_000,
    "runs": 1_000,
    "rounds": 5,
    "samples": 200,
    "pickups": 600,
    "waiting": 1_000_000,
    "blocked": 100_000,
    "queued": 10_000,
}
CASES = {
    "submissions": cases.submissions,
    "drain": cases.drains,
    "pickup": cases.pickups,
    "recovery": cases.recoveries,
    "claims": cases.claims,
    "lock": cases.locks,
}


def main() -> int:
    """Measure what was asked for, print each figure, and the ratios last."""
    arguments = _parse()
    sizes = cases.Sizes(**{name: getattr(arguments, name) or size for name, size in _defaults(arguments).items()})
    report = Report(_machine())
    print(", ".join(f"{name} {value}" for name, value in report.machine.items()), flush=True)
    with tempfile.TemporaryDirectory(prefix="ade-bench-") as folder, Sites(Path(folder), arguments.database) as sites:
        for name in arguments.only or CASES:
            CASES[name](report, sites, sizes)
    cases.ratios(report)
    report.machine["load at the end"] = _load()
    if arguments.json:
        report.save(arguments.json)
    return cases.verdict(report)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="bin/bench queue", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small sizes")
    parser.add_argument("--only", action="append", choices=sorted(CASES), help="one kind of measurement; repeatable")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], help="one database instead of both")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    for name, size in FULL.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=f"default {size:,}, quick {QUICK[name]:,}")
    return parser.parse_args()


def _defaults(arguments: argparse.Namespace) -> dict[str, int]:
    return QUICK if arguments.quick else FULL


def _machine() -> dict[str, str]:
    return {
        "cores": str(os.cpu_count()),
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()}",
        "load at the start": _load(),
    }


def _load() -> str:
    return " ".join(f"{load:.1f}" for load in os.getloadavg())


if __name__ == "__main__":
    sys.exit(main())
