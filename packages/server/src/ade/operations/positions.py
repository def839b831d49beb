"""Where a queued run stands, what it waits for, and when it may start; from the same order as the claim."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from ade.database import ordering, pauses, runs, statistics, workers
from ade.database.runs import RunRow
from ade.database.transaction import Transaction
from ade.domain.estimate import Estimate, Pace, estimate_start
from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.domain.run import Block, RunStatus, WaitingFor

RECENT_RUNS = 200
UNKNOWN_DURATION = timedelta(seconds=5)  # until some run has finished

# What is known from the run itself, in the order in which it is worth telling.
_TOLD_BY_BLOCK = (
    (Block.EARLIER_PHASE, WaitingFor.EARLIER_PHASE),
    (Block.SCHEDULED, WaitingFor.SCHEDULED),
    (Block.BUILD, WaitingFor.BUILD),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run stands: #1 is claimed next."""

    position: int
    waiting_for: WaitingFor
    estimate: Estimate | None


def places(tx: Transaction, queued: Sequence[RunRow], *, rules: QueueRules) -> dict[str, Place]:
    """Return the place of each queued run; others have none."""
    waiting = [run for run in queued if run.status == RunStatus.QUEUED]
    if not waiting:
        return {}
    reasons, pace = _Reasons.read(tx, waiting), read_pace(tx, rules=rules)
    found: dict[str, Place] = {}
    for run in waiting:
        position = ordering.count_before(tx, ordering.place_of(run)) + 1
        found[run.id] = _place(run, position, reasons, pace, tx)
    return found


def places_in_a_row(tx: Transaction, submitted: Sequence[RunRow], *, rules: QueueRules) -> dict[str, Place]:
    """Return the places of runs that were submitted together and stand behind each other; counted once."""
    if not submitted or submitted[0].status != RunStatus.QUEUED:
        return {}
    reasons, pace = _Reasons.read(tx, submitted), read_pace(tx, rules=rules)
    first = ordering.count_before(tx, ordering.place_of(submitted[0])) + 1
    return {run.id: _place(run, first + number, reasons, pace, tx) for number, run in enumerate(submitted)}


def page(
    tx: Transaction, *, after: Sequence[int] | None, limit: int, rules: QueueRules, skip: int = 0
) -> list[tuple[RunRow, Place]]:
    """Return queued runs in claim order with their places; positions are counted once a page."""
    listed = ordering.page(tx, after=after, limit=limit, skip=skip)
    if not listed:
        return []
    reasons, pace = _Reasons.read(tx, listed), read_pace(tx, rules=rules)
    first = ordering.count_before(tx, ordering.place_of(listed[0])) + 1
    return [(run, _place(run, first + number, reasons, pace, tx)) for number, run in enumerate(listed)]


def place_of(run: RunRow) -> tuple[int, ...]:
    """Return where a run stands in the order, for the next page."""
    return ordering.place_of(run)


def _place(run: RunRow, position: int, reasons: "_Reasons", pace: Pace, tx: Transaction) -> Place:
    waiting_for = reasons.of(run)
    is_moving = waiting_for in {WaitingFor.CAPACITY, WaitingFor.BUILD, WaitingFor.DOCUMENT_BUSY}
    estimate = estimate_start(position, now=tx.now, pace=pace) if is_moving else None
    return Place(position=position, waiting_for=waiting_for, estimate=estimate)


def would_be(tx: Transaction, *, priority: int, rules: QueueRules) -> tuple[int, Estimate | None]:
    """Return the position and start a new run of this priority would get."""
    position = ordering.count_before(tx, (priority + 1, 0, 0, 0, 0)) + 1
    return position, estimate_start(position, now=tx.now, pace=read_pace(tx, rules=rules))


def read_pace(tx: Transaction, *, rules: QueueRules) -> Pace:
    """Return how quickly the queue moves now."""
    durations = sorted(statistics.recent_durations(tx, most=RECENT_RUNS)) or [UNKNOWN_DURATION]
    return Pace(
        slots=workers.live_slots(tx, since=tx.now - 2 * rules.lease),
        running_count=statistics.running_count(tx),
        median=durations[len(durations) // 2],
        slow=durations[min(len(durations) - 1, len(durations) * 9 // 10)],
    )


@dataclass(frozen=True, slots=True)
class _Reasons:
    """What holds runs back now, looked up once for a list of them."""

    pauses: list[tuple[str, str | None]]
    busy_documents: set[str]

    @classmethod
    def read(cls, tx: Transaction, listed: Iterable[RunRow]) -> "_Reasons":
        held = [(pause.scope, pause.value) for pause in pauses.active(tx)]
        return cls(held, runs.busy_documents(tx, [run.input_document_id for run in listed]))

    def of(self, run: RunRow) -> WaitingFor:
        """Return what a queued run waits for."""
        mask = Block(run.block_mask)
        for block, reason in _TOLD_BY_BLOCK:
            if block in mask:
                return reason
        if any(self._covers(scope, value, run) for scope, value in self.pauses):
            return WaitingFor.PAUSED
        if run.input_document_id in self.busy_documents:
            return WaitingFor.DOCUMENT_BUSY
        return WaitingFor.CAPACITY

    def _covers(self, scope: str, value: str | None, run: RunRow) -> bool:
        facts = {
            PauseScope.PRIORITY: str(run.priority),
            PauseScope.WORKSPACE: run.workspace_id,
            PauseScope.PLAN: run.plan_id,
        }
        return scope == PauseScope.ALL or facts[PauseScope(scope)] == value
