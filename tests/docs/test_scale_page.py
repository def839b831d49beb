"""The table of the page about scale is what the model says."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_model_says_what_the_page_shows() -> None:
    command = [sys.executable, "benchmarks/scale.py", "--rate", "20", "--hosts", "10"]

    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    page = (ROOT / "docs/explanation/scale.md").read_text("utf-8")
    assert [line for line in answer.stdout.splitlines() if line not in page] == []
