"""Measures what a child has written, while it may still be writing and would like to be overlooked."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass

_DEEPEST = 64
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_BLOCK_BYTES = 512


class TooMuch(Exception):
    """More than may be there, or hidden from sight, which counts as more."""


@dataclass(slots=True)
class Disk:
    """What lies in some folders."""

    used_bytes: int = 0
    file_count: int = 0
    largest_bytes: int = 0


def measure(folders: Iterable[str], *, max_files: int) -> Disk:
    """Count files and bytes, or raise TooMuch."""
    found = Disk()
    for folder in folders:
        try:
            descriptor = os.open(folder, _FOLDER)
        except FileNotFoundError:
            continue
        _add(found, descriptor, depth=0, max_files=max_files)
    return found


def free_bytes(folders: Iterable[str]) -> int:
    """Return how much the fullest of the disks under these folders still takes."""
    disks = [os.statvfs(folder) for folder in folders]
    return min((found.f_bavail * found.f_frsize for found in disks), default=0)


def free_inodes(folders: Iterable[str]) -> int | None:
    """Return how many more files the fullest of these disks takes; None where no file system has such a bound."""
    disks = [os.statvfs(folder) for folder in folders]
    return min((found.f_favail for found in disks if found.f_files), default=None)


def _add(found: Disk, folder: int, *, depth: int, max_files: int) -> None:
    """Add what is in the folder, and close it."""
    try:
        if depth > _DEEPEST:
            raise TooMuch
        with os.scandir(folder) as entries:
            for entry in entries:
                found.file_count += 1
                if found.file_count > max_files:
                    raise TooMuch
                _add_entry(found, entry, folder, depth=depth, max_files=max_files)
    finally:
        os.close(folder)


def _add_entry(found: Disk, entry: os.DirEntry[str], folder: int, *, depth: int, max_files: int) -> None:
    try:
        status = entry.stat(follow_symlinks=False)
        size_bytes = status.st_size if stat.S_ISREG(status.st_mode) else 0
        found.largest_bytes = max(found.largest_bytes, size_bytes)
        # A file with holes takes few blocks here, and its whole size wherever it is copied.
        found.used_bytes += max(size_bytes, status.st_blocks * _BLOCK_BYTES)
        if not stat.S_ISDIR(status.st_mode):
            return
        below = os.open(entry.name, _FOLDER, dir_fd=folder)
    except PermissionError:
        raise TooMuch from None  # a folder its owner made unreadable hides what is in it
    except OSError:
        return  # gone, or replaced, since it was listed
    _add(found, below, depth=depth + 1, max_files=max_files)
