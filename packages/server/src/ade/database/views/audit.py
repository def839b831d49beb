"""The audit log and the events, as they are read."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.rows import Rows
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


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """Who changed what, when and why."""

    position: int
    at: datetime
    actor_kind: str
    actor_id: str | None
    actor_name: str
    workspace_id: str | None
    action: str
    subject_kind: str
    subject_id: str
    changes: dict[str, list[Any]]
    reason: str | None
    trace_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """Something that happened to a run, a build or a plan."""

    position: int
    subject_kind: str
    subject_id: str
    sequence: int
    workspace_id: str | None
    type: str
    at: datetime
    data: dict[str, Any]


_AUDIT = Rows(AuditRow, audit_log)
_EVENTS = Rows(EventRow, events)


def page(tx: Transaction, wanted: AuditFilter, *, after: int | None, limit: int) -> Sequence[AuditRow]:
    """Return rows of the audit log, newest first."""
    query = _AUDIT.select()
    if wanted.workspace_ids is not None:
        query = query.where(a.workspace_id.in_(sorted(wanted.workspace_ids)))
    given = {a.subject_kind: wanted.subject_kind, a.subject_id: wanted.subject_id, a.action: wanted.action}
    query = query.where(*(column == value for column, value in given.items() if value))
    if after is not None:
        query = query.where(a.position < after)
    return _AUDIT.all(tx, query.order_by(a.position.desc()).limit(limit))


def events_of(
    tx: Transaction, kind: str, subject_id: str, *, after: int = 0, most: int | None = None
) -> Sequence[EventRow]:
    """Return what happened to a run, build or plan, in order."""
    query = _EVENTS.select(e.subject_kind == kind, e.subject_id == subject_id, e.sequence > after)
    return _EVENTS.all(tx, query.order_by(e.sequence).limit(most))


def events_after(tx: Transaction, position: int, *, most: int) -> Sequence[EventRow]:
    """Return what happened to anything after a position, in order."""
    return _EVENTS.all(tx, _EVENTS.select(e.position > position).order_by(e.position).limit(most))


def audit_after(tx: Transaction, position: int, *, most: int) -> Sequence[AuditRow]:
    """Return what people changed after a position, in order."""
    return _AUDIT.all(tx, _AUDIT.select(a.position > position).order_by(a.position).limit(most))


def last_positions(tx: Transaction) -> tuple[int, int]:
    """Return where the events and the audit log end now."""
    last_event = tx.execute(sa.select(sa.func.max(e.position))).scalar_one()
    last_audit = tx.execute(sa.select(sa.func.max(a.position))).scalar_one()
    return int(last_event or 0), int(last_audit or 0)
