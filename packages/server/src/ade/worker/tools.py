"""What attempts work with: the launcher of children, the environments of builds, and folders to work in."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from ade.domain.isolation import Isolation
from ade.sandbox.inside.spec import MIB, Limits
from ade.sandbox.launcher import Launcher, default_minimum
from ade.settings import Settings
from ade.worker.environments import Environments


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """Made once by a worker and shared by its slots."""

    launcher: Launcher
    environments: Environments
    work_dir: Path
    isolation: str | None
    missing_layers: dict[str, str]

    def close(self) -> None:
        """End every child."""
        self.launcher.close()


def run_limits(settings: Settings) -> Limits:
    """Return what one run may use."""
    return Limits(
        cpu_seconds=settings.worker_cpu_seconds,
        memory_bytes=settings.worker_mem_mb * MIB,
        file_bytes=settings.worker_fsize_mb * MIB,
        wall_seconds=settings.run_timeout_seconds,
    )


def minimum_isolation(settings: Settings) -> Isolation:
    """Return the weakest level a child may start under."""
    return Isolation(settings.min_isolation) if settings.min_isolation else default_minimum()


def spawn_python() -> str:
    """Return the interpreter children run."""
    return sys.executable
