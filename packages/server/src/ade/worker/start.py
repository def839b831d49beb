"""Puts a worker together from a system."""

from __future__ import annotations

from ade.sandbox.launcher import Launcher, Mode
from ade.sandbox.probe import probe
from ade.system import System
from ade.worker.environments import Environments
from ade.worker.identity import WorkerIdentity, take_identity
from ade.worker.leftovers import remove_leftovers
from ade.worker.loop import Worker
from ade.worker.store_watch import StoreWatch
from ade.worker.tools import Tools, minimum_isolation

FIRST_UID = 61_000
FEWEST_UIDS = 64  # of a worker
UIDS = 3_840  # of all workers of a host together


def create_worker(system: System, *, slots: int | None = None, mode: Mode = "zygote") -> tuple[Worker, Tools]:
    """Return a worker that is ready to run, and its tools, which outlive it."""
    identity = take_identity(system.settings.data_dir)
    slots = slots or system.settings.max_concurrency
    tools = create_tools(system, identity, slots=slots, mode=mode)
    return Worker(system, tools, identity, slots=slots), tools


def create_tools(system: System, identity: WorkerIdentity, *, slots: int, mode: Mode) -> Tools:
    """Return what the worker of an identity works with."""
    data_dir = system.settings.data_dir.absolute()
    remove_leftovers(data_dir, own_number=identity.number)
    work_dir = data_dir / "work" / str(identity.number)
    work_dir.mkdir(parents=True)
    reached = probe()
    return Tools(
        launcher=Launcher(
            minimum=minimum_isolation(system.settings), mode=mode, first_uid=first_uid(identity.number, slots=slots)
        ),
        environments=Environments(system.files, data_dir / "builds", work_dir=work_dir),
        work_dir=work_dir,
        isolation=reached.level,
        missing_layers=dict(reached.missing),
        lock=identity.lock,
        store=StoreWatch(system.settings),
    )


def first_uid(number: int, *, slots: int) -> int:
    """Return the user of a worker's first slot, by its number on this host: workers must not share users."""
    own = max(slots, FEWEST_UIDS)
    return FIRST_UID + (number - 1) % max(UIDS // own, 1) * own
