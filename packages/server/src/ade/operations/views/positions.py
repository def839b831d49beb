"""The place of a queued run, what it waits for, and when it may start; from the same order as the claim."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from ade.database.queue import ordering, pauses, workers
from ade.database.queue.runs import FullRun
from ade.database.transaction import Transaction
from ade.database.views import statistics
from ade.domain.estimate import Estimate, Pace, estimate_start
from ade.domain.fleet import DRAINING, Fleet, LiveWorker
from ade.domain.order import place_of
from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.domain.run import RunStatus, WaitingFor
from ade.operations.views.waiting_reasons import Reasons

RECENT_RUNS = 200
UNKNOWN_DURATION = timedelta(seconds=5)  # until some run has finished

# A start can be estimated for these reasons; those of the second set need something else to end first.
_MOVING = {WaitingFor.CAPACITY, WaitingFor.START_RATE}
_HELD = {WaitingFor.BUILD, WaitingFor.DOCUMENT_BUSY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a run: #1 is claimed next."""

    position: int
    waiting_for: WaitingFor
    reason: str  # the same in words
    estimate: Estimate | None


def places(tx: Transaction, queued: Sequence[FullRun], *, rules: QueueRules) -> dict[str, Place]:
    """Return the place of each queued run; others have none."""
    waiting = [run for run in queued if run.status == RunStatus.QUEUED]
    if not waiting:
        return {}
    reasons = _reasons(tx, waiting, rules=rules)
    positions = _positions(tx, waiting)
    return {run.id: _place(run, positions[run.id], reasons, tx) for run in waiting if run.id in positions}


def _positions(tx: Transaction, waiting: Sequence[FullRun]) -> dict[str, int]:
    """Return the places of runs; the queue is counted once, however many they are."""
    if len(waiting) > 1:
        return ordering.positions(tx, [run.id for run in waiting])
    return {run.id: ordering.count_before(tx, place_of(run)) + 1 for run in waiting}


def places_in_a_row(tx: Transaction, submitted: Sequence[FullRun], *, rules: QueueRules) -> dict[str, Place]:
    """Return the places of runs that were submitted together and follow each other; counted once.

    Some may be claimed by now: the first of those that still wait is the one to count from.
    """
    waiting = [run for run in submitted if run.status == RunStatus.QUEUED]
    if not waiting:
        return {}
    reasons = _reasons(tx, waiting, rules=rules)
    first = ordering.count_before(tx, place_of(waiting[0])) + 1
    return {run.id: _place(run, first + number, reasons, tx) for number, run in enumerate(waiting)}


def page(
    tx: Transaction, *, after: Sequence[int] | None, limit: int, rules: QueueRules, skip: int = 0
) -> list[tuple[FullRun, Place]]:
    """Return queued runs in claim order with their places; positions are counted once a page."""
    listed = ordering.page(tx, after=after, limit=limit, skip=skip)
    if not listed:
        return []
    reasons = _reasons(tx, listed, rules=rules)
    first = ordering.count_before(tx, place_of(listed[0])) + 1
    return [(run, _place(run, first + number, reasons, tx)) for number, run in enumerate(listed)]


def _reasons(tx: Transaction, listed: Sequence[FullRun], *, rules: QueueRules) -> Reasons:
    fleet = read_fleet(tx, rules=rules)
    return Reasons.read(tx, listed, rules=rules, fleet=fleet, pace=read_pace(tx, fleet, rules=rules))


def _place(run: FullRun, position: int, reasons: Reasons, tx: Transaction) -> Place:
    waiting_for, reason = reasons.of(run, position)
    estimate = None
    if waiting_for in _MOVING | _HELD:
        estimate = estimate_start(position, now=tx.now, pace=reasons.pace, is_held=waiting_for in _HELD)
    return Place(position=position, waiting_for=waiting_for, reason=reason, estimate=estimate)


def would_be(tx: Transaction, *, priority: int, rules: QueueRules) -> tuple[int, Estimate | None]:
    """Return the position and start a new run of this priority would get; no start while a pause would hold it."""
    position = ordering.count_before(tx, (priority + 1, 0, 0, 0, 0)) + 1
    held = {PauseScope.ALL: None, PauseScope.PRIORITY: str(priority)}
    if any(pause.scope in held and pause.value == held[PauseScope(pause.scope)] for pause in pauses.active(tx)):
        return position, None
    pace = read_pace(tx, read_fleet(tx, rules=rules), rules=rules)
    return position, estimate_start(position, now=tx.now, pace=pace)


def read_fleet(tx: Transaction, *, rules: QueueRules) -> Fleet:
    """Return the live workers."""
    found = workers.live(tx, since=tx.now - 2 * rules.lease)
    return Fleet(
        [
            LiveWorker(
                slots=row.slots,
                memory_mb=row.memory_mb,
                cpu_count=row.cpu_count,
                surroundings=row.surroundings,
                idle_reason=DRAINING if row.drain_requested_at is not None else row.idle_reason,
                crowded=row.crowded or {},
            )
            for row in found
        ]
    )


def read_pace(tx: Transaction, fleet: Fleet, *, rules: QueueRules) -> Pace:
    """Return how quickly the queue moves now."""
    running_count, building_count = statistics.busy_counts(tx)
    durations = sorted(statistics.recent_durations(tx, most=RECENT_RUNS)) or [UNKNOWN_DURATION]
    return Pace(
        slots=min(fleet.slots, rules.max_running or fleet.slots),
        running_count=running_count,
        building_count=building_count,
        median=durations[len(durations) // 2],
        slow=durations[min(len(durations) - 1, len(durations) * 9 // 10)],
        starts_per_second=rules.max_starts_per_second,
    )
