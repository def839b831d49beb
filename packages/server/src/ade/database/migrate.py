"""Brings the schema up to date, and tells whether it is."""

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.exc import DBAPIError

from ade.database.schema import metadata
from ade.database.transaction import Database, Transaction
from ade.errors import SchemaOutdated, SchemaTooNew

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
        _refuse_unknown(MigrationContext.configure(tx.connection).get_current_revision())
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


def current_revision(database: Database) -> str | None:
    """Return the step the database is at, or None when it has no schema."""
    return database.read(lambda tx: MigrationContext.configure(tx.connection).get_current_revision())


def newest_revision() -> str:
    """Return the step this program expects."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise RuntimeError("there are no migrations in this installation")
    return head


def require_current(database: Database) -> None:
    """Refuse to work on another schema than this program's, and say which command helps."""
    present, wanted = current_revision(database), newest_revision()
    if present == wanted:
        return
    if present is None:
        raise SchemaOutdated("The database has no ADE schema yet. Run: ade db upgrade")
    _refuse_unknown(present)
    raise SchemaOutdated(f"The database is at {present}, this version needs {wanted}. Run: ade db upgrade")


def _refuse_unknown(present: str | None) -> None:
    if present is not None and present not in known_revisions():
        raise SchemaTooNew(f"The database is at {present}, which this version does not know. Upgrade the program.")


def known_revisions() -> set[str]:
    """Return every step of this program."""
    return {step.revision for step in ScriptDirectory.from_config(_config()).walk_revisions()}


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
