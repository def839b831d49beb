"""What SQL Server refuses in a statement, or accepts and does badly. One function a rule, one finding a mistake.

Error numbers are SQL Server's. What a grammar refuses on its own is left to the grammar (grammar.py).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from sqlglot import expressions as exp

from tsql.filtered import Values, filter_compared_with_parameter
from tsql.parsing import LOCK_INTENDED, parsed

MOST_PARAMETERS = 2100
MOST_ROWS_OF_VALUES = 1000
LONGEST_NAME = 128
Tree = exp.Expr
Rule = Callable[[Tree], Iterator[str]]

OTHER_WORDS = re.compile(
    r"\|\||\bnow\(|\bLIMIT\b|\btrue\b|\bfalse\b|\bNULLS (FIRST|LAST)\b|\bRETURNING\b|\bstrftime\b|\bextract\b|->"
    r"|\bON CONFLICT\b|\bILIKE\b|\bFOR UPDATE\b|\bFOR SHARE\b|\bUSING\b|::|\bREGEXP\b|\bGLOB\b",
    re.IGNORECASE,
)
# A function that is not here is looked up in Microsoft's reference before it is added.
FUNCTIONS = {
    "ABS", "AVG", "CAST", "CEILING", "CHARINDEX", "COALESCE", "COL_NAME", "CONCAT", "COUNT", "COUNT_BIG", "DATEADD",
    "DATEDIFF", "DATEDIFF_BIG", "DB_ID", "DB_NAME", "FLOOR", "HASHBYTES", "HAS_PERMS_BY_NAME", "ISNULL", "LEN",
    "LOWER", "MAX", "MIN", "NULLIF", "OBJECT_ID", "OBJECT_NAME", "RANK", "REPLACE", "ROUND", "ROW_NUMBER",
    "SCHEMA_NAME", "SERVERPROPERTY", "SUBSTRING", "SUM", "SYSDATETIME", "SYSUTCDATETIME", "UPPER",
}  # fmt: skip
BEFORE_BRACKETS = {
    "CHECK", "FLOAT", "IDENTITY", "INDEX", "KEY", "NUMERIC", "NVARCHAR", "OVER", "VALUES", "VARBINARY", "VARCHAR",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """A mistake in a statement: the rule that found it, and what is wrong."""

    rule: str
    text: str


@cache
def refusals(sql: str) -> tuple[Finding, ...]:
    """Return what a server would refuse to execute."""
    return tuple(_findings(sql, _REFUSED))


def findings(sql: str, values: Values | None = None) -> list[Finding]:
    """Return every mistake in a statement: what is refused, and what is done badly. `values`: of its parameters."""
    found = [*refusals(sql), *_findings(sql, (_merges,)), *_unlocked(sql)]
    for tree in parsed(sql):
        found += [Finding("filter_as_parameter", text) for text in filter_compared_with_parameter(tree, values or {})]
    return found


def _findings(sql: str, rules: tuple[Rule, ...]) -> list[Finding]:
    trees = parsed(sql)
    found = [Finding(rule.__name__.removeprefix("_"), text) for tree in trees for rule in rules for text in rule(tree)]
    return [*found, *(_words_of_other_databases(sql) if rules is _REFUSED else ())]


def _words_of_other_databases(sql: str) -> Iterator[Finding]:
    """What another database calls so is a syntax error (102), or an unknown function (195)."""
    bare = re.sub(r"'[^']*'|\[[^]]*\]|/\*.*?\*/", "''", sql)
    for word in OTHER_WORDS.finditer(bare):
        yield Finding("words_of_other_databases", f"{word[0]} is not T-SQL")
    for name in re.findall(r"(\w+)\(", bare):
        if name.upper() not in FUNCTIONS | BEFORE_BRACKETS:
            yield Finding("words_of_other_databases", f"{name}() is not a known function of T-SQL")


def _rows_taken_without_order(tree: Tree) -> Iterator[str]:
    """OFFSET and FETCH are parts of ORDER BY (102)."""
    for query in tree.find_all(exp.Query):
        takes = isinstance(query.args.get("limit"), exp.Fetch) or query.args.get("offset") is not None
        if takes and query.args.get("order") is None:
            yield "OFFSET/FETCH without ORDER BY in the same SELECT"


def _order_without_effect(tree: Tree) -> Iterator[str]:
    """ORDER BY in a subquery needs TOP or OFFSET (1033)."""
    for query in tree.find_all(exp.Query):
        if query.args.get("order") is None or query.args.get("limit") or query.args.get("offset"):
            continue
        if query.parent is not None and not isinstance(query.parent, exp.Insert):
            yield "ORDER BY in a subquery without TOP or OFFSET"


def _grouped_by_parameter(tree: Tree) -> Iterator[str]:
    """Each parameter is another one to the server, so that an expression with one equals none in SELECT (8120, 164)."""
    for group in tree.find_all(exp.Group):
        if group.find(exp.Parameter):
            yield "a parameter in GROUP BY"
        if any(isinstance(item, exp.Literal) for item in group.expressions):
            yield "a constant in GROUP BY"


def _ordered_by_constant(tree: Tree) -> Iterator[str]:
    """ORDER BY takes no constant but the number of a column (408, 1008), and OVER none at all (5308)."""
    for order in tree.find_all(exp.Ordered):
        item = order.this.unnest()
        is_column_number = isinstance(item, exp.Literal) and not item.is_string
        if isinstance(item, exp.Parameter | exp.Null) or (isinstance(item, exp.Literal) and not is_column_number):
            yield "a constant in ORDER BY"
        if is_column_number and order.find_ancestor(exp.Window):
            yield "a constant in the ORDER BY of a window"


def _distinct_ordered_by_another(tree: Tree) -> Iterator[str]:
    """With DISTINCT or UNION, ORDER BY takes selected columns alone (145, 104)."""
    for query in tree.find_all(exp.Select):
        order = query.args.get("order")
        if not query.args.get("distinct") or order is None:
            continue
        chosen = {item.unalias() for item in query.expressions} | {exp.column(item.alias) for item in query.expressions}
        if any(item.this not in chosen for item in order.expressions):
            yield "DISTINCT ordered by what is not selected"


def _tuples_compared(tree: Tree) -> Iterator[str]:
    """(a, b) = (c, d) is no T-SQL (102)."""
    if any(isinstance(found.parent, exp.Binary | exp.In) for found in tree.find_all(exp.Tuple)):
        yield "tuples are compared"


def _merges(tree: Tree) -> Iterator[str]:
    """MERGE lets two writers insert one key."""
    if tree.find(exp.Merge):
        yield "MERGE races"


def _flag_as_condition(tree: Tree) -> Iterator[str]:
    """BIT is a number: a condition compares it (4145)."""
    for clause in tree.find_all(exp.Where, exp.Having, exp.Join, exp.If, exp.And, exp.Or, exp.Not):
        for condition in _conditions(clause):
            if isinstance(condition.unnest(), exp.Column | exp.Parameter | exp.Literal | exp.Case | exp.Cast):
                yield f"{condition.sql('tsql')} as a condition"


def _conditions(clause: Tree) -> list[Tree]:
    if isinstance(clause, exp.Join):
        return [clause.args["on"]] if clause.args.get("on") else []
    if isinstance(clause, exp.If) and isinstance(clause.parent, exp.Case) and clause.parent.this:
        return []  # CASE x WHEN y: y is a value
    return [clause.this, *([clause.expression] if isinstance(clause, exp.Connector) else [])]


def _condition_as_value(tree: Tree) -> Iterator[str]:
    """A comparison is no value (102, 156)."""
    values = [item.unalias() for query in tree.find_all(exp.Select) for item in query.expressions]
    values += [change.expression for change in _assignments(tree)]
    values += [item.unalias() for returned in tree.find_all(exp.Returning) for item in returned.expressions]
    values += [item for row in tree.find_all(exp.Tuple) for item in row.expressions]
    values += [branch.args["true"] for branch in tree.find_all(exp.If)]
    for value in values:
        if isinstance(value.unnest(), exp.Predicate | exp.Connector | exp.Not | exp.Boolean):
            yield f"{value.sql('tsql')} as a value"


def _assignments(tree: Tree) -> list[Tree]:
    return list(tree.expressions) if isinstance(tree, exp.Update) else []


def _aggregate_of_subquery(tree: Tree) -> Iterator[str]:
    """An aggregate takes no subquery and no other aggregate (130)."""
    for aggregate in tree.find_all(exp.AggFunc):
        inner = [found for found in aggregate.find_all(exp.Query, exp.AggFunc) if found is not aggregate]
        if inner and not isinstance(aggregate.parent, exp.Window):
            yield f"{aggregate.sql('tsql')} contains a subquery or an aggregate"


def _output_of_other_rows(tree: Tree) -> Iterator[str]:
    """OUTPUT reads the changed row alone (10705)."""
    for output in tree.find_all(exp.Returning):
        if output.find(exp.Query):
            yield "a subquery in OUTPUT"
        for column in output.find_all(exp.Column):
            if column.table.lower() not in {"inserted", "deleted"}:
                yield f"OUTPUT {column.sql('tsql')}: neither inserted nor deleted"


def _too_many_rows_of_values(tree: Tree) -> Iterator[str]:
    """INSERT … VALUES takes a thousand rows (10738)."""
    if not isinstance(tree, exp.Insert) or not isinstance(tree.expression, exp.Values):
        return
    if len(tree.expression.expressions) > MOST_ROWS_OF_VALUES:
        yield f"{len(tree.expression.expressions)} rows in one INSERT … VALUES"


def _too_many_parameters(tree: Tree) -> Iterator[str]:
    """One message has at most 2,100 parameters (8003); sp_executesql needs two for itself."""
    count = sum(1 for _ in tree.root().find_all(exp.Parameter))
    if count > MOST_PARAMETERS - 2:
        yield f"{count} parameters"


def _name_too_long(tree: Tree) -> Iterator[str]:
    """A name has at most 128 characters (103)."""
    for name in tree.find_all(exp.Identifier):
        if len(name.name) > LONGEST_NAME:
            yield f"the name {name.name[:20]}… has {len(name.name)} characters"


_REFUSED: tuple[Rule, ...] = (
    _rows_taken_without_order,
    _order_without_effect,
    _grouped_by_parameter,
    _ordered_by_constant,
    _distinct_ordered_by_another,
    _tuples_compared,
    _flag_as_condition,
    _condition_as_value,
    _aggregate_of_subquery,
    _output_of_other_rows,
    _too_many_rows_of_values,
    _too_many_parameters,
    _name_too_long,
)


def _unlocked(sql: str) -> Iterator[Finding]:
    """A SELECT that is to lock its rows needs a hint: SQL Server has no FOR UPDATE, and SQLAlchemy writes nothing."""
    for place in re.finditer(re.escape(LOCK_INTENDED), sql):
        if "UPDLOCK" not in _enclosing(sql, place.start()).upper():
            yield Finding("lock_without_hint", "FOR UPDATE without WITH (UPDLOCK …)")


def _enclosing(sql: str, place: int) -> str:
    """Return the text from the bracket that is open at a place, or from the beginning."""
    depth = 0
    for start in range(place - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(sql[start], 0)
        if depth < 0:
            return sql[start:place]
    return sql[:place]
