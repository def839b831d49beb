"""Builds: the only writer of their status, as database.runs is for runs."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.events import Event, record_events
from ade.database.prepared import Answer, Prepared
from ade.database.schema import builds
from ade.database.transaction import Transaction
from ade.domain.build import BUILD_TRANSITIONS, BuildStatus
from ade.domain.transitions import statuses_leading_to

b = builds.c
QUEUED = b.status == sa.literal_column("'queued'")
BUILDING = b.status == sa.literal_column("'building'")

BuildRow = sa.Row[Any]
_TOLD = (
    b.id,
    b.workspace_id,
    b.configuration_id,
    b.status,
    b.claim_count,
    b.claim_token,
    b.event_count,
    b.failure_message,
)


_FIND = Prepared(
    sa.select(builds).where(
        b.configuration_id == sa.bindparam("configuration"), b.fingerprint == sa.bindparam("wanted")
    )
)


def ask(tx: Transaction, *, configuration_id: str, fingerprint: str) -> Answer:
    """Ask for the build of a fingerprint; return what gives the answer, of one row or none."""
    return _FIND.ask(tx, {"configuration": configuration_id, "wanted": fingerprint})


def find(tx: Transaction, *, configuration_id: str, fingerprint: str) -> BuildRow | None:
    """Return the build of a fingerprint, or None."""
    return next(iter(ask(tx, configuration_id=configuration_id, fingerprint=fingerprint)()), None)


def get(tx: Transaction, build_id: str) -> BuildRow | None:
    """Return a build, or None."""
    return tx.execute(sa.select(builds).where(b.id == build_id)).one_or_none()


def chosen(tx: Transaction, build_ids: Collection[str]) -> dict[str, BuildRow]:
    """Return builds by their ids."""
    if not build_ids:
        return {}
    return {row.id: row for row in tx.execute(sa.select(builds).where(b.id.in_(sorted(build_ids))))}


def require(tx: Transaction, build_id: str) -> BuildRow:
    """Return a build that something refers to."""
    return tx.execute(sa.select(builds).where(b.id == build_id)).one()


def queued_surroundings(tx: Transaction) -> list[str]:
    """Return the surroundings that queued builds are for: one step down the index for each, however many wait."""
    found: list[str] = []
    answer = _FIRST_SURROUNDINGS.rows(tx, {})
    while (kind := answer[0].kind) is not None:
        found.append(kind)
        answer = _NEXT_SURROUNDINGS.rows(tx, {"after": kind})
    return found


_SMALLEST = sa.select(sa.func.min(b.surroundings).label("kind"))
_FIRST_SURROUNDINGS = Prepared(_SMALLEST.where(QUEUED))
_NEXT_SURROUNDINGS = Prepared(
    _SMALLEST.where(QUEUED, b.surroundings > sa.bindparam("after", type_=b.surroundings.type))
)


def queued_for(tx: Transaction, surroundings: str, *, most: int) -> Sequence[BuildRow]:
    """Return the first queued builds for some surroundings."""
    waiting = sa.select(builds).where(QUEUED, b.surroundings == surroundings)
    return tx.execute(waiting.order_by(b.effective_priority, b.order_key, b.sequence).limit(most)).all()


def insert_or_find(tx: Transaction, row: Mapping[str, Any]) -> BuildRow:
    """Add a build that waits, or return the one that got there first."""
    key = {"configuration_id": row["configuration_id"], "fingerprint": row["fingerprint"]}
    try:
        with tx.savepoint():
            tx.execute(sa.insert(builds).values(**row, status=BuildStatus.QUEUED, event_count=1))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
    else:
        record_events(tx, [_event(row["id"], row["workspace_id"], sequence=1, kind="build.queued", data={})])
    found = find(tx, **key)
    if found is None:
        raise LookupError(f"build of {key} vanished")
    return found


def _event(build_id: str, workspace_id: str, *, sequence: int, kind: str, data: Mapping[str, Any]) -> Event:
    return Event(
        subject_kind="build", subject_id=build_id, sequence=sequence, workspace_id=workspace_id, type=kind, data=data
    )


def move(
    tx: Transaction,
    *where: sa.ColumnElement[bool],
    to: BuildStatus,
    event: str,
    data: Mapping[str, Any] | None = None,
    **values: Any,
) -> list[BuildRow]:
    """Change the status of the builds that match, if the state machine allows it, and tell an event of each."""
    sources = sorted(statuses_leading_to(BUILD_TRANSITIONS, to))
    allowed = sa.or_(*(b.status == sa.literal_column(f"'{status.value}'") for status in sources))
    statement = (
        sa.update(builds)
        .where(allowed, *where)
        .values(status=to, event_count=b.event_count + 1, **values)
        .returning(*_TOLD, b.sequence)
    )
    changed = sorted(tx.execute(statement).all(), key=lambda row: row.sequence)
    record_events(
        tx, [_event(row.id, row.workspace_id, sequence=row.event_count, kind=event, data=data or {}) for row in changed]
    )
    return changed


def start(
    tx: Transaction,
    build_ids: Sequence[str],
    *,
    worker_id: str,
    token: int,
    lease_expires_at: datetime,
    deadline_at: datetime,
) -> list[str]:
    """Mark builds as being made under one token; return those that were still waiting."""
    started = move(
        tx,
        QUEUED,
        b.id.in_(build_ids),
        to=BuildStatus.BUILDING,
        event="build.claimed",
        data={"worker_id": worker_id, "token": token},
        claimed_by=worker_id,
        claim_token=token,
        claim_count=b.claim_count + 1,
        lease_expires_at=lease_expires_at,
        deadline_at=deadline_at,
        started_at=tx.now,
    )
    return [row.id for row in started]


def held(build_id: str, token: int) -> sa.ColumnElement[bool]:
    """Return the fence: the build is being made under this very claim."""
    return sa.and_(b.id == build_id, BUILDING, b.claim_token == token)


def hurry(tx: Transaction, build_id: str, *, effective_priority: int) -> None:
    """Move a build up when a more urgent run waits for it; also one being made, since it may come back to the queue."""
    more_urgent = b.effective_priority > effective_priority
    unfinished = sa.or_(QUEUED, BUILDING)
    tx.execute(
        sa.update(builds).where(b.id == build_id, unfinished, more_urgent).values(effective_priority=effective_priority)
    )
