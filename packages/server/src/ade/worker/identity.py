"""The identity of a worker: a name that stays the same when it restarts, and that only one living process can have."""

from __future__ import annotations

import fcntl
import os
import platform
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ade import __version__
from ade.ids import new_id
from ade.operations.queue.free_disk import free_disk_mb
from ade.operations.queue.rules import queue_rules
from ade.operations.queue.workers import WorkerFacts, register_worker
from ade.settings import Settings
from ade.system import System
from ade.worker.room import whole_room
from ade.worker.tools import Tools

MOST_WORKERS_PER_HOST = 1000
FOLDER = "workers"
_FOLDER_ID = "id"


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """A name, its number on this host, and the lock that keeps it ours while we live."""

    name: str
    number: int
    lock: IO[str]


def take_identity(data_dir: Path) -> WorkerIdentity:
    """Take the first name of this host that no living worker has.

    The lock goes with the process, however it ends; so the next process with this name knows that the last one is dead.
    """
    folder = data_dir / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MOST_WORKERS_PER_HOST):
        lock = take_lock(folder, number)
        if lock is not None:
            return WorkerIdentity(f"{socket.gethostname()}:{_folder_id(folder)}:{number}"[:200], number, lock)
    raise RuntimeError(f"{MOST_WORKERS_PER_HOST} workers use {data_dir} already")


def take_lock(folder: Path, number: int) -> IO[str] | None:
    """Return the lock of a number, or None while a living worker has it."""
    lock = (folder / f"{number}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        return None
    return lock


def _folder_id(folder: Path) -> str:
    """Return the id of this data folder: containers may have one host name and one path, and still be others."""
    path = folder / _FOLDER_ID
    if not path.exists():
        unfinished = folder / f".{new_id()}"
        unfinished.write_text(new_id()[-12:])
        try:
            path.hardlink_to(unfinished)  # the first one wins
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_text()


def details_of(tools: Tools, settings: Settings) -> dict[str, Any]:
    """Return what a worker reports of itself and its machine besides what the queue needs; free disk changes."""
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "missing": tools.missing_layers,
        "network": tools.network,
        "free_disk_mb": free_disk_mb(settings),
    }


def register(system: System, identity: WorkerIdentity, tools: Tools, *, slots: int) -> str:
    """Enter the worker in the database; what a dead predecessor of this name held is recovered at once."""
    room = whole_room(system.settings, slots=slots)
    facts = WorkerFacts(
        name=identity.name,
        host=socket.gethostname(),
        process_id=os.getpid(),
        version=__version__,
        slots=slots,
        memory_mb=room.memory_mb,
        cpu_count=room.cpu_count,
        isolation=tools.isolation,
        details=details_of(tools, system.settings),
    )
    return system.database.write(lambda tx: register_worker(tx, facts, rules=queue_rules(system.settings)))
