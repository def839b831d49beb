"""The picture of the README is drawn from a real run, and shows what that run does now."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_picture_of_the_readme_is_what_the_run_gives() -> None:
    command = [sys.executable, str(ROOT / "tools/before_after.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
