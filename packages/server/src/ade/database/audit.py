"""The audit log and the events, as they are read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.schema import audit_log, events
from ade.database.transaction import Transaction

a = audit_log.c
e = events.c


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which rows of the audit log someone wants to see."""

    workspace_ids: Collection[str] | None = None  # None: all, and what belongs to none
    subject_kind: str | None = None
    subject_id: str | None = None
    action: str | None = None


def page(tx: Transaction, wanted: AuditFilter, *, after: int | None, limit: int) -> Sequence[sa.Row[Any]]:
    """Return rows of the audit log, newest first."""
    query = sa.select(audit_log)
    if wanted.workspace_ids is not None:
        query = query.where(a.workspace_id.in_(sorted(wanted.workspace_ids)))
    given = {a.subject_kind: wanted.subject_kind, a.subject_id: wanted.subject_id, a.action: wanted.action}
    query = query.where(*(column == value for column, value in given.items() if value))
    if after is not None:
        query = query.where(a.position < after)
    return tx.execute(query.order_by(a.position.desc()).limit(limit)).all()


def events_of(
    tx: Transaction, kind: str, subject_id: str, *, after: int = 0, most: int | None = None
) -> Sequence[sa.Row[Any]]:
    """Return what happened to a run, build or plan, in order."""
    query = sa.select(events).where(e.subject_kind == kind, e.subject_id == subject_id, e.sequence > after)
    return tx.execute(query.order_by(e.sequence).limit(most)).all()


def events_after(tx: Transaction, position: int, *, most: int) -> Sequence[sa.Row[Any]]:
    """Return what happened to anything after a position, in order."""
    return tx.execute(sa.select(events).where(e.position > position).order_by(e.position).limit(most)).all()


def audit_after(tx: Transaction, position: int, *, most: int) -> Sequence[sa.Row[Any]]:
    """Return what people changed after a position, in order."""
    return tx.execute(sa.select(audit_log).where(a.position > position).order_by(a.position).limit(most)).all()


def last_positions(tx: Transaction) -> tuple[int, int]:
    """Return where the events and the audit log end now."""
    last_event = tx.execute(sa.select(sa.func.max(e.position))).scalar_one()
    last_audit = tx.execute(sa.select(sa.func.max(a.position))).scalar_one()
    return int(last_event or 0), int(last_audit or 0)
