"""What the API sends, typed; what a newer server adds is left out."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar

T = TypeVar("T", bound="Model")
FINISHED = frozenset({"succeeded", "failed", "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """Something the API sent."""

    @classmethod
    def of(cls: type[T], received: Mapping[str, Any]) -> T:
        """Take what is known of an answer."""
        return cls(**{field.name: received.get(field.name) for field in fields(cls)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace(Model):
    """Where people work together."""

    id: str
    slug: str
    name: str
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Model):
    """A file someone uploaded."""

    id: str
    workspace_id: str
    name: str
    media_type: str
    size_bytes: int
    sha256: str
    sheets: list[dict[str, Any]]
    encoding: str | None
    tags: list[str]
    duplicate_of: str | None
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration(Model):
    """A folder of rules, with versions."""

    id: str
    workspace_id: str
    name: str
    published_version: int | None
    draft_version: int | None
    created_at: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a folder that was pushed: the version that has its files, and whether it is a draft."""

    configuration_id: str
    name: str
    version: int
    is_draft: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReport(Model):
    """How the cases of a draft came out."""

    status: str
    build_id: str | None
    cases: list[dict[str, Any]]
    failure: str | None

    @property
    def is_running(self) -> bool:
        """Return whether it is worth asking again."""
        return self.status in {"queued", "building"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run(Model):
    """One document processed by one version of a configuration."""

    id: str
    workspace_id: str
    configuration_id: str
    configuration_name: str
    version: int
    input_document_id: str
    document_name: str
    build_id: str
    status: str
    waiting_for: str | None
    waiting_reason: str | None
    position: int | None
    estimated_start_at: str | None
    priority: int
    effective_priority: int
    memory_mb: int | None
    cpu_count: float | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    failure: dict[str, Any] | None
    verdict: str | None
    verdict_reason: str | None
    fit: float | None
    metrics: dict[str, Any] | None
    links: dict[str, str]

    @property
    def is_finished(self) -> bool:
        """Return whether it has ended."""
        return self.status in FINISHED

    @property
    def issue_count(self) -> int | None:
        """Return how many issues were found in the data, once it has succeeded; rules could have sent any summary."""
        found: Any = self.metrics
        for name in ("summary", "issues", "total"):
            found = found.get(name) if isinstance(found, dict) else None
        return found if isinstance(found, int) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedRun(Model):
    """A run that waits, in its place."""

    run_id: str
    position: int
    priority: int
    effective_priority: int
    waiting_for: str
    waiting_reason: str
    estimated_start_at: str | None
    document_name: str
    configuration_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker(Model):
    """A process that claims runs and builds."""

    id: str
    name: str
    host: str
    version: str
    slots: int
    running: list[str]
    isolation: str | None
    idle_reason: str | None
    is_alive: bool
    heartbeat_at: str
    drain_requested_at: str | None
    stopped_at: str | None

    @property
    def state(self) -> str:
        """Return how it is, in a word."""
        if self.stopped_at is not None:
            return "stopped"
        if not self.is_alive:
            return "silent"
        return "draining" if self.drain_requested_at is not None else "at work"

    @property
    def running_count(self) -> int:
        """Return how many runs it executes now."""
        return len(self.running)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Model):
    """Something that may not start for now."""

    id: str
    scope: str
    value: str | None
    reason: str
    created_by: str | None
    created_at: str

    @property
    def what(self) -> str:
        """Return what is held back, in words."""
        return "everything" if self.value is None else f"{self.scope} {self.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Build(Model):
    """The environment of one state of a configuration."""

    id: str
    workspace_id: str
    configuration_id: str
    configuration_name: str
    version: int
    fingerprint: str
    status: str
    waiting_run_count: int
    created_at: str
    started_at: str | None
    finished_at: str | None
    worker: str | None
    failure: dict[str, Any] | None
    size_bytes: int | None

    @property
    def message(self) -> str | None:
        """Return why it failed, if it did."""
        return (self.failure or {}).get("message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Corrections that an operator made for one document, and what an author says to them."""

    id: str  # of the run
    configuration_id: str
    configuration_name: str
    input_document_id: str
    document_name: str
    created_at: str
    by: str
    corrections: list[dict[str, Any]]
    before: str | None  # the verdict on the result that was corrected
    verdict: str | None
    state: str
    decided_by: str | None
    note: str | None

    @classmethod
    def of(cls, received: Mapping[str, Any]) -> "Proposal":
        """Take what is known of an answer."""
        run = received["run"]
        corrections, proposal = list(run["corrections"] or ()), run["proposal"] or {}
        return cls(
            **{name: run.get(name) for name in _OF_RUN},
            by=", ".join(dict.fromkeys(str(one.get("by") or "-") for one in corrections)),
            corrections=corrections,
            before=(received.get("before") or {}).get("verdict"),
            state=str(proposal.get("state")),
            decided_by=proposal.get("decided_by"),
            note=proposal.get("note"),
        )

    @property
    def count(self) -> int:
        """Return how many corrections there are."""
        return len(self.corrections)


_OF_RUN = (
    "id", "configuration_id", "configuration_name", "input_document_id", "document_name", "created_at", "verdict",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow(Model):
    """Who changed what, when and why."""

    position: int
    at: str
    actor_kind: str
    actor_name: str
    workspace_id: str | None
    action: str
    subject_kind: str
    subject_id: str
    changes: dict[str, list[Any]]
    reason: str | None
    trace_id: str | None

    @property
    def subject(self) -> str:
        """Return what was changed, in words."""
        return f"{self.subject_kind} {self.subject_id}"

    @property
    def what(self) -> str:
        """Return the changes in words."""
        return ", ".join(f"{name}: {before} → {after}" for name, (before, after) in self.changes.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(Model):
    """An address that gets a message when runs end; `secret` is there just after it was made."""

    id: str
    workspace_id: str
    url: str
    statuses: list[str]
    is_disabled: bool
    created_by: str | None
    created_at: str
    secret: str | None

    @property
    def tells(self) -> str:
        """Return which endings it gets a message of."""
        return "nothing (disabled)" if self.is_disabled else ", ".join(self.statuses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery(Model):
    """A message of a webhook, and what became of it."""

    id: str
    run_id: str | None
    type: str
    status: str
    attempt_count: int
    next_attempt_at: str | None
    answered_status: int | None
    error: str | None
    created_at: str
    delivered_at: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Model):
    """Someone who belongs to a workspace."""

    user_id: str
    email: str
    name: str
    role: str
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a run."""

    seq: int
    at: str
    type: str
    data: dict[str, Any]

    @classmethod
    def of(cls, received: Mapping[str, Any]) -> "Event":
        """Take an event as the API sends it."""
        return cls(seq=received["seq"], at=received["at"], type=received["type"], data=dict(received))
