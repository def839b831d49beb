"""A copy of an SQLite database that is in use: how it is made, whether it is sound, and which files it names."""

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ade.database.maintenance.revisions import refuse_unknown, revision_of
from ade.database.schema import builds, documents, runs
from ade.database.transaction import Database
from ade.domain.build import BuildStatus
from ade.domain.run import RunStatus
from ade.errors import BackupDamaged, BackupRefused

MOST_FAULTS = 20


def path_of(url: str) -> Path | None:
    """Return the file of an SQLite database, or None for a database of another kind."""
    address = sa.make_url(url)
    if address.get_backend_name() != "sqlite" or not address.database or address.database == ":memory:":
        return None
    return Path(address.database).absolute()


def copy_database(source: Path, target: Path) -> None:
    """Write one state of a database, while others change it, to a file that does not exist."""
    try:
        with closing(_connect(source)) as connection:
            # One read transaction: writers go on, and what they commit meanwhile is not in the copy.
            connection.execute("VACUUM INTO ?", (str(target),))
    except sqlite3.DatabaseError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise OSError(errno.ENOSPC, "no space left for the copy of the database", str(target)) from error
        raise BackupRefused(f"The database {source} cannot be copied: {error}.") from error


def require_sound(path: Path) -> None:
    """Read every page and every reference of a database that is not in use; raise BackupDamaged with the faults."""
    try:
        with closing(_connect(path)) as connection:
            found = [str(row[0]) for row in connection.execute(f"PRAGMA integrity_check({MOST_FAULTS})")]
            lost = connection.execute("PRAGMA foreign_key_check").fetchmany(MOST_FAULTS)
    except sqlite3.DatabaseError as error:
        raise BackupDamaged(f"The database cannot be read: {error}.") from error
    faults = [line for line in found if line != "ok"]
    faults += [f"row {row[1]} of {row[0]} names a missing row of {row[2]}" for row in lost]
    if faults:
        raise BackupDamaged("\n".join(["The database is damaged:", *faults]))


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    """Open a copy, and leave it as one file: without a write-ahead log."""
    database = Database(f"sqlite:///{path}")
    try:
        yield database
    finally:
        database.close()
        with closing(_connect(path)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")


def revision(path: Path) -> str:
    """Return the schema of a copy; raise what is wrong when this program does not know it."""
    with opened(path) as database:
        present = database.read(revision_of)
    refuse_unknown(present)
    if present is None:
        raise BackupRefused("The database has no ADE schema: there is nothing to back up.")
    return present


def named_documents(database: Database) -> Iterator[tuple[str, str]]:
    """Yield the documents (file_key, sha256) whose bytes the database counts on."""
    d = documents.c
    chosen = sa.select(d.file_key, sa.func.max(d.sha256)).where(d.file_key != "", d.sha256 != "")
    yield from ((file_key, sha256) for file_key, sha256 in _rows(database, chosen.group_by(d.file_key)))


def named_folders(database: Database) -> Iterator[tuple[str, bool]]:
    """Yield the folder of each run and build, and whether the database counts on files in it.

    A run that executes has a folder that may be empty still, and one that failed may have left nothing.
    """
    for table, good in ((runs, RunStatus.SUCCEEDED), (builds, BuildStatus.READY)):
        chosen = sa.select(table.c.file_key, table.c.status).where(table.c.file_key.is_not(None))
        for file_key, status in _rows(database, chosen):
            yield file_key.rstrip("/"), status == good.value


def _rows(database: Database, chosen: sa.Select[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield rows without holding all of them; a copy has no other users, so this may take any time."""
    with database.engine.connect().execution_options(ade_mode="read", yield_per=1000) as connection:
        yield from map(tuple, connection.execute(chosen))


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA busy_timeout = 30000")
    return connection
