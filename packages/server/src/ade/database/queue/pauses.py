"""Pauses: added, lifted, and the ones in force."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from ade.database.rows import Rows
from ade.database.schema import pauses, plans
from ade.database.transaction import Transaction
from ade.domain.pause import PauseScope


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseRow:
    """A pause."""

    id: str
    scope: str
    value: str | None
    reason: str
    created_by: str | None
    created_at: datetime


_PAUSES = Rows(PauseRow, pauses)


def insert(tx: Transaction, *, scope: PauseScope, value: str | None, reason: str, created_by: str) -> str:
    """Add a pause and return its id."""
    pause_id = tx.new_id()
    row = {"id": pause_id, "scope": scope, "value": value, "reason": reason, "created_by": created_by}
    tx.execute(sa.insert(pauses).values(**row, created_at=tx.now))
    return pause_id


def lift(tx: Transaction, pause_id: str, *, lifted_by: str) -> PauseRow | None:
    """Lift a pause and return it, or None when it is not in force."""
    statement = (
        sa.update(pauses)
        .where(pauses.c.id == pause_id, pauses.c.lifted_at.is_(None))
        .values(lifted_at=tx.now, lifted_by=lifted_by)
        .returning(*_PAUSES.columns)
    )
    return _PAUSES.one_or_none(tx, statement)


def active(tx: Transaction) -> Sequence[PauseRow]:
    """Return the pauses in force, oldest first."""
    return _PAUSES.all(tx, _PAUSES.select(pauses.c.lifted_at.is_(None)).order_by(pauses.c.created_at, pauses.c.id))


def count_of(tx: Transaction, workspace_id: str) -> int:
    """Count the pauses in force of a workspace and of its plans."""
    of_plans = sa.select(plans.c.id).where(plans.c.workspace_id == workspace_id)
    concerned = sa.or_(
        sa.and_(pauses.c.scope == PauseScope.WORKSPACE, pauses.c.value == workspace_id),
        sa.and_(pauses.c.scope == PauseScope.PLAN, pauses.c.value.in_(of_plans)),
    )
    found = sa.select(sa.func.count()).select_from(pauses).where(pauses.c.lifted_at.is_(None), concerned)
    return int(tx.execute(found).scalar_one())
