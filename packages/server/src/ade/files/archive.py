"""A tar archive written and read in one pass, with a digest of every byte of it.

Python's own reader skips what it does not need; here a changed byte must be found wherever it is, and its place named.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from tarfile import BLOCKSIZE, GNU_FORMAT, GNUTYPE_LONGNAME, HeaderError, TarInfo
from typing import IO

from ade.errors import BackupDamaged
from ade.files.base import CHUNK_BYTES

_ZEROS = bytes(BLOCKSIZE)
_MOST_NAME_BYTES = 4096


class ArchiveWriter:
    """Adds files to an archive, one after the other."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size_bytes = 0

    @property
    def sha256(self) -> str:
        """Return the digest of all that was written so far."""
        return self._digest.hexdigest()

    def add(self, name: str, content: IO[bytes], size_bytes: int) -> str:
        """Add the first bytes of an open file, which may grow meanwhile; return their digest."""
        entry = TarInfo(name)
        entry.size, entry.mode = size_bytes, 0o600
        self._write(entry.tobuf(GNU_FORMAT))
        digest, left = hashlib.sha256(), size_bytes
        while left:
            chunk = content.read(min(CHUNK_BYTES, left))
            if not chunk:
                raise OSError(f"{name} became shorter while it was read")
            digest.update(chunk)
            self._write(chunk)
            left -= len(chunk)
        self._write(bytes(-size_bytes % BLOCKSIZE))
        return digest.hexdigest()

    def finish(self) -> None:
        """Write the end of a tar archive."""
        self._write(_ZEROS * 2)

    def _write(self, data: bytes) -> None:
        self._file.write(data)
        self._digest.update(data)
        self.size_bytes += len(data)


@dataclass(frozen=True, slots=True)
class Entry:
    """A file in an archive. Its chunks are read to their end before the next entry."""

    name: str
    size_bytes: int
    chunks: Iterator[bytes]
    preceding_sha256: str  # of all bytes of the archive before it


class ArchiveReader:
    """Reads an archive from its first byte to its last."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._position = 0
        self._place = "its first entry"

    def entries(self) -> Iterator[Entry]:
        """Yield each file; raise BackupDamaged where the archive cannot be followed."""
        while True:
            before = self._digest.hexdigest()
            header = self._header()
            if header is None:
                break
            name = header.name
            if header.type == GNUTYPE_LONGNAME:
                name = self._long_name(header)
                header = self._header()
            if header is None or not header.isreg() or header.size < 0:
                raise self._damaged("is not the header of a file")
            self._place = name
            yield Entry(name, header.size, self._content(header.size), before)
            self._place = f"the header after {name}"
        self._require_nothing_more()

    def _header(self) -> TarInfo | None:
        block = self._read(BLOCKSIZE)
        if block == _ZEROS:
            return None
        try:
            return TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except HeaderError:
            raise self._damaged("is not the header of a file", at=self._position - BLOCKSIZE) from None

    def _long_name(self, header: TarInfo) -> str:
        if not 0 < header.size <= _MOST_NAME_BYTES:
            raise self._damaged("is not a name")
        return b"".join(self._content(header.size)).rstrip(b"\0").decode("utf-8", "surrogateescape")

    def _content(self, size_bytes: int) -> Iterator[bytes]:
        left = size_bytes
        while left:
            chunk = self._read(min(CHUNK_BYTES, left))
            left -= len(chunk)
            yield chunk
        if any(self._read(-size_bytes % BLOCKSIZE)):
            raise self._damaged("is not padding", at=self._position - 1)

    def _require_nothing_more(self) -> None:
        self._place = "its end"
        if self._read(BLOCKSIZE) != _ZEROS or self._file.read(1):
            raise self._damaged("is not the end of an archive")

    def _read(self, size_bytes: int) -> bytes:
        data = self._file.read(size_bytes)
        self._position += len(data)
        if len(data) < size_bytes:
            raise self._damaged("is missing: the file ends there")
        self._digest.update(data)
        return data

    def _damaged(self, what: str, *, at: int | None = None) -> BackupDamaged:
        return BackupDamaged(f"In {self._place}: byte {self._position if at is None else at:,} {what}.")
