"""Watches a file store that failed: a worker that can neither read documents nor write results claims nothing."""

from __future__ import annotations

import threading

from ade.errors import AdeError, FilesUnreachable
from ade.files import FileStore, open_files
from ade.files.trial import try_files, without_secrets
from ade.logs import get_logger
from ade.settings import Settings

log = get_logger()
TRIAL_SECONDS = 5.0
PAUSE_SECONDS = 2.0


class StoreWatch:
    """Tells a store that is down from a file that is wrong, and when the store is back."""

    def __init__(self, settings: Settings) -> None:
        self.reason: str | None = None  # why nothing may start, if so
        self._settings = settings
        self._lock = threading.Lock()
        self._is_watched = False
        self._is_closed = threading.Event()

    def is_to_blame(self, error: Exception) -> bool:
        """Return whether something failed because the store is down; from then on it is checked periodically."""
        if not isinstance(error, OSError | FilesUnreachable):
            return False
        fault = self.reason or self._fault()
        if fault is None:
            return False
        with self._lock:
            self.reason = fault
            if not self._is_watched:
                self._is_watched = True
                log.warning("worker.store_down", reason=fault)
                threading.Thread(target=self._wait_until_back, name="store-watch", daemon=True).start()
        return True

    def close(self) -> None:
        """Watch no longer."""
        self._is_closed.set()

    def _wait_until_back(self) -> None:
        while self._is_watched and not self._is_closed.wait(PAUSE_SECONDS):
            fault = self._fault()
            with self._lock:  # a caller that finds it down now joins this watch or begins the next
                self.reason = fault
                self._is_watched = fault is not None
        if self.reason is None:
            log.info("worker.store_back")

    def _fault(self) -> str | None:
        settings = self._settings

        def opened() -> FileStore:
            return open_files(settings.files_url, folder=settings.files_folder, is_patient=False)

        try:
            try_files(opened, seconds=TRIAL_SECONDS)
        except (AdeError, OSError) as error:
            said = without_secrets(str(error), settings.files_url)
            return f"It cannot use its file store; it tries again every few seconds. {said}"
        return None
