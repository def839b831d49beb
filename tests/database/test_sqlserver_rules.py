"""The check of statements for SQL Server finds each mistake that is planted here, and nothing in its right form.

Statements are built as the product builds its own, and rendered with SQLAlchemy's dialect; the trace of FOR UPDATE is
that of tests/tsql/driver.py. What the product really sends is checked by `python tools/statements.py`.
"""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mssql
from sqlalchemy.dialects.mssql.base import MSSQLCompiler
from sqlalchemy.schema import CreateIndex, CreateTable

from ade.database.queue import claim, control
from ade.database.schema import runs
from ade.database.types import identifier, long_text, words
from tsql import grammar, rules, schema_rules
from tsql.parsing import LOCK_INTENDED, numbered

r = runs.c
WIDTH = 3600


@pytest.fixture(autouse=True)
def _traced_locks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MSSQLCompiler, "for_update_clause", lambda *_, **__: f" {LOCK_INTENDED}")


def rendered(statement: sa.ClauseElement) -> str:
    """Return what the driver is given: each use of a parameter is another one."""
    dialect: Any = mssql.dialect(paramstyle="qmark")  # type: ignore[no-untyped-call]
    dialect.server_version_info = (16, 0)
    dialect._setup_version_attributes()
    return numbered(str(statement.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})))


def found(statement: sa.ClauseElement | str) -> set[str]:
    sql = statement if isinstance(statement, str) else rendered(statement)
    return {finding.rule for finding in rules.findings(sql)}


def first_sibling(limit: Any) -> sa.Select[Any]:
    sibling = runs.alias()
    first = sa.select(sibling.c.id).where(sibling.c.plan_id == r.plan_id).order_by(sibling.c.sequence).limit(limit)
    return sa.select(r.id, first.scalar_subquery().label("next"))


def by_slice(width: Any) -> sa.Select[Any]:
    slice_ = sa.type_coerce(r.finished_at, sa.BigInteger) / width
    return sa.select(slice_, sa.func.count()).group_by(slice_)


def ordered_inside(**options: Any) -> sa.Select[Any]:
    inner = sa.select(r.id).order_by(r.sequence)
    return sa.select(inner.limit(5).subquery().c.id) if options.get("limit") else sa.select(inner.subquery().c.id)


ONE_ROW: sa.ColumnElement[int] = sa.literal_column("1")
LOCKED = sa.select(r.id).where(r.id == "a").with_for_update()
HINTED = LOCKED.with_hint(runs, "WITH (UPDLOCK, ROWLOCK)", "mssql")
RETURNED = sa.update(runs).values(priority=1)
PLANTED: dict[str, tuple[str, Callable[[], Any], Callable[[], Any]]] = {
    "rows without order": ("rows_taken_without_order", lambda: first_sibling(ONE_ROW), lambda: first_sibling(1)),
    "parameter in GROUP BY": (
        "grouped_by_parameter",
        lambda: by_slice(WIDTH),
        lambda: by_slice(sa.literal_column(str(WIDTH))),
    ),
    "ORDER BY in a subquery": (
        "order_without_effect",
        lambda: rendered(ordered_inside(limit=5)).replace("TOP 5 ", ""),
        lambda: ordered_inside(limit=5),
    ),
    "lock without hint": ("lock_without_hint", lambda: LOCKED, lambda: HINTED),
    "lock without hint in a subquery": (
        "lock_without_hint",
        lambda: sa.select(runs).where(r.id.in_(LOCKED)),
        lambda: sa.select(runs).where(r.id.in_(HINTED)),
    ),
    "filter of an index as a parameter": (
        "filter_as_parameter",
        lambda: sa.select(r.id).where(r.status == "queued", r.block_mask == sa.literal_column("0")),
        lambda: sa.select(r.id).where(r.status == sa.literal_column("'queued'"), r.block_mask == ONE_ROW),
    ),
    "tuples": (
        "tuples_compared",
        lambda: sa.select(r.id).where(sa.tuple_(r.priority, r.id) > sa.tuple_(1, "a")),
        lambda: sa.select(r.id).where(sa.or_(r.priority > 1, sa.and_(r.priority == 1, r.id > "a"))),
    ),
    "MERGE": (
        "merges",
        lambda: "MERGE INTO a USING b ON a.id = b.id WHEN NOT MATCHED THEN INSERT (id) VALUES (b.id);",
        lambda: "INSERT INTO a (id) SELECT b.id FROM b",
    ),
    "flag as a condition": (
        "flag_as_condition",
        lambda: sa.select(r.id).where(sa.literal_column("runs.priority")),
        lambda: sa.select(r.id).where(r.priority == 1),
    ),
    "condition as a value": (
        "condition_as_value",
        lambda: sa.select((r.priority > 1).label("is_late")),
        lambda: sa.select(sa.case((r.priority > 1, 1), else_=0).label("is_late")),
    ),
    "constant in ORDER BY": (
        "ordered_by_constant",
        lambda: sa.select(r.id).order_by(sa.literal("a")),
        lambda: sa.select(r.id).order_by(r.id),
    ),
    "DISTINCT ordered by another": (
        "distinct_ordered_by_another",
        lambda: sa.select(r.plan_id).distinct().order_by(r.sequence),
        lambda: sa.select(r.plan_id).distinct().order_by(r.plan_id),
    ),
    "aggregate of a subquery": (
        "aggregate_of_subquery",
        lambda: sa.select(sa.func.sum(sa.select(sa.func.count()).select_from(runs.alias()).scalar_subquery())),
        lambda: sa.select(sa.func.sum(r.priority)),
    ),
    "OUTPUT of other rows": (
        "output_of_other_rows",
        lambda: RETURNED.returning(sa.select(sa.func.count()).select_from(runs.alias()).scalar_subquery()),
        lambda: RETURNED.returning(r.id),
    ),
    "too many parameters": (
        "too_many_parameters",
        lambda: sa.select(r.id).where(r.id.in_([str(number) for number in range(2100)])),
        lambda: sa.select(r.id).where(r.id.in_([str(number) for number in range(500)])),
    ),
    "too many rows": (
        "too_many_rows_of_values",
        lambda: "INSERT INTO a (b) VALUES " + ", ".join(["(1)"] * 1001),
        lambda: "INSERT INTO a (b) VALUES " + ", ".join(["(1)"] * 1000),
    ),
    "long name": (
        "name_too_long",
        lambda: sa.select(r.id.label("x" * 129)),
        lambda: sa.select(r.id.label("x" * 128)),
    ),
    "word of another database": (
        "words_of_other_databases",
        lambda: sa.select(r.id.op("||")(sa.literal("a"))),
        lambda: sa.select(r.id + sa.literal("a")),
    ),
    "function of another database": (
        "words_of_other_databases",
        lambda: sa.select(sa.func.json_extract(r.metrics, "a")),
        lambda: sa.select(sa.func.lower(r.id)),
    ),
}


@pytest.mark.req("W5")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_mistake_is_found_and_its_right_form_is_not(name: str) -> None:
    rule, wrong, right = PLANTED[name]

    assert rule in found(wrong())
    assert found(right()) == set()


@pytest.mark.req("W5")
def test_a_filter_compared_with_another_value_than_its_own_is_no_mistake() -> None:
    sql = rendered(sa.select(r.id).where(r.block_mask == 7))

    assert [one.rule for one in rules.findings(sql, {"p0": {0, 7}})] == ["filter_as_parameter"]
    assert rules.findings(sql, {"p0": {7}}) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("SELECT id FROM runs OFFSET 0 ROWS FETCH FIRST 1 ROWS ONLY", "SELECT TOP 1 id FROM runs"),
        ("SELECT id FROM runs LIMIT 1", "SELECT id FROM runs"),
        ("SELECT id FROM runs FOR UPDATE", "SELECT id FROM runs WITH (UPDLOCK, ROWLOCK)"),
        ("INSERT INTO a (b) VALUES (?) ON CONFLICT DO NOTHING", "INSERT INTO a (b) VALUES (?)"),
        ("DELETE FROM a USING b WHERE a.id = b.id", "DELETE FROM a WHERE a.id IN (SELECT id FROM b)"),
    ],
)
def test_the_grammar_alone_refuses_what_is_no_tsql(wrong: str, right: str) -> None:
    assert grammar.fault(wrong)
    assert not grammar.fault(right)


def made(name: str, *columns: Any, indexes: tuple[tuple[str, ...], ...] = (), **options: Any) -> list[str]:
    """Return the statements that make a table and its indexes."""
    table = sa.Table(name, sa.MetaData(), *columns)
    made_indexes = [
        sa.Index(f"ix_{name}_{'_'.join(names)}", *(table.c[n] for n in names), **options) for names in indexes
    ]
    return [rendered(CreateTable(table)), *(rendered(CreateIndex(index)) for index in made_indexes)]


def schema_findings(statements: list[str]) -> set[str]:
    return {finding.rule for finding in schema_rules.findings(statements)}


def key(length: int) -> sa.Column[str]:
    return sa.Column("id", words(length), primary_key=True)


def text(type_: Any, **options: Any) -> sa.Column[str]:
    return sa.Column("text", type_, **options)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (made("a", key(451)), made("a", key(225))),
        (
            made("a", key(9), text(words(851)), indexes=(("text",),)),
            made("a", key(9), text(words(425)), indexes=(("text",),)),
        ),
        (made("a", key(9), text(long_text()), indexes=(("text",),)), made("a", key(9), text(long_text()))),
    ],
)
def test_keys_that_are_too_long_are_found(wrong: list[str], right: list[str]) -> None:
    """A primary key has 900 bytes and another key 1700, and none a text without a length."""
    assert schema_findings(wrong) == {"key_too_long"}
    assert schema_findings(right) == set()


@pytest.mark.parametrize("action", ["CASCADE", "SET NULL"])
def test_two_paths_of_cascades_and_a_table_that_reaches_itself_are_found(action: str) -> None:
    def child(*parents: str, on_delete: str | None) -> list[str]:
        metadata = sa.MetaData()
        for parent in set(parents) - {"child"}:
            sa.Table(parent, metadata, sa.Column("id", identifier(), primary_key=True))
        keys: list[sa.Column[str]] = [
            sa.Column(f"to_{number}", sa.ForeignKey(f"{parent}.id", ondelete=on_delete))
            for number, parent in enumerate(parents)
        ]
        table = sa.Table("child", metadata, sa.Column("id", identifier(), primary_key=True), *keys)
        return [rendered(CreateTable(table))]

    assert schema_findings(child("parent", "parent", on_delete=action)) == {"cascade_paths"}
    assert schema_findings(child("child", on_delete=action)) == {"cascade_paths"}
    assert schema_findings(child("parent", on_delete=action)) == set()
    assert schema_findings(child("parent", "parent", "child", on_delete=None)) == set()


@pytest.mark.parametrize(
    ("wrong", "right"), [("text = 'a' OR text = 'b'", "text = 'a'"), ("LOWER(text) = 'a'", "text IS NOT NULL")]
)
def test_filters_that_are_not_plain_are_found(wrong: str, right: str) -> None:
    def filtered(where: str) -> set[str]:
        return schema_findings(made("a", key(9), text(words(9)), indexes=(("text",),), mssql_where=sa.text(where)))

    assert filtered(wrong) == {"filter_not_plain"}
    assert filtered(right) == set()


def test_a_unique_index_over_what_may_be_null_is_found() -> None:
    wrong = made("a", key(9), text(words(9)), indexes=(("text",),), unique=True)
    right = made("a", key(9), text(words(9), nullable=False), indexes=(("text",),), unique=True)

    assert schema_findings(wrong) == {"nulls_are_equal"}
    assert schema_findings(right) == set()


@pytest.mark.req("W5", "Q18")
def test_the_heads_of_the_queue_are_read_by_the_literals_of_their_index() -> None:
    sql = rendered(claim._RUN_HEADS.statement)

    assert "runs.status = 'queued' AND runs.block_mask = 0" in sql


@pytest.mark.req("W5")
def test_the_lock_reads_sql_servers_own_clock() -> None:
    sql = rendered(control._LOCK["mssql"].statement)

    assert sql.startswith("UPDATE queue_control SET")
    assert "SYSUTCDATETIME" in sql
    assert "OUTPUT inserted.clock_at" in sql
    assert "WHERE queue_control.name = 'dispatch'" in sql
