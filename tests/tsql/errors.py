"""What Microsoft's driver raises for what PostgreSQL refuses: its classes, with the words of SQL Server."""

import psycopg
from mssql_python.exceptions import sqlstate_to_exception
from psycopg import errors

TOO_LONG = "fits_in_utf16"  # the check of the text types in server.sql
_PREFIX = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"


def made(sqlstate: str, text: str) -> Exception:
    """Return the driver's error of a state."""
    error = sqlstate_to_exception(sqlstate, _PREFIX + text)
    return error if error is not None else RuntimeError(text)


def refused(text: str) -> Exception:
    """Return the error of a statement the server does not accept."""
    return made("42000", text)


def of(error: psycopg.Error) -> Exception:
    """Return what SQL Server would have raised."""
    name = error.diag.constraint_name or ""
    if isinstance(error, errors.UniqueViolation):
        kind = "PRIMARY KEY" if name.startswith("pk_") else "UNIQUE KEY"
        return made("23000", f"Violation of {kind} constraint '{name}'. Cannot insert duplicate key in object.")
    if isinstance(error, errors.CheckViolation) and name == TOO_LONG:
        return made("22001", f"String or binary data would be truncated. {error}")
    if isinstance(error, errors.IntegrityError):
        return made("23000", f"The statement conflicted with the constraint '{name}'. {error}")
    if isinstance(error, errors.DeadlockDetected):
        return made("40001", "Transaction was deadlocked on lock resources and has been chosen as the deadlock victim.")
    if isinstance(error, errors.LockNotAvailable):
        return made("HYT00", "Lock request time out period exceeded.")
    if isinstance(error, errors.NumericValueOutOfRange):
        return made("22003", f"Arithmetic overflow error. {error}")
    if isinstance(error, psycopg.OperationalError):
        return made("08S01", f"Communication link failure: {error}")
    return refused(str(error))
