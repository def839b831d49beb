"""Removes a folder that a child wrote, however deep, wide or unreadable."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove_folder(folder: Path) -> None:
    """Remove the folder and all in it, following no link. The child must have ended; a missing folder is fine."""
    try:
        top = _open(os.fspath(folder), None)
    except FileNotFoundError:
        return
    try:
        _empty(top)
    finally:
        os.close(top)
    folder.rmdir()


@dataclass(frozen=True, slots=True)
class _Above:
    """The folder a walk came from: what it is, the name it went down by, and what is left to remove there."""

    identity: tuple[int, int]
    name: str
    left: list[str]


def _empty(top: int) -> None:
    """Remove what is in a folder, holding one descriptor at a time: depth costs neither stack nor descriptors."""
    path: list[_Above] = []
    current, left = os.dup(top), _remove_files(top)
    try:
        while left or path:
            if left:
                name = left.pop()
                below = _open(name, current)
                path.append(_Above(_identity(current), name, left))
                left = _remove_files(below)
            else:
                above = path.pop()
                below = os.open("..", _FOLDER, dir_fd=current)
                if _identity(below) != above.identity:
                    os.close(below)
                    raise OSError(f"{above.name} was moved while it was being removed")
                os.rmdir(above.name, dir_fd=below)
                left = above.left
            os.close(current)
            current = below
    finally:
        os.close(current)


def _identity(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


def _remove_files(folder: int) -> list[str]:
    """Remove all but folders, and return the names of those."""
    folders = []
    with os.scandir(folder) as entries:
        names = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in names:
        if is_folder:
            folders.append(name)
        else:
            os.unlink(name, dir_fd=folder)
    return folders


def _open(name: str, base: int | None) -> int:
    """Open a folder; one its maker locked is unlocked first."""
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=base)
    except PermissionError:
        os.chmod(name, stat.S_IRWXU, dir_fd=base)
        return os.open(name, _FOLDER, dir_fd=base)
    with suppress(PermissionError):  # not ours, but readable: removing will tell
        os.fchmod(descriptor, stat.S_IRWXU)
    return descriptor
