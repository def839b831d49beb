"""Plans: the parents of runs in phases."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from ade.database.schema import plans, runs
from ade.database.transaction import Transaction
from ade.domain.plan import PLAN_TRANSITIONS, PlanStatus
from ade.domain.transitions import statuses_leading_to


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a plan."""
    tx.execute(sa.insert(plans).values(**row, status=PlanStatus.ACTIVE))


def get(tx: Transaction, plan_id: str) -> sa.Row[Any] | None:
    """Return a plan, or None."""
    return tx.execute(sa.select(plans).where(plans.c.id == plan_id)).one_or_none()


def move(tx: Transaction, plan_id: str, *, to: PlanStatus) -> bool:
    """End a plan, if it has not ended; tell whether this did."""
    sources = sorted(statuses_leading_to(PLAN_TRANSITIONS, to))
    statement = (
        sa.update(plans).where(plans.c.id == plan_id, plans.c.status.in_(sources)).values(status=to, finished_at=tx.now)
    )
    return tx.execute(statement).rowcount == 1


def set_priority(tx: Transaction, plan_id: str, priority: int) -> None:
    """Change the priority new phases inherit."""
    tx.execute(sa.update(plans).where(plans.c.id == plan_id).values(priority=priority))


def phases(tx: Transaction, plan_id: str) -> Sequence[sa.Row[Any]]:
    """Return the runs of a plan by phase."""
    return tx.execute(sa.select(runs).where(runs.c.plan_id == plan_id).order_by(runs.c.phase, runs.c.sequence)).all()


def open_phases(tx: Transaction, plan_ids: Collection[str]) -> dict[str, sa.Row[Any]]:
    """Return the earliest phase (plan_id, phase, status) of each plan that has not ended."""
    if not plan_ids:
        return {}
    r = runs.c
    is_open = r.status.in_([sa.literal_column("'queued'"), sa.literal_column("'running'")])
    chosen = sa.select(r.plan_id, r.phase, r.status).where(
        r.plan_id.is_not(None), r.plan_id.in_(sorted(plan_ids)), is_open
    )
    return {row.plan_id: row for row in reversed(tx.execute(chosen.order_by(r.plan_id, r.phase)).all())}


def set_creator(tx: Transaction, plan_id: str, created_by: str) -> None:
    """Note who submitted a plan."""
    tx.execute(sa.update(plans).where(plans.c.id == plan_id).values(created_by=created_by))


def page(tx: Transaction, *, workspace_id: str, after: int | None, limit: int) -> Sequence[sa.Row[Any]]:
    """Return the plans of a workspace, the latest first."""
    query = sa.select(plans).where(plans.c.workspace_id == workspace_id)
    if after is not None:
        query = query.where(plans.c.sequence < after)
    return tx.execute(query.order_by(plans.c.sequence.desc()).limit(limit)).all()
