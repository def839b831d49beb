"""The log of one claim: what its children and installers print, readable while they run.

It begins with what an earlier claim left. So the log of a run only grows, and a reader continues where it was, over
the death of a worker.
"""

from __future__ import annotations

from contextlib import suppress

from ade.errors import AdeError, FileMissing
from ade.files import FileStore
from ade.logs import get_logger
from ade.sandbox.inside.spec import MIB

log = get_logger()
LOGS = "logs.txt"
MOST_EARLIER_BYTES = 4 * MIB
AGAIN = b"--- begun again ---\n"


class LogFile:
    """Gathers what children print and appends it to a file, which the whole log replaces in the end."""

    def __init__(self, files: FileStore, folder: str) -> None:
        self.key = f"{folder}/{LOGS}"
        self._files = files
        self._content = bytearray()
        self._shown = 0
        self._has_child = False

    @property
    def content(self) -> bytes:
        """Return the whole log so far."""
        return bytes(self._content)

    def begin(self, *, earlier_folder: str | None) -> None:
        """Start with what an earlier claim left; of very much, the end."""
        if earlier_folder is None:
            return
        earlier = f"{earlier_folder}/{LOGS}"
        with suppress(FileMissing):
            start = max(0, self._files.size(earlier) - MOST_EARLIER_BYTES)
            self.add(b"".join(self._files.read(earlier, start=start)))
            self._mark()
        self.show()

    def begin_child(self) -> None:
        """Separate what the next child prints from what an earlier one did."""
        if self._has_child:
            self._mark()
        self._has_child = True

    def _mark(self) -> None:
        if self._content:
            self.add(AGAIN if self._content.endswith(b"\n") else b"\n" + AGAIN)

    def add(self, printed: bytes) -> None:
        """Note what was printed; readers see it with what is shown next."""
        self._content += printed

    def show(self) -> None:
        """Let readers see what was noted. Should that fail, the run continues, and the next time shows it."""
        unseen = bytes(self._content[self._shown :])
        if not unseen:
            return
        try:
            self._files.append(self.key, unseen)
        except (OSError, AdeError) as error:
            log.warning("log.postponed", reason=str(error))
        else:
            self._shown += len(unseen)
