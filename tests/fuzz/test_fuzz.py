"""No text of a stranger holds a process of the server for long, and no pattern or parser is left out of that."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from fuzz.planted import PLANTED
from fuzz.scan import ROOT, places
from fuzz.surface import SURFACE, Fed

pytestmark = pytest.mark.req("S7")
SEED, COUNT = 1, 15


def play(*words: object) -> tuple[int, list[dict[str, Any]]]:
    """Play texts in a process of its own; return its status and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "fuzz", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    assert done.stdout, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_every_pattern_and_parser_of_the_server_is_fuzzed_or_says_why_not() -> None:
    found = places()

    assert sorted(found - SURFACE.keys()) == [], "add them to tests/fuzz/surface.py"
    assert sorted(SURFACE.keys() - found) == [], "they are gone: remove them from tests/fuzz/surface.py"


def test_no_text_takes_long_or_raises_what_nothing_catches() -> None:
    status, printed = play(SEED, COUNT)

    assert printed[:-1] == []
    assert status == 0
    assert printed[-1]["played"] == len({id(entry) for entry in SURFACE.values() if isinstance(entry, Fed)})


def test_planted_mistakes_are_found() -> None:
    status, printed = play(SEED, COUNT, "planted")

    assert status == 1
    assert [each["place"] for each in printed[:-1]] == list(PLANTED)
