"""Runs, builds and plans as people see them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ade.database.queue import builds, plans
from ade.database.queue.builds import FullBuild
from ade.database.queue.plans import PlanRow
from ade.database.transaction import Transaction
from ade.database.views import build_lists, run_lists
from ade.database.views.build_lists import ListedBuild
from ade.database.views.run_lists import ListedRun, RunFilter
from ade.domain.queue import QueueRules
from ade.errors import NotFound
from ade.operations.views.positions import Place, places, places_in_a_row


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run with the names of what it belongs to, and its place while it is queued."""

    row: ListedRun
    place: Place | None


def get_run_row(tx: Transaction, run_id: str) -> ListedRun:
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


def get_build(tx: Transaction, build_id: str) -> ListedBuild:
    """Return a build with what waits for it; raise NotFound."""
    row = build_lists.get(tx, build_id)
    if row is None:
        raise NotFound(f"There is no build {build_id}.")
    return row


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """A plan and its runs by phase."""

    row: PlanRow
    runs: list[RunView]


def get_plan(tx: Transaction, plan_id: str, *, rules: QueueRules) -> PlanView:
    """Return a plan; raise NotFound."""
    row = plans.get(tx, plan_id)
    if row is None:
        raise NotFound(f"There is no plan {plan_id}.")
    return _with_runs(tx, [row], rules=rules)[0]


def list_plans(
    tx: Transaction, *, workspace_id: str, after: int | None, limit: int, rules: QueueRules
) -> list[PlanView]:
    """Return the plans of a workspace, the latest first."""
    return _with_runs(tx, plans.page(tx, workspace_id=workspace_id, after=after, limit=limit), rules=rules)


def _with_runs(tx: Transaction, rows: Sequence[PlanRow], *, rules: QueueRules) -> list[PlanView]:
    phases = plans.phases(tx, [row.id for row in rows])
    listed = run_lists.chosen(tx, [run.id for run in phases])
    found = places(tx, listed, rules=rules)
    by_plan: dict[str | None, list[RunView]] = {}
    for run in listed:
        by_plan.setdefault(run.plan_id, []).append(RunView(row=run, place=found.get(run.id)))
    return [PlanView(row=row, runs=by_plan.get(row.id, [])) for row in rows]


def require_build(tx: Transaction, build_id: str) -> FullBuild:
    """Return a build's own row; raise NotFound."""
    row = builds.get(tx, build_id)
    if row is None:
        raise NotFound(f"There is no build {build_id}.")
    return row
