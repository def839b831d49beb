"""ADE's queue as the contestant: submissions, drains and pickup, through the operations the server uses."""

from __future__ import annotations

import gc
import os
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import world as worlds
from figures import Pickup
from processes import Background, Gate, race
from world import RULES, World

from ade.database.queue.wakeups import listen
from ade.database.transaction import Database
from ade.domain.queue import Claim, Ending
from ade.operations.queue.claiming import Room, finish_and_claim, finish_run

# As much as a worker writes about a run that went well.
FACTS: dict[str, Any] = {
    "file_key": "runs/00000000-0000-7000-8000-000000000000/1",
    "isolation": "isolated",
    "metrics": {"steps": {"fetch": 0.01, "prepare": 0.02, "execute": 0.5, "collect": 0.01}, "output_bytes": 12345},
}
TICK = timedelta(seconds=1)


def submissions(world: World, *, count: int, batch: int) -> tuple[float, float]:
    """Return submissions a second, one to a transaction and many."""
    database = Database(world.url)
    documents = worlds.add_documents(database, world, count + 10 * batch)
    world.submit(database, documents[0])
    started = time.perf_counter()
    for document in documents[1:count]:
        world.submit(database, document)
    one = (count - 1) / (time.perf_counter() - started)
    batches = [documents[start : start + batch] for start in range(count, len(documents), batch)]
    started = time.perf_counter()
    for chosen in batches:
        world.submit(database, *chosen)
    many = len(batches) * batch / (time.perf_counter() - started)
    database.close()
    return one, many


@dataclass(frozen=True)
class Drained:
    """How fast a queue was emptied, and in which order its runs were claimed."""

    per_second: float
    order: list[int]
    claimed_count: int


def drain(world: World, *, count: int, processes: int, slots: int, mode: str) -> Drained:
    """Fill the queue, then let processes empty it; `mode` says how finishes and claims share transactions."""
    database = Database(world.url)
    worlds.fill(database, world, count, first=1)
    worlds.vacuum(database)
    database.close()
    raced = race(_drain, processes, world, slots, mode)
    claimed = sorted(claim for told in raced.told for claim in told)
    order = [int(run_id[-12:]) for _, _, run_id in claimed]
    return Drained(count / raced.seconds, order, len(set(order)))


Told = list[tuple[int, int, str]]  # token, place within the claim, run


def _drain(gate: Gate, world: World, slots: int, mode: str) -> Told:
    database = Database(world.url)
    worker = worlds.add_worker(database, f"worker {os.getpid()}", slots=slots)
    turn = TURNS[mode]
    told: Told = []
    gc.freeze()  # as a worker does
    gate.wait()
    claims = turn(database, worker, [], Room(slots=slots))
    while claims:
        told += [(claim.token, place, claim.id) for place, claim in enumerate(claims)]
        claims = turn(database, worker, claims, Room(slots=slots))
    database.close()
    return told


def _apart(database: Database, worker: str, held: list[Claim], room: Room) -> list[Claim]:
    """Finish each in a transaction of its own, then claim in another."""
    for claim in held:
        _finish(database, claim)
    return _together(database, worker, [], room)


def _finish(database: Database, claim: Claim) -> None:
    """End a run as an attempt does whose worker waits for work."""
    database.write(lambda tx: finish_run(tx, Ending(claim=claim, facts=FACTS), rules=RULES))


def _together(database: Database, worker: str, held: list[Claim], room: Room) -> list[Claim]:
    """Finish all that is done and claim for their slots in one transaction."""
    endings = [Ending(claim=claim, facts=FACTS) for claim in held]
    _, claims = database.write(lambda tx: finish_and_claim(tx, worker, endings, rules=RULES, room=room))
    return claims


Turn = Callable[[Database, str, list[Claim], Room], list[Claim]]
TURNS: dict[str, Turn] = {"apart": _apart, "together": _together}


def pickup(world: World, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Submit a number of runs, one after the other, to an idle worker in a process of its own."""
    database = Database(world.url)
    with Background(_idle_worker, world) as worker:
        taken = _pickups(database, world, worker.answers, samples, pause)
    database.close()
    return taken


def pickup_embedded(world: World, *, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    """Do the same with a worker that is a thread of the process that submits, as in `ade serve`."""
    database = Database(world.url)
    stop, answers = threading.Event(), queue.SimpleQueue[Any]()
    worker = threading.Thread(target=_wait_for_work, args=(database, stop, answers))
    worker.start()
    answers.get()
    taken = _pickups(database, world, answers, samples, pause)
    stop.set()
    worker.join()
    database.close()
    return taken


def _pickups(database: Database, world: World, answers: Any, samples: int, pause: Callable[[], float]) -> list[Pickup]:
    taken: list[Pickup] = []
    for document in worlds.add_documents(database, world, samples):
        time.sleep(pause())
        called = time.monotonic()
        world.submit(database, document)
        taken.append(Pickup(called, time.monotonic(), answers.get(timeout=30)))
    return taken


def _idle_worker(stop: Any, answers: Any, world: World) -> None:
    database = Database(world.url)
    _wait_for_work(database, stop, answers)
    database.close()


def _wait_for_work(database: Database, stop: Any, answers: Any) -> None:
    worker = worlds.add_worker(database, "idle")
    listener = listen(database)
    gc.freeze()  # as a worker and `ade serve` do
    answers.put("ready")
    while not stop.is_set():
        claims = _together(database, worker, [], Room(slots=1))
        for claim in claims:
            answers.put(time.monotonic())
            _finish(database, claim)
        if not claims:
            listener.wait(TICK, worker)
    listener.close()
