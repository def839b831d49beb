"""Builds: adding, reading and starting them. Their status is written by kinds.py alone, as that of runs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from ade.database.dialects import is_unique_violation
from ade.database.queue import kinds
from ade.database.queue.events import Event, record_events
from ade.database.queue.kinds import BUILD, BuildRow
from ade.database.rows import Rows
from ade.database.schema import builds
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Answer, Prepared, PreparedRows
from ade.domain.build import BuildStatus

b = builds.c
QUEUED = BUILD.is_(BuildStatus.QUEUED)
BUILDING = BUILD.is_(BuildStatus.BUILDING)


@dataclass(frozen=True, slots=True, kw_only=True)
class FullBuild(BuildRow):
    """A build with all its columns."""

    version_id: str
    fingerprint: str
    surroundings: str
    effective_priority: int
    order_key: int
    created_at: datetime
    queued_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_used_at: datetime | None
    claimed_by: str | None
    lease_expires_at: datetime | None
    deadline_at: datetime | None
    failure_code: str | None
    failure_resource: str | None
    manifest: dict[str, Any] | None
    metrics: dict[str, Any] | None
    size_bytes: int | None
    file_key: str | None
    files_removed_at: datetime | None


FULL = Rows(FullBuild, builds)
_FIND = PreparedRows(
    FULL, FULL.select(b.configuration_id == sa.bindparam("configuration"), b.fingerprint == sa.bindparam("wanted"))
)


def ask(tx: Transaction, *, configuration_id: str, fingerprint: str) -> Answer[FullBuild]:
    """Ask for the build of a fingerprint; return what gives the answer, of one row or none."""
    return _FIND.ask(tx, {"configuration": configuration_id, "wanted": fingerprint})


def find(tx: Transaction, *, configuration_id: str, fingerprint: str) -> FullBuild | None:
    """Return the build of a fingerprint, or None."""
    return next(iter(ask(tx, configuration_id=configuration_id, fingerprint=fingerprint)()), None)


def get(tx: Transaction, build_id: str) -> FullBuild | None:
    """Return a build, or None."""
    return FULL.one_or_none(tx, FULL.select(b.id == build_id))


def chosen(tx: Transaction, build_ids: Collection[str]) -> dict[str, FullBuild]:
    """Return builds by their ids."""
    if not build_ids:
        return {}
    return {build.id: build for build in FULL.all(tx, FULL.select(b.id.in_(sorted(build_ids))))}


def require(tx: Transaction, build_id: str) -> FullBuild:
    """Return a build that something refers to."""
    return FULL.one(tx, FULL.select(b.id == build_id))


def queued_surroundings(tx: Transaction) -> list[str]:
    """Return the surroundings that queued builds are for: one step down the index for each, however many wait."""
    found: list[str] = []
    [[kind]] = _FIRST_SURROUNDINGS.rows(tx, {})
    while kind is not None:
        found.append(kind)
        [[kind]] = _NEXT_SURROUNDINGS.rows(tx, {"after": kind})
    return found


_SMALLEST = sa.select(sa.func.min(b.surroundings))
_FIRST_SURROUNDINGS = Prepared(_SMALLEST.where(QUEUED))
_NEXT_SURROUNDINGS = Prepared(
    _SMALLEST.where(QUEUED, b.surroundings > sa.bindparam("after", type_=b.surroundings.type))
)


def queued_for(tx: Transaction, surroundings: str, *, most: int) -> Sequence[FullBuild]:
    """Return the first queued builds for some surroundings."""
    waiting = FULL.select(QUEUED, b.surroundings == surroundings)
    return FULL.all(tx, waiting.order_by(b.effective_priority, b.order_key, b.sequence).limit(most))


def insert_or_find(tx: Transaction, row: Mapping[str, Any]) -> FullBuild:
    """Add a build that waits, or return the one that got there first."""
    key = {"configuration_id": row["configuration_id"], "fingerprint": row["fingerprint"]}
    try:
        with tx.savepoint():
            tx.execute(sa.insert(builds).values(**row, status=BuildStatus.QUEUED, event_count=1))
    except sa.exc.IntegrityError as error:
        if not is_unique_violation(error):
            raise
    else:
        added = Event(
            subject_kind=BUILD.name,
            subject_id=row["id"],
            sequence=1,
            workspace_id=row["workspace_id"],
            type="build.queued",
            data={},
        )
        record_events(tx, [added])
    found = find(tx, **key)
    if found is None:
        raise LookupError(f"build of {key} vanished")
    return found


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
    started = kinds.move(
        tx,
        BUILD,
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


def hurry(tx: Transaction, build_id: str, *, effective_priority: int) -> None:
    """Move a build up when a more urgent run waits for it; also one being made, since it may come back to the queue."""
    more_urgent = b.effective_priority > effective_priority
    unfinished = sa.or_(QUEUED, BUILDING)
    tx.execute(
        sa.update(builds).where(b.id == build_id, unfinished, more_urgent).values(effective_priority=effective_priority)
    )
