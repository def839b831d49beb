"""Events and audit rows, written in the transaction of the change they record."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import sqlalchemy as sa

from ade.database.schema import audit_log, events
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Prepared
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
    if not tx.unwritten_events:
        tx.before_commit(lambda: _write_events(tx))
    tx.unwritten_events.extend(
        (event.subject_kind, event.subject_id, event.sequence, event.workspace_id, event.type, tx.now, event.data)
        for event in happened
    )


_NAMES = ("subject_kind", "subject_id", "sequence", "workspace_id", "type", "at", "data")


def _write_events(tx: Transaction) -> None:
    rows, tx.unwritten_events = tx.unwritten_events, []
    if len(rows) > MOST_PREPARED:
        tx.execute(_INSERT_EVENTS, [dict(zip(_NAMES, row, strict=True)) for row in rows])
    elif rows:
        insert, names = _insert(len(rows))
        insert.change(tx, dict(zip(names, chain.from_iterable(rows), strict=True)))


@cache
def _insert(count: int) -> tuple[Prepared, list[str]]:
    """Return the statement that writes this many events, and the names of its parameters, event by event."""
    rows = [
        {name: sa.bindparam(f"{name}_{number}", type_=events.c[name].type) for name in _NAMES}
        for number in range(count)
    ]
    return Prepared(sa.insert(events).inline().values(rows)), [bind.key for row in rows for bind in row.values()]


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
