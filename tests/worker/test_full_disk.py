"""A disk that is full while something is at work on it: nobody is blamed, and it goes well once there is room."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ade.clock import SystemClock
from ade_engine.errors import DISK_IS_FULL
from postgres import wait_until
from worker.conftest import OpenStage
from worker.stage import SIMPLE, Stage, assert_gapless, hooked
from worker.wheels import make_wheel

MIB = 1 << 20
SIZES_MB = {"internal_error": 200, "resource_limit": 460}
LARGER_MB = 600
# Writes a little again and again, until somebody has made the disk larger.
WRITE = f"""
while os.statvfs(".").f_blocks * os.statvfs(".").f_frsize < {LARGER_MB * MIB}:
    with open("little", "wb") as file:
        file.write(bytes(2_000_000))
    os.remove("little")
    time.sleep(0.05)
"""
OpenSmall = Callable[..., Stage]


@pytest.fixture
def open_small(open_local: OpenStage, tmp_path: Path) -> Iterator[OpenSmall]:
    """Return what opens a stage whose workers have a small disk; the database and the files lie elsewhere."""
    disk, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    disk.mkdir()
    (elsewhere / "files").mkdir(parents=True)
    places = {"database_url": f"sqlite:///{elsewhere}/ade.db", "files_url": f"file://{elsewhere}/files"}

    def open_one(*, size_mb: int, **changes: Any) -> Stage:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "ade-test", str(disk)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("only who may mount a disk can fill one")
        return open_local(**places, min_free_disk_mb=8, **changes)

    yield open_one
    unmount = ["umount", "--lazy", str(disk)]
    subprocess.run(unmount, capture_output=True, check=False)  # there may be none


def fill(stage: Stage, *, but_for: int) -> None:
    """Fill the disk except for some bytes, also where others write and remove files meanwhile.

    Piece by piece: what cannot be had as a whole would be given back as a whole, and the disk be empty for a moment.
    """
    with (stage.folder / "filler").open("wb", buffering=0) as file:
        for _ in range(20):
            with suppress(OSError):
                while (left := shutil.disk_usage(stage.folder).free - but_for) > 0:
                    file.write(bytes(min(left, MIB)))
            SystemClock().sleep(timedelta(milliseconds=20))


def make_room(stage: Stage) -> None:
    """Make the disk larger."""
    grow = ["mount", "-o", f"remount,size={LARGER_MB}m", str(stage.folder)]
    subprocess.run(grow, check=True)


# A disk that is full to the last byte; one that ran low by more than a run may write, so that its keeper suspects it.
ROOM = {"internal_error": 0, "resource_limit": 5 * MIB}


@pytest.mark.slow
@pytest.mark.req("Q16", "R8")
@pytest.mark.parametrize("code", ROOM)
def test_a_run_whose_disk_was_full_goes_back_to_its_place_and_succeeds_later(open_small: OpenSmall, code: str) -> None:
    small = open_small(size_mb=SIZES_MB[code])
    run_id = small.submit_one(hooked(WRITE))

    with small.worker():
        small.wait_for_event(run_id, "engine.run.started")
        fill(small, but_for=ROOM[code])
        small.wait_for_event(run_id, "run.requeued")
        assert small.run(run_id).status == "queued"
        wait_until(lambda: small.living_workers()[0].idle_reason is not None, what="the worker to say why it waits")
        make_room(small)
        small.wait_for(run_id, "succeeded")

    [told] = [event for event in small.events(run_id) if event["type"] == "run.requeued"]
    assert told["code"] == code
    assert small.run(run_id).claim_count == 2
    assert_gapless(small.events(run_id))


@pytest.mark.slow
@pytest.mark.req("Q16", "B6")
@pytest.mark.parametrize("code", ROOM)
def test_a_build_whose_disk_was_full_is_made_later_and_fails_no_run(open_small: OpenSmall, code: str) -> None:
    small = open_small(size_mb=SIZES_MB[code])
    run_id = small.submit_one(
        {**SIMPLE, "hooks/act.py": f"import os, time\n{WRITE}\ndef on_workbook_start():\n    pass\n"}
    )

    def told(kind: str) -> list[dict[str, Any]]:
        return [event for event in small.events(small.build_of(run_id).id, kind="build") if event["type"] == kind]

    with small.worker():
        wait_until(lambda: any(event["step"] == "prove" for event in told("step.started")), what="the proof")
        fill(small, but_for=ROOM[code])
        wait_until(lambda: told("build.requeued") != [], what="the build to wait again")
        assert small.run(run_id).status == "queued"
        make_room(small)
        small.wait_for(run_id, "succeeded")

    assert [event["code"] for event in told("build.requeued")] == [code]


@pytest.mark.slow
@pytest.mark.req("B6", "R9")
def test_dependencies_for_which_there_is_no_room_are_not_blamed_on_the_configuration(
    open_small: OpenSmall, tmp_path: Path
) -> None:
    make_wheel(tmp_path / "wheels", "huge", f"{' ' * 80 * MIB}\n")
    small = open_small(size_mb=64, wheelhouse=tmp_path / "wheels", run_max_claims=2)
    run_id = small.submit_one({**SIMPLE, "requirements.txt": "huge==1.0\n"})

    small.work_off([run_id])

    build = small.build_of(run_id)
    assert (build.failure_code, build.failure_message) == ("internal_error", DISK_IS_FULL)
    assert build.claim_count == 2
    assert small.run(run_id).failure_message == DISK_IS_FULL
