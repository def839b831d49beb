"""Puts a worker together from a system."""

from __future__ import annotations

from pathlib import Path

from ade.sandbox.launcher import Launcher
from ade.sandbox.probe import probe
from ade.sandbox.removal import remove_folder
from ade.system import System
from ade.worker.environments import Environments
from ade.worker.identity import WorkerIdentity, take_identity
from ade.worker.loop import Worker
from ade.worker.tools import Tools, minimum_isolation


def create_worker(system: System, *, slots: int | None = None) -> tuple[Worker, Tools]:
    """Return a worker that is ready to run, and its tools, which outlive it."""
    identity = take_identity(system.settings.data_dir)
    tools = _create_tools(system, identity)
    return Worker(system, tools, identity, slots=slots or system.settings.max_concurrency), tools


def _create_tools(system: System, identity: WorkerIdentity) -> Tools:
    data_dir = system.settings.data_dir.absolute()
    reached = probe()
    return Tools(
        launcher=Launcher(minimum=minimum_isolation(system.settings)),
        environments=Environments(system.files, data_dir / "builds"),
        work_dir=_clean_work_dir(data_dir / "work" / Path(identity.lock.name).stem),
        isolation=reached.level,
        missing_layers=dict(reached.missing),
    )


def _clean_work_dir(folder: Path) -> Path:
    """Return an empty folder; what lies there is of a predecessor that was killed, since the name is ours alone."""
    if folder.exists():
        remove_folder(folder)
    folder.mkdir(parents=True)
    return folder
