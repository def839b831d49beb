"""A worker needs no rights: as an ordinary user it executes runs, and tells how far they were shut in."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import ade
import ade_engine
from ade.sandbox.interpreter import unreachable
from sandbox.rig import NOBODY, SITE_PACKAGES, open_python
from worker.stage import Stage

SOURCES = [str(Path(module.__file__ or "").parents[1]) for module in (ade, ade_engine)]
IMPORTED = [*SOURCES, str(Path(__file__).parents[1]), SITE_PACKAGES]
# What an operator's container may forbid is forbidden before the worker starts.
START = """
import runpy, sys
from sandbox.runner import deny
if sys.argv[1:]:
    deny(sys.argv[1:])
sys.argv = ["ade", "worker"]
runpy.run_module("ade", run_name="__main__")
"""


def open_the_way(folder: Path) -> None:
    """Let every user pass to the folder: pytest closes each of its own above it."""
    for part in (folder, *folder.parents):
        if part.is_relative_to(tempfile.gettempdir()) and part.owner() == folder.owner():
            part.chmod(part.stat().st_mode | 0o055)


@pytest.mark.slow
@pytest.mark.req("S5", "W2")
@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="only root can become another user")
@pytest.mark.parametrize(("denied", "level"), [([], "isolated"), (["unshare"], "confined")])
def test_a_worker_without_rights_executes_runs_and_tells_their_level(
    local: Stage, tmp_path: Path, denied: list[str], level: str
) -> None:
    python = open_python()
    if python is None:
        pytest.skip("no Python here that every user can start")
    if closed := unreachable(IMPORTED, NOBODY):
        pytest.skip(f"other users cannot reach {closed}")
    run_id = local.submit_one()
    open_the_way(tmp_path)
    for path in (local.folder, *local.folder.rglob("*")):
        os.chown(path, NOBODY, NOBODY)

    worker = subprocess.Popen(
        [python, "-c", START, *denied],
        env={**local.environment(), "HOME": "/nonexistent", "PYTHONPATH": ":".join(IMPORTED)},
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        local.wait_for_end([run_id])
    finally:
        worker.terminate()
        assert worker.wait(timeout=60) == 0

    run = local.run(run_id)
    assert (run.status, run.isolation) == ("succeeded", level), run.failure_message
    assert ("pid_namespace" in run.metrics["missing_layers"]) == bool(denied)
