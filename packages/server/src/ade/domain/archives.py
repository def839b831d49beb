"""Opens zip archives of strangers. Python reads the list of their parts first, so that list is bounded here."""

import zipfile
from typing import IO, Any, cast


class TooManyParts(Exception):
    """The list of an archive's parts is longer than it may be."""


def open_archive(file: IO[bytes], *, directory_bytes: int) -> zipfile.ZipFile:
    """Return an archive whose list of parts has at most this many bytes; raise TooManyParts, or what zipfile raises."""
    guarded = _Guarded(file, directory_bytes)
    archive = zipfile.ZipFile(cast("IO[bytes]", guarded))
    guarded.is_open = True
    return archive


class _Guarded:
    """A file that refuses to hand over a list of parts that is too long: zipfile reads the list in one piece."""

    def __init__(self, file: IO[bytes], most_bytes: int) -> None:
        self._file = file
        self._most_bytes = most_bytes
        self.is_open = False

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes."""
        if size > self._most_bytes and not self.is_open:
            raise TooManyParts
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)
