"""A few seconds of everything that can go wrong; `bin/bench chaos --minutes 10` continues for longer."""

import subprocess
import sys
from pathlib import Path

import pytest

CHAOS = Path(__file__).resolve().parents[2] / "benchmarks/chaos"


@pytest.mark.slow
@pytest.mark.req("W1", "W4", "Q7")
@pytest.mark.parametrize("database", ["postgresql", "sqlite"])
def test_a_deployment_that_is_broken_in_every_way_loses_nothing(database: str) -> None:
    command = [sys.executable, str(CHAOS), "--minutes", "0.3", "--database", database, "--workers", "2"]

    played = subprocess.run(command, capture_output=True, text=True, check=False)

    assert played.returncode == 0, played.stdout + played.stderr
    assert "every invariant holds" in played.stdout
