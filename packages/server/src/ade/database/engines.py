"""Engines: how connections to each database are made and set up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError

from ade.database.dialects import BEGIN_READ, BEGIN_WRITE, ON_CONNECT, connect_arguments
from ade.database.wire import batch
from ade.errors import DatabaseUnreachable, DriverMissing

POOL_SIZE = 10
MOST_EXTRA_CONNECTIONS = 40  # as many as an API has threads, a worker, and probes: none of them waits for a connection
_DRIVERS = {"postgresql": "postgresql+psycopg", "mssql": "mssql+mssqlpython"}
_MISSING = {
    "postgresql": "The driver of PostgreSQL is not installed. Run: pip install ade-server",
    "mssql": "The driver of SQL Server is not installed. Run: pip install 'ade-server[mssql]'",
}
_NOT_LOADABLE = (
    "The driver of SQL Server cannot be loaded: libraries of the system are missing. "
    "Run: apt-get install libltdl7 libkrb5-3 libgssapi-krb5-2 (or: dnf install libtool-ltdl krb5-libs)"
)


def create_engine(url: URL) -> sa.Engine:
    """Return the engine of an address; nothing is connected yet. Raise DriverMissing."""
    dialect = url.get_backend_name()
    if dialect == "sqlite":
        return _create_sqlite(url)
    try:
        engine = _create_server(url)
    except ImportError as error:
        raise DriverMissing(_MISSING[dialect]) from error
    engine.dialect.use_insertmanyvalues_wo_returning = True  # many rows in one statement, not one after the other
    _begin_ourselves(engine, dialect)
    if dialect == "mssql":
        batch.install(engine)
    _run_on_connect(engine, dialect)
    return engine


def _create_server(url: URL) -> sa.Engine:
    wanted = _DRIVERS[url.get_backend_name()]
    if url.drivername not in {url.get_backend_name(), wanted}:
        raise DriverMissing(f"{url.drivername} is not a driver ADE uses. Write {wanted}:// in ADE_DATABASE_URL.")
    # No ping before each use: a connection that was lost fails at its first statement, and that is tried again.
    return sa.create_engine(
        url.set(drivername=wanted),
        isolation_level="AUTOCOMMIT",
        pool_size=POOL_SIZE,
        max_overflow=MOST_EXTRA_CONNECTIONS,
        connect_args=connect_arguments(url),
    )


def refusal(engine: sa.Engine, error: Exception) -> DatabaseUnreachable | None:
    """Return what is to be said when a connection could not be made, or None for an error of another kind."""
    address, text = engine.url.render_as_string(), _in_one_line(error)
    if engine.dialect.name == "mssql" and "failed to load the driver" in text.lower():
        return DriverMissing(_NOT_LOADABLE)
    if type(error).__name__ == "ConnectionStringParseError":  # mssql-python's, which is no error of a database
        return DatabaseUnreachable(f"ADE_DATABASE_URL is not a valid address for SQL Server's driver: {text}")
    if isinstance(error, DBAPIError):
        return DatabaseUnreachable(f"Cannot connect to {address}: {text}")
    return None


def _in_one_line(error: Exception) -> str:
    if isinstance(error, DBAPIError):
        return str(error.orig).strip().partition("\n")[0]
    return " ".join(str(error).split())


def _begin_ourselves(engine: sa.Engine, dialect: str) -> None:
    """Begin transactions here: the drivers send a message of its own for each, and wait for its answer.

    A `Transaction` begins together with its first statement, and ends itself; everyone else's does here.
    """

    def is_ours(connection: sa.Connection) -> bool:
        options = connection.get_execution_options()
        return "ade_mode" not in options and options.get("isolation_level") != "AUTOCOMMIT"

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if is_ours(connection):
            connection.exec_driver_sql(BEGIN_WRITE[dialect])

    if dialect == "postgresql":
        return  # its driver knows that a transaction was begun, and ends it

    @sa.event.listens_for(engine, "commit")
    def commit(connection: sa.Connection) -> None:
        if is_ours(connection):
            connection.exec_driver_sql("COMMIT")

    @sa.event.listens_for(engine, "rollback")
    def roll_back(connection: sa.Connection) -> None:
        if is_ours(connection):
            connection.exec_driver_sql("IF @@TRANCOUNT > 0 ROLLBACK")


def _pooled(url: URL) -> sa.Engine:
    return sa.create_engine(url, pool_size=POOL_SIZE, max_overflow=MOST_EXTRA_CONNECTIONS)


def _create_sqlite(url: URL) -> sa.Engine:
    if url.database and url.database != ":memory:":
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    engine = _pooled(url) if url.database else sa.create_engine(url)
    _run_on_connect(engine, "sqlite")

    @sa.event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        mode = connection.get_execution_options().get("ade_mode", "write")
        connection.exec_driver_sql((BEGIN_READ if mode == "read" else BEGIN_WRITE)["sqlite"])

    return engine


def _run_on_connect(engine: sa.Engine, dialect: str) -> None:
    @sa.event.listens_for(engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        if dialect == "sqlite":
            connection.isolation_level = None  # the driver would otherwise begin transactions of its own
        if dialect == "postgresql":
            # What the driver prepares by itself it forgets at each rollback, and what we prepared with it.
            connection.prepare_threshold = None
        cursor = connection.cursor()
        for statement in ON_CONNECT[dialect]:
            cursor.execute(statement)
        cursor.close()
