"""Real processes that work on a queue, forked quickly from a clean server process, to be raced and killed.

Everything here must be importable by the children, so it takes plain values only.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from functools import cache
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from typing import Any, TypeVar

import calls
import oracle
from ade.clock import SystemClock
from ade.database.queue import claim as claim_store
from ade.database.transaction import Database, Transaction
from ade.domain.queue import Claim, Ending, QueueRules
from ade.errors import LeaseLost, QueueFull, Unavailable
from ade.operations.queue import builds as build_operations
from ade.operations.queue import claiming as queue
from ade.operations.queue import submit, workers
from ade.operations.queue.builds import BuildRequest
from ade.operations.queue.claiming import Room
from ade.operations.queue.returning import return_uncounted
from ade.operations.queue.workers import WorkerFacts
from calls import Wanted
from postgres import die_with_parent

T = TypeVar("T")
QUICK = QueueRules(lease=timedelta(seconds=2), tick=timedelta(milliseconds=200), max_claims=10_000, queue_size=10**6)


@cache
def _context() -> ForkServerContext:
    # The server process imports what children need, once; PYTHONPATH is how it finds this folder.
    here = str(Path(__file__).parent)
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    if here not in known:
        os.environ["PYTHONPATH"] = os.pathsep.join([here, *filter(None, known)])
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["crew"])
    return context


def start(target: Callable[..., None], *arguments: Any) -> ForkServerProcess:
    """Start a process that dies with this one."""
    process = _context().Process(target=_run, args=(target, *arguments), daemon=True)
    process.start()
    return process


def _run(target: Callable[..., None], *arguments: Any) -> None:
    die_with_parent(signal.SIGKILL)  # the parent is the server process, which goes when the tests do
    target(*arguments)


def finish(processes: list[ForkServerProcess], *, seconds: float = 120) -> None:
    """Wait until all have ended, and well."""
    for process in processes:
        process.join(seconds)
    for process in processes:
        if process.exitcode is None:
            process.kill()
    assert [process.exitcode for process in processes] == [0] * len(processes)


def barrier(parties: int) -> Any:
    """Return a barrier between processes."""
    return _context().Barrier(parties)


def register(database: Database, name: str, rules: QueueRules) -> str:
    facts = WorkerFacts(name=name, host="here", process_id=os.getpid(), version="0", slots=2)
    return database.write(lambda tx: workers.register_worker(tx, facts, rules=rules))


def drain(
    url: str,
    name: str,
    slots: int,
    folder: str,
    rules: QueueRules = QUICK,
    rollback_share: float = 0,
    batch: int = 1,
) -> None:
    """Claim and finish until no run is open; write what the oracle finds wrong into the folder.

    The last ones of a claim are finished in the transaction of the next, as a busy worker does.
    """
    database = Database(url)
    worker_id = through(lambda: register(database, name, rules))
    ended: list[Claim] = []
    while True:
        claims = through(lambda: claim_checked(database, worker_id, slots, Path(folder), rules, rollback_share, ended))  # noqa: B023
        if claims is None:
            continue  # undone, with what was to end
        ended = [claim for claim in claims[-batch:] if claim.kind == "run"]
        alone = [claim for claim in claims if claim not in ended]
        for number in range(0, len(alone), batch):
            with suppress(LeaseLost):
                through(lambda chunk=alone[number : number + batch]: complete(database, *chunk))  # type: ignore[misc]
        if claims:
            continue
        if is_empty(database):
            return
        SystemClock().sleep(timedelta(milliseconds=10))
        # It works on nothing now: what it claimed without getting the answer must not be kept alive.
        beat = through(lambda: database.write(lambda tx: queue.heartbeat(tx, worker_id, rules=rules, at_work_on=[])))
        if beat is None:
            return  # a successor took its name


def claim_checked(
    database: Database,
    worker_id: str,
    slots: int,
    folder: Path,
    rules: QueueRules,
    rollback_share: float,
    ended: list[Claim],
) -> list[Claim] | None:
    """Finish and claim, compare with the oracle inside the transaction; occasionally roll back, which gives None."""
    tries = 0

    def work(tx: Transaction) -> list[Claim]:
        nonlocal tries
        tries += 1
        endings, room = [Ending(claim=claim) for claim in ended], Room(slots=slots)
        # What ends and the upkeep first, so that the oracle sees what the claim sees.
        queue.finish_and_claim(tx, worker_id, endings, rules=rules, room=Room(slots=0))
        expected = oracle.expected_claims(tx, rules=rules, room=room)
        claimed = calls.claim(tx, worker_id, rules=rules, room=room)
        found = [(claim.kind, claim.id) for claim in claimed]
        if found != expected and not is_stopped(tx, worker_id):
            (folder / f"violation-{os.getpid()}-{tries}").write_text(f"claimed {found}, expected {expected}")
        if int.from_bytes(os.urandom(2)) < rollback_share * 2**16:
            raise _Undone
        return claimed

    with suppress(_Undone):
        return database.write(work)
    return None


class _Undone(Exception):
    pass


def is_stopped(tx: Transaction, worker_id: str) -> bool:
    return claim_store.ask_holds(tx, worker_id=worker_id, surroundings="")().is_worker_out


def complete(database: Database, *claims: Claim) -> None:
    """Finish what was claimed, in one transaction."""

    def work(tx: Transaction) -> None:
        for claim in claims:
            if claim.kind == "run":
                calls.succeed(tx, claim)
            else:
                build_operations.finish_build(tx, claim)

    database.write(work)


def is_empty(database: Database) -> bool:
    return through(lambda: database.read(oracle.open_count)) == 0


def through(work: Callable[[], T]) -> T:
    """Try again for a while when the database does not answer, as a worker would."""
    for _ in range(600):
        with suppress(Unavailable):
            return work()
        SystemClock().sleep(timedelta(milliseconds=50))
    return work()


def submit_alone(url: str, gate: Any, requests: list[Wanted], rules: QueueRules) -> None:
    """Submit runs one by one, all processes at once; refused ones are counted."""
    database = Database(url)
    gate.wait()
    for request in requests:
        try:
            database.write(lambda tx, request=request: calls.submit(tx, [request], rules=rules))  # type: ignore[misc]
        except QueueFull:
            database.write(lambda tx, request=request: submit.record_rejection(tx, priority=request.priority))  # type: ignore[misc]


def claim_and_hang(url: str, name: str, told: str) -> None:
    """Claim one, say so, and then do nothing."""
    database = Database(url)
    worker_id = register(database, name, QUICK)
    [claim] = database.write(lambda tx: calls.claim(tx, worker_id, rules=QUICK, room=Room(slots=1)))
    Path(told).write_text(claim.id)
    threading.Event().wait()


def claim_without_committing(url: str, name: str, told: str) -> None:
    """Claim one in a transaction that never ends."""
    database = Database(url)
    worker_id = register(database, name, QUICK)

    def work(tx: Transaction) -> None:
        [claim] = calls.claim(tx, worker_id, rules=QUICK, room=Room(slots=1))
        Path(told).write_text(claim.id)
        threading.Event().wait()

    database.write(work)


def work_hard(url: str, name: str, told: str, leases: int) -> None:
    """Claim one and compute without a pause for some leases, while another thread of this process beats."""
    database = Database(url)
    worker_id = register(database, name, QUICK)
    [claim] = database.write(lambda tx: calls.claim(tx, worker_id, rules=QUICK, room=Room(slots=1)))
    Path(told).write_text(claim.id)
    done = threading.Event()

    def beat() -> None:
        while not done.wait(QUICK.lease.total_seconds() / 3):
            database.write(lambda tx: queue.heartbeat(tx, worker_id, rules=QUICK))

    beating = threading.Thread(target=beat)
    beating.start()
    clock = SystemClock()
    until = clock.now() + leases * QUICK.lease
    while clock.now() < until:
        sum(number * number for number in range(10_000))
    database.write(lambda tx: calls.succeed(tx, claim))
    done.set()
    beating.join()


def work_until_told(url: str, name: str, told: str) -> None:
    """Claim two; on SIGTERM finish the first, give the second back, claim nothing more and retire."""
    database = Database(url)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    worker_id = register(database, name, QUICK)
    finishing, returning = database.write(lambda tx: calls.claim(tx, worker_id, rules=QUICK, room=Room(slots=2)))
    Path(told).write_text(f"{finishing.id} {returning.id}")
    stopping.wait()
    complete(database, finishing)
    database.write(lambda tx: return_uncounted(tx, returning))
    database.write(lambda tx: workers.retire_worker(tx, worker_id))
    assert database.write(lambda tx: calls.claim(tx, worker_id, rules=QUICK, room=Room(slots=2))) == []


def requests_for(build: BuildRequest, documents: list[str]) -> list[Wanted]:
    return [Wanted(build=build, input_document_id=document) for document in documents]
