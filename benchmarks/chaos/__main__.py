"""Breaks a running deployment in every way it must survive, and looks afterwards whether anything was lost.

    bin/bench chaos                            two minutes on PostgreSQL, two on SQLite
    bin/bench chaos --minutes 10               a soak; hours if you like
    bin/bench chaos --database sqlite --seed 7 the faults of one seed come in the same order

Several servers and workers run real documents while processes are killed and stopped past their leases, the database is
restarted and its connections are cut, the store is slow, disks are full, clocks are set forward and back. Then all is
healed, and the database, the files and the process table are asked what they know. Exits 1 if an invariant was broken.

To fill a disk takes the right to mount one, to set a clock a C compiler. What cannot be played is named.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))  # the launchers of PostgreSQL and of the store

from faults import FAULTS  # noqa: E402
from load import Load  # noqa: E402
from site_of_chaos import Site  # noqa: E402
from verdict import judge  # noqa: E402


def main() -> int:
    """Play on each database; return 0 when nothing was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--database", choices=["postgresql", "sqlite"])
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--workers", type=int, default=3)
    arguments = parser.parse_args()
    kinds = [arguments.database] if arguments.database else ["postgresql", "sqlite"]
    return max(play(kind, arguments) for kind in kinds)


def play(kind: str, arguments: argparse.Namespace) -> int:
    """Break one deployment for some minutes; print what was done and what was found."""
    chance = random.Random(arguments.seed)  # noqa: S311 - repeatable

    print(f"{kind}: {arguments.servers} servers, {arguments.workers} workers, seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory(prefix="ade-chaos-") as folder:
        site = Site(Path(folder), kind, servers=arguments.servers, workers=arguments.workers)
        try:
            site.open()
            load = Load(site, seed=arguments.seed)
            load.start()
            done = break_things(site, chance, until=time.monotonic() + 60 * arguments.minutes)
            site.heal()
            load.stop()
            broken = judge(site, load)
        finally:
            site.close()
    for name, count in sorted(done.items()):
        print(f"  {count:4} x {name}")
    print(f"  {len(load.accepted)} submissions accepted, {load.troubles} answers lost or refused and asked again")
    for sentence in broken:
        print(f"  BROKEN: {sentence}")
    print("  every invariant holds" if not broken else f"  {len(broken)} invariants broken", flush=True)
    return 1 if broken else 0


def break_things(site: Site, chance: random.Random, *, until: float) -> dict[str, int]:
    """Inject one fault after the other, each with a moment of peace behind it; return how often each came."""

    done: dict[str, int] = {}
    names = [name for name, fault in FAULTS.items() if fault.is_possible(site)]
    if impossible := [name for name in FAULTS if name not in names]:
        print(f"  not played here: {', '.join(impossible)}", flush=True)
    while time.monotonic() < until:
        name = chance.choice(names)
        FAULTS[name].inject(site, chance)
        done[name] = done.get(name, 0) + 1
        site.pause(chance.uniform(0.5, 4))
    return done


if __name__ == "__main__":
    sys.exit(main())
