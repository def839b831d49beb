"""Submitting runs: one, many, again, or as a plan. All or none; nothing is executed here."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ade.database import plans, rejections, runs, workspaces
from ade.database.builds import BuildRow
from ade.database.control import lock_dispatch
from ade.database.prepared import Answer
from ade.database.transaction import Transaction
from ade.domain.build import BuildStatus
from ade.domain.order import order_key_at
from ade.domain.priority import DEFAULT_PRIORITY, HIGHEST, LOWEST
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.errors import Invalid, NotFound, QueueFull
from ade.operations.builds import BuildRequest, ask_build, get_or_create_build
from ade.operations.wake import wake_workers

MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run someone wants."""

    build: BuildRequest
    input_document_id: str
    priority: int = DEFAULT_PRIORITY
    scheduled_at: datetime | None = None
    submitted_by: str | None = None
    sheets: list[str] | None = None
    runtime_network_access: bool = False
    memory_mb: int | None = None
    cpu_count: float | None = None
    trace_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Phase:
    """Where a run stands in a plan."""

    plan_id: str | None = None
    plan_sequence: int = 0
    number: int = 0


def submit_run(tx: Transaction, request: RunRequest, *, rules: QueueRules) -> str:
    """Queue one run and return its id; raise QueueFull when there is no room."""
    return submit_runs(tx, [request], rules=rules)[0]


def submit_runs(tx: Transaction, requests: Sequence[RunRequest], *, rules: QueueRules) -> list[str]:
    """Queue up to 1000 runs in one transaction and return their ids, in order; raise QueueFull unless all fit."""
    return _submit(tx, requests, [_Phase()] * len(requests), rules=rules)


def submit_plan(
    tx: Transaction, phases: Sequence[RunRequest], *, workspace_id: str, priority: int, rules: QueueRules
) -> tuple[str, list[str]]:
    """Queue runs that depend on each other; each phase inherits the plan's priority and waits for the one before it."""
    if not phases:
        raise Invalid("A plan needs at least one phase.")
    dispatch = lock_dispatch(tx)
    plan_id, sequence = tx.new_id(), dispatch.number
    row = {
        "id": plan_id,
        "workspace_id": workspace_id,
        "sequence": sequence,
        "priority": priority,
        "created_at": tx.now,
    }
    plans.insert(tx, row)
    places = [_Phase(plan_id=plan_id, plan_sequence=sequence, number=number) for number in range(1, len(phases) + 1)]
    inherited = [replace(phase, priority=priority) for phase in phases]
    return plan_id, _submit(tx, inherited, places, rules=rules)


def run_again(tx: Transaction, run_id: str, *, build: BuildRequest, rules: QueueRules, **changes: Any) -> str:
    """Queue a new run of the same document; the old one stays as it is."""
    run = runs.get(tx, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    request = RunRequest(
        build=build,
        input_document_id=run.input_document_id,
        priority=run.priority,
        sheets=run.sheets,
        memory_mb=run.memory_mb,
        cpu_count=run.cpu_count,
    )
    return submit_run(tx, replace(request, **changes), rules=rules)


def _submit(
    tx: Transaction, requests: Sequence[RunRequest], phases: Sequence[_Phase], *, rules: QueueRules
) -> list[str]:
    if len(requests) > MOST_AT_ONCE:
        raise Invalid(f"At most {MOST_AT_ONCE} runs can be submitted at once; split the list.")
    if not requests:
        raise Invalid("Name at least one document to run.")
    if not all(HIGHEST <= request.priority <= LOWEST for request in requests):
        raise Invalid(f"A priority is a whole number from {HIGHEST} to {LOWEST}.")
    asked: dict[BuildRequest, Answer] = {}

    def ask() -> None:
        asked.update({build: ask_build(tx, build) for build in dict.fromkeys(request.build for request in requests)})

    dispatch = lock_dispatch(tx, opened=len(requests), meanwhile=ask)
    if dispatch.open_run_count > rules.queue_size:
        raise QueueFull(f"The queue holds {rules.queue_size} runs at most. Try again when some have finished.")
    if dispatch.open_run_count > rules.queue_size - rules.kept_size:
        _require_little(tx, requests[0].build.workspace_id, len(requests), rules=rules)
    first = dispatch.run_sequence - len(requests) + 1
    built: dict[BuildRequest, BuildRow] = {}
    for number, request in enumerate(requests):
        if request.build not in built:
            built[request.build] = get_or_create_build(
                tx,
                request.build,
                effective_priority=min(other.priority for other in requests if other.build == request.build),
                sequence=first + number,
                asked=asked[request.build],
            )
    rows = [
        _row(tx, request, phase, built[request.build], sequence=first + number, rules=rules)
        for number, (request, phase) in enumerate(zip(requests, phases, strict=True))
    ]
    runs.insert_runs(tx, rows)
    wake_workers(tx)
    return [row["id"] for row in rows]


def _require_little(tx: Transaction, workspace_id: str, count: int, *, rules: QueueRules) -> None:
    """Refuse runs of a workspace that has much in a queue that is nearly full: others must find room, too."""
    has = runs.count_open_of(tx, workspace_id, most=rules.kept_size + 1)
    if has + count > rules.kept_size and workspaces.are_several(tx):
        raise QueueFull(
            f"The queue is nearly full. Its last {rules.kept_size} places are for workspaces that have fewer runs in "
            "it. Try again when some of yours have finished."
        )


def _row(
    tx: Transaction, request: RunRequest, phase: _Phase, build: BuildRow, *, sequence: int, rules: QueueRules
) -> dict[str, Any]:
    blocks = _blocks(tx, request, phase, build)
    return {
        "id": tx.new_id(),
        "workspace_id": request.build.workspace_id,
        "configuration_id": request.build.configuration_id,
        "version_id": request.build.version_id,
        "input_document_id": request.input_document_id,
        "build_id": build.id,
        "plan_id": phase.plan_id,
        "plan_sequence": phase.plan_sequence,
        "phase": phase.number,
        "priority": request.priority,
        "effective_priority": request.priority,
        "order_key": order_key_at(tx.now),
        "sequence": sequence,
        "block_mask": int(blocks),
        "created_at": tx.now,
        "scheduled_at": request.scheduled_at,
        "ready_at": None if blocks else tx.now,
        "ages_at": max(tx.now, request.scheduled_at or tx.now) + rules.age_after,
        "submitted_by": request.submitted_by,
        "sheets": request.sheets,
        "runtime_network_access": request.runtime_network_access,
        "memory_mb": request.memory_mb,
        "cpu_count": request.cpu_count,
        "trace_id": request.trace_id,
    }


def _blocks(tx: Transaction, request: RunRequest, phase: _Phase, build: BuildRow) -> Block:
    blocks = Block(0)
    if build.status != BuildStatus.READY:
        blocks |= Block.BUILD
    if phase.number > 1:
        blocks |= Block.EARLIER_PHASE
    if request.scheduled_at is not None and request.scheduled_at > tx.now:
        blocks |= Block.SCHEDULED
    return blocks


def record_rejection(tx: Transaction, *, priority: int, count: int = 1) -> None:
    """Count a refused submission, in a transaction of its own: the refused one left nothing behind."""
    rejections.add(tx, priority=priority, count=count)
