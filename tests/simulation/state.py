"""The whole database as plain values, read past the code under test."""

import json
import sqlite3
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ade.domain.run import Block

KNOWN_CAUSES = int(Block.SCHEDULED | Block.EARLIER_PHASE | Block.BUILD)


class Run(NamedTuple):
    """A row of runs; instants are microseconds."""

    id: str
    workspace_id: str
    input_document_id: str
    build_id: str
    plan_id: str | None
    status: str
    priority: int
    effective_priority: int
    order_key: int
    plan_sequence: int
    phase: int
    sequence: int
    block_mask: int
    scheduled_at: int | None
    ready_at: int | None
    placed_at: int | None
    ages_at: int | None
    started_at: int | None
    finished_at: int | None
    deadline_at: int | None
    cancel_requested_at: int | None
    claimed_by: str | None
    claim_token: int | None
    claim_count: int
    lease_expires_at: int | None
    memory_mb: int | None
    cpu_count: float | None
    failure_code: str | None
    file_key: str | None
    event_count: int

    @property
    def place(self) -> tuple[int, ...]:
        """Return where it stands in the order."""
        return (self.effective_priority, self.order_key, self.plan_sequence, self.phase, self.sequence)

    def needs_no_more_than(self, other: "Run") -> bool:
        """Return whether it fits wherever the other one fits."""
        memory, processors = (self.memory_mb or 0, other.memory_mb or 0), (self.cpu_count or 0, other.cpu_count or 0)
        return memory[0] <= memory[1] and processors[0] <= processors[1]

    @property
    def is_open(self) -> bool:
        """Return whether it waits or runs."""
        return self.status in {"queued", "running"}


class Build(NamedTuple):
    """A row of builds."""

    id: str
    configuration_id: str
    fingerprint: str
    surroundings: str
    status: str
    effective_priority: int
    order_key: int
    sequence: int
    claimed_by: str | None
    claim_token: int | None
    claim_count: int
    lease_expires_at: int | None
    deadline_at: int | None
    failure_code: str | None
    event_count: int

    @property
    def is_open(self) -> bool:
        """Return whether it waits or is being made."""
        return self.status in {"queued", "building"}


class Plan(NamedTuple):
    """A row of plans."""

    id: str
    status: str
    priority: int


class Worker(NamedTuple):
    """A row of workers."""

    id: str
    name: str
    slots: int
    heartbeat_at: int
    stopped_at: int | None


class Pause(NamedTuple):
    """A pause in force."""

    id: str
    scope: str
    value: str | None

    def covers(self, run: Run) -> bool:
        """Return whether it holds a run back."""
        facts = {"priority": str(run.priority), "workspace": run.workspace_id, "plan": run.plan_id}
        return self.scope == "all" or facts[self.scope] == self.value


class Dispatch(NamedTuple):
    """The dispatch row."""

    clock_at: int
    claim_sequence: int
    run_sequence: int
    order_version: int
    open_run_count: int
    recent_starts: str | None


class Event(NamedTuple):
    """An event, its data still as text."""

    position: int
    subject_kind: str
    subject_id: str
    sequence: int
    type: str
    at: int
    data: str

    def told(self, name: str) -> Any:
        """Return one word of what it tells."""
        return json.loads(self.data)[name]


class Audit(NamedTuple):
    """A row of the audit log."""

    position: int
    action: str
    subject_id: str


@dataclass
class State:
    """Everything at one moment, and what was told since the moment before."""

    runs: dict[str, Run]
    builds: dict[str, Build]
    plans: dict[str, Plan]
    workers: dict[str, Worker]
    pauses: list[Pause]
    caps: dict[str, int]
    dispatch: Dispatch
    upkeep_at: int
    last_event: int = 0
    last_audit: int = 0
    events: list[Event] = field(default_factory=list)
    audits: list[Audit] = field(default_factory=list)

    @property
    def contents(self) -> tuple[Any, ...]:
        """Return all that a step without effect must leave as it is."""
        rows = (self.runs, self.builds, self.plans, self.workers, self.pauses, self.caps)
        return (*rows, self.dispatch, self.upkeep_at, self.last_event, self.last_audit)

    @cached_property
    def queued(self) -> list[Run]:
        """Return the queued runs in order."""
        return sorted((run for run in self.runs.values() if run.status == "queued"), key=lambda run: run.place)

    @cached_property
    def running(self) -> list[Run]:
        """Return the running runs."""
        return [run for run in self.runs.values() if run.status == "running"]


def read(connection: sqlite3.Connection, before: State | None = None) -> State:
    """Read the database; events and audit rows only since the state before."""
    last_event, last_audit = (before.last_event, before.last_audit) if before else (0, 0)
    dispatch, upkeep = connection.execute(
        f"SELECT {', '.join(Dispatch._fields)} FROM queue_control ORDER BY name"
    ).fetchall()
    events = [Event._make(row) for row in _rows(connection, Event, "events", f"position > {last_event}")]
    audits = [Audit._make(row) for row in _rows(connection, Audit, "audit_log", f"position > {last_audit}")]
    return State(
        runs={row[0]: Run._make(row) for row in _rows(connection, Run, "runs")},
        builds={row[0]: Build._make(row) for row in _rows(connection, Build, "builds")},
        plans={row[0]: Plan._make(row) for row in _rows(connection, Plan, "plans")},
        workers={row[0]: Worker._make(row) for row in _rows(connection, Worker, "workers")},
        pauses=[Pause._make(row) for row in _rows(connection, Pause, "pauses", "lifted_at IS NULL")],
        caps=dict(connection.execute("SELECT id, max_running FROM workspaces WHERE max_running IS NOT NULL")),
        dispatch=Dispatch._make(dispatch),
        upkeep_at=upkeep[0],
        last_event=events[-1].position if events else last_event,
        last_audit=audits[-1].position if audits else last_audit,
        events=events,
        audits=audits,
    )


def _rows(connection: sqlite3.Connection, shape: Any, table: str, where: str = "1 = 1") -> list[tuple[Any, ...]]:
    columns = ", ".join(shape._fields)
    return connection.execute(f"SELECT {columns} FROM {table} WHERE {where} ORDER BY 1").fetchall()
