"""What SQL Server refuses in a schema: keys that are too long, paths of cascades, filters that are not plain."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from sqlglot import expressions as exp

from tsql.parsing import parsed
from tsql.rules import Finding

LARGEST_CLUSTERED_KEY_BYTES = 900
LARGEST_INDEX_KEY_BYTES = 1700
_BYTES = {"BIGINT": 8, "INT": 4, "INTEGER": 4, "SMALLINT": 2, "BIT": 1, "FLOAT": 8, "DOUBLE": 8}
_ACTIONS = re.compile(r"ON (DELETE|UPDATE) (CASCADE|SET NULL|SET DEFAULT)", re.IGNORECASE)
Columns = dict[tuple[str, str], exp.ColumnDef]


def findings(statements: Iterable[str]) -> list[Finding]:
    """Return every mistake in the statements that make a schema; others are passed over."""
    made = [tree for sql in dict.fromkeys(statements) for tree in parsed(sql) if isinstance(tree, exp.Create)]
    tables = [tree for tree in made if tree.kind == "TABLE"]
    indexes = [tree for tree in made if tree.kind == "INDEX"]
    columns = {
        (table.this.this.name, column.name): column for table in tables for column in table.this.find_all(exp.ColumnDef)
    }
    found = [*_long_primary_keys(tables, columns), *_long_index_keys(indexes, columns)]
    return [*found, *_cascade_paths(tables), *_filters(indexes), *_equal_nulls(indexes, columns)]


def _long_primary_keys(tables: list[exp.Create], columns: Columns) -> Iterator[Finding]:
    """A primary key is clustered: 900 bytes (1946)."""
    for table in tables:
        name = table.this.this.name
        for key in table.find_all(exp.PrimaryKey):
            names = [part.this.name if isinstance(part, exp.Ordered) else part.name for part in key.expressions]
            size = _key_bytes(columns, name, names)
            if size > LARGEST_CLUSTERED_KEY_BYTES:
                yield Finding("key_too_long", f"the primary key of {name} has {size} bytes")


def _long_index_keys(indexes: list[exp.Create], columns: Columns) -> Iterator[Finding]:
    """The key of another index has 1700 bytes (1946), and no column without a length (1919)."""
    for index in indexes:
        table, names = _indexed(index)
        size = _key_bytes(columns, table, names)
        if size > LARGEST_INDEX_KEY_BYTES:
            yield Finding("key_too_long", f"the key of {index.this.name} has {size} bytes")


def _indexed(index: exp.Create) -> tuple[str, list[str]]:
    ordered = index.this.args["params"].args["columns"]
    return index.this.args["table"].name, [one.this.name for one in ordered]


def _key_bytes(columns: Columns, table: str, names: list[str]) -> float:
    return sum(_bytes(columns[table, name]) for name in names)


def _bytes(column: exp.ColumnDef) -> float:
    written = column.args["kind"].sql("tsql").upper()
    length = re.match(r"N?VARCHAR\((\d+)\)", written)
    if length:
        return int(length[1]) * (2 if written.startswith("N") else 1)
    return _BYTES.get(written, float("inf"))


def _cascade_paths(tables: list[exp.Create]) -> Iterator[Finding]:
    """One change may reach a table by one path, and never itself (1785)."""
    children: dict[str, list[str]] = {}
    for table in tables:
        for key in table.find_all(exp.ForeignKey):
            if _ACTIONS.search(key.sql("tsql")):
                parent = key.args["reference"].find(exp.Table).name
                children.setdefault(parent, []).append(table.this.this.name)
    for root in children:
        reached = Counter(_reached(root, children, ()))
        for name, count in reached.items():
            if count > 1 or name == root:
                yield Finding("cascade_paths", f"a change of {root} reaches {name} by {count} paths")


def _reached(table: str, children: dict[str, list[str]], path: tuple[str, ...]) -> Iterator[str]:
    for child in children.get(table, []):
        yield child
        if child not in path:
            yield from _reached(child, children, (*path, table))


def _filters(indexes: list[exp.Create]) -> Iterator[Finding]:
    """A filter takes AND, IS NULL and comparisons with literals (10735)."""
    for index in indexes:
        where = index.find(exp.Where)
        refused = where.find_all(exp.Or, exp.Func, exp.Parameter, exp.Query) if where is not None else ()
        if any(not isinstance(found, exp.And) for found in refused):
            yield Finding("filter_not_plain", f"the filter of {index.this.name}: {where.sql('tsql') if where else ''}")


def _equal_nulls(indexes: list[exp.Create], columns: Columns) -> Iterator[Finding]:
    """Two NULLs are equal to a unique index, so that only one row may have none."""
    for index in indexes:
        table, names = _indexed(index)
        is_nullable = [name for name in names if _may_be_null(columns[table, name])]
        if index.args.get("unique") and is_nullable and index.find(exp.Where) is None:
            yield Finding(
                "nulls_are_equal", f"{index.this.name} is unique over {', '.join(is_nullable)}, which may be NULL"
            )


def _may_be_null(column: exp.ColumnDef) -> bool:
    written = column.find(exp.NotNullColumnConstraint)
    return written is None or bool(written.args.get("allow_null"))
