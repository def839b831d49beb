"""Who a worker is: a name that stays the same when it restarts, and that only one living process can have."""

from __future__ import annotations

import fcntl
import os
import platform
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ade import __version__
from ade.operations.rules import queue_rules
from ade.operations.workers import WorkerFacts, register_worker
from ade.system import System
from ade.worker.tools import Tools

MOST_WORKERS_PER_HOST = 1000


@dataclass(frozen=True, slots=True)
class WorkerIdentity:
    """A name, and the lock that nobody else has it while we live."""

    name: str
    lock: IO[str]


def take_identity(data_dir: Path) -> WorkerIdentity:
    """Take the first name of this host that no living worker has.

    The lock goes with the process, however it ends; so whoever gets the name next knows its predecessor is dead.
    """
    folder = data_dir / "workers"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MOST_WORKERS_PER_HOST):
        lock = (folder / f"{number}.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        return WorkerIdentity(f"{socket.gethostname()}:{data_dir.absolute()}:{number}"[:200], lock)
    raise RuntimeError(f"{MOST_WORKERS_PER_HOST} workers use {data_dir} already")


def register(system: System, identity: WorkerIdentity, tools: Tools, *, slots: int) -> str:
    """Enter the worker in the database; what a dead predecessor of this name held is recovered at once."""
    facts = WorkerFacts(
        name=identity.name,
        host=socket.gethostname(),
        process_id=os.getpid(),
        version=__version__,
        slots=slots,
        isolation=tools.isolation,
        details={"python": platform.python_version(), "platform": platform.platform(), "missing": tools.missing_layers},
    )
    return system.database.write(lambda tx: register_worker(tx, facts, rules=queue_rules(system.settings)))
