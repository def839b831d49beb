"""Every statement the queue issues, as SQL Server would get it, has nothing that SQL Server refuses (no server needed).

The statements are collected while a scene goes through all operations on SQLite, so a new one is checked without being
listed here.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
import sqlglot
from sqlalchemy.dialects import mssql
from sqlglot import expressions

import databases
from ade.clock import FakeClock
from ade.database import control, ordering
from ade.database.transaction import Database
from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.operations import analytics, builds, positions, submit, upkeep, workers
from ade.operations import ordering as ordering_operations
from scene import PERSON, Scene

REFUSED_WORDS = re.compile(
    r"\|\||\bnow\(\)|\bLIMIT\b|\btrue\b|\bfalse\b|NULLS (FIRST|LAST)|\bRETURNING\b", re.IGNORECASE
)
REFUSED_WORDS_OF_OTHERS = re.compile(r"\bstrftime\b|\bextract\b|->|\bON CONFLICT\b|\bILIKE\b", re.IGNORECASE)
LIST = re.compile(r"__\[POSTCOMPILE_\w+\]")
MOST_PARAMETERS = 2100
KINDS = (sa.Select, sa.CompoundSelect, sa.Insert, sa.Update, sa.Delete)


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> dict[str, sa.ClauseElement]:
    """Return every statement of the scenario, by its text for SQL Server."""
    folder = tmp_path_factory.mktemp("statements")
    backend = databases.SqliteBackend(folder)
    scene = Scene(backend.fresh_url(folder), clock=FakeClock())
    found: dict[str, sa.ClauseElement] = {}

    def note(_connection: Any, statement: Any, *_: Any) -> None:
        if isinstance(statement, KINDS):
            found.setdefault(rendered(statement), statement)

    sa.event.listen(scene.database.engine, "before_execute", note)
    play_everything(scene)
    sa.event.remove(scene.database.engine, "before_execute", note)
    lock = control._LOCK["mssql"].statement
    found[rendered(lock)] = lock
    scene.close()
    backend.close()
    return found


def rendered(statement: sa.ClauseElement) -> str:
    compiled: Any = statement.compile(dialect=_dialect())
    if any(bind.required for bind in compiled.binds.values()):
        return LIST.sub("?", str(compiled))  # a prebuilt one: its lists are as long as what they are given
    return str(statement.compile(dialect=_dialect(), compile_kwargs={"render_postcompile": True}))


def _dialect() -> Any:
    """Return the dialect as it is once it is connected to a server of today."""
    dialect: Any = mssql.dialect()  # type: ignore[no-untyped-call]
    dialect.server_version_info = (16, 0)
    dialect._setup_version_attributes()
    return dialect


def play_everything(scene: Scene) -> None:
    """Go once through every operation of the queue, with every way it can turn out."""
    scene.rules = QueueRules(max_running=50, max_starts_per_second=1000, max_claims=2)
    _submit_and_finish(scene)
    _change_the_order(scene)
    _hold_back(scene)
    _lose_workers(scene)
    _look(scene)


def _submit_and_finish(scene: Scene) -> None:
    unbuilt, doomed = scene.new_build(status=None), scene.new_build(status=None)
    document = scene.document()
    scene.submit(document, memory_mb=64, cpu_count=1), scene.submit(document, memory_mb=32, cpu_count=0.5)
    scene.submit(build=unbuilt), scene.submit(build=doomed)
    scene.submit_plan(3)
    scene.submit(scheduled_at=scene.write(lambda tx: tx.now) + timedelta(seconds=5))
    claims = scene.claim(10)
    made = [claim for claim in claims if claim.kind == "build"]
    started = [claim for claim in claims if claim.kind == "run"]
    scene.claim(10)
    scene.write(lambda tx: builds.give_back_build(tx, made[0]))
    [again] = [claim for claim in scene.claim(10) if claim.kind == "build"]
    scene.finish_build(again)
    scene.fail_build(made[1])
    scene.give_back(started[0])
    scene.cancel(started[1].id)
    scene.succeed(started[1])
    for claim in scene.claim(10):
        scene.fail(claim)
    scene.submit(build=doomed)
    scene.write(lambda tx: builds.rebuild(tx, scene.the_build().id))
    scene.write(lambda tx: builds.cancel_build(tx, scene.the_build().id))
    scene.drain(slots=5)
    finished = scene.submit()
    scene.drain(slots=5)
    scene.write(lambda tx: submit.run_again(tx, finished, build=scene.build, rules=scene.rules))
    scene.write(lambda tx: submit.record_rejection(tx, priority=50))
    scene.write(lambda tx: submit.record_rejection(tx, priority=50))


def _change_the_order(scene: Scene) -> None:
    first, *_, last = scene.submit_many(4)
    plan_id, _ = scene.submit_plan(2)
    for priority in (20, 50):
        scene.reprioritise(first, priority)
    scene.move(last, before=first)
    scene.move(first, after=last)
    scene.write(lambda tx: ordering_operations.change_plan_priority(tx, plan_id, 20, rules=scene.rules, actor=PERSON))
    scene.cancel(last)
    scene.advance(timedelta(hours=2))
    scene.upkeep()
    scene.drain()


def _hold_back(scene: Scene) -> None:
    document = scene.document()
    scene.submit(document)
    running = scene.claim_one()
    plan_id, _ = scene.submit_plan([scene.request(document)], priority=10)
    scene.submit(document)
    scene.claim(3)
    scene.succeed(running)
    held = [
        scene.pause(PauseScope.PLAN, plan_id),
        scene.pause(PauseScope.PRIORITY, "normal"),
        scene.pause(PauseScope.WORKSPACE, scene.build.workspace_id),
        scene.pause(PauseScope.ALL),
    ]
    for pause in reversed(held):
        scene.claim(3)
        scene.resume(pause)
    _cap(scene, 0)
    scene.claim(3)
    _cap(scene, 1)
    scene.drain()
    scene.submit_many(3)
    scene.claim(3)
    _cap(scene, None)
    scene.upkeep()
    scene.advance(scene.rules.lease * 2)
    scene.drain()


def _cap(scene: Scene, most: int | None) -> None:
    other = Database(scene.url)  # not the queue's statement
    other.write(lambda tx: tx.execute(sa.text("UPDATE workspaces SET max_running = :most"), {"most": most}))
    other.close()


def _lose_workers(scene: Scene) -> None:
    scene.submit(build=scene.new_build(status=None)), scene.submit_many(2)
    scene.claim(3)
    scene.heartbeat()
    for _ in range(3):
        scene.advance(scene.rules.lease * 2)
        scene.upkeep()
        scene.claim(3)
    scene._worker = None
    scene.claim(3)
    scene.write(lambda tx: workers.retire_worker(tx, scene.worker))
    scene.write(upkeep.reconcile)
    scene.write(lambda tx: tx.execute(sa.text("UPDATE queue_control SET open_run_count = 7")))
    scene.write(upkeep.reconcile)


def _look(scene: Scene) -> None:
    scene._worker = None
    scene.submit_many(3)

    def look(tx: Any) -> None:
        page = positions.page(tx, after=None, limit=2, rules=scene.rules)
        positions.page(tx, after=ordering.place_of(page[-1][0]), limit=2, rules=scene.rules)
        positions.places(tx, [run for run, _ in page], rules=scene.rules)
        positions.would_be(tx, priority=50, rules=scene.rules)
        for days in (1, 7):
            analytics.analyse(tx, window=timedelta(days=days))

    scene.database.read(look)


def texts(statements: dict[str, sa.ClauseElement]) -> Iterator[str]:
    assert len(statements) > 60, "the scenario does not reach the operations any more"
    yield from statements


@pytest.mark.req("W5")
def test_every_statement_parses_as_tsql_and_has_no_word_of_other_dialects(
    statements: dict[str, sa.ClauseElement],
) -> None:
    for sql in texts(statements):
        sqlglot.parse_one(sql.replace(":", "@"), dialect="tsql")
        bare = re.sub(r"'[^']*'", "''", sql)
        assert not REFUSED_WORDS.search(bare), sql
        assert not REFUSED_WORDS_OF_OTHERS.search(bare), sql


@pytest.mark.req("W5")
def test_no_statement_orders_a_subquery_or_compares_tuples_or_merges(statements: dict[str, sa.ClauseElement]) -> None:
    """ORDER BY in a subquery without TOP is error 1033; tuples are a syntax error; MERGE races."""
    for sql in texts(statements):
        parsed = sqlglot.parse_one(sql.replace(":", "@"), dialect="tsql")
        for inner in parsed.find_all(expressions.Subquery, expressions.Exists, expressions.In):
            ordered = [node for node in inner.find_all(expressions.Order) if not node.find_ancestor(expressions.Window)]
            assert not ordered or inner.find(expressions.Limit, expressions.Fetch), sql
        compared = [node for node in parsed.find_all(expressions.Tuple) if isinstance(node.parent, expressions.Binary)]
        assert not compared, sql
        assert not parsed.find(expressions.Merge), sql


@pytest.mark.req("W5")
def test_no_condition_is_a_bare_flag_and_no_condition_is_selected(statements: dict[str, sa.ClauseElement]) -> None:
    """BIT is not boolean in WHERE, and a comparison is no value in a select list: both are syntax errors."""
    for sql in texts(statements):
        parsed = sqlglot.parse_one(sql.replace(":", "@"), dialect="tsql")
        for where in parsed.find_all(expressions.Where):
            for part in where.this.flatten() if isinstance(where.this, expressions.And) else [where.this]:
                assert not isinstance(part, expressions.Column), sql
        for select in parsed.find_all(expressions.Select):
            values = [item.unalias() for item in select.expressions]
            assert not [item for item in values if isinstance(item, expressions.Predicate | expressions.Connector)], sql


@pytest.mark.req("W5", "Q18")
def test_the_conditions_of_filtered_indexes_are_literals(statements: dict[str, sa.ClauseElement]) -> None:
    """With a parameter SQL Server does not use the filtered index."""
    heads = [sql for sql in texts(statements) if "running_run" in sql]

    assert heads
    for sql in heads:
        assert "runs.status = 'queued' AND runs.block_mask = 0" in sql
        assert re.search(r"ORDER BY runs.effective_priority, runs.order_key.*FETCH FIRST", sql, re.DOTALL)


@pytest.mark.req("W5")
def test_the_lock_reads_sql_servers_own_clock(statements: dict[str, sa.ClauseElement]) -> None:
    [sql] = [sql for sql in texts(statements) if "SYSUTCDATETIME" in sql]

    assert sql.startswith("UPDATE queue_control SET")
    assert "OUTPUT inserted.clock_at" in sql
    assert "WHERE queue_control.name = 'dispatch'" in sql


@pytest.mark.req("W5")
def test_no_statement_has_more_parameters_than_sql_server_takes(statements: dict[str, sa.ClauseElement]) -> None:
    for sql in texts(statements):
        assert len(re.findall(r":\w+", sql)) < MOST_PARAMETERS
