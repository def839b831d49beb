"""The environments of builds on this host: unpacked once, read-only, shared by all runs of the build.

A build leaves one archive in the file store (its configuration and its installed dependencies), named by its claim and
proven by its digest. A host that has not got it yet fetches and unpacks it; what is unpacked appears at once or not at
all, so workers of one host need no lock.
"""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ade.data_folder import make_passable
from ade.database.queue.builds import FullBuild
from ade.errors import FileMissing
from ade.files import FileStore, chunks_of

ARCHIVE = "environment.tar"
CONFIGURATION = "configuration"
SITE_PACKAGES = "site-packages"


class EnvironmentMissing(Exception):
    """The archive of a ready build is gone or not what it was: it must be made again."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A build on this host."""

    folder: Path

    @property
    def configuration(self) -> Path:
        """Return the folder of the user's rules."""
        return self.folder / CONFIGURATION

    @property
    def site_packages(self) -> Path | None:
        """Return the folder of installed dependencies, if there are any."""
        folder = self.folder / SITE_PACKAGES
        return folder if folder.is_dir() else None


class Environments:
    """Finds, fetches and keeps environments."""

    def __init__(self, files: FileStore, folder: Path, *, work_dir: Path) -> None:
        """`work_dir` must be on the same disk: what is unpacked there is renamed into the folder."""
        self._files = files
        self._folder = folder
        self._work_dir = work_dir
        folder.mkdir(parents=True, exist_ok=True)
        make_passable(folder)

    def ensure(self, build: FullBuild) -> Environment:
        """Return the environment of a ready build, fetching it when this host has not got it."""
        digest = (build.metrics or {}).get("sha256")
        if not build.file_key or not digest:
            raise EnvironmentMissing(build.id)
        target = self._place(build.id, digest)
        if not target.is_dir():
            self._fetch(f"{build.file_key}/{ARCHIVE}", digest, target)
        return Environment(target)

    def publish(self, build_id: str, staged: Path, *, key: str) -> dict[str, Any]:
        """Pack a staged folder into the file store and keep it on this host; return its digest and size."""
        with tempfile.TemporaryDirectory(dir=self._work_dir, prefix="pack-") as folder:
            archive = Path(folder) / ARCHIVE
            _pack(staged, archive)
            digest, size = _digest(archive), self._files.write(key, chunks_of(archive))
        _settle(staged, self._place(build_id, digest))
        return {"sha256": digest, "size_bytes": size}

    def _place(self, build_id: str, digest: str) -> Path:
        return self._folder / f"{build_id}-{digest[:16]}"

    def _fetch(self, key: str, digest: str, target: Path) -> None:
        with tempfile.TemporaryDirectory(dir=self._work_dir, prefix="fetch-") as folder:
            archive, staged = Path(folder) / ARCHIVE, Path(folder) / "environment"
            try:
                _save_verified(self._files.read(key), archive, digest)
            except FileMissing:
                raise EnvironmentMissing(key) from None
            with tarfile.open(archive) as packed:
                _unpack(packed, staged)
            _settle(staged, target)


def _unpack(packed: tarfile.TarFile, folder: Path) -> None:
    """Unpack an archive whose digest was verified; Python's own guard (since 3.11.4) is a second check."""
    if hasattr(tarfile, "data_filter"):
        packed.extractall(folder, filter="data")
    else:
        packed.extractall(folder)  # noqa: S202 - it is ours: its digest was compared


def _pack(staged: Path, archive: Path) -> None:
    """Write a tar that depends on nothing but the files: same contents, same digest."""
    with tarfile.open(archive, "w") as packed:
        for path in sorted(staged.rglob("*")):
            packed.add(path, str(path.relative_to(staged)), recursive=False, filter=_anonymous)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = 0, 0, 0, "", ""
    entry.mode = 0o555 if entry.isdir() else 0o444
    return entry


def _settle(staged: Path, target: Path) -> None:
    """Make a folder read-only and give it its name; another worker may have been quicker, with the same contents."""
    for path in sorted(staged.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    staged.chmod(0o755)  # a folder must be writable to be renamed; it is closed right after
    try:
        staged.rename(target)
    except OSError:
        if not target.is_dir():
            raise
        remove_read_only(staged)
    else:
        target.chmod(0o555)


def make_readable(folder: Path) -> None:
    """Let the user of a run read a tree; the folder around it decides who gets that far."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)


def remove_read_only(folder: Path) -> None:
    """Remove a folder whose parts are read-only."""
    for path in [folder, *(found for found in folder.rglob("*") if found.is_dir() and not found.is_symlink())]:
        path.chmod(0o755)
    shutil.rmtree(folder)


def _save_verified(chunks: Iterator[bytes], path: Path, digest: str) -> None:
    seen = hashlib.sha256()
    with path.open("wb") as file:
        for chunk in chunks:
            seen.update(chunk)
            file.write(chunk)
    if seen.hexdigest() != digest:
        raise EnvironmentMissing("the archive is not the one that was built")


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
