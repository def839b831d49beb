"""What must differ between SQLite, PostgreSQL and SQL Server, side by side. Everything else is portable."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

# The database's clock in microseconds since 1970. Not the time the transaction began: a claim that waited for its lock
# must see the time after the wait.
NOW_MICROSECONDS = {
    # Milliseconds, put together from whole numbers: julianday() alone is a float that loses them.
    "sqlite": (
        "CAST(strftime('%s', 'now') AS INTEGER) * 1000000 + CAST(substr(strftime('%f', 'now'), 4) AS INTEGER) * 1000"
    ),
    "postgresql": "CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS bigint)",
    "mssql": "DATEDIFF_BIG(microsecond, '1970-01-01', SYSUTCDATETIME())",
}

# How a transaction begins, where we begin it ourselves. SQLite: take the write lock now, since upgrading a read lock
# later fails at once instead of waiting.
_BEGIN_POSTGRESQL = "BEGIN ISOLATION LEVEL READ COMMITTED"
BEGIN_WRITE = {"sqlite": "BEGIN IMMEDIATE", "postgresql": _BEGIN_POSTGRESQL, "mssql": "BEGIN TRANSACTION"}
# On SQL Server each statement that reads is its own transaction: that is all READ COMMITTED promises.
BEGIN_READ = {"sqlite": "BEGIN", "postgresql": _BEGIN_POSTGRESQL, "mssql": ""}

# How a part of a transaction is taken back. SQL Server has no word for giving a savepoint up.
SAVE = {"sqlite": "SAVEPOINT {}", "postgresql": "SAVEPOINT {}", "mssql": "SAVE TRANSACTION {}"}
RELEASE = {"sqlite": "RELEASE SAVEPOINT {}", "postgresql": "RELEASE SAVEPOINT {}"}
ROLL_BACK_TO = {
    "sqlite": "ROLLBACK TO SAVEPOINT {}",
    "postgresql": "ROLLBACK TO SAVEPOINT {}",
    "mssql": "ROLLBACK TRANSACTION {}",
}

# Run on each new connection.
ON_CONNECT = {
    "sqlite": (
        "PRAGMA journal_mode = WAL",
        "PRAGMA synchronous = FULL",  # an accepted run survives a power cut, not only a crash
        "PRAGMA foreign_keys = ON",
        "PRAGMA busy_timeout = 5000",
    ),
    # A process that is stopped in the middle of a transaction would hold the queue's lock until it continues. No
    # transaction of ours waits for anything but its own next statement.
    "postgresql": ("SET idle_in_transaction_session_timeout = '10s'",),
    # Errors are recognised by their text, since the driver gives no number: it must be English.
    "mssql": ("SET LANGUAGE us_english", "SET LOCK_TIMEOUT 10000"),
}

# How a connection is made, unless the address says otherwise. A PostgreSQL that is cut off says nothing at all, and the
# system itself would wait for hours: so the network is asked after a while whether anybody is there.
CONNECT: dict[str, dict[str, Any]] = {
    "sqlite": {},
    "postgresql": {
        "connect_timeout": 10,
        "keepalives_idle": 15,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 30_000,
    },
    "mssql": {},
}

_SQLITE_BUSY, _SQLITE_LOCKED = 5, 6
_SQLITE_UNIQUE = {1555, 2067}  # primary key, unique
_POSTGRESQL_UNPREPARED = "26000"  # somebody between us and the server reset the connection
_POSTGRESQL_CONTENTION = {"40001", "40P01", "55P03"}  # serialisation, deadlock, lock not available
_MSSQL_CONTENTION = {1205, 1222, 3960}  # deadlock, lock timeout, snapshot conflict
_MSSQL_UNIQUE = {2601, 2627}


def now_microseconds(dialect: str) -> sa.ColumnElement[int]:
    """Return the database's clock as an expression."""
    return sa.literal_column(NOW_MICROSECONDS[dialect], sa.BigInteger)


# A limit that is part of the text. PostgreSQL plans badly for a limit it does not know. For SQL Server SQLAlchemy turns
# no other into TOP, and it leaves out the order of a subquery without TOP.
_limit: Any = sa.select(sa.literal_column("1")).limit(1)._limit_clause  # noqa: SLF001
_ONE = _limit.render_literal_execute()


def first_row(statement: sa.Select[Any]) -> sa.Select[Any]:
    """Return a query for the first row only, with that number in the text of the statement."""
    return statement.limit(_ONE)


# SQLAlchemy renders FOR UPDATE for PostgreSQL alone; SQL Server has hints on the table, and SQLite has one writer.
def holding(statement: sa.Select[Any], table: sa.Table, *, by_key: bool = False) -> sa.Select[Any]:
    """Return a query for rows that are locked until the end of the transaction, in the order it asks for.

    `by_key` is for a question that names the ids: SQL Server then goes to the rows themselves. By way of another index
    it would lock an entry of that index first, and wait for an ending that holds the row and removes the entry.
    """
    index = f", INDEX({table.primary_key.name})" if by_key else ""
    held = statement.with_for_update(of=table, key_share=True)
    return held.with_hint(table, f"WITH (UPDLOCK, ROWLOCK{index})", "mssql")


def without_held(statement: sa.Select[Any], table: sa.Table) -> sa.Select[Any]:
    """Return a query for rows to change that skips the rows another transaction holds."""
    passing = statement.with_for_update(skip_locked=True, key_share=True)
    # READPAST passes over locked rows, not over locked pages. Where readers see snapshots it needs READCOMMITTEDLOCK.
    return passing.with_hint(table, "WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)", "mssql")


def connect_arguments(url: sa.URL) -> dict[str, Any]:
    """Return what a connection is made with besides the address, which has the last word."""
    return {name: value for name, value in CONNECT[url.get_backend_name()].items() if name not in url.query}


def is_contention(error: DBAPIError) -> bool:
    """Return whether the transaction lost against another one and may be tried again as a whole."""
    cause: Any = error.orig
    if (number := getattr(cause, "sqlite_errorcode", None)) is not None:
        return number & 0xFF in {_SQLITE_BUSY, _SQLITE_LOCKED}
    if (state := getattr(cause, "sqlstate", None)) in _POSTGRESQL_CONTENTION or is_unprepared(cause):
        return True
    return state is None and _is_mssql_contention(str(cause), _mssql_number(cause))


def is_unprepared(cause: Any) -> bool:
    """Return whether a prepared statement is gone, so that it must be prepared again."""
    return getattr(cause, "sqlstate", None) == _POSTGRESQL_UNPREPARED


def _is_mssql_contention(text: str, number: int | None) -> bool:
    # mssql-python gives no number and pyodbc hides it in the text, so all three signs count.
    return (
        number in _MSSQL_CONTENTION
        or "40001" in text
        or "deadlock" in text.lower()
        or "lock request time out" in text.lower()
        or "lock timeout" in text.lower()
    )


def is_unique_violation(error: DBAPIError) -> bool:
    """Return whether a row with this key exists already."""
    cause: Any = error.orig
    if (number := getattr(cause, "sqlite_errorcode", None)) is not None:
        return number in _SQLITE_UNIQUE
    if (state := getattr(cause, "sqlstate", None)) is not None:
        return bool(state == "23505")
    text = str(cause).lower()
    return isinstance(error, IntegrityError) and (
        _mssql_number(cause) in _MSSQL_UNIQUE or "duplicate key" in text or "unique" in text
    )


def _mssql_number(cause: Any) -> int | None:
    """Find the native error number where the driver gives one: pyodbc writes it as "(1205)" in its message."""
    text = str(cause)
    return next((number for number in _MSSQL_CONTENTION | _MSSQL_UNIQUE if f"({number})" in text), None)
