"""What a database says about its own tables, in a form that can be compared: by name, not by order of creation."""

from typing import Any

import sqlalchemy as sa

from ade.database.transaction import Transaction

_POSTGRES_COLUMNS = """
    SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, is_identity
    FROM information_schema.columns WHERE table_schema = 'public'
"""
_POSTGRES_CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
"""
_POSTGRES_INDEXES = "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'"

_MSSQL_COLUMNS = """
    SELECT table_name, column_name, data_type, character_maximum_length, is_nullable, column_default, collation_name
    FROM information_schema.columns
"""
_MSSQL_CHECKS = "SELECT OBJECT_NAME(parent_object_id), name, [definition] FROM sys.check_constraints"
_MSSQL_KEYS = """
    SELECT OBJECT_NAME(parent_object_id), name, OBJECT_NAME(referenced_object_id) FROM sys.foreign_keys
"""
_MSSQL_INDEXES = """
    SELECT OBJECT_NAME(i.object_id), i.name, i.is_unique, i.is_primary_key, i.filter_definition, c.key_ordinal,
           COL_NAME(c.object_id, c.column_id)
    FROM sys.indexes i JOIN sys.index_columns c ON c.object_id = i.object_id AND c.index_id = i.index_id
    JOIN sys.tables t ON t.object_id = i.object_id
"""
_QUERIES = {
    "postgresql": (_POSTGRES_COLUMNS, _POSTGRES_CONSTRAINTS, _POSTGRES_INDEXES),
    "mssql": (_MSSQL_COLUMNS, _MSSQL_CHECKS, _MSSQL_KEYS, _MSSQL_INDEXES),
}


def snapshot(tx: Transaction) -> dict[str, Any]:
    """Return {table: facts about its columns, constraints and indexes}."""
    if tx.dialect == "sqlite":
        return _sqlite(tx)
    found: dict[str, set[Any]] = {}
    for query in _QUERIES[tx.dialect]:
        for row in tx.execute(sa.text(query)).all():
            found.setdefault(str(row[0]), set()).add(tuple(row[1:]))
    return found


def _sqlite(tx: Transaction) -> dict[str, Any]:
    found: dict[str, set[str]] = {}
    for row in tx.execute(sa.text("SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL")):
        if not row.tbl_name.startswith("sqlite_"):
            found.setdefault(row.tbl_name, set()).update(_clauses(row.sql))
    return found


def _clauses(sql: str) -> set[str]:
    """Cut a CREATE into lines, so that the order of constraints does not matter."""
    return {line.strip(" \t,") for line in sql.splitlines()}
