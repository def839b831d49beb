"""What attempts work with: the launcher of children, the environments of builds, and folders to work in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ade.domain.isolation import Isolation
from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.launcher import Launcher, default_minimum
from ade.sandbox.removal import remove_folder
from ade.settings import Settings
from ade.worker.environments import Environments
from ade.worker.steps import PAUSES
from ade.worker.store_watch import StoreWatch

# Time kept of a run's timeout to write its end.
MOST_SECONDS_TO_CLOSE = 1.0
SHARE_TO_CLOSE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Made once by a worker and shared by its slots."""

    launcher: Launcher
    environments: Environments
    work_dir: Path
    isolation: str | None
    missing_layers: dict[str, str]
    network: str  # which runs get network access here, or why none can
    lock: IO[str]  # of the worker's name
    store: StoreWatch
    pauses: Sequence[float] = PAUSES  # between the tries of a step

    def close(self) -> None:
        """End every child, and let others have the name."""
        self.store.close()
        self.launcher.close()
        remove_folder(self.work_dir)
        self.lock.close()


def run_limits(settings: Settings, *, memory_mb: int | None = None, elapsed_seconds: float = 0) -> Limits:
    """Return what one run may use: its time counts from the claim, and it ends a little before the queue ends it.

    What the queue ends is lost to the worker, and with it the log that would tell why.
    """
    return Limits(
        cpu_seconds=settings.worker_cpu_seconds,
        memory_bytes=(memory_mb or settings.worker_mem_mb) * MIB,
        file_bytes=settings.worker_fsize_mb * MIB,
        free_disk_bytes=settings.min_free_disk_mb * MIB,
        wall_seconds=_seconds_left(settings.run_timeout_seconds, elapsed_seconds),
    )


def collect_deadline(settings: Settings, *, claimed: float) -> float:
    """Return when the outputs of a run must be stored: half of the time kept to write its end may be left."""
    timeout = settings.run_timeout_seconds
    return claimed + timeout - _to_close(timeout) / 2


def build_limits(settings: Settings, *, elapsed_seconds: float) -> Limits:
    """Return what the proof of a build may use: limits of its own, and what is left of the build's time."""
    return Limits(
        cpu_seconds=settings.build_cpu_seconds,
        memory_bytes=settings.build_mem_mb * MIB,
        file_bytes=settings.worker_fsize_mb * MIB,
        free_disk_bytes=settings.min_free_disk_mb * MIB,
        wall_seconds=_seconds_left(settings.build_timeout_seconds, elapsed_seconds),
    )


def _seconds_left(timeout: float, elapsed_seconds: float) -> float:
    return max(timeout - _to_close(timeout) - elapsed_seconds, 0.0)


def _to_close(timeout: float) -> float:
    return min(MOST_SECONDS_TO_CLOSE, timeout * SHARE_TO_CLOSE)


def minimum_isolation(settings: Settings) -> Isolation:
    """Return the weakest level a child may start under."""
    return Isolation(settings.min_isolation) if settings.min_isolation else default_minimum()
