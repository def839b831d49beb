"""Errors as the drivers raise them, for databases and moments that cannot be had on demand."""

import sqlite3
from typing import Any

import psycopg
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError


class MssqlPythonError(Exception):
    """mssql-python: the server's text, and no number."""


class PyodbcError(Exception):
    """pyodbc: (SQLSTATE, text with the native number in brackets)."""


def _wrapped(kind: type[DBAPIError], cause: BaseException) -> Any:
    return kind("UPDATE runs ...", {}, cause)


def _sqlite(code: int, text: str) -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


CONTENTION: dict[str, OperationalError] = {
    "sqlite": _wrapped(OperationalError, _sqlite(sqlite3.SQLITE_BUSY, "database is locked")),
    "postgresql": _wrapped(OperationalError, psycopg.errors.DeadlockDetected("deadlock detected")),
    "mssql": _wrapped(
        OperationalError,
        PyodbcError(
            "40001", "[40001] Transaction (Process ID 55) was deadlocked on lock resources (1205) (SQLExecDirectW)"
        ),
    ),
}

ALL_CONTENTION: list[DBAPIError] = [
    *CONTENTION.values(),
    _wrapped(OperationalError, _sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT, "database is locked")),
    _wrapped(OperationalError, _sqlite(sqlite3.SQLITE_LOCKED, "database table is locked")),
    _wrapped(OperationalError, psycopg.errors.SerializationFailure("could not serialize access")),
    _wrapped(OperationalError, psycopg.errors.LockNotAvailable("canceling statement due to lock timeout")),
    _wrapped(
        OperationalError,
        MssqlPythonError("Transaction (Process ID 61) was deadlocked on lock resources with another process"),
    ),
    _wrapped(OperationalError, PyodbcError("HYT00", "[HYT00] Lock request time out period exceeded. (1222)")),
    _wrapped(DBAPIError, PyodbcError("42000", "[42000] Snapshot isolation transaction aborted due to conflict (3960)")),
]

UNIQUE: list[DBAPIError] = [
    _wrapped(IntegrityError, _sqlite(sqlite3.SQLITE_CONSTRAINT_UNIQUE, "UNIQUE constraint failed: builds.fingerprint")),
    _wrapped(IntegrityError, _sqlite(sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, "UNIQUE constraint failed: runs.id")),
    _wrapped(IntegrityError, psycopg.errors.UniqueViolation("duplicate key value violates unique constraint")),
    _wrapped(IntegrityError, PyodbcError("23000", "[23000] Violation of UNIQUE KEY constraint 'uq_builds' (2627)")),
    _wrapped(IntegrityError, PyodbcError("23000", "[23000] Cannot insert duplicate key row with unique index (2601)")),
    _wrapped(
        IntegrityError, MssqlPythonError("Violation of UNIQUE KEY constraint 'uq_builds'. Cannot insert duplicate key")
    ),
]

OTHER: list[DBAPIError] = [
    _wrapped(IntegrityError, _sqlite(sqlite3.SQLITE_CONSTRAINT_CHECK, "CHECK constraint failed: ck_runs_status")),
    _wrapped(IntegrityError, _sqlite(sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY, "FOREIGN KEY constraint failed")),
    _wrapped(IntegrityError, psycopg.errors.CheckViolation("new row violates check constraint")),
    _wrapped(OperationalError, psycopg.errors.UndefinedTable("relation does not exist")),
    _wrapped(
        IntegrityError, PyodbcError("23000", "[23000] The INSERT statement conflicted with the CHECK constraint (547)")
    ),
    _wrapped(IntegrityError, MssqlPythonError("The INSERT statement conflicted with the FOREIGN KEY constraint")),
]
