"""What a backup consists of: a sealed header, the database, the files, a manifest and a sealed end, in this order."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ade.database.maintenance import snapshot
from ade.errors import BackupDamaged, BackupRefused
from ade.settings import Settings

FORMAT = 1
HEADER = "ade-backup.json"
DATABASE = "ade.db"
FILES = "files/"
MANIFEST = "manifest.ndjson"
END = "end.json"
PAGE = "docs/how-to/backup-and-restore.md"

# What is sealed, and of which type it is; lists are of text.
_FACTS: dict[str, dict[str, type]] = {
    HEADER: {"format": int, "created_at": str, "ade_version": str, "schema_revision": str},
    END: {"manifest_sha256": str, "archive_sha256": str, "missing": list},
}
Progress = Callable[[int, int], None]  # files, bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What is known of a backup."""

    path: Path
    created_at: str
    ade_version: str
    schema_revision: str
    file_count: int
    size_bytes: int
    missing: tuple[str, ...]  # named by the database, and gone or changed before the backup was made


@dataclass(frozen=True, slots=True)
class Places:
    """Where the embedded default keeps everything."""

    database: Path
    files: Path
    data_dir: Path


def embedded_places(settings: Settings) -> Places:
    """Return where database and files are; raise BackupRefused unless both are on this machine."""
    database = snapshot.path_of(settings.resolved_database_url)
    if database is None:
        raise BackupRefused(
            "ADE_DATABASE_URL names a database server. Back it up with its own tools (pg_dump, BACKUP DATABASE) "
            f"before you copy the files: {PAGE}"
        )
    if settings.files_url:
        raise BackupRefused(
            "ADE_FILES_URL names a file store. Copy the database, then the store with the store's own tools: " + PAGE
        )
    return Places(database, settings.files_folder, settings.data_dir.absolute())


def manifest_line(name: str, size_bytes: int, sha256: str) -> bytes:
    """Return the line of a file: the same file, the same bytes."""
    return json.dumps({"name": name, "size_bytes": size_bytes, "sha256": sha256}).encode() + b"\n"


def sealed(facts: Mapping[str, Any]) -> bytes:
    """Return facts as JSON with a digest of them in a second line."""
    line = json.dumps(facts).encode()
    return line + b"\n" + hashlib.sha256(line).hexdigest().encode() + b"\n"


def unsealed(name: str, content: bytes) -> dict[str, Any]:
    """Return what was sealed; raise BackupDamaged when it was changed since."""
    line, _, digest = content.partition(b"\n")
    if hashlib.sha256(line).hexdigest().encode() + b"\n" != digest:
        raise BackupDamaged(f"{name} is damaged.")
    try:
        facts = json.loads(line)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or not all(_is_of(kind, facts.get(key)) for key, kind in _FACTS[name].items()):
        raise BackupDamaged(f"{name} does not contain what `ade backup` writes there.")
    return facts


def _is_of(kind: type, value: Any) -> bool:
    is_named = kind is not list or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    return isinstance(value, kind) and is_named
