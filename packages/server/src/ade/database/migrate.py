"""Brings the schema up to date, and tells how it differs from what it should be."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from ade.database.revisions import refuse_unknown, revision_of
from ade.database.schema import metadata
from ade.database.transaction import Database, Transaction

# One upgrade at a time: several servers may start together. SQLite's write lock does it there.
_TURN_SNAPSHOT_ON = "ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK AFTER 5 SECONDS"
SNAPSHOT_NOT_PERMITTED = (
    "READ_COMMITTED_SNAPSHOT is off and could not be turned on: readers will wait for writers. "
    "Ask an administrator to turn it on."
)
_SNAPSHOT_IS_ON = "SELECT is_read_committed_snapshot_on FROM sys.databases WHERE name = DB_NAME()"
_LOCK = {
    "postgresql": "SELECT pg_advisory_xact_lock(7106101)",
    "mssql": "EXEC sp_getapplock @Resource = 'ade_upgrade', @LockMode = 'Exclusive', @LockOwner = 'Transaction'",
}


def upgrade(database: Database) -> None:
    """Run every step that is missing, all of them or none; raise SchemaTooNew for a newer program's database."""

    def steps(tx: Transaction) -> None:
        if tx.dialect in _LOCK:
            tx.execute(sa.text(_LOCK[tx.dialect]))
        refuse_unknown(revision_of(tx))
        command.upgrade(_config(tx.connection), "head")

    database.write(steps)


def tune(database: Database) -> str:
    """Turn on what a database should have; return a sentence when that is not permitted."""
    if database.dialect != "mssql":
        return ""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        is_on = connection.execute(sa.text(_SNAPSHOT_IS_ON)).scalar_one()
        if is_on:
            return ""
        try:
            connection.execute(sa.text(_TURN_SNAPSHOT_ON))
        except DBAPIError:
            return SNAPSHOT_NOT_PERMITTED
    return ""


def differences(database: Database) -> list[str]:
    """Return what in the database's tables is not as this program expects, one sentence each."""

    def compare(tx: Transaction) -> list[str]:
        context = MigrationContext.configure(tx.connection, opts={"compare_type": True})
        return [_in_words(change) for change in compare_metadata(context, metadata)]

    return database.read(compare)


def _in_words(change: object) -> str:
    parts = change[0] if isinstance(change, list) else change
    return " ".join(str(getattr(part, "name", part)) for part in parts) if isinstance(parts, tuple) else str(parts)


def _config(connection: sa.Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    return config
