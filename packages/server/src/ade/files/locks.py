"""Locks between the processes of one host. The kernel releases them however their holder ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ade.errors import Conflict

IN_USE = "in-use.lock"


@contextmanager
def locked(path: Path, *, is_shared: bool, is_waiting: bool) -> Iterator[bool]:
    """Hold the lock of a file, creating the file if needed; yield False when it is taken, without waiting."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        yield _take(descriptor, (fcntl.LOCK_SH if is_shared else fcntl.LOCK_EX) | (0 if is_waiting else fcntl.LOCK_NB))
    finally:
        os.close(descriptor)


def _take(descriptor: int, operation: int) -> bool:
    try:
        fcntl.flock(descriptor, operation)
    except BlockingIOError:
        return False
    return True


@contextmanager
def in_use(data_dir: Path) -> Iterator[None]:
    """Keep a data folder from being replaced for as long as the block lasts."""
    with locked(data_dir / IN_USE, is_shared=True, is_waiting=False) as is_allowed:
        if not is_allowed:
            raise Conflict(f"A backup is being restored to {data_dir}. Wait until that has ended.")
        yield
