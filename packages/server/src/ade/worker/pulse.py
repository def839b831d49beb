"""Whether the loop of a worker turns: a file that says until when it counts as healthy, for `ade worker --check`.

The heartbeat has a thread of its own and would go on beating while the loop hangs, so the loop writes this itself. The
time is the machine's own since its start, which no change of the clock moves.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from ade.settings import Settings

FOLDER = "workers"
SUFFIX = ".pulse"
SECONDS_BETWEEN_BEATS = 0.5
LEASES = 4  # how many leases a loop may need for one turn


class Pulse:
    """The file of one worker. It is gone when the worker ended in good order."""

    def __init__(self, settings: Settings, number: int) -> None:
        self._path = settings.data_dir.absolute() / FOLDER / f"{number}{SUFFIX}"
        self._usual_seconds = LEASES * settings.lease_seconds + settings.tick_seconds
        self._next_at = 0.0

    def beat(self, *, seconds: float = 0) -> None:
        """Count as healthy for as long as a turn may take, and these seconds more."""
        now = time.monotonic()
        if now < self._next_at and not seconds:
            return
        unfinished = self._path.with_suffix(f".{os.getpid()}")
        unfinished.write_text(str(now + self._usual_seconds + seconds))
        unfinished.replace(self._path)
        self._next_at = now + SECONDS_BETWEEN_BEATS

    def end(self) -> None:
        """Leave no file behind."""
        self._path.unlink(missing_ok=True)


def unhealthy_because(data_dir: Path) -> str | None:
    """Return what is wrong with the workers of a data folder, or None when all of them turn."""
    found = sorted((data_dir.absolute() / FOLDER).glob(f"*{SUFFIX}"))
    if not found:
        return f"No worker uses {data_dir.absolute()}."
    late = [path.stem for path in found if float(path.read_text()) < time.monotonic()]
    return f"Worker {', '.join(late)} hangs or was killed." if late else None
