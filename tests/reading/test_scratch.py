"""Folders for files on their way: nothing of them stays, not even when the process is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ade.operations.reading.scratch import Scratch, remove_leftovers

HOLDER = """
import sys
from pathlib import Path
from ade.operations.reading.scratch import Scratch
scratch = Scratch(Path(sys.argv[1]))
(scratch.new_folder() / "rows.txt").write_bytes(b"x" * 1000)
print("ready", flush=True)
sys.stdin.read()
"""


def held(parent: Path) -> subprocess.Popen[bytes]:
    """Return a process that has a home with a file in it."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(parent)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def ended(process: subprocess.Popen[bytes], number: int) -> None:
    process.send_signal(number)
    with process:
        process.wait()


@pytest.mark.req("S3")
def test_the_next_process_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    process = held(tmp_path)
    ended(process, signal.SIGKILL)
    left = list(tmp_path.glob("*/*/rows.txt"))

    scratch = Scratch(tmp_path)
    homes = [scratch.home]

    assert len(left) == 1
    assert list(tmp_path.iterdir()) == homes
    scratch.close()


def test_the_home_of_a_living_process_stays(tmp_path: Path) -> None:
    process = held(tmp_path)
    removed = remove_leftovers(tmp_path)
    left = list(tmp_path.glob("*/*/rows.txt"))
    ended(process, signal.SIGKILL)

    assert (removed, len(left)) == ([], 1)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    for name in ("homes", "links"):
        (tmp_path / name).mkdir()
    ended(held(tmp_path / "homes"), signal.SIGKILL)
    [home] = (tmp_path / "homes").iterdir()
    (tmp_path / "links/ade-scratch-link").symlink_to(home)

    removed = remove_leftovers(tmp_path / "links")

    assert (removed, home.exists()) == ([], True)


def test_a_folder_is_gone_after_use_and_the_home_when_closed(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    with scratch.folder() as folder:
        (folder / "document").write_text("x")
    left = folder.exists()
    scratch.new_folder()
    scratch.close()

    assert not left
    assert list(tmp_path.iterdir()) == []


def test_nobody_else_can_list_the_folders(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    with scratch.folder() as folder:
        modes = {oct(path.stat().st_mode & 0o777) for path in (scratch.home, folder)}
    scratch.close()

    assert modes == {"0o711" if os.geteuid() == 0 else "0o700"}
