"""The queue as people see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ade.database import control, pauses, run_lists, statistics, workers
from ade.database.transaction import Transaction
from ade.domain.access import Caller
from ade.domain.queue import QueueRules
from ade.operations import positions
from ade.operations.run_views import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What waits, in order, what runs, and what may."""

    version: int
    waiting: list[RunView]
    places: list[tuple[int, ...]]  # in the whole order, of all that were looked at
    running: Sequence[Any]
    slots: int
    worker_count: int
    open_count: int
    running_count: int
    pauses: Sequence[Any]


def order_version(tx: Transaction) -> int:
    """Return the number that grows when a person changes the order."""
    return int(control.state(tx).order_version)


def view_queue(
    tx: Transaction, caller: Caller, *, after: Sequence[int] | None, limit: int, rules: QueueRules, skip: int = 0
) -> QueueView:
    """Return a part of the queue in claim order; positions count everyone's runs, of which only those seen are told."""
    listed = positions.page(tx, after=after, limit=limit, rules=rules, skip=skip)
    place_of = {run.id: place for run, place in listed}
    rows = run_lists.chosen(tx, list(place_of))
    since = tx.now - 2 * rules.lease
    state = control.state(tx)
    return QueueView(
        version=state.order_version,
        waiting=[RunView(row=row, place=place_of[row.id]) for row in rows if caller.role_in(row.workspace_id)],
        places=[positions.place_of(run) for run, _ in listed],
        running=[row for row in run_lists.running(tx) if caller.role_in(row.workspace_id)],
        slots=workers.live_slots(tx, since=since),
        worker_count=workers.live_count(tx, since=since),
        open_count=state.open_run_count,
        running_count=statistics.running_count(tx),
        pauses=pauses.active(tx),
    )
