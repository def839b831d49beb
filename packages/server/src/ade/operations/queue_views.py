"""The queue as people see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ade.database import control, gauges, pauses, run_lists, statistics, workspaces
from ade.database.transaction import Transaction
from ade.domain.access import Caller
from ade.domain.pause import PauseScope
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
    waiting_since: datetime | None
    pauses: Sequence[Any]


def view_queue(
    tx: Transaction, caller: Caller, *, after: Sequence[int] | None, limit: int, rules: QueueRules, skip: int = 0
) -> QueueView:
    """Return a part of the queue in claim order; positions count everyone's runs, of which only those seen are told."""
    listed = positions.page(tx, after=after, limit=limit, rules=rules, skip=skip)
    place_of = {run.id: place for run, place in listed}
    rows = run_lists.chosen(tx, list(place_of))
    fleet = positions.read_fleet(tx, rules=rules)
    state = control.state(tx)
    return QueueView(
        version=state.order_version,
        waiting=[RunView(row=row, place=place_of[row.id]) for row in rows if caller.role_in(row.workspace_id)],
        places=[positions.place_of(run) for run, _ in listed],
        running=[row for row in run_lists.running(tx) if caller.role_in(row.workspace_id)],
        slots=fleet.slots,
        worker_count=len(fleet.workers),
        open_count=state.open_run_count,
        running_count=statistics.running_count(tx),
        waiting_since=gauges.waiting_since(tx),
        pauses=[row for row in pauses.active(tx) if concerns(tx, caller, row)],
    )


def concerns(tx: Transaction, caller: Caller, pause: Any) -> bool:
    """Tell whether a pause is about everyone, or about a workspace or plan the caller sees."""
    if pause.scope in {PauseScope.ALL, PauseScope.PRIORITY}:
        return True
    owner = pause.value if pause.scope == PauseScope.WORKSPACE else workspaces.owner_of(tx, "plan", pause.value)
    return owner is not None and caller.role_in(owner) is not None
