"""Folders for files on their way: one home per process, which the next process removes if this one is killed.

A child that reads a document may run as another user. It passes through folders that nobody can list, and each folder
has a name that nobody can guess.
"""

from __future__ import annotations

import atexit
import fcntl
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import IO

from ade.sandbox.interpreter import is_root
from ade.sandbox.removal import remove_folder

PREFIX = "ade-scratch-"
_NEW = "ade-new-scratch-"
_LOCK = "lock"


class Scratch:
    """The home of one process, made on first use."""

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._home: Path | None = None
        self._lock_file: IO[str] | None = None
        self._lock = Lock()

    @property
    def home(self) -> Path:
        """Return the home, making it and removing those of processes that were killed."""
        with self._lock:
            if self._home is None:
                self._home = self._make()
            return self._home

    def new_folder(self) -> Path:
        """Return a new folder, which the caller removes."""
        folder = self.home / secrets.token_hex(16)
        folder.mkdir(mode=0o700)
        folder.chmod(passable())
        return folder

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Yield a new folder, and remove it."""
        folder = self.new_folder()
        try:
            yield folder
        finally:
            remove_folder(folder)

    @staticmethod
    def remove(folder: Path) -> None:
        """Remove a folder with all that is in it."""
        remove_folder(folder)

    def close(self) -> None:
        """Remove the home with all that is in it."""
        with self._lock:
            if self._home is None or self._lock_file is None:
                return
            with suppress(OSError):  # a child that is still writing; the next process removes the rest
                remove_folder(self._home)
            self._lock_file.close()
            self._home = self._lock_file = None

    def _make(self) -> Path:
        parent = self._parent or Path(tempfile.gettempdir())
        remove_leftovers(parent)
        new = Path(tempfile.mkdtemp(prefix=_NEW, dir=parent))
        self._lock_file = (new / _LOCK).open("w")
        fcntl.flock(self._lock_file, fcntl.LOCK_EX)
        new.chmod(passable())
        home = parent / f"{PREFIX}{secrets.token_hex(8)}"
        new.rename(home)  # only now: one with this name whose lock is free is a leftover
        return home


def remove_leftovers(parent: Path) -> list[Path]:
    """Remove the homes of processes that were killed; return them."""
    return [path for path in parent.glob(f"{PREFIX}*") if _remove_if_dead(path)]


def _remove_if_dead(path: Path) -> bool:
    with suppress(OSError):  # another process was quicker
        status = path.lstat()
        if status.st_uid != os.geteuid() or path.is_symlink():
            return False
        with (path / _LOCK).open("r") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove_folder(path)
            return True
    return False


def passable() -> int:
    """Return the mode of a folder on the way to a document: a child of root is another user."""
    return 0o711 if is_root() else 0o700


def make_readable(path: Path) -> None:
    """Let a child read a file, or a folder with all that is in it, whatever the umask is."""
    if not is_root():
        return
    for found in (path, *path.rglob("*")):
        found.chmod(0o755 if found.is_dir() else 0o644)


scratch = Scratch()
atexit.register(scratch.close)
