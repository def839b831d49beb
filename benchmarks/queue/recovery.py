"""How long a run of a worker that was killed waits until another one starts it, with the settings' defaults."""

from __future__ import annotations

import multiprocessing
import threading
import time
from typing import Any

import world as worlds
from world import World

from ade.database.queue.wakeups import listen
from ade.database.transaction import Database
from ade.domain.queue import Claim
from ade.operations.queue.claiming import Room, finish_and_claim, heartbeat
from ade.operations.queue.rules import queue_rules
from ade.settings import load_settings

_context = multiprocessing.get_context("spawn")
_RULES = queue_rules(load_settings())


def recovery(world: World) -> float:
    """Kill a worker that holds a run; return the seconds until an idle one has claimed it."""
    database = Database(world.url)
    [document] = worlds.add_documents(database, world, 1)
    [run_id] = world.submit(database, document, rules=_RULES)
    answers = _context.Queue()
    victim = _context.Process(target=_hold, args=(world, answers))
    victim.start()
    if answers.get(timeout=60) != run_id:
        raise LookupError("the worker claimed another run")
    victim.kill()
    killed_at = time.monotonic()
    victim.join()
    _claim_when_possible(database)
    seconds = time.monotonic() - killed_at
    database.close()
    return seconds


def _hold(world: World, answers: Any) -> None:
    """Claim, say so after a heartbeat, and go on beating as a worker does."""
    database = Database(world.url)
    worker = worlds.add_worker(database, "victim")
    [claim] = _claim(database, worker)
    while True:
        database.write(lambda tx: heartbeat(tx, worker, rules=_RULES))
        answers.put(claim.id)
        threading.Event().wait(_RULES.tick.total_seconds())


def _claim(database: Database, worker: str) -> list[Claim]:
    return database.write(lambda tx: finish_and_claim(tx, worker, [], rules=_RULES, room=Room(slots=1)))[1]


def _claim_when_possible(database: Database) -> None:
    worker = worlds.add_worker(database, "idle")
    listener = listen(database)
    while not _claim(database, worker):
        listener.wait(_RULES.tick, worker)
    listener.close()
