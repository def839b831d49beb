"""Watches an installation from outside: its time, and the disk it takes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

from ade.sandbox.inside import disk
from ade.worker.uv_process import InstallLimits

Cause = Literal["time", "disk", "free disk"]
_LOOK_SECONDS = 0.1
_SHARE = 10  # looking may take a tenth of the time


class InstallWatch:
    """Calls `end` once, as soon as the folders hold too much, the disk runs low or the time is over."""

    def __init__(self, folders: list[Path], limits: InstallLimits, *, seconds: float, end: Callable[[], None]) -> None:
        self.cause: Cause | None = None
        self._folders = [str(folder) for folder in folders]
        self._home = [str(folders[0].parent)]
        self._limits = limits
        self._deadline = time.monotonic() + seconds
        self._end = end
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="install-watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Look a last time: what was written at the end counts too."""
        self._is_over.set()
        self._thread.join()
        self.cause = self.cause or self._disk_cause()

    def _watch(self) -> None:
        pause = 0.0
        while not self._is_over.wait(pause):
            started = time.monotonic()
            self.cause = "time" if started >= self._deadline else self._disk_cause()
            if self.cause is not None:
                self._end()
                return
            took = time.monotonic() - started
            pause = min(max(_LOOK_SECONDS, _SHARE * took), max(0.0, self._deadline - time.monotonic()))

    def _disk_cause(self) -> Cause | None:
        if disk.free_bytes(self._home) < self._limits.free_disk_bytes:
            return "free disk"
        try:
            found = disk.measure(self._folders, max_files=self._limits.file_count)
        except disk.TooMuch:
            return "disk"
        return "disk" if found.used_bytes > self._limits.disk_bytes else None
