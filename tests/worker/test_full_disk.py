"""A disk that is full while something is at work on it: nobody is blamed, and it goes well once there is room."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import SIMPLE, Stage, assert_gapless, hooked

MIB = 1 << 20
# Writes a little again and again for two seconds: in all of them there must be room.
WRITE = """
for _ in range(40):
    with open("little", "wb") as file:
        file.write(bytes(2_000_000))
    os.remove("little")
    time.sleep(0.05)
"""


@pytest.fixture
def small(open_local: OpenStage, tmp_path: Path) -> Iterator[Stage]:
    """Return a stage whose workers have a small disk; the database and the files lie elsewhere."""
    disk, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    disk.mkdir()
    (elsewhere / "files").mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "ade-test", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only who may mount a disk can fill one")
    places = {"database_url": f"sqlite:///{elsewhere}/ade.db", "files_url": f"file://{elsewhere}/files"}
    try:
        yield open_local(**places, min_free_disk_mb=8)
    finally:
        unmount = ["umount", "--lazy", str(disk)]
        subprocess.run(unmount, check=True)


def fill(stage: Stage) -> Callable[[], None]:
    """Fill the disk to the last byte; return what frees it."""
    filler = stage.folder / "filler"
    with suppress(OSError), filler.open("wb") as file:
        while True:
            file.write(bytes(MIB))
            file.flush()
    return filler.unlink


@pytest.mark.slow
@pytest.mark.req("Q16", "R8")
def test_a_run_whose_disk_was_full_goes_back_to_its_place_and_succeeds_later(small: Stage) -> None:
    run_id = small.submit_one(hooked(WRITE))

    with small.worker():
        small.wait_for_event(run_id, "engine.run.started")
        free = fill(small)
        small.wait_for_event(run_id, "run.requeued")
        assert small.run(run_id).status == "queued"
        wait_until(lambda: small.living_workers()[0].idle_reason is not None, what="the worker to say why it waits")
        free()
        small.wait_for(run_id, "succeeded")

    [told] = [event for event in small.events(run_id) if event["type"] == "run.requeued"]
    assert (told["code"], "disk is full" in told["message"]) == ("internal_error", True)
    assert small.run(run_id).claim_count == 2
    assert_gapless(small.events(run_id))


@pytest.mark.slow
@pytest.mark.req("Q16", "B6")
def test_a_build_whose_disk_was_full_is_made_later_and_fails_no_run(small: Stage) -> None:
    run_id = small.submit_one(
        {**SIMPLE, "hooks/act.py": f"import os, time\n{WRITE}\ndef on_workbook_start():\n    pass\n"}
    )

    def told(kind: str) -> list[dict[str, Any]]:
        return [event for event in small.events(small.build_of(run_id).id, kind="build") if event["type"] == kind]

    with small.worker():
        wait_until(lambda: any(event["step"] == "prove" for event in told("step.started")), what="the proof")
        free = fill(small)
        wait_until(lambda: told("build.requeued") != [], what="the build to wait again")
        assert small.run(run_id).status == "queued"
        free()
        small.wait_for(run_id, "succeeded")

    assert [event["code"] for event in told("build.requeued")] == ["internal_error"]
