"""The temporary folder of one child, and what of the user's files it is lent."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ade.sandbox.interpreter import is_root, unreachable
from ade.sandbox.removal import remove_folder

OUTPUT = "output"
_ROOT = 0
_VIRTUAL = ("/dev/", "/proc/")


@contextmanager
def staging_folder() -> Iterator[Path]:
    """Yield a new folder with an empty output folder in it; both are removed in the end."""
    folder = Path(tempfile.mkdtemp(prefix="ade-local-"))
    try:
        folder.chmod(0o711)  # a child of root is another user, and must pass through to its own part
        (folder / OUTPUT).mkdir(mode=0o700)
        yield folder
    finally:
        remove_folder(folder)


def lend(path: Path, staging: Path) -> str:
    """Return where a child reads a file or folder: in its place, or a copy of what only root's privileges open."""
    place = os.path.abspath(path)  # noqa: PTH100 - keeps the name of a link, as the user knows it
    if place.startswith(_VIRTUAL):
        place = os.path.realpath(place)  # /dev/stdin is another file in another process
    if not (is_root() and _is_closed(Path(place))):
        return place
    copy = staging / "lent" / (Path(place).name or "root")
    copy.parent.mkdir(mode=0o700, exist_ok=True)
    if Path(place).is_dir():
        shutil.copytree(place, copy, symlinks=True)
    else:
        shutil.copyfile(place, copy)
    return str(copy)


def _is_closed(path: Path) -> bool:
    """Return whether a file needs privileges that no child has: its owner gives no one else access."""
    below = (str(found) for found in path.rglob("*")) if path.is_dir() else iter(())
    return unreachable([str(path), *below], _ROOT) is not None


def import_paths() -> list[str]:
    """Return the folders that this Python imports packages from.

    Not the folder of the script or the current one, and none that has the user's home folder in it.
    """
    home = Path(os.path.realpath(os.path.expanduser("~")))  # noqa: PTH111 - also for a user without a home
    candidates = sys.path if sys.flags.safe_path else sys.path[1:]
    found = dict.fromkeys(str(Path(entry).resolve()) for entry in candidates if entry and Path(entry).is_dir())
    return [entry for entry in found if not home.is_relative_to(entry)]
