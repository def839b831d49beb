"""procrastinate on the same PostgreSQL."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import psycopg
from figures import Pickup
from ours import Drained
from processes import Background, Gate, race
from procrastinate import App, PsycopgConnector


def _app(url: str, answers: Any = None) -> App:
    app = App(connector=PsycopgConnector(conninfo=url))

    @app.task(name="nothing")
    async def nothing(number: int) -> None:  # noqa: ARG001
        if answers is not None:
            answers.put(time.monotonic())

    return app


def create(url: str) -> None:
    """Install its schema."""

    async def apply() -> None:
        async with _app(url).open_async() as app:
            await app.schema_manager.apply_schema_async()

    asyncio.run(apply())


def submissions(url: str, *, count: int, batch: int) -> tuple[float, float]:
    """Return submissions a second, one to a transaction and many."""
    return asyncio.run(_submissions(url, count, batch))


async def _submissions(url: str, count: int, batch: int) -> tuple[float, float]:
    async with _app(url).open_async() as app:
        task = app.tasks["nothing"]
        await task.defer_async(number=0)
        started = time.perf_counter()
        for number in range(count):
            await task.defer_async(number=number)
        one = count / (time.perf_counter() - started)
        started = time.perf_counter()
        for _ in range(10):
            await task.batch_defer_async(*({"number": number} for number in range(batch)))
        return one, 10 * batch / (time.perf_counter() - started)


def drain(url: str, *, count: int, processes: int, concurrency: int) -> Drained:
    """Fill the queue, then let processes empty it."""
    asyncio.run(_fill(url, count))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        raced = race(_drain, processes, url, concurrency)
        order = [row[0] for row in connection.execute(_CLAIMED_ORDER)]
    return Drained(count / raced.seconds, order, len(set(order)))


_CLAIMED_ORDER = "SELECT job_id FROM procrastinate_events WHERE type = 'started' ORDER BY id"


async def _fill(url: str, count: int) -> None:
    async with _app(url).open_async() as app:
        for start in range(0, count, 1000):
            numbers = range(start, min(start + 1000, count))
            await app.tasks["nothing"].batch_defer_async(*({"number": number} for number in numbers))


def _drain(gate: Gate, url: str, concurrency: int) -> None:
    async def work() -> None:
        async with _app(url).open_async() as app:
            gate.wait()
            await app.run_worker_async(wait=False, concurrency=concurrency, install_signal_handlers=False)

    asyncio.run(work())


def pickup(url: str, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Submit a number of jobs, one after the other, to an idle worker."""
    with Background(_idle_worker, url) as worker:
        return asyncio.run(_pickup(url, samples, pause, worker.answers))


async def _pickup(url: str, samples: int, pause: Callable[[], float], answers: Any) -> list[Pickup]:
    taken: list[Pickup] = []
    async with _app(url).open_async() as app:
        for number in range(samples):
            await asyncio.sleep(pause())
            called = time.monotonic()
            await app.tasks["nothing"].defer_async(number=number)
            taken.append(Pickup(called, time.monotonic(), answers.get(timeout=30)))
    return taken


def _idle_worker(stop: Any, answers: Any, url: str) -> None:
    async def work() -> None:
        async with _app(url, answers).open_async() as app:
            worker = asyncio.create_task(app.run_worker_async(concurrency=1, install_signal_handlers=False))
            await asyncio.sleep(1)  # it says nowhere that it listens
            answers.put("ready")
            while not stop.is_set():
                await asyncio.sleep(0.2)
            worker.cancel()

    asyncio.run(work())
