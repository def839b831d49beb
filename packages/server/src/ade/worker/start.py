"""Puts a worker together from a system."""

from __future__ import annotations

from collections.abc import Sequence

from ade.data_folder import make_data_folder, make_passable
from ade.sandbox.launcher import Launcher
from ade.sandbox.probe import missing_for_network, probe
from ade.settings import Settings
from ade.system import System
from ade.worker.environments import Environments
from ade.worker.identity import WorkerIdentity, take_identity
from ade.worker.leftovers import remove_leftovers
from ade.worker.loop import Worker
from ade.worker.steps import PAUSES
from ade.worker.store_watch import StoreWatch
from ade.worker.tools import Tools, minimum_isolation

FIRST_UID = 61_000
FEWEST_UIDS = 64  # of a worker
UIDS = 3_840  # of all workers of a host together


def create_worker(
    system: System, *, slots: int | None = None, pauses: Sequence[float] = PAUSES
) -> tuple[Worker, Tools]:
    """Return a worker that is ready to run, and its tools, which outlive it.

    `pauses` are the seconds between the tries of a step that meets a fault which may pass.
    """
    make_data_folder(system.settings.data_dir.absolute())
    identity = take_identity(system.settings.data_dir)
    slots = slots or system.settings.max_concurrency
    tools = create_tools(system, identity, slots=slots, pauses=pauses)
    return Worker(system, tools, identity, slots=slots), tools


def create_tools(system: System, identity: WorkerIdentity, *, slots: int, pauses: Sequence[float] = PAUSES) -> Tools:
    """Return what the worker of an identity works with."""
    data_dir = system.settings.data_dir.absolute()
    remove_leftovers(data_dir, own_number=identity.number)
    work_dir = data_dir / "work" / str(identity.number)
    work_dir.mkdir(parents=True)
    for folder in (work_dir.parent, work_dir):
        make_passable(folder)
    reached = probe()
    return Tools(
        launcher=Launcher(
            minimum=minimum_isolation(system.settings),
            mode=system.settings.child_start,
            first_uid=first_uid(identity.number, slots=slots),
        ),
        environments=Environments(system.files, data_dir / "builds", work_dir=work_dir),
        work_dir=work_dir,
        isolation=reached.level,
        missing_layers=dict(reached.missing),
        network=network_access(system.settings),
        lock=identity.lock,
        store=StoreWatch(system.settings),
        pauses=pauses,
    )


def network_access(settings: Settings) -> str:
    """Return which runs get network access from a worker on this host, or why none can."""
    setting = settings.runtime_network_access
    missing = missing_for_network() if setting != "never" else ""
    return f"unavailable: {missing}" if missing else setting


def first_uid(number: int, *, slots: int) -> int:
    """Return the user of a worker's first slot, by its number on this host: workers must not share users."""
    own = max(slots, FEWEST_UIDS)
    return FIRST_UID + (number - 1) % max(UIDS // own, 1) * own
