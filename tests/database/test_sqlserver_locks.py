"""What the queue's statements say to SQL Server about order and locks (no server needed)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import mssql

from ade.database.queue import endings, finishing, waiting, workers
from ade.database.queue.kinds import RUN
from ade.database.views import statistics

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Asked:
    """Stands for a transaction: keeps what it is asked, and finds nothing."""

    def __init__(self) -> None:
        self.now = NOW
        self.dialect = "mssql"
        self.texts: list[str] = []

    def execute(self, statement: Any, _parameters: Any = None) -> Any:
        self.texts.append(rendered(statement))
        return self

    def all(self) -> list[str]:
        return []


def rendered(statement: Any) -> str:
    dialect: Any = mssql.dialect()  # type: ignore[no-untyped-call]
    dialect.server_version_info = (16, 0)
    dialect._setup_version_attributes()
    return " ".join(str(statement.compile(dialect=dialect)).split())


@pytest.mark.req("W5")
@pytest.mark.parametrize("statement", [finishing._held(1).statement, waiting._BEST_OF])
def test_the_first_row_is_chosen_by_top_and_keeps_its_order(statement: sa.Select[Any]) -> None:
    text = rendered(statement)
    assert "SELECT TOP" in text
    assert "OFFSET" not in text
    assert "ORDER BY" in text.partition("TOP")[2].partition(")")[2]


def test_slices_of_time_are_grouped_by_whole_numbers_without_parameters() -> None:
    asked = Asked()
    statistics.finished_by_bucket(asked, since=NOW, bucket=timedelta(hours=1))  # type: ignore[arg-type]
    [text] = asked.texts
    slice_ = "(runs.finished_at / CAST(3600000000 AS BIGINT)) * CAST(3600000000 AS BIGINT)"
    assert text.startswith(f"SELECT {slice_} AS bucket_at")
    assert f"GROUP BY {slice_}, runs.status" in text


def test_runs_that_end_together_are_locked_by_their_key() -> None:
    assert "FROM runs WITH (UPDLOCK, ROWLOCK, INDEX(pk_runs)) WHERE" in rendered(finishing._held(2).statement)


@pytest.mark.parametrize("kind", ["run", "build"])
def test_a_heartbeat_locks_rows_by_their_key_before_it_changes_those_it_still_holds(kind: str) -> None:
    lock, change = rendered(workers._held(kind, 1).statement), rendered(workers._extend(kind, 1).statement)
    assert f"FROM {kind}s WITH (UPDLOCK, ROWLOCK, INDEX(pk_{kind}s)) WHERE" in lock
    assert f"WHERE {kind}s.id IN (:id_0) AND {kind}s.status = " in change
    assert f"{kind}s.claimed_by = :worker_id" in change


def test_a_heartbeat_for_all_a_worker_holds_does_not_read_the_whole_table() -> None:
    assert "FROM runs WITH (UPDLOCK, ROWLOCK) WHERE" in rendered(workers._held("run", None).statement)


def test_upkeep_passes_over_rows_that_are_held_also_where_readers_see_snapshots() -> None:
    asked = Asked()
    endings.overdue(asked, RUN)  # type: ignore[arg-type]
    assert "FROM runs WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) WHERE" in asked.texts[0]
