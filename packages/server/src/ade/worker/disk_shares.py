"""Which workspaces get nothing more while disk is scarce, since they hold much already."""

import time

from ade.operations.queue.free_disk import crowded, is_disk_scarce
from ade.system import System

LOOK_EVERY_SECONDS = 10


class DiskShares:
    """Looks at what each workspace holds, only while disk is scarce and not at every turn."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._reasons: dict[str, str] = {}
        self._look_at = 0.0

    def reasons(self) -> dict[str, str]:
        """Return the workspaces nothing may start of now, each with the reason."""
        if not is_disk_scarce(self._system.settings):
            self._reasons, self._look_at = {}, 0.0
        elif time.monotonic() >= self._look_at:
            self._reasons = self._system.database.read(lambda tx: crowded(tx, self._system.settings))
            self._look_at = time.monotonic() + LOOK_EVERY_SECONDS
        return self._reasons
