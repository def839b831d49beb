"""Column types that mean the same on SQLite, PostgreSQL and SQL Server."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mssql
from sqlalchemy.engine import Dialect

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - EPOCH) // MICROSECOND
_LAST = (datetime.max.replace(tzinfo=UTC) - EPOCH) // MICROSECOND

# SQL Server compares text without regard to case by default; ids and codes must not.
BINARY_COLLATION = "Latin1_General_BIN2"

# Compact and sorted, so that equal values are equal text.
_json_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class Instant(sa.TypeDecorator[datetime]):
    """An aware UTC instant, kept as integer microseconds: exact, and compared the same way everywhere."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Turn an instant into microseconds."""
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Turn microseconds into an instant."""
        return None if value is None else from_microseconds(value)


class Json(sa.TypeDecorator[Any]):
    """A JSON value, kept as text: we never query inside it."""

    impl = sa.UnicodeText
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> sa.types.TypeEngine[Any]:
        """Use NVARCHAR(max) on SQL Server, whose TEXT is obsolete and knows no Unicode."""
        return dialect.type_descriptor(mssql.NVARCHAR(None)) if dialect.name == "mssql" else self.impl_instance

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Write it as text."""
        return None if value is None else _json_text(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002
        """Read it back."""
        return None if value is None else json.loads(value)


def code(length: int) -> sa.types.TypeEngine[str]:
    """Return text that is compared byte by byte: ids, statuses, digests, keys."""
    return sa.String(length).with_variant(mssql.NVARCHAR(length, collation=BINARY_COLLATION), "mssql")


def identifier() -> sa.types.TypeEngine[str]:
    """Return the type of an id."""
    return code(36)


def words(length: int) -> sa.types.TypeEngine[str]:
    """Return the type of a short text for people, of this many characters.

    SQL Server counts units of UTF-16, and an emoji has two of them.
    """
    return sa.Unicode(length).with_variant(mssql.NVARCHAR(2 * length), "mssql")


def label(length: int) -> sa.types.TypeEngine[str]:
    """Return the type of a short text that people choose and that is a key: as `words`, compared byte by byte.

    SQL Server passes over spaces at the end of a text all the same: they are removed before it is a key.
    """
    return sa.Unicode(length).with_variant(mssql.NVARCHAR(2 * length, collation=BINARY_COLLATION), "mssql")


def long_text() -> sa.types.TypeEngine[str]:
    """Return the type of a text without a limit; it cannot be indexed."""
    return sa.UnicodeText().with_variant(mssql.NVARCHAR(None), "mssql")


def content() -> sa.types.TypeEngine[bytes]:
    """Return the type of a file's bytes."""
    return sa.LargeBinary().with_variant(mssql.VARBINARY("max"), "mssql")  # type: ignore[no-untyped-call]


def counter() -> sa.types.TypeEngine[int]:
    """Return the type of a growing primary key; SQLite counts only what it calls INTEGER."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def to_microseconds(instant: datetime) -> int:
    """Return an instant as microseconds since 1970; raise OverflowError for one that could not be read back.

    The last evening of the year 9999 is in the next year for those further east, and Python knows no such year.
    """
    microseconds = (instant - EPOCH) // MICROSECOND
    if not _FIRST <= microseconds <= _LAST:
        raise OverflowError(f"{instant} is beyond the calendar")
    return microseconds


def from_microseconds(microseconds: int) -> datetime:
    """Return the instant this many microseconds after 1970."""
    return EPOCH + timedelta(microseconds=microseconds)
