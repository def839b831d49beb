"""Brings the schema up to date, and reports how it differs from what it should be."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.exc import DBAPIError

from ade.database.maintenance import sqlserver
from ade.database.maintenance.revisions import refuse_unknown, revision_of
from ade.database.schema import metadata
from ade.database.transaction import Database, Transaction

_TURN_SNAPSHOT_ON = "ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON WITH ROLLBACK AFTER 5 SECONDS"
SNAPSHOT_NOT_PERMITTED = (
    f"{sqlserver.SNAPSHOT_IS_OFF} This account has no right to turn it on. {sqlserver.TURN_SNAPSHOT_ON}"
)
# One upgrade at a time: several servers may start together. SQLite's write lock does it there. SQL Server's answers
# with a number below zero, and no error, when it was not given: without a timeout of its own it waits as long as for
# rows, which is shorter than an upgrade may take.
_LOCK = {
    "postgresql": "SELECT pg_advisory_xact_lock(7106101)",
    "mssql": (
        "DECLARE @given int; "
        "EXEC @given = sp_getapplock @Resource = 'ade_upgrade', @LockMode = 'Exclusive', @LockOwner = 'Transaction', "
        "@LockTimeout = 600000; "
        "IF @given < 0 THROW 50000, 'Another upgrade of this database did not end within ten minutes.', 1;"
    ),
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
    """Turn on what a database should have; return why not, when that could not be done."""
    if database.dialect != "mssql":
        return ""
    if database.read(sqlserver.is_snapshot_on):
        return ""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        try:
            connection.execute(sa.text(_TURN_SNAPSHOT_ON))
        except DBAPIError as error:
            return _why_not(error)
    return ""


def _why_not(error: DBAPIError) -> str:
    text = str(error.orig).strip().partition("\n")[0]
    if "permission" in text.lower():
        return SNAPSHOT_NOT_PERMITTED
    return f"{sqlserver.SNAPSHOT_IS_OFF} It could not be turned on: {text} {sqlserver.TURN_SNAPSHOT_ON}"


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
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations"))
    config.attributes["connection"] = connection
    return config
