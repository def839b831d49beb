"""Files in a folder of this machine."""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path

from ade.errors import BackupRunning, FileMissing
from ade.files.base import CHUNK_BYTES, checked_key, empty_folders, remove_empty
from ade.files.locks import locked
from ade.ids import new_id

_UNFINISHED = ".unfinished"
_REMOVAL_LOCK = "-removal.lock"


class LocalFiles:
    """A folder. A whole file is written under a temporary name, flushed to disk, and renamed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self._removal_lock = self.folder.with_name(f"{self.folder.name}{_REMOVAL_LOCK}")

    def path_of(self, key: str) -> Path:
        """Return where a file lies."""
        return self.folder / checked_key(key)

    def write(self, key: str, chunks: Iterable[bytes]) -> int:
        """Store a file, replacing one of this key; return its size in bytes."""
        return self.write_all([(key, chunks)])

    def write_all(self, files: Iterable[tuple[str, Iterable[bytes]]]) -> int:
        """Store several files, each as a whole; a folder is flushed once, however many of them it holds."""
        folders: dict[Path, None] = {}
        size_bytes = 0
        for key, chunks in files:
            path = self.path_of(key)
            size_bytes += _write_whole(path, chunks)
            folders[path.parent] = None
        for folder in folders:
            flush_folder(folder)
        return size_bytes

    def append(self, key: str, data: bytes) -> None:
        """Add bytes to the end of a file in one call, so that readers see it grow."""
        path = self.path_of(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab", buffering=0) as file:
            left = memoryview(data)
            while left:
                left = left[file.write(left) or 0 :]

    def read(self, key: str, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Return a file's bytes from `start` on; the file is opened at once, so that a missing one is reported here."""
        try:
            file = self.path_of(key).open("rb")
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise FileMissing(f"There is no file {key}.") from None
        return _chunks(file, start=start, length=length)

    def size(self, key: str) -> int:
        """Return how many bytes a file has."""
        path = self.path_of(key)
        with suppress(FileNotFoundError, NotADirectoryError):
            if path.is_file():
                return path.stat().st_size
        raise FileMissing(f"There is no file {key}.")

    def exists(self, key: str) -> bool:
        """Return whether there is a file of this key."""
        return self.path_of(key).is_file()

    def keys(self, folder: str) -> list[str]:
        """Return the keys of all files below a folder, sorted; files being written do not count."""
        found = (path for path in self.path_of(folder).rglob("*") if path.is_file())
        return sorted(
            path.relative_to(self.folder).as_posix() for path in found if not path.name.startswith(_UNFINISHED)
        )

    def delete(self, key: str) -> None:
        """Remove a file, and the folders that are empty then."""
        path = self.path_of(key)
        path.unlink(missing_ok=True)
        remove_empty(self.folder, path.parent)

    def delete_folder(self, folder: str) -> int:
        """Remove every file below a folder; return how many there were."""
        with self.removing():
            count = len(self.keys(folder))
            shutil.rmtree(self.path_of(folder), ignore_errors=True)
            remove_empty(self.folder, self.path_of(folder).parent)
        return count

    def empty_folders(self, folder: str) -> list[str]:
        """Return the folders below a folder that contain nothing, sorted."""
        return empty_folders(self.folder, checked_key(folder))

    @contextmanager
    def removing(self) -> Iterator[None]:
        """Keep backups from starting for as long as the block lasts; raise BackupRunning while there is one."""
        with locked(self._removal_lock, is_shared=True, is_waiting=False) as is_allowed:
            if not is_allowed:
                raise BackupRunning("Nothing is removed until the backup has ended. Try again then.")
            yield

    @contextmanager
    def keeping(self) -> Iterator[None]:
        """Keep every file for as long as the block lasts; wait for those who remove some now."""
        with locked(self._removal_lock, is_shared=False, is_waiting=True):
            yield

    def unfinished(self, *, older_than: float, now: float) -> list[Path]:
        """Return files that someone began to write this many seconds ago and never finished: their writer died."""
        found = [path for path in self.folder.rglob(f"{_UNFINISHED}-*") if path.is_file()]
        return sorted(path for path in found if now - path.stat().st_mtime > older_than)


def _write_whole(path: Path, chunks: Iterable[bytes]) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{_UNFINISHED}-{new_id()}")
    try:
        with unfinished.open("xb") as file:
            size_bytes = sum(file.write(chunk) for chunk in chunks)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    return size_bytes


def _chunks(file: BufferedReader, *, start: int, length: int | None) -> Iterator[bytes]:
    with file:
        file.seek(start)
        left = length
        while left is None or left > 0:
            chunk = file.read(CHUNK_BYTES if left is None else min(CHUNK_BYTES, left))
            if not chunk:
                return
            if left is not None:
                left -= len(chunk)
            yield chunk


def flush_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
