"""pgqueuer on the same PostgreSQL, with its asyncpg driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import asyncpg
import psycopg
from figures import Pickup
from ours import Drained
from pgqueuer.core.qm import QueueManager
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from pgqueuer.types import QueueExecutionMode
from processes import Background, Gate, race


def create(url: str) -> None:
    """Install its schema."""

    async def install() -> None:
        connection = await asyncpg.connect(url)
        await Queries(AsyncpgDriver(connection)).install()
        await connection.close()

    asyncio.run(install())


def submissions(url: str, *, count: int, batch: int) -> tuple[float, float]:
    """Return submissions a second, one to a transaction and many."""

    async def submit() -> tuple[float, float]:
        connection = await asyncpg.connect(url)
        queries = Queries(AsyncpgDriver(connection))
        started = time.perf_counter()
        for _ in range(count):
            await queries.enqueue("nothing", b"1")
        one = count / (time.perf_counter() - started)
        started = time.perf_counter()
        for _ in range(10):
            await queries.enqueue(["nothing"] * batch, [b"1"] * batch, [0] * batch)
        many = 10 * batch / (time.perf_counter() - started)
        await connection.close()
        return one, many

    return asyncio.run(submit())


def drain(url: str, *, count: int, processes: int, batch: int) -> Drained:
    """Fill the queue, then let processes empty it."""

    async def fill() -> None:
        connection = await asyncpg.connect(url)
        await Queries(AsyncpgDriver(connection)).enqueue(["nothing"] * count, [b"1"] * count, [0] * count)
        await connection.close()

    asyncio.run(fill())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        raced = race(_drain, processes, url, batch)
        order = [row[0] for row in connection.execute(_CLAIMED_ORDER)]
    return Drained(count / raced.seconds, order, len(set(order)))


_CLAIMED_ORDER = "SELECT job_id FROM pgqueuer_log WHERE status = 'picked' ORDER BY id"


def _drain(gate: Gate, url: str, batch: int) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(url)
        manager = _manager(connection, None)
        gate.wait()
        await manager.run(batch_size=batch, mode=QueueExecutionMode.drain, dequeue_timeout=timedelta(milliseconds=20))
        await connection.close()

    asyncio.run(work())


def _manager(connection: Any, answers: Any) -> QueueManager:
    manager = QueueManager(Queries(AsyncpgDriver(connection)))

    @manager.entrypoint("nothing")
    async def nothing(job: Job) -> None:  # noqa: ARG001
        if answers is not None:
            answers.put(time.monotonic())

    return manager


def pickup(url: str, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Submit a number of jobs, one after the other, to an idle worker."""

    async def submit(answers: Any) -> list[Pickup]:
        connection = await asyncpg.connect(url)
        queries = Queries(AsyncpgDriver(connection))
        taken: list[Pickup] = []
        for _ in range(samples):
            await asyncio.sleep(pause())
            called = time.monotonic()
            await queries.enqueue("nothing", b"1")
            taken.append(Pickup(called, time.monotonic(), answers.get(timeout=30)))
        await connection.close()
        return taken

    with Background(_idle_worker, url) as worker:
        return asyncio.run(submit(worker.answers))


def _idle_worker(stop: Any, answers: Any, url: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(url)
        manager = _manager(connection, answers)
        working = asyncio.create_task(manager.run(batch_size=1))
        await asyncio.sleep(1)  # it says nowhere that it listens
        answers.put("ready")
        while not stop.is_set():
            await asyncio.sleep(0.2)
        manager.shutdown.set()
        await asyncio.wait([working], timeout=5)

    asyncio.run(work())
