"""Removes a folder that a child wrote, however deep, wide or unreadable."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
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


def _empty(top: int) -> None:
    """Remove what is in a folder. Deep folders are moved up to it first, so that depth costs neither stack nor
    descriptors.
    """
    while folders := _remove_files(top):
        for name in folders:
            below = _open(name, top)
            try:
                for deeper in _remove_files(below):
                    os.close(_open(deeper, below))  # a locked folder cannot be moved
                    os.rename(deeper, f".removing-{secrets.token_hex(8)}", src_dir_fd=below, dst_dir_fd=top)
            finally:
                os.close(below)
            os.rmdir(name, dir_fd=top)


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
