"""The raw loop: the least that claims and completes safely, on one connection. What we are measured against."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import psycopg
from figures import Pickup
from ours import Drained
from processes import Background

_CREATE = """
CREATE TABLE jobs (
    id bigserial PRIMARY KEY, status text NOT NULL, priority int NOT NULL, payload text NOT NULL,
    claimed_by text, finished_at timestamptz
);
CREATE INDEX ix_jobs_ready ON jobs (priority, id) WHERE status = 'queued';
"""
_CLAIM = """
UPDATE jobs SET status = 'running', claimed_by = 'me' WHERE id = (
    SELECT id FROM jobs WHERE status = 'queued' ORDER BY priority, id LIMIT 1 FOR UPDATE SKIP LOCKED
) RETURNING id, payload
"""
_FINISH = "UPDATE jobs SET status = 'succeeded', finished_at = clock_timestamp() WHERE id = %s AND status = 'running'"


def create(url: str) -> None:
    """Make the table."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_CREATE)


def drain(url: str, count: int) -> Drained:
    """Claim and complete rows one at a time, a commit each."""
    create(url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO jobs (status, priority, payload) SELECT 'queued', 50, '{}' FROM generate_series(1, %s)",
            [count],
        )
        connection.execute("VACUUM ANALYZE jobs")
        connection.autocommit = False
        order: list[int] = []
        started = time.perf_counter()
        while (row := _claim(connection)) is not None:
            order.append(row[0])
            connection.execute(_FINISH, [row[0]])
            connection.commit()
        return Drained(count / (time.perf_counter() - started), order, len(order))


def _claim(connection: psycopg.Connection[Any]) -> Any:
    row = connection.execute(_CLAIM).fetchone()
    connection.commit()
    return row


def pickup(url: str, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Insert a number of rows, one after the other, for an idle process that listens."""
    taken: list[Pickup] = []
    with Background(_idle_worker, url) as worker, psycopg.connect(url) as connection:
        for _ in range(samples):
            time.sleep(pause())
            called = time.monotonic()
            connection.execute("INSERT INTO jobs (status, priority, payload) VALUES ('queued', 50, '{}')")
            connection.execute("NOTIFY jobs")
            connection.commit()
            taken.append(Pickup(called, time.monotonic(), worker.answers.get(timeout=30)))
    return taken


def _idle_worker(stop: Any, answers: Any, url: str) -> None:
    with psycopg.connect(url, autocommit=True) as listener, psycopg.connect(url) as connection:
        listener.execute("LISTEN jobs")
        answers.put("ready")
        while not stop.is_set():
            for _ in listener.notifies(timeout=0.2, stop_after=1):
                row = _claim(connection)
                answers.put(time.monotonic())
                connection.execute(_FINISH, [row[0]])
                connection.commit()
