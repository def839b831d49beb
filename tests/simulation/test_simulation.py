"""Thousands of seeded schedules keep every promise of the queue, and each planted bug is found."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.planted import PLANTED, planted
from simulation.record import Violation
from simulation.schedule import play

SEEDS = 2000
SEEDS_AT_ONCE = 50  # what one test plays, so that processes share them out evenly
FAST_SEEDS = 50
WITHIN_SEEDS = 3000  # some bugs show in few schedules
CHUNKS = [range(first, first + SEEDS_AT_ONCE) for first in range(0, SEEDS, SEEDS_AT_ONCE)]
PROMISES = pytest.mark.req("Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "Q8", "Q9", "Q10", "Q11", "Q12", "Q13", "Q16", "W4")


def play_all(seeds: range) -> None:
    for seed in seeds:
        play(seed)


@PROMISES
@pytest.mark.parametrize(
    "seeds",
    [pytest.param(chunk, marks=() if chunk.stop <= FAST_SEEDS else pytest.mark.slow) for chunk in CHUNKS],
    ids=lambda seeds: f"{seeds.start}-{seeds.stop - 1}",
)
def test_every_promise_holds_after_every_step(seeds: range) -> None:
    play_all(seeds)


@pytest.mark.slow
@pytest.mark.parametrize("bug", PLANTED)
def test_a_planted_bug_is_found(bug: str) -> None:
    with planted(bug), pytest.raises(Violation):
        play_all(range(WITHIN_SEEDS))


@pytest.mark.slow
def test_a_planted_bug_is_taken_out_again() -> None:
    with planted("tokens are used again"), pytest.raises(Violation, match="was used before"):
        play_all(range(100))

    play_all(range(10))


@pytest.mark.slow
def test_a_seed_plays_the_same_in_another_process() -> None:
    here = play(7).trace

    there = subprocess.run(
        [sys.executable, "-m", "simulation", "7", "--verbose"],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "7"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert there[: len(here)] == here


def test_a_violation_tells_its_seed_and_its_steps() -> None:
    with planted("returning unharmed counts as a claim"), pytest.raises(Violation) as caught:
        play_all(range(WITHIN_SEEDS))

    assert f"python -m simulation {caught.value.seed}" in str(caught.value)
    assert "return_uncounted" in caught.value.trace[-1]
