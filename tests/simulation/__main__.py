"""Plays seeds and tells what it found: python -m simulation 42 --verbose, or python -m simulation 0 --count 1000."""

import argparse
import logging
import sys

import structlog

from simulation.record import Violation
from simulation.schedule import play


def main() -> int:
    """Play one seed or many; return 1 when a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m simulation", description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int, default=1, help="how many seeds to play, from this one on")
    parser.add_argument("--steps", type=int, help="how many steps to take instead of what the seed says")
    parser.add_argument("--verbose", action="store_true", help="print every step")
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        try:
            trace = play(seed, steps=arguments.steps).trace
        except Violation as violation:
            lines = violation.trace if arguments.verbose else violation.trace[-20:]
            print(*lines, *(f"VIOLATED: {sentence}" for sentence in violation.found), f"seed {seed}", sep="\n")
            return 1
        if arguments.verbose:
            print(*trace, sep="\n")
    print(f"{arguments.count} seeds, no promise broken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
