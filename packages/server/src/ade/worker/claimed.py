"""What attempts at runs and at builds have in common: where they write, and how they leave what they cannot end."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import ClassVar

from ade.domain.queue import Claim, Failure
from ade.errors import AdeError
from ade.logs import get_logger
from ade.operations.queue import attempts
from ade.operations.queue.returning import return_counted, return_uncounted
from ade.operations.queue.rules import queue_rules
from ade.system import System
from ade.worker.disk import is_disk_to_blame
from ade.worker.event_log import EventLog
from ade.worker.log_file import LogFile
from ade.worker.steps import Patience, Steps
from ade.worker.stopping import Reason, Stoppable
from ade.worker.tools import Tools

log = get_logger()


class ClaimedAttempt(Stoppable):
    """An attempt at what was claimed, in a thread of the worker; may be stopped from any other."""

    forbids_writing: ClassVar[frozenset[Reason]]  # stopped for one of these, it may write nothing

    def __init__(self, system: System, tools: Tools, claim: Claim, *, slot: int, worker_id: str) -> None:
        super().__init__()
        self.claim = claim
        self.slot = slot
        self._system = system
        self._tools = tools
        self._worker_id = worker_id
        self._folder = tools.work_dir / f"{claim.kind}-{claim.id}-{claim.token}"
        self._key = f"{claim.kind}s/{claim.id}/{claim.token}"
        self._log = LogFile(system.files, self._key)
        self._claimed = time.monotonic()

    def _steps(self, events: EventLog, *, timeout_seconds: float) -> Steps:
        """Return what runs the steps of this attempt, and how long each waits for a fault to pass."""
        patience = Patience(
            wait=self._wait,
            seconds_left=lambda: timeout_seconds - (time.monotonic() - self._claimed),
            pauses=self._tools.pauses,
        )
        return Steps(events, self._log, patience)

    def _make_folder(self) -> None:
        """Make the folder of this claim, for us and the user of its child."""
        self._folder.mkdir(parents=True)
        self._tools.launcher.admit(self._folder, slot=self.slot)

    def _forget(self) -> None:
        """Remove what we wrote, unless readers are shown it still: then the next claim continues from its stream."""
        claim = self.claim
        with suppress(AdeError, OSError):  # retention finds what is left
            if not self._system.database.read(lambda tx: attempts.is_shown(tx, claim.kind, claim.id, self._key)):
                self._system.files.delete_folder(self._key)

    def _return_if_store_is_down(self, error: Exception) -> None:
        """Return it to its place unharmed, when nothing could be carried out here now."""
        if self.stopped_because in self.forbids_writing or not self._tools.store.is_to_blame(error):
            raise error
        happened = f"{self.claim.kind}.returned"
        log.warning(happened, reason=str(error))
        self._system.database.write(lambda tx: return_uncounted(tx, self.claim))

    def _return_if_disk_is_to_blame(self, failure: Failure) -> bool:
        """Return it to its place if this host's disk is to blame, and return whether that was done."""
        settings = self._system.settings
        if self.stopped_because is not None or not is_disk_to_blame(failure, settings):
            return False
        rules = queue_rules(settings)
        is_done = self._system.database.write(lambda tx: return_counted(tx, self.claim, failure, rules=rules))
        if is_done:
            happened = f"{self.claim.kind}.returned_counted"
            log.warning(happened, reason=failure.message)
        return is_done
