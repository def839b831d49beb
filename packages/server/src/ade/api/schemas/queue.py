"""The queue, over the wire."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field, model_validator

from ade.api.schemas.base import Answer, Body, Id, Reason, Text
from ade.api.schemas.runs import EstimatedStart, Run
from ade.database.queue.pauses import PauseRow
from ade.domain.pause import PauseScope
from ade.domain.priority import Priority as Level
from ade.domain.run import WaitingFor
from ade.operations.views.analytics import Analytics as Figures
from ade.operations.views.run_views import RunView


class QueuedRun(Answer):
    """A run that waits, in its place."""

    run_id: Id
    position: int
    priority: int
    effective_priority: int
    waiting_for: WaitingFor
    waiting_reason: str = Field(
        description="The reason for waiting, in words: the cause, and the person if there is one."
    )
    estimated_start_at: datetime | None
    estimated_start: EstimatedStart | None
    workspace_id: Id
    configuration_id: Id
    configuration_name: str
    version: int
    input_document_id: Id
    document_name: str
    build_id: Id
    plan_id: str | None
    phase: int | None
    memory_mb: int | None
    cpu_count: float | None
    submitted_by: str | None
    created_at: datetime
    ready_at: datetime | None
    is_placed: bool = Field(description="Whether a person moved it to its place.")

    @classmethod
    def of(cls, view: RunView) -> "QueuedRun":
        """Return the model of a queued run."""
        if view.place is None:
            raise ValueError("a queued run has a place")
        return cls.from_row(Run.of(view), run_id=view.row.id, is_placed=view.row.placed_at is not None)


class Capacity(Answer):
    """What can run at once, and what does."""

    slots: int = Field(
        description="Slots of the live workers that claim, without those that drain or are short of disk."
    )
    running_count: int
    queued_count: int = Field(description="Waiting, in all workspaces.")
    queue_size: int = Field(description="How many runs may wait or run at once.")
    max_running: int | None
    worker_count: int
    waiting_since: datetime | None = Field(
        description="When the longest wait began, in all workspaces; a scheduled run waits from its scheduled time."
    )


class Pause(Answer):
    """Something that may not start for now."""

    id: Id
    scope: PauseScope
    value: str | None
    reason: str
    created_by: str | None
    created_at: datetime

    @classmethod
    def of(cls, row: PauseRow) -> "Pause":
        """Return the model of a row."""
        return cls.from_row(row)


class Queue(Answer):
    """The runs that wait, in the order they will be claimed, and what runs."""

    version: int = Field(description="Grows when someone changes the order; also the ETag, for If-Match.")
    items: list[QueuedRun]
    next_cursor: str | None
    running: list[Run]
    capacity: Capacity
    pauses: list[Pause]


class NewPlace(Body):
    """The new place of a run: just before or just after another one of its level."""

    before: Id | None = None
    after: Id | None = None

    @model_validator(mode="after")
    def _has_one(self) -> "NewPlace":
        if (self.before is None) == (self.after is None):
            raise ValueError("give before or after, but not both")
        return self


class NewPause(Body):
    """What shall not start for now."""

    scope: PauseScope
    value: Annotated[Text, Field(max_length=36)] | None = Field(
        None, description="The priority, workspace or plan; null for everything."
    )
    reason: Annotated[Reason, Field(min_length=1)] = Field(examples=["Month end: invoices first"])


class ProjectedPlace(Answer):
    """The place of a run that would be submitted now."""

    position: int
    estimated_start_at: datetime | None
    estimated_start: EstimatedStart | None


class Percentiles(Answer):
    """How long it took, in seconds, for runs of one priority."""

    priority: int
    level: str | None = Field(description="The name of the priority, if it has one.")
    p50_seconds: float | None
    p90_seconds: float | None
    p99_seconds: float | None


class AnalyticsSlice(Answer):
    """An hour, or a day in a long window."""

    at: datetime
    succeeded_count: int
    failed_count: int
    cancelled_count: int
    rejected_count: int
    utilisation: float | None


class Analytics(Answer):
    """How the queue has been doing."""

    since: datetime
    wait: list[Percentiles]
    run: list[Percentiles]
    slices: list[AnalyticsSlice]

    @classmethod
    def of(cls, figures: Figures) -> "Analytics":
        """Return the model of figures."""
        return cls(
            since=figures.since,
            wait=_percentiles(figures.wait),
            run=_percentiles(figures.run),
            slices=[AnalyticsSlice.from_row(one) for one in figures.slices],
        )


def _percentiles(found: dict[int, dict[int, timedelta]]) -> list[Percentiles]:
    names = {int(level): level.name.lower() for level in Level}
    return [
        Percentiles(
            priority=priority,
            level=names.get(priority),
            p50_seconds=_seconds(values.get(50)),
            p90_seconds=_seconds(values.get(90)),
            p99_seconds=_seconds(values.get(99)),
        )
        for priority, values in sorted(found.items())
    ]


def _seconds(duration: timedelta | None) -> float | None:
    return None if duration is None else duration.total_seconds()
