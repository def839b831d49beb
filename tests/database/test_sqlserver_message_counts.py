"""How many messages to SQL Server each operation of the queue takes; docs/how-to/sql-server.md has the table."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import scripted_sqlserver as scripted
from ade.database.schema import builds
from ade.database.transaction import Database, Transaction
from ade.database.types import to_microseconds
from ade.domain.queue import Claim, Ending, QueueRules
from ade.operations.queue import claiming as queue
from ade.operations.queue import submit
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.claiming import Room
from ade.operations.queue.submit import RunRequest
from repeatable import FakeClock

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "sql-server.md"
RULES = QueueRules()
CLOCK = FakeClock()
NOW = to_microseconds(CLOCK.now())
LATER = CLOCK.now() + timedelta(minutes=1)
BUILD = BuildRequest(workspace_id="w", configuration_id="c", version_id="v", fingerprint="f")
CLAIM = Claim(kind="run", id="r", token=7, lease_expires_at=LATER, deadline_at=LATER, memory_mb=None, cpu_count=None)


def row(table: sa.Table, **values: Any) -> tuple[Any, ...]:
    """Return a row of a table as the driver gives it: zero and empty where nothing is said."""
    return tuple(
        values.get(column.name, None if column.nullable else "" if isinstance(column.type, sa.String) else 0)
        for column in table.columns
    )


DISPATCH = (NOW, 7, 3, 1, 5, 1)
HEAD = ("run", "r", "w", None, 50, "d", None, None, 1, 50, 0, 0, 0, 1, 0)
ANSWERS: dict[str, scripted.Rows] = {
    r"^UPDATE queue_control SET clock_at": [DISPATCH],
    r"^SELECT queue_control\.clock_at": [DISPATCH],
    r"^SELECT pauses\.scope": [("upkeep", "upkeep", NOW)],
    r"^SELECT builds\.id, builds\.workspace_id": [row(builds, id="b", status="ready")],
    r"^SELECT 'run' AS kind": [HEAD],
    r"^UPDATE runs SET status=.*OUTPUT inserted\.id": [("r",)],
    r"^SELECT runs\.id, runs\.claim_token": [("r", 7, "w", "d", None, 0, None, None, 2, None)],
    r"^UPDATE workers": [("worker",)],
    r"^SELECT runs\.id FROM runs": [("r",)],
    r"OUTPUT 'run' AS kind": [("run", "r", 7, None)],
}


def submit_one(tx: Transaction) -> Any:
    wish = submit.Wish(runtime_network_access=False)
    return submit.submit_runs(tx, [RunRequest(build=BUILD, input_document_id="d", wish=wish)], rules=RULES)


def claim_one(tx: Transaction) -> Any:
    return queue.finish_and_claim(tx, "worker", [], rules=RULES, room=Room(slots=1))[1]


def finish_one(tx: Transaction) -> Any:
    return queue.finish_run(
        tx, Ending(claim=CLAIM, facts={"isolation": "isolated", "metrics": {"rows": 1}}), rules=RULES
    )


def take_turn(tx: Transaction) -> Any:
    ending = Ending(claim=CLAIM, failure=None, facts={"metrics": {}})
    return queue.finish_and_claim(tx, "worker", [ending], rules=RULES, room=Room(slots=1))


def beat(tx: Transaction) -> Any:
    return queue.heartbeat(tx, "worker", rules=RULES, at_work_on=["r"], idle_reason=None)


OPERATIONS: dict[str, tuple[Callable[[Transaction], Any], int]] = {
    "submit a run": (submit_one, 2),
    "claim a run": (claim_one, 2),
    "finish a run": (finish_one, 2),
    "finish a run and claim the next": (take_turn, 2),
    "heartbeat of a worker with one run": (beat, 4),
    "claim when nothing waits": (claim_one, 2),
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> scripted.Server:
    return scripted.install(monkeypatch)


@pytest.fixture
def database(server: scripted.Server) -> Iterator[Database]:
    """Yield a database that has connected already."""
    opened = Database("mssql://ade:secret@db/ade", clock=CLOCK)
    opened.read(lambda tx: tx.execute(sa.text("SELECT 1")).all())
    server.messages.clear()
    yield opened
    opened.close()


@pytest.mark.req("W5")
@pytest.mark.parametrize("name", OPERATIONS)
def test_an_operation_takes_as_few_messages_as_it_is_said_to(
    name: str, database: Database, server: scripted.Server
) -> None:
    work, count = OPERATIONS[name]
    is_empty = "nothing" in name
    server.answer = lambda sql, _: next(
        (
            [] if is_empty and "'run' AS kind" in pattern else rows
            for pattern, rows in ANSWERS.items()
            if re.search(pattern, sql.replace("\n", ""))
        ),
        None,
    )

    answer = database.write(work)

    assert answer or is_empty
    assert len(server.messages) == count, server.messages
    assert "sp_unprepare" not in server.messages


def test_the_how_to_names_the_same_numbers() -> None:
    table = HOW_TO.read_text()

    for name, (_, count) in OPERATIONS.items():
        assert re.search(rf"^\| {name} \| [^|]+ \| {count} \|$", table, re.MULTILINE), name
