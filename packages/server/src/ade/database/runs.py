"""Runs: the only writer of their status. Every change of status tells an event in the same transaction."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from ade.database.events import Event, record_events
from ade.database.prepared import Prepared
from ade.database.schema import runs
from ade.database.schema.queue import ORDER
from ade.database.transaction import Transaction
from ade.domain.run import RUN_TRANSITIONS, RunStatus
from ade.domain.transitions import statuses_leading_to

r = runs.c
# Literals, not parameters: planners match them to the filtered indexes.
QUEUED = r.status == sa.literal_column("'queued'")
RUNNING = r.status == sa.literal_column("'running'")
READY = sa.and_(QUEUED, r.block_mask == sa.literal_column("0"))
IN_ORDER = tuple(r[name] for name in ORDER)

RunRow = sa.Row[Any]
EventData = Mapping[str, Any] | Callable[[RunRow], Mapping[str, Any]]
_TOLD = (
    r.id,
    r.workspace_id,
    r.configuration_id,
    r.input_document_id,
    r.build_id,
    r.plan_id,
    r.phase,
    r.status,
    r.priority,
    r.effective_priority,
    r.claim_count,
    r.claim_token,
    r.event_count,
)

_INSERT = sa.insert(runs)


def insert_runs(tx: Transaction, rows: Sequence[Mapping[str, Any]]) -> None:
    """Add runs that wait, each with its first event."""
    told = [{**row, "status": RunStatus.QUEUED, "event_count": 1} for row in rows]
    if len(told) == 1:
        _insert(tuple(told[0])).change(tx, {f"new_{name}": value for name, value in told[0].items()})
    else:
        tx.execute(_INSERT, told)
    record_events(
        tx,
        [
            _event(row["id"], row["workspace_id"], sequence=1, kind="run.queued", data={"priority": row["priority"]})
            for row in rows
        ],
    )


@cache
def _insert(names: tuple[str, ...]) -> Prepared:
    """Return the statement that adds one run."""
    values = {name: sa.bindparam(f"new_{name}", type_=runs.c[name].type) for name in names}
    return Prepared(sa.insert(runs).inline().values(values))


def _event(run_id: str, workspace_id: str, *, sequence: int, kind: str, data: Mapping[str, Any]) -> Event:
    return Event(
        subject_kind="run", subject_id=run_id, sequence=sequence, workspace_id=workspace_id, type=kind, data=data
    )


def change(
    tx: Transaction, *where: sa.ColumnElement[bool], event: str, data: EventData | None = None, **values: Any
) -> list[RunRow]:
    """Change the runs that match, and tell an event of each; return them as they are now, in order of submission."""
    statement = (
        sa.update(runs).where(*where).values(event_count=r.event_count + 1, **values).returning(*_TOLD, r.sequence)
    )
    changed = sorted(tx.execute(statement).all(), key=lambda row: row.sequence)
    tell(tx, changed, event=event, data=data)
    return changed


def tell(
    tx: Transaction, changed: Sequence[Any], *, event: str, data: EventData | None = None, counted: int = 0
) -> None:
    """Tell an event of each run that changed; its number is `event_count`, and so many more where the row is older."""
    told = data if callable(data) else lambda _: data or {}
    record_events(
        tx,
        [
            _event(row.id, row.workspace_id, sequence=row.event_count + counted, kind=event, data=told(row))
            for row in changed
        ],
    )


def move(
    tx: Transaction,
    *where: sa.ColumnElement[bool],
    to: RunStatus,
    event: str,
    data: EventData | None = None,
    **values: Any,
) -> list[RunRow]:
    """Change the status of the runs that match, if the state machine allows it; losers of a race do not match."""
    return change(tx, status_allows(to), *where, event=event, data=data, status=to, **values)


def status_allows(to: RunStatus) -> sa.ColumnElement[bool]:
    """Return the condition that a run may become `to`."""
    sources = sorted(statuses_leading_to(RUN_TRANSITIONS, to))
    return sa.or_(*(r.status == sa.literal_column(f"'{status.value}'") for status in sources))


def held(run_id: str, token: int) -> sa.ColumnElement[bool]:
    """Return the fence: the run is running under this very claim."""
    return sa.and_(r.id == run_id, RUNNING, r.claim_token == token)


def get(tx: Transaction, run_id: str) -> RunRow | None:
    """Return a run, or None."""
    return tx.execute(sa.select(runs).where(r.id == run_id)).one_or_none()


def most_urgent_of_build(tx: Transaction, build_id: str) -> int | None:
    """Return the best effective priority of the queued runs of a build, or None when there are none."""
    best = sa.select(sa.func.min(r.effective_priority)).where(QUEUED, r.build_id == build_id)
    level: int | None = tx.execute(best).scalar_one()
    return level


def count_open(tx: Transaction) -> int:
    """Count the runs that wait or run."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(runs).where(sa.or_(QUEUED, RUNNING))).scalar_one())


def count_open_of(tx: Transaction, workspace_id: str, *, most: int) -> int:
    """Count the runs of a workspace that wait or run, up to a number."""
    some = sa.select(r.id).where(r.workspace_id == workspace_id, sa.or_(QUEUED, RUNNING)).limit(most).subquery()
    return int(tx.execute(sa.select(sa.func.count()).select_from(some)).scalar_one())


def running_counts(tx: Transaction) -> dict[str, int]:
    """Return how many runs each workspace has running."""
    return {row.workspace_id: row.running for row in _RUNNING_COUNTS.rows(tx, {})}


_RUNNING_COUNTS = Prepared(
    sa.select(r.workspace_id, sa.func.count().label("running")).where(RUNNING).group_by(r.workspace_id)
)


def running_by_document(tx: Transaction, document_ids: Sequence[str]) -> dict[str, str]:
    """Return the run that each of the documents is busy with, if any."""
    among = r.input_document_id.in_(sorted(set(document_ids)))
    found = tx.execute(sa.select(r.input_document_id, r.id).where(RUNNING, among))
    return {row.input_document_id: row.id for row in found}


def builds_of_running(tx: Transaction) -> set[str]:
    """Return the builds of the runs in work."""
    return set(tx.execute(sa.select(r.build_id).where(RUNNING).distinct()).scalars())


def running(tx: Transaction) -> Sequence[sa.Row[Any]]:
    """Return (id, workspace_id, claimed_by) of the runs in work, oldest first."""
    return tx.execute(sa.select(r.id, r.workspace_id, r.claimed_by).where(RUNNING).order_by(r.sequence)).all()
