"""The queue as people see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ade.database.content import workspaces
from ade.database.queue import control, pauses
from ade.database.queue.pauses import PauseRow
from ade.database.transaction import Transaction
from ade.database.views import gauges, run_lists, statistics
from ade.database.views.run_lists import ListedRun
from ade.domain.access import Caller
from ade.domain.order import place_of
from ade.domain.pause import PauseScope
from ade.domain.queue import QueueRules
from ade.operations.views import positions
from ade.operations.views.run_views import RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueView:
    """What waits, in order, what runs, and what may."""

    version: int
    waiting: list[RunView]
    places: list[tuple[int, ...]]  # in the whole order, of all that were looked at
    running: Sequence[ListedRun]
    slots: int
    worker_count: int
    open_count: int
    running_count: int
    waiting_since: datetime | None
    pauses: Sequence[PauseRow]


def view_queue(
    tx: Transaction, caller: Caller, *, after: Sequence[int] | None, limit: int, rules: QueueRules, skip: int = 0
) -> QueueView:
    """Return a part of the queue in claim order; positions also count runs that the caller may not see."""
    listed = positions.page(tx, after=after, limit=limit, rules=rules, skip=skip)
    shown = {run.id: place for run, place in listed}
    rows = run_lists.chosen(tx, list(shown))
    fleet = positions.read_fleet(tx, rules=rules)
    state = control.state(tx)
    return QueueView(
        version=state.order_version,
        waiting=[RunView(row=row, place=shown[row.id]) for row in rows if caller.role_in(row.workspace_id)],
        places=[place_of(run) for run, _ in listed],
        running=[row for row in run_lists.running(tx) if caller.role_in(row.workspace_id)],
        slots=fleet.slots,
        worker_count=len(fleet.workers),
        open_count=state.open_run_count,
        running_count=statistics.running_count(tx),
        waiting_since=gauges.waiting_since(tx),
        pauses=[row for row in pauses.active(tx) if concerns(tx, caller, row)],
    )


def concerns(tx: Transaction, caller: Caller, pause: PauseRow) -> bool:
    """Return whether a pause is about everyone, or about a workspace or plan the caller sees."""
    if pause.scope in {PauseScope.ALL, PauseScope.PRIORITY}:
        return True
    owner = pause.value if pause.scope == PauseScope.WORKSPACE else workspaces.owner_of(tx, "plan", pause.value or "")
    return owner is not None and caller.role_in(owner) is not None
