"""The databases the conformance suite runs on, each able to hand out a fresh, migrated one to every test."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.engine import make_url

from ade.database.maintenance import migrate
from ade.database.schema import metadata, queue_control
from ade.database.transaction import Database, Transaction
from ade.database.types import EPOCH
from postgres import Postgres
from tsql import stand_in

POSTGRES_URL = "ADE_TEST_POSTGRES_URL"
MSSQL_URL = "ADE_TEST_MSSQL_URL"
KINDS = "ADE_TEST_DATABASES"  # leaves out others than these, for a quick answer
STAND_IN = "tsql"  # takes T-SQL in the place of SQL Server, see tests/tsql; only where KINDS names it


class Backend(Protocol):
    """One kind of database."""

    def fresh_url(self, folder: Path) -> str:
        """Return the address of a migrated database without rows."""
        ...

    def empty_url(self, folder: Path, name: str) -> str:
        """Return the address of a database without tables."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class SqliteBackend:
    """A file a test, copied from one that was migrated once; in memory where there is such a folder.

    Waiting for a disk proves nothing here: what a test kills is a process and not the machine.
    """

    def __init__(self, folder: Path) -> None:
        memory = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
        self._folder = Path(tempfile.mkdtemp(prefix="ade-sqlite-", dir=memory if memory.is_dir() else folder))
        self._numbers = count(1)
        self._template = self._folder / "template.db"
        _migrate(f"sqlite:///{self._template}")

    def fresh_url(self, folder: Path) -> str:
        """Copy the template."""
        own = self._folder / str(next(self._numbers))
        own.mkdir()
        shutil.copy(self._template, own / "test.db")
        return f"sqlite:///{own / 'test.db'}"

    def empty_url(self, folder: Path, name: str) -> str:
        """Name a file that is not there yet."""
        return f"sqlite:///{folder / name}.db"

    def close(self) -> None:
        """Remove the files."""
        shutil.rmtree(self._folder)


class ServerBackend:
    """A database on a server, migrated once a session and emptied for each test."""

    def __init__(self, server_url: str, *, name: str) -> None:
        self._server_url = make_url(server_url)
        self._made: list[str] = []
        self._url = self._create(name)
        _migrate(self._url)

    def fresh_url(self, folder: Path) -> str:
        """Delete every row and put the control rows back."""
        database = Database(self._url)
        database.write(_empty)
        database.close()
        return self._url

    def empty_url(self, folder: Path, name: str) -> str:
        """Create one more database."""
        return self._create(f"{self._made[0]}_{name}")

    def close(self) -> None:
        """Drop what was made."""
        with self._administer() as connection:
            for name in self._made:
                force = " WITH (FORCE)" if connection.dialect.name == "postgresql" else ""
                connection.exec_driver_sql(f"DROP DATABASE {name}{force}")

    def _create(self, name: str) -> str:
        with self._administer() as connection:
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name}")
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
        self._made = [*dict.fromkeys([*self._made, name])]
        return self._server_url.set(database=name).render_as_string(hide_password=False)

    @contextmanager
    def _administer(self) -> Iterator[sa.Connection]:
        database = Database(self._server_url.render_as_string(hide_password=False))
        try:
            with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                yield connection
        finally:
            database.close()


def available() -> list[str]:
    """Return the kinds this session tests: SQL Server only when one is given."""
    kinds = ["sqlite", "postgresql", *(["mssql"] if os.environ.get(MSSQL_URL) else [])]
    wanted = os.environ.get(KINDS, "").split()
    return [kind for kind in [*kinds, STAND_IN] if kind in (wanted or kinds)]


def open_backend(kind: str, folder: Path, *, worker: str) -> Backend:
    """Return a backend for one worker of the test session."""
    if kind == "sqlite":
        return SqliteBackend(folder)
    if kind == STAND_IN:
        return ServerBackend(stand_in.provide(os.environ[POSTGRES_URL]), name=f"ade_tsql_{worker}")
    server_url = os.environ[POSTGRES_URL if kind == "postgresql" else MSSQL_URL]
    return ServerBackend(server_url, name=f"ade_test_{worker}")


def provide_postgres() -> Postgres | None:
    """Start a PostgreSQL unless one is given, and tell the workers of this session where it is."""
    if os.environ.get(POSTGRES_URL):
        return None
    server = Postgres()
    os.environ[POSTGRES_URL] = server.url()
    return server


def migrated(url: str) -> str:
    """Bring a database to the newest schema and return its address."""
    _migrate(url)
    return url


def _migrate(url: str) -> None:
    database = Database(url)
    migrate.upgrade(database)
    reason = migrate.tune(database)  # a new database of SQL Server has readers wait for writers
    database.close()
    assert not reason, reason


def _empty(tx: Transaction) -> None:
    if tx.dialect == "postgresql":
        tables = ", ".join(table.name for table in metadata.sorted_tables)
        tx.execute(sa.text(f"TRUNCATE {tables} RESTART IDENTITY"))
    else:
        for table in reversed(metadata.sorted_tables):
            tx.execute(sa.delete(table))
    start = {"claim_sequence": 0, "run_sequence": 0, "order_version": 0, "open_run_count": 0}
    rows = [{"name": name, "clock_at": EPOCH, **start} for name in ("dispatch", "upkeep")]
    tx.execute(sa.insert(queue_control), rows)
