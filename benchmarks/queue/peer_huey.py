"""huey on SQLite, set to sync each commit as ADE does. It gives a claim no lease: what a dead worker held is lost."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from figures import Pickup
from huey import SqliteHuey
from ours import Drained
from processes import Background, Gate, race


def _open(path: Path, answers: Any = None) -> tuple[SqliteHuey, Any]:
    huey = SqliteHuey("bench", filename=str(path), fsync=True, results=False)

    @huey.task(name="nothing")
    def nothing(number: int) -> int:
        if answers is not None:
            answers.put(time.monotonic())
        return number

    return huey, nothing


def submissions(path: Path, *, count: int) -> float:
    """Return submissions a second; it has no batch."""
    _, nothing = _open(path)
    nothing(0)
    started = time.perf_counter()
    for number in range(count):
        nothing(number)
    return count / (time.perf_counter() - started)


def drain(path: Path, *, count: int, processes: int) -> Drained:
    """Fill the queue, then let processes empty it, without the consumer's pauses."""
    _, nothing = _open(path)
    for number in range(count):
        nothing(number)
    raced = race(_drain, processes, path)
    claimed = sorted(claim for told in raced.told for claim in told)
    order = [number for _, number in claimed]
    return Drained(count / raced.seconds, order, len(set(order)))


def _drain(gate: Gate, path: Path) -> list[tuple[float, int]]:
    huey, _ = _open(path)
    told: list[tuple[float, int]] = []
    gate.wait()
    while (task := huey.dequeue()) is not None:
        told.append((time.monotonic(), task.args[0]))
        huey.execute(task)
    return told


def pickup(path: Path, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Submit a number of tasks, one after the other, to an idle consumer."""
    _, nothing = _open(path)
    taken: list[Pickup] = []
    with Background(_idle_worker, path) as worker:
        for number in range(samples):
            time.sleep(pause())
            called = time.monotonic()
            nothing(number)
            taken.append(Pickup(called, time.monotonic(), worker.answers.get(timeout=30)))
    return taken


def _idle_worker(stop: Any, answers: Any, path: Path) -> None:
    huey, _ = _open(path, answers)
    consumer = huey.create_consumer(workers=1, periodic=False)
    consumer.start()
    answers.put("ready")
    stop.wait()
    consumer.stop(graceful=True)
