"""Workers, audit and settings, over the wire."""

from datetime import datetime
from typing import Any

from pydantic import Field

from ade.api.schemas.base import Answer, Id
from ade.database.queue.workers import WorkerRow
from ade.database.views import audit
from ade.domain.access import ActorKind
from ade.domain.isolation import Isolation


class Worker(Answer):
    """A process that claims runs and builds."""

    id: Id
    name: str
    host: str
    process_id: int
    version: str
    surroundings: str = Field(description="Engine, Python and platform of the builds it makes and uses.")
    slots: int
    memory_mb: int | None = Field(description="For all its runs together; a run that needs more never starts on it.")
    cpu_count: float | None = Field(description="For all its runs together, as `memory_mb`.")
    running: list[str] = Field(description="The runs it executes now.")
    isolation: Isolation | None
    details: dict[str, Any]
    idle_reason: str | None
    is_alive: bool = Field(description="Whether it sent a heartbeat recently.")
    started_at: datetime
    heartbeat_at: datetime
    drain_requested_at: datetime | None
    stopped_at: datetime | None

    @classmethod
    def of(cls, row: WorkerRow, *, running: list[str], is_alive: bool) -> "Worker":
        """Return the model of a row."""
        return cls.from_row(row, running=running, is_alive=is_alive)


class Workers(Answer):
    """The workers at work, and those that stopped lately."""

    items: list[Worker]


class AuditRow(Answer):
    """Who changed what, when and why."""

    position: int
    at: datetime
    actor_kind: ActorKind
    actor_id: str | None
    actor_name: str
    workspace_id: str | None
    action: str = Field(examples=["run.priority"])
    subject_kind: str
    subject_id: str
    changes: dict[str, list[Any]] = Field(description="By name: old and new value.")
    reason: str | None
    trace_id: str | None

    @classmethod
    def of(cls, row: audit.AuditRow) -> "AuditRow":
        """Return the model of a row."""
        return cls.from_row(row)


class Setting(Answer):
    """A knob of the deployment."""

    name: str = Field(examples=["ADE_QUEUE_SIZE"])
    value: str | bool | int | float | None
    default: str | bool | int | float | None
    description: str


class SettingsList(Answer):
    """What the operator decided; secrets are left out."""

    version: str
    engine_version: str
    database: str
    settings: list[Setting]
