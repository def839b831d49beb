"""Takes files out of a folder that a child wrote, trusting nothing in it."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ade.sandbox.inside.kernel import syscall

# RESOLVE_NO_XDEV | NO_MAGICLINKS | NO_SYMLINKS | BENEATH: no way out of the folder, by any name.
_RESOLVE = 0x01 | 0x02 | 0x04 | 0x08
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Non-blocking: opening a pipe would wait for a writer that never comes.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_COPY_BYTES = 1024 * 1024


class RefusedOutput(Exception):
    """What lies there is not a plain file of acceptable size."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@contextmanager
def open_output(folder: Path, name: str, *, max_bytes: int) -> Iterator[BinaryIO]:
    """Open a plain file of a child's folder for reading, or raise RefusedOutput or FileNotFoundError."""
    descriptor = _open_beneath(folder, name)
    try:
        _require_plain(os.fstat(descriptor), name, max_bytes=max_bytes)
        with open(descriptor, "rb", closefd=False) as content:
            yield content
    finally:
        os.close(descriptor)


def collect(folder: Path, name: str, target: Path, *, max_bytes: int) -> int:
    """Copy a plain file of a child's folder to a new file, and return its size."""
    copied = 0
    with open_output(folder, name, max_bytes=max_bytes) as content, target.open("xb") as copy:
        while block := content.read(_COPY_BYTES):
            copied += len(block)
            if copied > max_bytes:
                raise RefusedOutput(name, "grew while it was read")
            copy.write(block)
    return copied


def _open_beneath(folder: Path, name: str) -> int:
    base = os.open(folder, _FOLDER)
    try:
        return _open_at(base, name)
    except OSError as error:
        if error.errno == errno.ENOENT:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name) from None
        raise RefusedOutput(name, error.strerror or "cannot be opened") from None
    finally:
        os.close(base)


def _open_at(base: int, name: str) -> int:
    how = struct.pack("=QQQ", _FILE, 0, _RESOLVE)
    try:
        return syscall("openat2", base, os.fsencode(name), how, len(how))
    except OSError as error:
        if error.errno not in (errno.ENOSYS, errno.EPERM):
            raise
    return walk_to(base, name)  # older kernels, other systems, and containers that forbid the call


def walk_to(base: int, name: str) -> int:
    """Open a file beneath a folder, one part of its name at a time, following no link."""
    *folders, last = name.split("/")
    if any(part in ("", ".", "..") for part in (*folders, last)):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    current = os.dup(base)
    try:
        for part in folders:
            below = os.open(part, _FOLDER, dir_fd=current)
            os.close(current)
            current = below
        return os.open(last, _FILE, dir_fd=current)
    finally:
        os.close(current)


def _require_plain(status: os.stat_result, name: str, *, max_bytes: int) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise RefusedOutput(name, "not a plain file")
    if status.st_nlink != 1:
        raise RefusedOutput(name, "has more than one name")
    if status.st_size > max_bytes:
        raise RefusedOutput(name, f"larger than {max_bytes} bytes")
