"""Puts a worker together from a system."""

from __future__ import annotations

from ade.sandbox.launcher import Launcher, Mode
from ade.sandbox.probe import probe
from ade.system import System
from ade.worker.environments import Environments
from ade.worker.identity import WorkerIdentity, take_identity
from ade.worker.leftovers import remove_leftovers
from ade.worker.loop import Worker
from ade.worker.tools import Tools, minimum_isolation

FIRST_UID = 61_000
UIDS_PER_WORKER = 64
WORKERS_WITH_OWN_UIDS = 60


def create_worker(system: System, *, slots: int | None = None, mode: Mode = "zygote") -> tuple[Worker, Tools]:
    """Return a worker that is ready to run, and its tools, which outlive it."""
    identity = take_identity(system.settings.data_dir)
    tools = _create_tools(system, identity, mode=mode)
    return Worker(system, tools, identity, slots=slots or system.settings.max_concurrency), tools


def _create_tools(system: System, identity: WorkerIdentity, *, mode: Mode) -> Tools:
    data_dir = system.settings.data_dir.absolute()
    remove_leftovers(data_dir, own_number=identity.number)
    work_dir = data_dir / "work" / str(identity.number)
    work_dir.mkdir(parents=True)
    reached = probe()
    return Tools(
        launcher=Launcher(minimum=minimum_isolation(system.settings), mode=mode, first_uid=_first_uid(identity)),
        environments=Environments(system.files, data_dir / "builds", work_dir=work_dir),
        work_dir=work_dir,
        isolation=reached.level,
        missing_layers=dict(reached.missing),
        lock=identity.lock,
    )


def _first_uid(identity: WorkerIdentity) -> int:
    """Return the user of the first slot: workers of one host must not share them."""
    return FIRST_UID + (identity.number - 1) % WORKERS_WITH_OWN_UIDS * UIDS_PER_WORKER
