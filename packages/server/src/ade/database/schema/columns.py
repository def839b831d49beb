"""Short forms for the columns, constraints and indexes of the schema."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from ade.database.types import Instant, identifier

metadata = sa.MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


def primary_id() -> sa.Column[str]:
    """Return the `id` column."""
    return sa.Column("id", identifier(), primary_key=True)


def reference(table: str, name: str | None = None, *, nullable: bool = False) -> sa.Column[str]:
    """Return a column that names a row of another table.

    No cascades: SQL Server refuses several paths to one table, and what is deleted is decided in operations.
    """
    column = name or f"{table.removesuffix('s')}_id"
    return sa.Column(column, identifier(), sa.ForeignKey(f"{table}.id"), nullable=nullable)


def instant(name: str, *, nullable: bool = True) -> sa.Column[Any]:
    """Return a column that holds an instant."""
    return sa.Column(name, Instant, nullable=nullable)


def count(name: str) -> sa.Column[int]:
    """Return a whole number that starts at 0."""
    return sa.Column(name, sa.Integer, nullable=False, server_default=sa.text("0"))


def flag(name: str) -> sa.Column[bool]:
    """Return a yes or no that starts as no."""
    return sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false())


def one_of(column: str, values: Iterable[StrEnum]) -> sa.CheckConstraint:
    """Return the CHECK that keeps a column to an enumeration of the domain."""
    listed = ", ".join(f"'{value.value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=column)


def not_on_postgresql(condition: sa.CheckConstraint) -> sa.CheckConstraint:
    """Return a CHECK that the other databases have: they keep what they understood of it."""

    def is_wanted(*_: Any, dialect: sa.Dialect, **__: Any) -> bool:
        return dialect.name != "postgresql"

    condition.ddl_if(callable_=is_wanted)
    return condition


def filtered(name: str, *columns: str, where: str, unique: bool = False) -> sa.Index:
    """Return an index of only some rows. Its condition is literal: planners do not match a parameter to it."""
    condition = sa.text(where)
    return sa.Index(
        name, *columns, unique=unique, sqlite_where=condition, postgresql_where=condition, mssql_where=condition
    )
