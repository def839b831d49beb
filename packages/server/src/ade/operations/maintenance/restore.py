"""Reads a backup: to prove that it is whole, or to put it back in place.

Everything is read, written beside its place and compared before the first rename; the database is put in place last, so
that there is none until its files are there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from ade.clock import Clock
from ade.database.maintenance import migrate, snapshot
from ade.database.maintenance.revisions import NEWEST, refuse_unknown
from ade.errors import BackupDamaged, BackupRefused, Invalid
from ade.files.archive import ArchiveReader, Entry
from ade.files.base import checked_key
from ade.files.locks import IN_USE, locked
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
    unsealed,
)

MOST_SEALED_BYTES = 256 * 1024 * 1024
MOST_NAMED = 20
MOST_LINE_BYTES = 64 * 1024  # of the manifest: a name has 4,096 at most
UNFINISHED = ".ade-restore-"
Place = Callable[[str], Path | None]


def verify_backup(path: Path, *, progress: Progress) -> Backup:
    """Read a whole backup and check its database; raise BackupDamaged with what is wrong."""
    with tempfile.TemporaryDirectory(prefix="ade-verify-") as folder:
        copy = Path(folder) / DATABASE
        backup = _read(path, lambda name: copy if name == DATABASE else None, progress=progress)
        _require_good_database(copy, backup)
    return backup


def restore_backup(
    places: Places, path: Path, *, clock: Clock, progress: Progress, is_replacing: bool
) -> tuple[Backup, Path | None]:
    """Put a backup in place once all of it has proven good; return it and where what it replaced is now."""
    with locked(places.data_dir / IN_USE, is_shared=False, is_waiting=False) as is_free:
        if not is_free:
            raise BackupRefused(f"A server, worker or command uses {places.data_dir}. Stop it first.")
        present = _present(places)
        if present and not is_replacing:
            names = ", ".join(str(one) for one in present)
            raise BackupRefused(f"There is already data: {names}. Choose an empty ADE_DATA_DIR, or give --replace.")
        with _staged(places) as staged:
            backup = _read(path, lambda name: _place_of(name, staged), progress=progress)
            _require_good_database(staged.database, backup)
            staged.files.mkdir(exist_ok=True)
            os.sync()
            aside = _move_aside(places, present, clock=clock) if present else None
            staged.files.rename(places.files)
            staged.database.rename(places.database)
            os.sync()
    return backup, aside


def _present(places: Places) -> list[Path]:
    """Return what is in the way; an empty folder is not."""
    logs = [places.database.with_name(places.database.name + suffix) for suffix in ("", "-wal", "-shm")]
    return [path for path in (*logs, places.files) if path.is_file() or (path.is_dir() and any(path.iterdir()))]


@contextmanager
def _staged(places: Places) -> Iterator[Places]:
    """Make folders next to the places, on the same disks, and remove those of restores that were killed."""
    parents = {places.database.parent, places.files.parent}
    for parent in parents:
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f"{UNFINISHED}*"):
            shutil.rmtree(left, ignore_errors=True)
    name = f"{UNFINISHED}{new_id()}"
    try:
        for parent in parents:
            (parent / name).mkdir(mode=0o700)
        database, files = places.database.parent / name / DATABASE, places.files.parent / name / "files"
        yield Places(database, files, places.data_dir)
    finally:
        for parent in parents:
            shutil.rmtree(parent / name, ignore_errors=True)


def _move_aside(places: Places, present: list[Path], *, clock: Clock) -> Path:
    aside = places.data_dir / f"replaced-{clock.now():%Y%m%dT%H%M%SZ}-{new_id()[-4:]}"
    aside.mkdir(mode=0o700)
    for path in present:  # the database first: files without it are an empty server, the reverse is a broken one
        shutil.move(path, aside / path.name)
    return aside


def _place_of(name: str, staged: Places) -> Path:
    if name == DATABASE:
        return staged.database
    try:
        return staged.files / checked_key(name.removeprefix(FILES))
    except Invalid as error:
        raise BackupDamaged(str(error)) from None


def _require_good_database(copy: Path, backup: Backup) -> None:
    """Do what `ade db check` does, and read all of the database."""
    snapshot.require_sound(copy)
    with snapshot.opened(copy) as database:
        found = migrate.differences(database) if backup.schema_revision == NEWEST else []
    if found:
        raise BackupDamaged("\n".join(["The database does not match its version:", *found]))


def _read(path: Path, place: Place, *, progress: Progress) -> Backup:
    """Read a backup from its first byte to its last, and compare everything with its manifest."""
    with path.open("rb") as file, tempfile.TemporaryFile() as seen:
        entries = ArchiveReader(file).entries()
        header = _header(entries)
        entry, count = _next(entries, MANIFEST), 0
        while entry.name != MANIFEST:
            if entry.name != DATABASE and not entry.name.startswith(FILES):
                raise BackupDamaged(f"{entry.name!r} does not belong to a backup.")
            seen.write(_take(entry, place(entry.name)))
            count += 1
            progress(count, file.tell())
            entry = _next(entries, MANIFEST)
        seen.seek(0)
        faults, manifest_sha256 = _compare(entry, seen)
        end_entry = _next(entries, END)
        end = _sealed_facts(end_entry, END)
        _require_whole(end, faults, manifest_sha256=manifest_sha256, archive_sha256=end_entry.preceding_sha256)
        for _ in entries:
            raise BackupDamaged("There is data after its end.")
        return Backup(
            path=path,
            created_at=header["created_at"],
            ade_version=header["ade_version"],
            schema_revision=header["schema_revision"],
            file_count=count,
            size_bytes=file.tell(),
            missing=tuple(end["missing"]),
        )


def _header(entries: Iterator[Entry]) -> dict[str, Any]:
    header = _sealed_facts(_next(entries, HEADER), HEADER)
    if header["format"] != FORMAT:
        made_by = f"ADE {header['ade_version']} in format {header['format']}"
        raise BackupRefused(f"The backup was made by {made_by}, which this version does not know. Use that version.")
    refuse_unknown(header["schema_revision"])
    return header


def _next(entries: Iterator[Entry], expected: str) -> Entry:
    entry = next(entries, None)
    if entry is None:
        raise BackupDamaged(f"It ends before {expected}.")
    return entry


def _sealed_facts(entry: Entry, name: str) -> dict[str, Any]:
    if entry.name != name or entry.size_bytes > MOST_SEALED_BYTES:
        raise BackupDamaged(f"{name} is not in its place. Was this file written by `ade backup`?")
    return unsealed(name, b"".join(entry.chunks))


def _take(entry: Entry, path: Path | None) -> bytes:
    """Read a file, write it to its place if it has one, and return its line of the manifest."""
    digest = hashlib.sha256()
    with _opened(path) as target:
        for chunk in entry.chunks:
            digest.update(chunk)
            if target is not None:
                target.write(chunk)
    return manifest_line(entry.name, entry.size_bytes, digest.hexdigest())


@contextmanager
def _opened(path: Path | None) -> Iterator[IO[bytes] | None]:
    if path is None:
        yield None
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("xb")
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise BackupDamaged(f"{path.name} is in the backup twice, or is a file and a folder at once.") from None
    with file:
        yield file


def _compare(manifest: Entry, seen: IO[bytes]) -> tuple[list[str], str]:
    """Return which files are not as the manifest says, the first of them, and the digest of the manifest."""
    faults: list[str] = []
    digest = hashlib.sha256()
    for expected, found in zip_longest(_lines(manifest.chunks, digest), seen):
        if expected != found:
            faults.append(_name_in(found or expected))
        if len(faults) > MOST_NAMED:
            break
    for chunk in manifest.chunks:  # that were not compared
        digest.update(chunk)
    return faults, digest.hexdigest()


def _lines(chunks: Iterator[bytes], digest: Any) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        digest.update(chunk)
        *whole, rest = (rest + chunk).split(b"\n")
        if len(rest) > MOST_LINE_BYTES:
            raise BackupDamaged(f"{MANIFEST} is damaged: a line of it has more than {MOST_LINE_BYTES} bytes.")
        yield from (line + b"\n" for line in whole)
    if rest:
        yield rest


def _name_in(line: bytes | None) -> str:
    return (line or b"").partition(b'"name": "')[2].partition(b'"')[0].decode(errors="replace")


def _require_whole(end: dict[str, Any], faults: list[str], *, manifest_sha256: str, archive_sha256: str) -> None:
    if end["manifest_sha256"] != manifest_sha256:
        raise BackupDamaged(f"{MANIFEST} is damaged. The files cannot be compared with it.")
    if faults:
        more = ["and more"] if len(faults) > MOST_NAMED else []
        raise BackupDamaged("\n".join(["These files differ from the backup's manifest:", *faults[:MOST_NAMED], *more]))
    if end["archive_sha256"] != archive_sha256:
        raise BackupDamaged("All files are intact, but bytes between them (headers or padding) were changed.")
