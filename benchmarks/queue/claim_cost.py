"""What a claim costs: with nothing else waiting, behind many that wait, and behind many that may not start."""

from __future__ import annotations

import time
from collections.abc import Callable

import world as worlds
from figures import Report, median, percentile
from world import RULES, World

from ade.database.queue import claim as claiming
from ade.database.transaction import Database, Transaction
from ade.domain.queue import Claim, Ending
from ade.operations.queue.claiming import Room, finish_and_claim, finish_run
from ade.operations.views import positions


def measure(
    report: Report, contestant: str, fresh: Callable[[], World], *, sizes: list[int], blocked: int, samples: int
) -> None:
    """Report the median of a claim's transaction in each situation."""
    for size in sizes:
        world = fresh()
        database = Database(world.url)
        worlds.fill(database, world, size + samples, first=1)
        worlds.vacuum(database)
        _claims(report, contestant, database, f"claim with {size:,} waiting", samples)
        if size:
            _lookups(report, contestant, database, size, samples)
        database.close()
    _behind_busy_document(report, contestant, fresh(), blocked, samples)
    _behind_unfinished_build(report, contestant, fresh(), blocked, samples)
    for situation in (f"claim with {size:,} waiting" for size in sizes if size):
        report.add_ratio(f"{situation} / empty queue", (situation, contestant), ("claim with 0 waiting", contestant))
    for cause in ("a busy document", "an unfinished build"):
        situation = f"claim behind {blocked:,} runs of {cause}"
        report.add_ratio(f"{situation} / empty queue", (situation, contestant), ("claim with 0 waiting", contestant))


def _behind_busy_document(report: Report, contestant: str, world: World, blocked: int, samples: int) -> None:
    database = Database(world.url)
    worker = worlds.add_worker(database, "busy")
    [document] = worlds.add_documents(database, world, 1)
    worlds.fill(database, world, 1, first=1, priority=1, document_id=document)
    _claim(database, worker)
    worlds.fill(database, world, blocked, first=10, priority=10, document_id=document)
    worlds.fill(database, world, samples + 1, first=10 + blocked)
    worlds.vacuum(database)
    taken: list[float] = []
    first: list[Claim] = []
    while not first:  # a large number is set aside in parts
        started = time.perf_counter()
        first = _claim(database, worker)
        taken.append((time.perf_counter() - started) * 1000)
    report.add(
        f"claims until {blocked:,} runs are parked", contestant, sum(taken), "ms", f"longest {max(taken):.0f} ms"
    )
    _finish(database, first[0])
    _claims(report, contestant, database, f"claim behind {blocked:,} runs of a busy document", samples)
    database.close()


def _behind_unfinished_build(report: Report, contestant: str, world: World, blocked: int, samples: int) -> None:
    database = Database(world.url)
    build = worlds.add_unfinished_build(database, world)
    waiting = {"priority": 10, "block": worlds.WAITING_FOR_BUILD, "build_id": build}
    worlds.fill(database, world, blocked, first=1, **waiting)  # type: ignore[arg-type]
    worlds.fill(database, world, samples, first=1 + blocked)
    worlds.vacuum(database)
    _claims(report, contestant, database, f"claim behind {blocked:,} runs of an unfinished build", samples)
    database.close()


def _claims(report: Report, contestant: str, database: Database, situation: str, samples: int) -> None:
    worker = worlds.add_worker(database, "claimer")
    taken: list[float] = []
    for _ in range(samples):
        started = time.perf_counter()
        claims = _claim(database, worker)
        taken.append((time.perf_counter() - started) * 1000)
        for claim in claims:
            _finish(database, claim)
    report.add(situation, contestant, median(taken), "ms", f"p99 {percentile(taken, 0.99):.1f} ms")


def _claim(database: Database, worker: str) -> list[Claim]:
    return database.write(lambda tx: finish_and_claim(tx, worker, [], rules=RULES, room=Room(slots=1)))[1]


def _finish(database: Database, claim: Claim) -> None:
    database.write(lambda tx: finish_run(tx, Ending(claim=claim), rules=RULES))


def _heads(tx: Transaction) -> claiming.AskedHeads:
    return claiming.ask_run_heads(tx, Room(slots=1))


def _lookups(report: Report, contestant: str, database: Database, size: int, samples: int) -> None:
    def next_run() -> None:
        found = database.read(lambda tx: _heads(tx)())
        if not found:
            raise LookupError("nothing is ready")

    def first_page() -> None:
        database.read(lambda tx: positions.page(tx, after=None, limit=50, rules=RULES))

    for name, look in (("next run", next_run), ("first page of 50", first_page)):
        taken: list[float] = []
        for _ in range(samples):
            started = time.perf_counter()
            look()
            taken.append((time.perf_counter() - started) * 1000)
        subject = f"lookup of the {name} with {size:,} waiting"
        report.add(subject, contestant, median(taken), "ms", f"p99 {percentile(taken, 0.99):.1f} ms")
