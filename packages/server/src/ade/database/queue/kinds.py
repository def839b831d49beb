"""Runs and builds are claimed, held and ended alike: what is common to both is written once, over a `Kind`.

A kind names its table and what differs. The modules of each (runs.py, builds.py) have what only one of them does.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Generic, Protocol, TypeVar

import sqlalchemy as sa

from ade.database.queue.events import Event, record_events
from ade.database.rows import Rows
from ade.database.schema import builds, runs
from ade.database.transaction import Transaction
from ade.domain.build import BUILD_TRANSITIONS, BuildStatus
from ade.domain.claiming import KindName
from ade.domain.run import RUN_TRANSITIONS, Block, RunStatus
from ade.domain.transitions import Transitions, statuses_leading_to

_NO_LEASE: dict[str, Any] = {"lease_expires_at": None, "claim_token": None, "claimed_by": None, "deadline_at": None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What every change of a run or a build returns."""

    id: str
    workspace_id: str
    configuration_id: str
    status: str
    sequence: int
    claim_count: int
    claim_token: int | None
    event_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(Changed):
    """What every change of a run returns."""

    input_document_id: str
    build_id: str
    plan_id: str | None
    phase: int
    priority: int
    effective_priority: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRow(Changed):
    """What every change of a build returns."""

    failure_message: str | None


T = TypeVar("T")
R = TypeVar("R", bound=Changed)
R_co = TypeVar("R_co", bound=Changed, covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class Kind(Generic[R_co]):
    """What is claimed: runs, or builds."""

    name: KindName  # also the subject of its events
    table: sa.Table
    transitions: Transitions[Any]
    queued: StrEnum
    held: StrEnum  # while a worker holds it
    failed: StrEnum
    cancelled: StrEnum
    events: Mapping[StrEnum, str]  # what is recorded when it gets a status, unless something else is said
    returned_uncounted_event: str  # its worker stops, or could not carry it out
    returned_counted_event: str  # its host failed it, or its worker was lost
    changed: Rows[R_co]  # what a change returns
    ended: Mapping[str, Any]  # columns that are emptied at the end
    returned: Mapping[str, Any] = field(default_factory=dict)  # columns that change as it goes back to the queue
    are_ends_counted: bool = False  # in the totals; runs are counted from their rows

    @property
    def columns(self) -> sa.sql.base.ReadOnlyColumnCollection[str, sa.Column[Any]]:
        """Return the columns of its table."""
        return self.table.c

    def is_(self, status: StrEnum) -> sa.ColumnElement[bool]:
        """Return the condition of a status; a literal, not a parameter: planners match it to the filtered indexes."""
        return self.columns.status == sa.literal_column(f"'{status.value}'")

    def allows(self, to: StrEnum) -> sa.ColumnElement[bool]:
        """Return the condition that the state machine lets it become `to`."""
        return sa.or_(*(self.is_(status) for status in sorted(statuses_leading_to(self.transitions, to))))

    def held_under(self, subject_id: str, token: int) -> sa.ColumnElement[bool]:
        """Return the fence: it is held under this very claim."""
        return sa.and_(self.columns.id == subject_id, self.is_(self.held), self.columns.claim_token == token)


_is_built = (
    sa.exists()
    .where(builds.c.id == runs.c.build_id, builds.c.status == sa.literal_column(f"'{BuildStatus.READY}'"))
    .correlate(runs)
)
RUN = Kind(
    name="run",
    table=runs,
    transitions=RUN_TRANSITIONS,
    queued=RunStatus.QUEUED,
    held=RunStatus.RUNNING,
    failed=RunStatus.FAILED,
    cancelled=RunStatus.CANCELLED,
    events={RunStatus.FAILED: "run.failed", RunStatus.CANCELLED: "run.cancelled"},
    returned_uncounted_event="run.released",
    returned_counted_event="run.requeued",
    changed=Rows(RunRow, runs),
    ended={"lease_expires_at": None, "ages_at": None},
    # Its build may have to be made again.
    returned={**_NO_LEASE, "block_mask": sa.case((_is_built, 0), else_=int(Block.BUILD))},
)
BUILD = Kind(
    name="build",
    table=builds,
    transitions=BUILD_TRANSITIONS,
    queued=BuildStatus.QUEUED,
    held=BuildStatus.BUILDING,
    failed=BuildStatus.FAILED,
    cancelled=BuildStatus.CANCELLED,
    events={
        BuildStatus.QUEUED: "build.queued",
        BuildStatus.READY: "build.ready",
        BuildStatus.FAILED: "build.failed",
        BuildStatus.CANCELLED: "build.cancelled",
        BuildStatus.REMOVED: "build.removed",
    },
    returned_uncounted_event="build.released",
    returned_counted_event="build.requeued",
    changed=Rows(BuildRow, builds),
    ended=_NO_LEASE,
    returned=_NO_LEASE,
    are_ends_counted=True,
)
KINDS: Mapping[str, Kind[Changed]] = {RUN.name: RUN, BUILD.name: BUILD}


def change(
    tx: Transaction,
    kind: Kind[R],
    *where: sa.ColumnElement[bool],
    event: str,
    data: Mapping[str, Any] | None = None,
    **values: Any,
) -> list[R]:
    """Change what matches, and record an event of each; return it as it is now, in order of submission."""
    statement = sa.update(kind.table).where(*where).values(event_count=kind.columns.event_count + 1, **values)
    returned = kind.changed.all(tx, statement.returning(*kind.changed.columns))
    changed = sorted(returned, key=lambda row: row.sequence)
    record_changes(tx, kind, changed, event=event, data=data)
    return changed


def move(
    tx: Transaction,
    kind: Kind[R],
    *where: sa.ColumnElement[bool],
    to: StrEnum,
    event: str | None = None,
    data: Mapping[str, Any] | None = None,
    **values: Any,
) -> list[R]:
    """Change the status of what matches, if the state machine allows it; losers of a race do not match."""
    return change(tx, kind, kind.allows(to), *where, event=event or kind.events[to], data=data, status=to, **values)


class Subject(Protocol):
    """What an event is about."""

    @property
    def id(self) -> str:
        """Return its id."""

    @property
    def workspace_id(self) -> str:
        """Return the workspace that sees the event."""

    @property
    def event_count(self) -> int:
        """Return the number of its last event."""


def record_changes(
    tx: Transaction,
    kind: Kind[Changed],
    changed: Iterable[Subject],
    *,
    event: str,
    data: Mapping[str, Any] | None = None,
    are_rows_older: bool = False,
) -> None:
    """Record an event of each that changed; its number is `event_count`, or one more than in rows read before."""
    record_events(
        tx,
        [
            Event(
                subject_kind=kind.name,
                subject_id=row.id,
                sequence=row.event_count + are_rows_older,
                workspace_id=row.workspace_id,
                type=event,
                data=data or {},
            )
            for row in changed
        ],
    )


def first(rows: Sequence[T]) -> T | None:
    """Return the one row that was changed, if it was."""
    return rows[0] if rows else None
