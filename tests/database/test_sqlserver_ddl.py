"""The schema as SQL Server would get it has nothing that SQL Server refuses (no server needed)."""

import io
import re

import pytest
import sqlalchemy as sa
import sqlglot
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy.dialects import mssql
from sqlalchemy.schema import CreateIndex, CreateTable
from sqlglot import expressions

from ade.database.maintenance.revisions import REVISIONS
from ade.database.schema import metadata
from ade.database.types import BINARY_COLLATION

LARGEST_CLUSTERED_KEY_BYTES = 900
LARGEST_INDEX_KEY_BYTES = 1700
TABLES = metadata.sorted_tables
INDEXES = sorted((index for table in TABLES for index in table.indexes), key=lambda index: str(index.name))
FIXED_BYTES = {"BIGINT": 8, "INTEGER": 4, "BIT": 1, "FLOAT": 8}


def compiled(element: sa.schema.ExecutableDDLElement) -> str:
    return str(element.compile(dialect=mssql.dialect()))  # type: ignore[no-untyped-call]


def key_bytes(columns: sa.sql.base.ReadOnlyColumnCollection[str, sa.Column[object]]) -> int:
    return sum(column_bytes(column) for column in columns)


def column_bytes(column: sa.Column[object]) -> int:
    written = column.type.compile(dialect=mssql.dialect())  # type: ignore[no-untyped-call]
    length = re.match(r"NVARCHAR\((\d+)\)", written)
    return 2 * int(length.group(1)) if length else FIXED_BYTES[written]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_tables_parse_as_tsql_and_use_its_types(table: sa.Table) -> None:
    sql = compiled(CreateTable(table))

    sqlglot.parse_one(sql, dialect="tsql")
    assert not re.search(
        r"\b(TEXT|NTEXT|IMAGE|DATETIME|BOOLEAN|SERIAL|VARCHAR\(max\))\b", sql.replace("NVARCHAR", "N_")
    )
    assert not re.search(r"\|\||\bnow\(\)|\bLIMIT\b|\btrue\b|\bfalse\b", sql, re.IGNORECASE)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_no_foreign_key_cascades(table: sa.Table) -> None:
    """Several cascade paths to one table are error 1785."""
    assert all(key.ondelete is None and key.onupdate is None for key in table.foreign_keys)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_primary_keys_fit_a_clustered_index(table: sa.Table) -> None:
    assert key_bytes(table.primary_key.columns) <= LARGEST_CLUSTERED_KEY_BYTES


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name)
def test_indexed_columns_have_a_length_and_fit(index: sa.Index) -> None:
    """An index on NVARCHAR(max) is error 1919, a key too long 1946; column_bytes fails on the former."""
    assert sum(column_bytes(column) for column in index.columns) <= LARGEST_INDEX_KEY_BYTES


@pytest.mark.parametrize("index", INDEXES, ids=lambda index: index.name)
def test_filters_are_plain_comparisons(index: sa.Index) -> None:
    """A filter takes AND, IS NULL and comparisons with literals; OR or a function is error 10735."""
    parsed = sqlglot.parse_one(compiled(CreateIndex(index)), dialect="tsql")
    where = parsed.find(expressions.Where)

    assert (where is None) == (index.dialect_options["mssql"].get("where") is None)
    if where is not None:
        refused = where.find_all(expressions.Or, expressions.Func, expressions.Parameter)
        assert not [found for found in refused if not isinstance(found, expressions.And)]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_unique_constraints_have_no_nullable_column(table: sa.Table) -> None:
    """Two NULLs are equal in SQL Server's unique indexes: such columns need a filtered one."""
    unique = [constraint for constraint in table.constraints if isinstance(constraint, sa.UniqueConstraint)]
    unique_indexes = [index for index in table.indexes if index.unique]

    assert not [column for constraint in unique for column in constraint.columns if column.nullable]
    for index in unique_indexes:
        assert index.dialect_options["mssql"].get("where") is not None or not any(c.nullable for c in index.columns)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_ids_codes_and_digests_are_compared_byte_by_byte(table: sa.Table) -> None:
    for column in table.columns:
        if column.name == "id" or column.name.endswith(("_id", "status", "fingerprint", "sha256", "_hash", "_key")):
            written = column.type.compile(dialect=mssql.dialect())  # type: ignore[no-untyped-call]
            assert BINARY_COLLATION in written or written in FIXED_BYTES, column


def test_the_migrations_render_for_sql_server() -> None:
    """Every step, offline: what `ade db upgrade` would send."""
    written = io.StringIO()
    context = MigrationContext.configure(dialect_name="mssql", opts={"as_sql": True, "output_buffer": written})
    for revision in REVISIONS:
        with Operations.context(context):
            _module(revision).upgrade()

    sql = written.getvalue()
    assert sql.count("CREATE TABLE") == len(TABLES)
    assert "WHERE status = 'queued' AND block_mask = 0" in sql
    for statement in sql.split("GO"):
        sqlglot.parse(statement, dialect="tsql")


def _module(revision: str):  # type: ignore[no-untyped-def]
    from alembic.script import ScriptDirectory

    from ade.database.maintenance.migrate import _config

    return ScriptDirectory.from_config(_config()).get_revision(revision).module


WORDS = [
    (column, column.type.length)
    for table in TABLES
    for column in table.columns
    if isinstance(column.type, sa.Unicode) and column.type.length
]


@pytest.mark.parametrize(("column", "length"), WORDS, ids=str)
def test_a_text_for_people_has_room_for_characters_of_two_units(column: sa.Column[object], length: int) -> None:
    """SQL Server counts units of UTF-16 where we count characters."""
    assert column_bytes(column) == 4 * length


def test_tags_and_addresses_are_compared_byte_by_byte() -> None:
    for table, name in (("document_tags", "tag"), ("users", "email_key")):
        written = metadata.tables[table].c[name].type.compile(dialect=mssql.dialect())  # type: ignore[no-untyped-call]
        assert written.endswith(f"COLLATE {BINARY_COLLATION}")
