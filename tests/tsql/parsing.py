"""Reads T-SQL: what the driver is given, as syntax trees in which every parameter has a number."""

from functools import cache

import sqlglot
from mssql_python.parameter_helper import _skip_quoted_context
from sqlglot import expressions
from sqlglot.errors import ParseError

LOCK_INTENDED = "/* lock intended */"  # written by the compiler in the place of FOR UPDATE, see driver.py


@cache
def numbered(sql: str) -> str:
    """Return a statement with @p0, @p1 … in the place of its question marks, in the order of the text."""
    parts, start, place, count = [], 0, 0, 0
    while place < len(sql):
        skipped = _skip_quoted_context(sql, place, len(sql))
        if skipped >= 0:
            place = skipped
        elif sql[place] == "?":
            parts.append(f"{sql[start:place]}@p{count}")
            count += 1
            place += 1
            start = place
        else:
            place += 1
    return "".join([*parts, sql[start:]])


@cache
def parsed(sql: str) -> tuple[expressions.Expr, ...]:
    """Return the statements of a text whose parameters are numbered; raise ParseError. Copy before changing one."""
    found = sqlglot.parse(sql, dialect="tsql")
    if any(tree is None or isinstance(tree, expressions.Command) for tree in found):
        raise ParseError(f"not understood: {sql}")
    return tuple(tree for tree in found if tree is not None)
