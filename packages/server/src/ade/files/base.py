"""The one interface of all file stores, and the rules for keys."""

import re
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Protocol

from ade.errors import Invalid, InvalidSettings

CHUNK_BYTES = 256 * 1024
LONGEST_KEY = 400
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class FileStore(Protocol):
    """Files by key. A file written as a whole appears at once or not at all; an appended one grows as it is read."""

    def write(self, key: str, chunks: Iterable[bytes]) -> int:
        """Store a file, replacing one of this key; return its size in bytes."""
        ...

    def write_all(self, files: Iterable[tuple[str, Iterable[bytes]]]) -> int:
        """Store several files, each as a whole; return their size in bytes. Cheaper than one by one."""
        ...

    def append(self, key: str, data: bytes) -> None:
        """Add bytes to the end of a file, making it if need be. One writer a file."""
        ...

    def read(self, key: str, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Return a file's bytes from `start` on, in chunks; raise FileMissing when there is none."""
        ...

    def size(self, key: str) -> int:
        """Return how many bytes a file has; raise FileMissing when there is none."""
        ...

    def exists(self, key: str) -> bool:
        """Return whether there is a file of this key."""
        ...

    def keys(self, folder: str) -> list[str]:
        """Return the keys of all files below a folder, sorted."""
        ...

    def delete(self, key: str) -> None:
        """Remove a file; nothing happens when there is none."""
        ...

    def delete_folder(self, folder: str) -> int:
        """Remove every file below a folder; return how many there were. Raise BackupRunning during a backup."""
        ...

    def removing(self) -> AbstractContextManager[None]:
        """Announce removals that belong together; raise BackupRunning while a backup needs every file."""
        ...

    def empty_folders(self, folder: str) -> list[str]:
        """Return the folders below a folder that contain nothing, sorted; a bucket has none."""
        ...


def checked_key(key: str) -> str:
    """Return the key when it is one; raise Invalid for what could lead outside the store."""
    if len(key) > LONGEST_KEY or not all(_PART.fullmatch(part) for part in key.split("/")):
        raise Invalid(f"{key[:80]!r} is not a file key.")
    return key


def no_address(url: str) -> InvalidSettings:
    """Return the error for what names no store; the address itself may hold a secret and is shown for a folder only."""
    meant = f"file://{url}" if url.startswith("/") else "file:///folder"
    return InvalidSettings(
        f"ADE_FILES_URL: write it as {meant}, s3://bucket/prefix, az://container/prefix or gs://bucket/prefix."
    )


def empty_folders(top: Path, folder: str) -> list[str]:
    """Return the folders below one of a store in a folder that contain nothing, sorted."""
    found = (path for path in (top / folder).rglob("*") if path.is_dir() and not any(path.iterdir()))
    return sorted(path.relative_to(top).as_posix() for path in found)


def remove_empty(top: Path, folder: Path) -> None:
    """Remove a folder that contains nothing, and those above it that contain nothing then."""
    with suppress(OSError):  # one that is not empty ends the climb
        while folder != top:
            folder.rmdir()
            folder = folder.parent


def chunks_of(path: Path) -> Iterator[bytes]:
    """Yield the bytes of a file on disk."""
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def save(chunks: Iterable[bytes], path: Path) -> int:
    """Write chunks to a file on disk; return how many bytes."""
    with path.open("wb") as file:
        return sum(file.write(chunk) for chunk in chunks)
