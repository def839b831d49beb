"""Turns T-SQL into the same statement of PostgreSQL."""

import re
from collections.abc import Callable
from functools import cache

from sqlglot import expressions as exp

from tsql.parsing import parsed

PARAMETER = "\x00"  # stands around the name of a parameter until the text is complete
BINARY = "latin1_general_bin2"
_SCHEMAS = {"information_schema": "tables_only"}  # PostgreSQL's own lists its catalogue, too
_TYPES = {
    exp.DType.BIT: "SMALLINT",
    exp.DType.VARBINARY: "BYTEA",
    exp.DType.DOUBLE: "DOUBLE PRECISION",
    exp.DType.FLOAT: "DOUBLE PRECISION",
}


@cache
def translated(sql: str) -> tuple[str, ...]:
    """Return the statements of a text whose parameters are numbered, with %(p0)s for each."""
    return tuple(_translated(tree.copy()) for tree in parsed(sql))


def _translated(tree: exp.Expr) -> str:
    if isinstance(tree, exp.Drop) and tree.args["kind"] == "INDEX":
        return f'DROP INDEX "{tree.args["tables"][0].name}"'
    _lock_as_hinted(tree)
    _insert_as_values(tree)
    changed = tree.transform(_node, copy=False)
    text = changed.sql(dialect="postgres", comments=False).replace("%", "%%")
    return _types_of(tree) + re.sub(f"{PARAMETER}(p\\d+){PARAMETER}", r"%(\1)s", text)


def _types_of(tree: exp.Expr) -> str:
    """Return what makes the types of the text columns of a table, ahead of the table itself."""
    if not isinstance(tree, exp.Create):
        return ""
    types = sorted({found.name for found in tree.find_all(exp.Var) if re.fullmatch(r"(code|words)_\d+", found.name)})
    return "".join("SELECT dbo.provide_text_type('{}', {}); ".format(*name.split("_")) for name in types)


def _node(node: exp.Expr) -> exp.Expr:
    change = _CHANGES.get(type(node))
    return change(node) if change is not None else node


def _parameter(node: exp.Expr) -> exp.Expr:
    if isinstance(node.this, exp.Parameter):  # @@SPID
        return exp.Var(this="pg_backend_pid()")
    return exp.Var(this=f"{PARAMETER}{node.name}{PARAMETER}")


def _name(node: exp.Expr) -> exp.Expr:
    return exp.to_identifier(_SCHEMAS.get(node.name.lower(), node.name.lower()), quoted=True)


def _changed_column(node: exp.Expr) -> exp.Expr:
    is_changed = isinstance(node, exp.Column) and node.table.lower() in {"inserted", "deleted"}
    return exp.column(node.this, table=_changed_table(node)) if is_changed else node


def _without_order(node: exp.Expr) -> exp.Expr:
    for ordered in list(node.find_all(exp.Ordered)):
        ordered.replace(ordered.this)
    return node


def _changed_table(column: exp.Expr) -> str | None:
    statement = column.find_ancestor(exp.Update, exp.Delete)
    return statement.this.alias_or_name if statement is not None else None


def _collated(node: exp.Expr) -> exp.Expr:
    is_binary = node.args["expression"].name.lower() == BINARY
    return exp.Collate(this=node.this, expression=exp.to_identifier("C", quoted=True)) if is_binary else node.this


def _column(node: exp.Expr) -> exp.Expr:
    """Give text a type that compares and counts as SQL Server does; see server.sql."""
    kind = node.args["kind"]
    if not isinstance(kind, exp.DataType) or kind.this != exp.DType.NVARCHAR or not _length(kind):
        return node
    collations = [found for found in node.args["constraints"] if isinstance(found.kind, exp.CollateColumnConstraint)]
    is_binary = any(found.kind.this.name.lower() == BINARY for found in collations)
    node.set("constraints", [found for found in node.args["constraints"] if found not in collations])
    node.set("kind", exp.Var(this=f"{'code' if is_binary else 'words'}_{_length(kind)}"))
    return node


def _length(kind: exp.Expr) -> int | None:
    given = kind.expressions[0].name if kind.expressions else ""
    return int(given) if given.isdigit() else None


def _type(node: exp.Expr) -> exp.Expr:
    if node.this in _TYPES:
        return exp.Var(this=_TYPES[node.this])
    if node.this == exp.DType.NVARCHAR:
        return exp.Var(this=f"VARCHAR({_length(node)})" if _length(node) else "TEXT")
    return node


def _lock_as_hinted(tree: exp.Expr) -> None:
    """Take the hints away, and lock the rows they ask to lock."""
    for table in list(tree.find_all(exp.Table)):
        hints = {hint.name.upper() for found in table.args.get("hints") or () for hint in found.expressions}
        table.set("hints", None)
        query = table.find_ancestor(exp.Select, exp.Update, exp.Delete)
        if "UPDLOCK" in hints and isinstance(query, exp.Select):
            of = [exp.to_identifier(table.alias_or_name)]
            lock = exp.Lock(update=True, key=True, expressions=of, wait=False if "READPAST" in hints else None)
            query.append("locks", lock)


def _insert_as_values(tree: exp.Expr) -> None:
    """Insert rows that come with their number as plain rows: PostgreSQL keeps their order, and knows their types."""
    if not isinstance(tree, exp.Insert) or not isinstance(tree.expression, exp.Select):
        return
    source = tree.expression.args["from_"].this if tree.expression.args.get("from_") else None
    if isinstance(source, exp.Values) and "sen_counter" in source.alias_column_names:
        names = [item.name for item in tree.expression.expressions]
        places = [source.alias_column_names.index(name) for name in names]
        rows = [exp.Tuple(expressions=[row.expressions[place] for place in places]) for row in source.expressions]
        tree.set("expression", exp.Values(expressions=rows))


_CHANGES: dict[type[exp.Expr], Callable[[exp.Expr], exp.Expr]] = {
    exp.Parameter: _parameter,
    exp.National: lambda node: exp.Literal.string(node.name),
    exp.Identifier: _name,
    exp.Column: _changed_column,
    exp.Collate: _collated,
    exp.ColumnDef: _column,
    exp.DataType: _type,
    exp.PrimaryKey: _without_order,
    exp.UniqueColumnConstraint: _without_order,
}
