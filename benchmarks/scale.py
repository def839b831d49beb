"""How long runs wait on many hosts: a discrete-event model of one dispatch row, with measured service times.

    bin/bench scale                                   the table of docs/explanation/scale.md
    bin/bench scale --rate 580 --hosts 500 --queues 4
    bin/bench scale --measure                         service times on PostgreSQL here and now, and 116 runs/s with them

The model: submissions and workers' turns ask for the dispatch row and get it in the order they ask. A turn writes what
ended, and claims for the free slots, as the worker does; what ends while a worker waits for its turn shares it. A
submission wakes one worker with a free slot; waking all of them is shown for comparison. Workers that look at a tick do
not ask for the row. Seeded: same options, same figures.
"""

from __future__ import annotations

import argparse
import heapq
import os
import random
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Times:
    """Milliseconds the dispatch row is held: from runs of bin/bench queue on two shared cores, PostgreSQL 18."""

    submit: float = 1.7
    look: float = 0.9  # a turn that finds nothing: a claim with nothing waiting
    turn: float = 1.8  # a turn with work: 471 runs/s one to a turn, 1,963 in tens
    run: float = 0.33  # and this for each run in it


@dataclass(frozen=True)
class Plan:
    """What is simulated: everything of one queue."""

    rate: float
    hosts: int
    slots: int
    run_seconds: float
    seconds: float
    times: Times
    wakes_all: bool
    seed: int


@dataclass
class Host:
    """A worker with its slots."""

    free: int
    ended: int = 0
    asks: bool = False


@dataclass
class Told:
    """What one simulation found."""

    waits: list[float] = field(default_factory=list)
    busy: float = 0
    turns: int = 0
    looks: int = 0
    left: int = 0


class Queue:
    """One dispatch row, the runs that wait, and the hosts that take them."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.told = Told()
        self._chance = random.Random(plan.seed)  # noqa: S311 - chance that can be repeated
        self._hosts = [Host(plan.slots) for _ in range(plan.hosts)]
        self._waiting: deque[float] = deque()  # when each run was asked for
        self._asking: deque[tuple[float, Host | None]] = deque()  # since when; no host: a submission
        self._is_held = False
        self._events: list[tuple[float, int, str, Host | None]] = []
        self._asked_at = 0.0  # by the process that holds the row now
        self._number = count()

    def play(self) -> Told:
        """Play the time asked for; waits of the first tenth are not counted."""
        self._at(self._chance.expovariate(self.plan.rate), "submit", None)
        while self._events:
            now, _, kind, host = heapq.heappop(self._events)
            if now > self.plan.seconds:
                break
            getattr(self, f"_{kind}")(now, host)
            self._serve(now)
        self.told.left = len(self._waiting) + sum(host is None for _, host in self._asking)
        return self.told

    def _at(self, when: float, kind: str, host: Host | None) -> None:
        heapq.heappush(self._events, (when, next(self._number), kind, host))

    def _submit(self, now: float, _: Host | None) -> None:
        self._asking.append((now, None))
        self._at(now + self._chance.expovariate(self.plan.rate), "submit", None)

    def _end(self, now: float, host: Host | None) -> None:
        assert host is not None  # noqa: S101 - a run ends on a host
        host.ended += 1
        self._ask(now, host)

    def _ask(self, now: float, host: Host) -> None:
        if not host.asks:
            host.asks = True
            self._asking.append((now, host))

    def _serve(self, now: float) -> None:
        """Give the row to the process that asked first."""
        if self._is_held or not self._asking:
            return
        self._is_held = True
        (self._asked_at, host), times = self._asking.popleft(), self.plan.times
        if host is None:
            held = times.submit
        else:
            work = max(host.ended, min(host.free + host.ended, len(self._waiting)))
            held = times.turn + times.run * work if work else times.look
            self.told.turns += 1
            self.told.looks += not work
        self.told.busy += held / 1000
        self._at(now + held / 1000, "release", host)

    def _release(self, now: float, host: Host | None) -> None:
        """Commit: a submission wakes workers, a turn starts runs."""
        self._is_held = False
        if host is None:
            self._waiting.append(self._asked_at)
            self._wake(now)
            return
        host.asks, host.free, host.ended = False, host.free + host.ended, 0
        while host.free and self._waiting:
            host.free -= 1
            waited = now - self._waiting.popleft()
            if now > self.plan.seconds / 10:
                self.told.waits.append(waited)
            self._at(now + self._chance.expovariate(1 / self.plan.run_seconds), "end", host)

    def _wake(self, now: float) -> None:
        free = [host for host in self._hosts if host.free and not host.asks]
        if not self.plan.wakes_all and free:
            free = [self._chance.choice(free)]
        for host in free:
            self._ask(now, host)


def main() -> int:
    """Print the table asked for, or measure."""
    arguments = parse()
    if arguments.measure:
        return measure(arguments)
    print(f"runs of {arguments.run_seconds:g} s, {arguments.slots} slots a host, {Times()}")
    print(HEADINGS)
    for rate, hosts, queues, wakes_all in cases(arguments):
        print(line(rate, hosts, queues, wakes_all, arguments), flush=True)
    return 0


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", type=float, help="submissions a second, all queues together")
    parser.add_argument("--hosts", type=int, default=500)
    parser.add_argument("--queues", type=int, default=1, help="databases the workspaces are spread over")
    parser.add_argument("--slots", type=int, default=4)
    parser.add_argument("--run-seconds", type=float, default=1.0, help="how long a run takes, on average")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--measure", action="store_true", help="measure the service times instead")
    return parser.parse_args()


def cases(arguments: argparse.Namespace) -> Iterator[tuple[float, int, int, bool]]:
    """Yield what to simulate: the case asked for, or those of the page."""
    if arguments.rate:
        for wakes_all in (True, False):
            yield arguments.rate, arguments.hosts, arguments.queues, wakes_all
        return
    for rate, hosts, queues in PAGE:
        for wakes_all in (True, False):
            yield rate, hosts, queues, wakes_all


PAGE = [
    (20, 10, 1),
    (60, 50, 1),
    (116, 50, 1),
    (116, 500, 1),
    (116, 500, 4),
    (580, 500, 1),
    (580, 500, 4),
    (580, 500, 8),
]


HEADINGS = "  runs/s   hosts  queues  wakes  row held    p50 ms    p99 ms  empty turns"


def line(
    rate: float, hosts: int, queues: int, wakes_all: bool, arguments: argparse.Namespace, times: Times | None = None
) -> str:
    """Simulate one of the queues, and say it in a line."""
    plan = Plan(
        rate=rate / queues,
        hosts=hosts // queues,
        slots=arguments.slots,
        run_seconds=arguments.run_seconds,
        seconds=arguments.seconds,
        times=times or Times(),
        wakes_all=wakes_all,
        seed=arguments.seed,
    )
    told = Queue(plan).play()
    held = told.busy / plan.seconds
    waits = sorted(told.waits) or [plan.seconds]
    shown = [f"{1000 * waits[int(share * (len(waits) - 1))]:9,.0f}" for share in (0.5, 0.99)]
    if told.left > 2 * plan.rate:  # two seconds' worth: it falls behind
        shown = [f"{'grows':>9}"] * 2
    who = "all" if wakes_all else "one"
    return (
        f"{rate:8,.0f} {hosts:7,} {queues:7}  {who:5} {min(held, 1):9.0%} {shown[0]} {shown[1]} "
        f"{told.looks / max(told.turns, 1):12.0%}"
    )


def measure(arguments: argparse.Namespace) -> int:
    """Measure on a durable PostgreSQL, one client after the other; print what Times should say, and play with it."""
    sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks/queue")]
    import tempfile

    import lock_time
    import ours
    import world as worlds
    from sites import Sites

    from ade.database.queue import idle
    from ade.database.transaction import Database
    from ade.operations.queue.claiming import Room

    with tempfile.TemporaryDirectory(prefix="ade-scale-") as folder, Sites(Path(folder), "postgresql") as sites:
        world = sites.world("postgresql")
        database = Database(world.url)
        documents = iter(worlds.add_documents(database, world, 3 * ROUNDS))
        submit = quickest([lock_time.hold(database, world, next(documents)) for _ in range(ROUNDS)])
        worker = worlds.add_worker(database, "measures", slots=10)
        quick(_turns(database, worker, Room(slots=10)))  # empties the queue
        look = quick(
            lambda: ours.TURNS["together"](database, worker, [], Room(slots=10)),
            before=lambda: database.write(lambda tx: idle.note(tx, worker, is_waiting=False)),
        )
        picked = quick(_turns(database, worker, Room(slots=2)), before=lambda: world.submit(database, next(documents)))
        worlds.fill(database, world, 11 * ROUNDS, first=4 * ROUNDS)
        worlds.vacuum(database)
        turns = [quick(_turns(database, worker, Room(slots=slots))) for slots in (1, 10)]
        database.close()
    run = (turns[1] - turns[0]) / 9
    print(f"submit {submit:.2f} ms, look {look:.2f} ms, turn {picked - run:.2f} ms, run {run:.2f} ms; load {load()}")
    print(f"a turn of a worker that is never idle {turns[0] - run:.2f} ms")
    measured = Times(submit=submit, look=look, turn=picked - run, run=run)
    twice = Times(*(2 * value for value in astuple(measured)))
    print(HEADINGS)
    for times, note in ((measured, "these times"), (twice, "each of them twice")):
        print(line(arguments.rate or 116, arguments.hosts, arguments.queues, False, arguments, times), "", note)
    return 0


ROUNDS = 200


def _turns(database: Any, worker: str, room: Any) -> Callable[[], object]:
    """Return an act that ends what the one before claimed, and claims as much again."""
    import ours

    held: list[Any] = []

    def act() -> None:
        held[:] = ours.TURNS["together"](database, worker, list(held), room)

    act()
    return act


def quick(act: Callable[[], object], *, before: Callable[[], object] | None = None) -> float:
    """Return the milliseconds of the quickest twentieth of transactions: others may be using the machine."""
    taken = []
    for _ in range(ROUNDS):
        if before is not None:
            before()
        started = time.perf_counter()
        act()
        taken.append(1000 * (time.perf_counter() - started))
    return quickest(taken)


def quickest(taken: list[float]) -> float:
    """Return what a twentieth of the times are below."""
    return statistics.quantiles(taken, n=20)[0]


def load() -> str:
    """Return how busy the machine was in the last minute."""
    return f"{os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


if __name__ == "__main__":
    sys.exit(main())
