"""Checks the file store from time to time, so that /readyz can say what is wrong with it without waiting for it."""

import time
from collections.abc import Callable
from threading import Lock, Thread

from ade.errors import AdeError
from ade.files import FileStore, open_files
from ade.files.trial import without_secrets
from ade.settings import Settings

EVERY_SECONDS = 30.0
FIRST_SECONDS = 2.0
KEY = "readyz"


class FileWatch:
    """What the last look found. One look at a time, however often it is asked for, since anyone may ask."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = Lock()
        self._thread: Thread | None = None
        self._looked_at: float | None = None
        self._trouble: str | None = None

    def trouble(self) -> str | None:
        """Return what was wrong at the last look, or None; look again when that was a while ago."""
        with self._lock:
            is_first = self._looked_at is None
            is_old = is_first or time.monotonic() - (self._looked_at or 0) > EVERY_SECONDS
            if is_old and (self._thread is None or not self._thread.is_alive()):
                # A library that is still trying cannot be called back: nobody waits for this thread at the end.
                self._thread = Thread(target=self._look, name="file-watch", daemon=True)
                self._thread.start()
            thread = self._thread
        if is_first and thread is not None:
            thread.join(FIRST_SECONDS)
        return self._trouble

    def _look(self) -> None:
        settings = self._settings
        self._trouble = _fault(
            lambda: open_files(settings.files_url, folder=settings.files_folder, is_patient=False), settings.files_url
        )
        self._looked_at = time.monotonic()


def _fault(open_store: Callable[[], FileStore], url: str) -> str | None:
    try:
        open_store().exists(KEY)
    except (AdeError, OSError) as error:
        return without_secrets(str(error), url)
    return None
