"""Keeps what is at rest to its owner: the umask of servers and workers, and the modes of what lies in the data folder.

Runs of a worker that is root are executed by users of their own, which must pass through some folders to reach theirs.
Passing is all they may do: 0711 lists and reads nothing.
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

PASSED_BY_RUNS = ("work", "builds")


def keep_private() -> None:
    """Let this process, and all it starts, make files and folders for their owner alone."""
    os.umask(0o077)


def make_data_folder(folder: Path) -> None:
    """Make the folder if need be, and close to others what is open in it.

    A folder that exists keeps its own mode, since it may be anything, such as /srv; what is in it is ours.
    """
    if not folder.is_dir():
        folder.mkdir(parents=True)
        make_passable(folder)
    for path in open_parts(folder):
        with suppress(OSError):  # of another owner: `ade doctor` reports it
            path.chmod(closed_mode(path))


def make_passable(folder: Path) -> None:
    """Let the users of runs through a folder of ours, where there are such users."""
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


def open_parts(folder: Path) -> Iterator[Path]:
    """Yield what lies in the data folder and lets others do more than it should."""
    for path in sorted(folder.iterdir()):
        with suppress(FileNotFoundError):
            if not path.is_symlink() and path.stat().st_mode & 0o077 & ~closed_mode(path):
                yield path


def closed_mode(path: Path) -> int:
    """Return the mode that a part of the data folder should have."""
    mode = path.stat().st_mode & 0o7700
    return mode | 0o011 if os.geteuid() == 0 and path.name in PASSED_BY_RUNS else mode
