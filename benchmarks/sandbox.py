"""How long a child takes from start to result, beside a bare Python: medians of one interleaved run.

bin/bench sandbox --rounds 30
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ade.sandbox.interpreter import FLAGS, find_interpreter
from ade.sandbox.launcher import Launcher
from ade.sandbox.outcome import OutcomeKind
from ade.sandbox.removal import remove_folder
from ade_engine.protocol import Request


def main() -> None:
    """Measure each way to run nothing, and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    rounds = parser.parse_args().rounds
    folder = Path(tempfile.mkdtemp(prefix="ade-benchmark-"))
    folder.chmod(0o755)
    (folder / "nothing.py").write_text("")
    try:
        with Launcher(mode="spawn") as spawn, Launcher(mode="zygote") as zygote:
            zygote.warm()
            ways = {
                "bare python": bare("-c", "pass"),
                "bare python -I -S": bare(*FLAGS, "-c", "pass"),
                "sandbox, spawn": sandboxed(spawn, folder),
                "sandbox, zygote": sandboxed(zygote, folder),
            }
            report(measure(ways, rounds), rounds)
    finally:
        remove_folder(folder)


def bare(*words: str) -> Callable[[], None]:
    """Return a way that starts a plain interpreter."""
    command = [find_interpreter().executable, *words]

    def run() -> None:
        subprocess.run(command, check=True)

    return run


def sandboxed(launcher: Launcher, folder: Path) -> Callable[[], None]:
    """Return a way that runs an empty script in a child."""

    def run() -> None:
        output = Path(tempfile.mkdtemp(dir=folder))
        request = Request(entry="script", output_folder=str(output), configuration_path=str(folder / "nothing.py"))
        outcome = launcher.start(request).wait()
        if outcome.kind is not OutcomeKind.SUCCEEDED:
            raise SystemExit(f"{outcome.kind}: {outcome.message}")

    return run


def measure(ways: dict[str, Callable[[], None]], rounds: int) -> dict[str, list[float]]:
    """Return the seconds of each way, taken in turns, so that a busy moment hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(rounds + 1):
        for name, run in ways.items():
            started = time.perf_counter()
            run()
            if number:  # the first round warms caches
                taken[name].append(time.perf_counter() - started)
    return taken


def report(taken: dict[str, list[float]], rounds: int) -> None:
    """Print medians and the slowest tenth."""
    print(f"{rounds} rounds, Python {sys.version.split()[0]}")
    print(f"{'':20} {'median ms':>10} {'p90 ms':>8}")
    for name, seconds in taken.items():
        ordered = sorted(seconds)
        p90 = ordered[int(len(ordered) * 0.9) - 1]
        print(f"{name:20} {statistics.median(seconds) * 1000:10.1f} {p90 * 1000:8.1f}")


if __name__ == "__main__":
    main()
