"""Events and audit rows, written in the transaction of what they tell about."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.prepared import Prepared
from ade.database.schema import audit_log, events
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.logs import current_trace_id

_INSERT_EVENTS = sa.insert(events).inline()  # nobody asks for the positions
_INSERT_AUDIT = sa.insert(audit_log)
MOST_PREPARED = 50  # a statement of its own for each number of events up to this


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a run, a build or a plan; numbered without gaps for each."""

    subject_kind: str
    subject_id: str
    sequence: int
    workspace_id: str | None
    type: str
    data: Mapping[str, Any]


def record_events(tx: Transaction, happened: Iterable[Event]) -> None:
    """Write events, all at the time of the transaction, when it commits."""
    if not tx.untold:
        tx.before_commit(lambda: _write_events(tx))
    tx.untold.extend(
        {
            "subject_kind": event.subject_kind,
            "subject_id": event.subject_id,
            "sequence": event.sequence,
            "workspace_id": event.workspace_id,
            "type": event.type,
            "at": tx.now,
            "data": dict(event.data),
        }
        for event in happened
    )


def _write_events(tx: Transaction) -> None:
    rows, tx.untold = tx.untold, []
    if len(rows) > MOST_PREPARED:
        tx.execute(_INSERT_EVENTS, rows)
    elif rows:
        values = {f"{name}_{number}": value for number, row in enumerate(rows) for name, value in row.items()}
        _insert(len(rows)).change(tx, values)


@cache
def _insert(count: int) -> Prepared:
    """Return the statement that writes so many events."""
    names = [column.name for column in events.columns if column.name != "position"]
    rows = [
        {name: sa.bindparam(f"{name}_{number}", type_=events.c[name].type) for name in names} for number in range(count)
    ]
    return Prepared(sa.insert(events).inline().values(rows))


def record_audit(
    tx: Transaction,
    actor: Actor,
    *,
    action: str,
    subject_kind: str,
    subjects: Iterable[tuple[str, str | None, Mapping[str, list[Any]]]],
    reason: str | None = None,
) -> None:
    """Write one audit row for each (subject id, workspace id, changes)."""
    rows = [
        {
            "at": tx.now,
            "actor_kind": actor.kind,
            "actor_id": actor.id,
            "actor_name": actor.name,
            "workspace_id": workspace_id,
            "action": action,
            "subject_kind": subject_kind,
            "subject_id": subject_id,
            "changes": dict(changes),
            "reason": reason,
            "trace_id": current_trace_id(),
        }
        for subject_id, workspace_id, changes in subjects
    ]
    if rows:
        tx.execute(_INSERT_AUDIT, rows)
