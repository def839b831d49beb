"""Files in an object store: S3 and its kin, Azure, Google Cloud, or a folder that several hosts mount.

An object cannot grow, so an appended file is a row of numbered segments that reading puts together.
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import Any
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import from_url

from ade.errors import FileMissing, FilesUnreachable, InvalidSettings
from ade.files.base import CHUNK_BYTES, checked_key, empty_folders, no_address, remove_empty

SEGMENTS = ".segments"
MOST_COUNTED = 10_000
SPOOLED_BYTES = 8 * 1024 * 1024
HASTY: Any = {"max_retries": 1, "retry_timeout": timedelta(seconds=5)}  # while a person waits
NO_BUCKET = ("NoSuchBucket", "ContainerNotFound")  # as S3 and Google, and as Azure say it
Piece = tuple[str, int]  # object path, size


class ObjectFiles:
    """A bucket, or a prefix of one."""

    def __init__(self, store: Any, bucket: str = "", *, folder: Path | None = None) -> None:
        """`folder` is where the store is, if it is a folder: unlike a bucket that has folders with nothing in them."""
        self._store = store
        self._bucket = bucket
        self._folder = folder
        self._next_segment: dict[str, int] = {}
        self._lock = Lock()

    @classmethod
    def from_url(cls, url: str, *, is_patient: bool = True) -> "ObjectFiles":
        """Open s3://bucket/prefix, az://container/prefix, gs://bucket or file:///folder; keys come from outside."""
        folder = Path(unquote(urlsplit(url).path)) if url.startswith("file:///") else None
        if folder is not None and not folder.is_dir():
            raise InvalidSettings(f"ADE_FILES_URL: there is no folder {folder}. Create it, or mount it.")
        try:
            if folder is not None:
                return cls(from_url(url, automatic_cleanup=True), folder=folder)
            return cls(from_url(url) if is_patient else from_url(url, retry_config=HASTY), _bucket_of(url))
        except (BaseError, ValueError, TypeError) as error:
            if "Unable to recognise URL" in str(error):
                raise no_address(url) from None
            raise InvalidSettings(f"ADE_FILES_URL: {_first_line(error)}") from None

    def write(self, key: str, chunks: Iterable[bytes]) -> int:
        """Store a file in one piece; large ones are uploaded in parts that appear together at the end."""
        checked_key(key)
        # The library must not call back into itself while it uploads, and a sender that breaks off must leave nothing:
        # so the bytes are all here before the first goes out.
        with SpooledTemporaryFile(max_size=SPOOLED_BYTES) as spool:
            size_bytes = sum(spool.write(chunk) for chunk in chunks)
            spool.seek(0)
            with self._reachable():
                obstore.put(self._store, key, iter(lambda: spool.read(CHUNK_BYTES), b""))
        self._drop_segments(key)
        return size_bytes

    def write_all(self, files: Iterable[tuple[str, Iterable[bytes]]]) -> int:
        """Store several files, one after the other."""
        return sum(self.write(key, chunks) for key, chunks in files)

    def append(self, key: str, data: bytes) -> None:
        """Add the next segment."""
        if not data:
            return
        with self._lock:
            number = self._next_segment.get(key)
        if number is None:
            number = len(self._segments(key))
        with self._reachable():  # without the lock: writers of other files need not wait for the network
            obstore.put(self._store, f"{checked_key(key)}{SEGMENTS}/{number:08}", data)
        with self._lock:
            if len(self._next_segment) >= MOST_COUNTED:
                self._next_segment.clear()  # most of those files are finished; the others are counted again
            self._next_segment[key] = number + 1

    def read(self, key: str, *, start: int = 0, length: int | None = None) -> Iterator[bytes]:
        """Return a file's bytes from `start` on, across its segments."""
        pieces = self._pieces(key)
        end = sum(size for _, size in pieces)
        return self._read(key, pieces, start=start, end=end if length is None else min(end, start + length))

    def size(self, key: str) -> int:
        """Return how many bytes a file has, all segments together."""
        return sum(size for _, size in self._pieces(key))

    def exists(self, key: str) -> bool:
        """Return whether there is a file of this key."""
        try:
            self._pieces(key)
        except FileMissing:
            return False
        return True

    def keys(self, folder: str) -> list[str]:
        """Return the keys of all files below a folder, sorted; segments count as the file they belong to."""
        return sorted({path.partition(f"{SEGMENTS}/")[0] for path, _ in self._objects(checked_key(folder))})

    def delete(self, key: str) -> None:
        """Remove a file and its segments."""
        with (
            self._reachable(),
            suppress(FileNotFoundError),
        ):  # a bucket says nothing of what is not there, a folder does
            obstore.delete(self._store, checked_key(key))
        self._drop_segments(key)

    def delete_folder(self, folder: str) -> int:
        """Remove every file below a folder; return how many there were."""
        count = len(self.keys(folder))
        paths = [path for path, _ in self._objects(folder)]
        if paths:
            with self._reachable():
                obstore.delete(self._store, paths)
        if self._folder is not None:
            remove_empty(self._folder, self._folder / checked_key(folder))
        return count

    def removing(self) -> AbstractContextManager[None]:
        """Do nothing: we do not back up buckets."""
        return nullcontext()

    def empty_folders(self, folder: str) -> list[str]:
        """Return the folders below a folder that contain nothing, sorted; a bucket has none."""
        return [] if self._folder is None else empty_folders(self._folder, checked_key(folder))

    def _pieces(self, key: str) -> list[Piece]:
        """Return what a file is made of: one object, or its segments in order."""
        with self._reachable():
            try:
                return [(key, obstore.head(self._store, checked_key(key))["size"])]
            except FileNotFoundError:
                segments = self._segments(key)
        if not segments:
            raise FileMissing(f"There is no file {key}.")
        return segments

    def _segments(self, key: str) -> list[Piece]:
        return self._objects(f"{checked_key(key)}{SEGMENTS}")

    def _objects(self, prefix: str) -> list[Piece]:
        with self._reachable():
            found = [item for batch in obstore.list(self._store, prefix=prefix) for item in batch]
        return sorted((item["path"], item["size"]) for item in found)

    def _read(self, key: str, pieces: list[Piece], *, start: int, end: int) -> Iterator[bytes]:
        offset = 0
        for path, size in pieces:
            first, last = max(start - offset, 0), min(end - offset, size)
            if first < last:
                answer = self._get(path, first, last)
                if answer is None:  # the whole file has replaced its segments meanwhile: it begins as they did
                    yield from self._stream(self._get(key, offset + first, end), key)
                    return
                yield from self._stream(answer, path)
            offset += size

    def _get(self, path: str, first: int, last: int) -> Any:
        with self._reachable():
            try:
                return obstore.get(self._store, path, options={"range": (first, last)})
            except FileNotFoundError:
                return None

    def _stream(self, answer: Any, path: str) -> Iterator[bytes]:
        if answer is None:
            raise FileMissing(f"{path} was removed while it was read.")
        with self._reachable():
            for chunk in answer.stream(min_chunk_size=CHUNK_BYTES):
                yield bytes(chunk)

    def _drop_segments(self, key: str) -> None:
        with self._lock:
            self._next_segment.pop(key, None)
        if paths := [path for path, _ in self._segments(key)]:
            with self._reachable():
                obstore.delete(self._store, paths)

    @contextmanager
    def _reachable(self) -> Iterator[None]:
        """Turn the library's errors into ours."""
        try:
            yield
        except (BaseError, FileNotFoundError) as error:
            raise FilesUnreachable(_in_words(error, self._bucket)) from error


def _bucket_of(url: str) -> str:
    """Return the bucket or container an address names."""
    host, _, after = urlsplit(url).netloc.rpartition("@")
    return host if url.startswith("abfs") else after


def _in_words(error: Exception, bucket: str) -> str:
    if any(code in str(error) for code in NO_BUCKET):
        return f"There is no bucket {bucket}. Create it, or correct ADE_FILES_URL."
    return f"The file store did not answer: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0][:200]
