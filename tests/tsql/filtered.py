"""Finds conditions that keep SQL Server from using a filtered index: it needs the literal of the index's own filter."""

from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any

import sqlglot
from sqlglot import expressions as exp

from ade.database.schema import metadata

Values = Mapping[str, Collection[Any]]  # that a parameter had, as far as is known


def filter_compared_with_parameter(tree: exp.Expr, values: Values) -> Iterator[str]:
    """A plan is made for any value of a parameter, so that it cannot use an index with rows of one value alone."""
    for where in tree.find_all(exp.Where):
        conditions = list(where.this.flatten()) if isinstance(where.this, exp.And) else [where.this]
        if any(_is_key(tree, condition) for condition in conditions):
            continue
        for condition in conditions:
            if _compares_filter(tree, condition.unnest(), values):
                yield f"{condition.sql('tsql')}: the filter of an index takes a literal"


def _is_key(tree: exp.Expr, condition: exp.Expr) -> bool:
    """Return whether rows are found by their primary key, and need no other index."""
    column = condition.this if isinstance(condition, exp.EQ | exp.In) else None
    table = metadata.tables.get(_table(tree, column)) if isinstance(column, exp.Column) else None
    return table is not None and [key.name for key in table.primary_key] == [column.name if column else ""]


def _compares_filter(tree: exp.Expr, condition: exp.Expr, values: Values) -> bool:
    """Return whether a parameter stands for the very value that the filter of an index has."""
    if not isinstance(condition, exp.EQ) or not isinstance(condition.expression, exp.Parameter):
        return False
    column, parameter = condition.this, condition.expression.name
    wanted = _filters().get((_table(tree, column), column.name), set()) if isinstance(column, exp.Column) else set()
    return bool(wanted if parameter not in values else wanted & {str(value) for value in values[parameter]})


def _table(tree: exp.Expr, column: exp.Column | None) -> str:
    tables = {table.alias_or_name: table.name for table in tree.find_all(exp.Table)}
    return tables.get(column.table, "") if column is not None else ""


@cache
def _filters() -> dict[tuple[str, str], set[str]]:
    """Return the literals that filters of indexes compare each column with, by table and column."""
    found: dict[tuple[str, str], set[str]] = {}
    for table in metadata.sorted_tables:
        for index in table.indexes:
            where = index.dialect_options["mssql"].get("where")
            if where is not None:
                parsed = sqlglot.parse_one(f"SELECT 1 WHERE {where}", dialect="tsql")
                for one in parsed.find_all(exp.EQ):
                    found.setdefault((table.name, one.this.name), set()).add(one.expression.name)
    return found
