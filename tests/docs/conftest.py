"""A clone to follow pages of the documentation in."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """Return a folder that looks like the clone to the commands of a page."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    (tmp_path / "bin").mkdir()
    ade = tmp_path / "bin/ade"
    ade.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ade "$@"\n')
    ade.chmod(0o755)
    return tmp_path
