"""Runs, builds and plans as people see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ade.database import build_lists, builds, plans, run_lists
from ade.database.builds import BuildRow
from ade.database.run_lists import RunFilter
from ade.database.runs import RunRow
from ade.database.transaction import Transaction
from ade.domain.queue import QueueRules
from ade.domain.run import FINISHED
from ade.errors import NotFound, RunNotFinished
from ade.operations.positions import Place, places, places_in_a_row


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run with the names of what it belongs to, and its place while it is queued."""

    row: RunRow
    place: Place | None


def get_run_row(tx: Transaction, run_id: str) -> RunRow:
    """Return a run without its place; raise NotFound."""
    row = run_lists.get(tx, run_id)
    if row is None:
        raise NotFound(f"There is no run {run_id}.")
    return row


def get_run(tx: Transaction, run_id: str, *, rules: QueueRules) -> RunView:
    """Return a run; raise NotFound."""
    row = get_run_row(tx, run_id)
    return RunView(row=row, place=places(tx, [row], rules=rules).get(run_id))


def submitted_runs(tx: Transaction, run_ids: Sequence[str], *, rules: QueueRules) -> list[RunView]:
    """Return runs that were just submitted together."""
    rows = run_lists.chosen(tx, run_ids)
    found = places_in_a_row(tx, rows, rules=rules)
    return [RunView(row=row, place=found.get(row.id)) for row in rows]


def list_runs(tx: Transaction, wanted: RunFilter, *, after: int | None, limit: int, rules: QueueRules) -> list[RunView]:
    """Return runs, the latest submission first."""
    rows = run_lists.page(tx, wanted, after=after, limit=limit)
    found = places(tx, rows, rules=rules)
    return [RunView(row=row, place=found.get(row.id)) for row in rows]


def finished_run(tx: Transaction, run_id: str) -> RunRow:
    """Return a run that has ended; raise RunNotFinished before that."""
    row = get_run_row(tx, run_id)
    if row.status not in FINISHED:
        raise RunNotFinished(f"The run is {row.status}. Ask again when it has finished.")
    return row


def get_build(tx: Transaction, build_id: str) -> Any:
    """Return a build with what waits for it; raise NotFound."""
    row = build_lists.get(tx, build_id)
    if row is None:
        raise NotFound(f"There is no build {build_id}.")
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """A plan and its runs by phase."""

    row: Any
    runs: list[RunView]


def get_plan(tx: Transaction, plan_id: str, *, rules: QueueRules) -> PlanView:
    """Return a plan; raise NotFound."""
    row = plans.get(tx, plan_id)
    if row is None:
        raise NotFound(f"There is no plan {plan_id}.")
    phases = run_lists.chosen(tx, [run.id for run in plans.phases(tx, plan_id)])
    found = places(tx, phases, rules=rules)
    return PlanView(row=row, runs=[RunView(row=run, place=found.get(run.id)) for run in phases])


def require_build(tx: Transaction, build_id: str) -> BuildRow:
    """Return a build's own row; raise NotFound."""
    row = builds.get(tx, build_id)
    if row is None:
        raise NotFound(f"There is no build {build_id}.")
    return row
