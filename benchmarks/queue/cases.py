"""Each measurement with every contestant, one after the other on the same database."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import claim_cost
import lock_time
import ours
import peer_huey
import peer_pgqueuer
import peer_procrastinate
import raw
import recovery
from figures import Pickup, Report, inversions, percentile
from ours import Drained
from sites import Sites

NAMES = {"postgresql": "ADE, PostgreSQL", "sqlite": "ADE, SQLite"}
ON_POSTGRES = NAMES["postgresql"]
WARMING_UP = 10  # pickups of a round


@dataclass(frozen=True)
class Sizes:
    """How much of everything."""

    submissions: int
    batch: int
    runs: int
    rounds: int
    samples: int
    pickups: int
    waiting: int
    blocked: int
    queued: int


def submissions(report: Report, sites: Sites, sizes: Sizes) -> None:
    """Measure how many runs can be submitted a second."""
    asked = {"count": sizes.submissions, "batch": sizes.batch}
    for kind in sites.kinds:
        _add_submissions(report, NAMES[kind], *ours.submissions(sites.world(kind), **asked))
    if sites.has_postgres:
        for name, peer in (("procrastinate", peer_procrastinate), ("pgqueuer", peer_pgqueuer)):
            url = sites.postgres_url()
            peer.create(url)
            _add_submissions(report, name, *peer.submissions(url, **asked))
    if "sqlite" in sites.kinds:
        one = peer_huey.submissions(sites.sqlite_path(), count=sizes.submissions)
        report.add("submissions, one at a time", "huey, SQLite", one, "/s")


def _add_submissions(report: Report, name: str, one: float, many: float) -> None:
    report.add("submissions, one at a time", name, one, "/s")
    report.add("submissions, in batches", name, many, "/s")


def drains(report: Report, sites: Sites, sizes: Sizes) -> None:
    """Measure how many runs are claimed and finished a second, and count inversions.

    Everyone takes a turn in each round, since the machine is quicker in one minute than in the next.
    """
    found: dict[tuple[str, str], list[Drained]] = {}
    for _ in range(sizes.rounds):
        for subject, name, drain in _drains(sites, sizes):
            found.setdefault((subject, name), []).append(drain())
    for (subject, name), drained in found.items():
        wrong = sum(inversions(one.order) for one in drained)
        lost = sum(sizes.runs - one.claimed_count for one in drained)
        note = f"{wrong} inversions" + (f", {lost} LOST" if lost else "")
        report.add_rounds(subject, name, [one.per_second for one in drained], "/s", note)
        report.add(f"inversions of {subject}", name, wrong, "", f"of {sizes.runs * sizes.rounds}")


Drain = Callable[[], Drained]
RAW = "drain, raw loop, one connection"
ONE, TEN = "claimed one at a time", "claimed for ten slots"


def _drains(sites: Sites, sizes: Sizes) -> Iterator[tuple[str, str, Drain]]:
    """Yield what is to be compared one right after the other."""
    if sites.has_postgres:
        yield RAW, "raw", lambda: raw.drain(sites.postgres_url(), sizes.runs)
    for processes in (1, 2, 4):
        for slots, many in ((1, ONE), (10, TEN)):
            subject = f"drain, {processes} {'process' if processes == 1 else 'processes'}, {many}"
            for kind in sites.kinds:
                yield subject, NAMES[kind], _our_drain(sites, sizes, kind, processes, slots, "together")
            if sites.has_postgres and processes < 4:  # with more, pgqueuer does not always notice that it is done
                yield subject, "procrastinate", _procrastinate_drain(sites, sizes, processes, slots)
                yield subject, "pgqueuer", _pgqueuer_drain(sites, sizes, processes, slots)
            if "sqlite" in sites.kinds and slots == 1 and processes < 4:
                yield subject, "huey, SQLite", _huey_drain(sites, sizes, processes)
    for kind in sites.kinds:
        subject = f"drain, 1 process, {ONE}, two transactions"
        yield subject, NAMES[kind], _our_drain(sites, sizes, kind, 1, 1, "apart")


def _our_drain(sites: Sites, sizes: Sizes, kind: str, processes: int, slots: int, mode: str) -> Drain:
    return lambda: ours.drain(sites.world(kind), count=sizes.runs, processes=processes, slots=slots, mode=mode)


def _procrastinate_drain(sites: Sites, sizes: Sizes, processes: int, concurrency: int) -> Drain:
    def drain() -> Drained:
        url = sites.postgres_url()
        peer_procrastinate.create(url)
        return peer_procrastinate.drain(url, count=sizes.runs, processes=processes, concurrency=concurrency)

    return drain


def _pgqueuer_drain(sites: Sites, sizes: Sizes, processes: int, batch: int) -> Drain:
    def drain() -> Drained:
        url = sites.postgres_url()
        peer_pgqueuer.create(url)
        return peer_pgqueuer.drain(url, count=sizes.runs, processes=processes, batch=batch)

    return drain


def _huey_drain(sites: Sites, sizes: Sizes, processes: int) -> Drain:
    return lambda: peer_huey.drain(sites.sqlite_path(), count=sizes.runs, processes=processes)


def pickups(report: Report, sites: Sites, sizes: Sizes) -> None:
    """Measure the time from the call of a submission until an idle worker has claimed the run, and how much is queued.

    The raw one is the least it takes: what it shows at the 99th percentile is the machine's. The very first of a round
    meets processes that have asked nothing yet, so it is reported apart, and the rest of the warming-up is left out.
    """
    chance = random.Random(7)  # noqa: S311 - the same pauses for all
    count = WARMING_UP + sizes.pickups // sizes.rounds
    rounds: dict[str, list[list[Pickup]]] = defaultdict(list)
    for _ in range(sizes.rounds):
        for name, pickup in _pickups(sites):
            rounds[name].append(pickup(samples=count, pause=lambda: chance.uniform(0.01, 0.05)))
    for name, taken in rounds.items():
        report.add_rounds("pickup, the first after a start", name, [picked[0].milliseconds for picked in taken], "ms")
        _add_times(report, "pickup", name, [[each.milliseconds for each in picked[WARMING_UP:]] for picked in taken])
        queued = [[each.queued_milliseconds for each in picked[WARMING_UP:]] for picked in taken]
        _add_times(report, "pickup, of it queued,", name, queued)
    for name in rounds:
        if name.startswith(ON_POSTGRES):
            report.add_ratio("pickup p99 / raw", ("pickup p99", name), ("pickup p99", "raw"))


def _add_times(report: Report, subject: str, name: str, rounds: list[list[float]]) -> None:
    p99s = [percentile(times, 0.99) for times in rounds]
    spread = f"{min(p99s):.1f} to {max(p99s):.1f}" + ("; wanted: 10" if name.startswith("ADE") else "")
    report.add_rounds(f"{subject} p50", name, [percentile(times, 0.5) for times in rounds], "ms")
    report.add_rounds(f"{subject} p99", name, p99s, "ms", spread)


def _pickups(sites: Sites) -> Iterator[tuple[str, Callable[..., list[Pickup]]]]:
    for kind in sites.kinds:
        yield NAMES[kind], partial(ours.pickup, sites.world(kind))
        yield f"{NAMES[kind]}, embedded", partial(ours.pickup_embedded, sites.world(kind))
    if sites.has_postgres:
        for name, peer in (("raw", raw), ("procrastinate", peer_procrastinate), ("pgqueuer", peer_pgqueuer)):
            url = sites.postgres_url()
            peer.create(url)
            yield name, partial(peer.pickup, url)
    if "sqlite" in sites.kinds:
        yield "huey, SQLite", partial(peer_huey.pickup, sites.sqlite_path())


def recoveries(report: Report, sites: Sites, sizes: Sizes) -> None:  # noqa: ARG001 - it takes what it takes
    """Measure how long the run of a worker that was killed waits, with the settings' defaults."""
    for kind in sites.kinds:
        seconds = recovery.recovery(sites.world(kind))
        report.add("a killed worker's run starts again after", NAMES[kind], seconds, "s", "wanted: 30")


def claims(report: Report, sites: Sites, sizes: Sizes) -> None:
    """Measure what a claim costs beside many that wait or may not start."""
    waiting = sorted({0, sizes.waiting // 10, sizes.waiting})
    for kind in sites.kinds:
        claim_cost.measure(
            report,
            NAMES[kind],
            lambda kind=kind: sites.world(kind),
            sizes=waiting,
            blocked=sizes.blocked,
            samples=sizes.samples,
        )


def locks(report: Report, sites: Sites, sizes: Sizes) -> None:
    """Measure how long a submission holds the queue's lock, with nobody waiting for work and with many workers."""
    if sites.has_postgres:
        for idle_workers in (0, 500):
            world = sites.world("postgresql")
            asked = {"waiting": sizes.queued, "idle_workers": idle_workers, "samples": sizes.samples}
            lock_time.measure(report, ON_POSTGRES, world, **asked)


def ratios(report: Report) -> None:
    """Compare, within this run."""
    one, ten = f"drain, 1 process, {ONE}", f"drain, 1 process, {TEN}"
    raw_loop = (RAW, "raw")
    report.add_ratio("drain one at a time / procrastinate", (one, ON_POSTGRES), (one, "procrastinate"), "wanted: 2")
    report.add_ratio("drain for ten slots / procrastinate", (ten, ON_POSTGRES), (ten, "procrastinate"))
    report.add_ratio("drain one at a time / pgqueuer", (one, ON_POSTGRES), (one, "pgqueuer"))
    report.add_ratio("drain for ten slots / pgqueuer", (ten, ON_POSTGRES), (ten, "pgqueuer"))
    report.add_ratio("drain one at a time / raw loop", (one, ON_POSTGRES), raw_loop)
    report.add_ratio("drain for ten slots / raw loop", (ten, ON_POSTGRES), raw_loop, "wanted: about 3")
    report.add_ratio("drain one at a time / huey", (one, NAMES["sqlite"]), (one, "huey, SQLite"))
    for peer in ("procrastinate", "pgqueuer"):
        subject = "submissions, one at a time"
        report.add_ratio(f"{subject} / {peer}", (subject, ON_POSTGRES), (subject, peer))


def verdict(report: Report) -> int:
    """Return 0 unless the order was broken or a run was lost: those are wrong at any speed."""
    wrong = [item for item in report.figures if item.subject.startswith("inversions") and "ADE" in item.contestant]
    lost = [item for item in report.figures if "LOST" in item.note and "ADE" in item.contestant]
    return 1 if lost or any(item.value for item in wrong) else 0
