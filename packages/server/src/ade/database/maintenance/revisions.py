"""Which step of the schema a database is at, and which one this program needs.

Told without the tool that takes the steps: to load that is a fifth of what a start takes.
"""

import sqlalchemy as sa

from ade.database.transaction import Database, Transaction
from ade.errors import SchemaOutdated, SchemaTooNew

REVISIONS = ("0001",)  # of migrations/versions, the oldest first
NEWEST = REVISIONS[-1]
_VERSION_TABLE = "alembic_version"


def current_revision(database: Database) -> str | None:
    """Return the step the database is at, or None when it has no schema."""
    return database.read(revision_of)


def revision_of(tx: Transaction) -> str | None:
    """Return the step the database of a transaction is at."""
    if not sa.inspect(tx.connection).has_table(_VERSION_TABLE):
        return None
    return tx.execute(sa.text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar_one_or_none()  # noqa: S608 - ours


def require_current(database: Database) -> None:
    """Refuse to work on another schema than this program's, and say which command helps."""
    present = current_revision(database)
    if present == NEWEST:
        return
    if present is None:
        raise SchemaOutdated("The database has no ADE schema yet. Run: ade db upgrade")
    refuse_unknown(present)
    raise SchemaOutdated(f"The database is at {present}, this version needs {NEWEST}. Run: ade db upgrade")


def refuse_unknown(present: str | None) -> None:
    """Raise SchemaTooNew for a newer program's database."""
    if present is not None and present not in REVISIONS:
        raise SchemaTooNew(f"The database is at {present}, which this version does not know. Upgrade the program.")
