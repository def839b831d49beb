"""Makes a backup of database and files while servers and workers keep running.

The database is copied first. Files were complete before it named them, and are replaced as a whole or grow at their
end; so what the copy names can be read at leisure, as long as nobody removes it: removals wait for the backup to end.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from ade import __version__
from ade.clock import Clock, as_text
from ade.database.maintenance import snapshot
from ade.database.transaction import Database
from ade.errors import BackupRefused
from ade.files import LocalFiles
from ade.files.archive import ArchiveWriter
from ade.files.local import flush_folder
from ade.files.locks import in_use, locked
from ade.ids import new_id
from ade.operations.maintenance.backup_format import (
    DATABASE,
    END,
    FILES,
    FORMAT,
    HEADER,
    MANIFEST,
    Backup,
    Places,
    Progress,
    manifest_line,
    sealed,
)

LOCK = "lock"
UNFINISHED = ".ade-backup-"


def make_backup(places: Places, target: Path, *, clock: Clock, progress: Progress) -> Backup:
    """Write a backup to a file that does not exist; it appears when it is complete, or not at all."""
    if target.exists():
        raise BackupRefused(f"{target} already exists. Choose another name.")
    if not places.database.is_file():
        raise BackupRefused(f"There is no database {places.database}. Set ADE_DATA_DIR to the folder of the server.")
    target = target.absolute()
    with in_use(places.data_dir), _workshop(target.parent) as folder, LocalFiles(places.files).keeping():
        copy = folder / DATABASE
        snapshot.copy_database(places.database, copy)
        snapshot.require_sound(copy)
        with (folder / "archive").open("xb") as file:
            writing = _Writing(ArchiveWriter(file), folder, progress=progress)
            made = writing.write(copy, LocalFiles(places.files), created_at=as_text(clock.now()), target=target)
            file.flush()
            os.fchmod(file.fileno(), 0o600)
            os.fsync(file.fileno())
        _publish(folder / "archive", target)
    return made


def _publish(archive: Path, target: Path) -> None:
    try:
        target.hardlink_to(archive)  # unlike a rename, it replaces nothing
    except FileExistsError:
        raise BackupRefused(f"{target} already exists. Choose another name.") from None
    except OSError:
        archive.rename(target)  # a disk without hard links, such as a USB stick
    flush_folder(target.parent)


@contextmanager
def _workshop(beside: Path) -> Iterator[Path]:
    """Make a folder for what is unfinished, and remove those of backups that were killed."""
    for left in beside.glob(f"{UNFINISHED}*"):
        with locked(left / LOCK, is_shared=False, is_waiting=False) as is_dead:
            if is_dead:
                shutil.rmtree(left, ignore_errors=True)
    folder = beside / f"{UNFINISHED}{new_id()}"
    folder.mkdir(mode=0o700)
    try:
        with locked(folder / LOCK, is_shared=False, is_waiting=True):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Writing:
    """Writes one archive and remembers what is in it."""

    def __init__(self, archive: ArchiveWriter, folder: Path, *, progress: Progress) -> None:
        self._archive = archive
        self._manifest_path = folder / MANIFEST
        self._progress = progress
        self._count = 0
        self._missing: list[str] = []

    def write(self, copy: Path, files: LocalFiles, *, created_at: str, target: Path) -> Backup:
        """Write all parts in their order."""
        with ExitStack() as stack:
            manifest = stack.enter_context(self._manifest_path.open("x+b"))
            facts = {"ade_version": __version__, "schema_revision": snapshot.revision(copy)}
            self._add_bytes(HEADER, sealed({"format": FORMAT, "created_at": created_at, **facts}))
            with copy.open("rb") as content:
                self._add(manifest, DATABASE, content)
            database = stack.enter_context(snapshot.opened(copy))
            self._add_documents(manifest, database, files)
            self._add_folders(manifest, database, files)
            self._finish(manifest)
        return Backup(
            path=target,
            created_at=created_at,
            file_count=self._count,
            size_bytes=self._archive.size_bytes,
            missing=tuple(self._missing),
            **facts,
        )

    def _add_documents(self, manifest: IO[bytes], database: Database, files: LocalFiles) -> None:
        for file_key, sha256 in snapshot.named_documents(database):
            if self._add_file(manifest, files, file_key) != sha256:
                self._missing.append(file_key)

    def _add_folders(self, manifest: IO[bytes], database: Database, files: LocalFiles) -> None:
        for folder, is_counted_on in snapshot.named_folders(database):
            found = [self._add_file(manifest, files, key) for key in files.keys(folder)]
            if is_counted_on and not any(found):
                self._missing.append(folder)

    def _add_file(self, manifest: IO[bytes], files: LocalFiles, key: str) -> str | None:
        """Add a file and return its digest; None when it is gone, as those of an attempt may be at any time."""
        try:
            content = files.path_of(key).open("rb")
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return None
        with content:
            return self._add(manifest, f"{FILES}{key}", content)

    def _add(self, manifest: IO[bytes], name: str, content: IO[bytes]) -> str:
        size_bytes = os.fstat(content.fileno()).st_size
        digest = self._archive.add(name, content, size_bytes)
        manifest.write(manifest_line(name, size_bytes, digest))
        self._count += 1
        self._progress(self._count, self._archive.size_bytes)
        return digest

    def _add_bytes(self, name: str, content: bytes) -> None:
        self._archive.add(name, BytesIO(content), len(content))

    def _finish(self, manifest: IO[bytes]) -> None:
        manifest.flush()
        manifest.seek(0)
        digest = hashlib.file_digest(manifest, "sha256").hexdigest()  # type: ignore[arg-type]
        manifest.seek(0)
        self._archive.add(MANIFEST, manifest, os.fstat(manifest.fileno()).st_size)
        facts = {"manifest_sha256": digest, "archive_sha256": self._archive.sha256, "missing": self._missing}
        self._add_bytes(END, sealed(facts))
        self._archive.finish()
