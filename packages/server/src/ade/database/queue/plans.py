"""Plans: the parents of runs in phases."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.queue.runs import FULL, FullRun
from ade.database.rows import Rows
from ade.database.schema import plans, runs
from ade.database.transaction import Transaction
from ade.domain.plan import PLAN_TRANSITIONS, PlanStatus
from ade.domain.transitions import statuses_leading_to


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """A plan."""

    id: str
    workspace_id: str
    sequence: int
    status: str
    priority: int
    created_by: str | None
    created_at: datetime
    finished_at: datetime | None


_PLANS = Rows(PlanRow, plans)


def insert(tx: Transaction, row: Mapping[str, Any]) -> None:
    """Add a plan."""
    tx.execute(sa.insert(plans).values(**row, status=PlanStatus.ACTIVE))


def get(tx: Transaction, plan_id: str) -> PlanRow | None:
    """Return a plan, or None."""
    return _PLANS.one_or_none(tx, _PLANS.select(plans.c.id == plan_id))


def move(tx: Transaction, plan_id: str, *, to: PlanStatus) -> bool:
    """End a plan, if it has not ended; return whether this did."""
    sources = sorted(statuses_leading_to(PLAN_TRANSITIONS, to))
    statement = (
        sa.update(plans).where(plans.c.id == plan_id, plans.c.status.in_(sources)).values(status=to, finished_at=tx.now)
    )
    return tx.execute(statement).rowcount == 1


def set_priority(tx: Transaction, plan_id: str, priority: int) -> None:
    """Change the priority new phases inherit."""
    tx.execute(sa.update(plans).where(plans.c.id == plan_id).values(priority=priority))


def phases(tx: Transaction, plan_ids: Sequence[str]) -> Sequence[FullRun]:
    """Return the runs of plans, each plan's by phase."""
    chosen = FULL.select(runs.c.plan_id.in_(plan_ids))
    return FULL.all(tx, chosen.order_by(runs.c.plan_id, runs.c.phase, runs.c.sequence))


def open_phases(tx: Transaction, plan_ids: Collection[str]) -> dict[str, tuple[int, str]]:
    """Return the earliest phase (number, status) of each plan that has not ended."""
    if not plan_ids:
        return {}
    r = runs.c
    is_open = r.status.in_([sa.literal_column("'queued'"), sa.literal_column("'running'")])
    chosen = sa.select(r.plan_id, r.phase, r.status).where(
        r.plan_id.is_not(None), r.plan_id.in_(sorted(plan_ids)), is_open
    )
    found = tx.execute(chosen.order_by(r.plan_id, r.phase)).all()
    return {plan_id: (phase, status) for plan_id, phase, status in reversed(found)}


def set_creator(tx: Transaction, plan_id: str, created_by: str) -> None:
    """Note who submitted a plan."""
    tx.execute(sa.update(plans).where(plans.c.id == plan_id).values(created_by=created_by))


def page(tx: Transaction, *, workspace_id: str, after: int | None, limit: int) -> Sequence[PlanRow]:
    """Return the plans of a workspace, the latest first."""
    query = _PLANS.select(plans.c.workspace_id == workspace_id)
    if after is not None:
        query = query.where(plans.c.sequence < after)
    return _PLANS.all(tx, query.order_by(plans.c.sequence.desc()).limit(limit))
