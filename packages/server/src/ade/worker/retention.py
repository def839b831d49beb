"""Retention on this host and in the file store, periodically, in a thread of the worker."""

from __future__ import annotations

from pathlib import Path

from ade.files import LocalFiles
from ade.logs import get_logger
from ade.operations.maintenance.retention import (
    Collected,
    collect_garbage,
    is_environment_needed,
    kept_builds,
    retention_rules,
)
from ade.operations.queue.upkeep import reconcile
from ade.rounds import Rounds
from ade.sandbox.removal import remove_folder
from ade.system import System
from ade.worker.environments import remove_read_only
from ade.worker.installing import CACHES
from ade.worker.leftovers import remove_leftovers

log = get_logger()
# No upload and no output takes that long to write.
UNFINISHED_SECONDS = 24 * 3600


class Retention(Rounds):
    """Collects garbage for as long as the block lasts."""

    def __init__(self, system: System) -> None:
        super().__init__("retention", every_seconds=system.settings.retention_every_seconds)
        self._system = system

    def make_round(self) -> None:
        """Remove what may go, and count the open runs again."""
        rules = retention_rules(self._system.settings)
        collected = collect_garbage(self._system.database, self._system.files, rules=rules)
        clean_host(self._system, collected)
        self._system.database.write(reconcile)
        if collected.counts.total():
            log.info("retention.collected", **collected.counts)


def clean_host(system: System, collected: Collected, *, is_dry_run: bool = False) -> None:
    """Remove unneeded environments and caches, work folders of dead workers, and files whose writer died."""
    data_dir = system.settings.data_dir.absolute()
    _clean_environments(system, data_dir / "builds", collected, is_dry_run=is_dry_run)
    _clean_caches(system, data_dir / CACHES, collected, is_dry_run=is_dry_run)
    for folder in remove_leftovers(data_dir, is_dry_run=is_dry_run):
        collected.add("work folder", 0)
        log.info("retention.work_folder", folder=str(folder))
    if isinstance(system.files, LocalFiles):
        for path in system.files.unfinished(older_than=UNFINISHED_SECONDS, now=system.clock.now().timestamp()):
            collected.add("unfinished file", path.stat().st_size)
            if not is_dry_run:
                path.unlink(missing_ok=True)


def _clean_caches(system: System, folder: Path, collected: Collected, *, is_dry_run: bool) -> None:
    """Remove the packages of configurations that were not built for as long as an unused build is kept."""
    days = system.settings.retention_build_days
    if not folder.is_dir() or not days:
        return
    oldest = system.clock.now().timestamp() - days * 24 * 3600
    for path in sorted(each for each in folder.iterdir() if each.is_dir() and each.stat().st_mtime < oldest):
        collected.add("package cache", sum(each.lstat().st_size for each in path.rglob("*") if each.is_file()))
        if not is_dry_run:
            remove_folder(path)


def _clean_environments(system: System, folder: Path, collected: Collected, *, is_dry_run: bool) -> None:
    if not folder.is_dir():
        return
    # Listed before the database is asked: an environment made meanwhile is not among them.
    found = sorted(path for path in folder.iterdir() if path.is_dir())
    kept = kept_builds(system.database)
    for path in found:
        if not is_environment_needed(kept, path.name):
            collected.add("environment", sum(each.stat().st_size for each in path.rglob("*") if each.is_file()))
            if not is_dry_run:
                # Out of the way first: nobody must find half of it.
                doomed = path.with_name(f".{path.name}")
                path.rename(doomed)
                remove_read_only(doomed)
