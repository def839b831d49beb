"""Workers come and go."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ade.database.queue import endings, idle, runs, workers
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.queue.kinds import KINDS
from ade.database.queue.wakeups import wake_workers
from ade.database.queue.workers import WorkerRow
from ade.database.transaction import Transaction
from ade.domain.access import Actor, Caller
from ade.domain.queue import QueueRules
from ade.errors import NotFound
from ade.operations.queue.returning import recover
from ade.operations.queue.surroundings import here


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerFacts:
    """What a worker says of itself when it starts."""

    name: str
    host: str
    process_id: int
    version: str
    slots: int
    memory_mb: int | None = None  # for all its runs together
    cpu_count: float | None = None
    surroundings: str = field(default_factory=lambda: str(here()))
    isolation: str | None = None
    details: dict[str, Any] = field(default_factory=dict)


def register_worker(tx: Transaction, facts: WorkerFacts, *, rules: QueueRules) -> str:
    """Add a worker and recover at once what its dead predecessor of the same name still held; return its id.

    A name must be used by one living process at a time.
    """
    lock_dispatch(tx)
    for predecessor in workers.living_under(tx, facts.name):
        declare_dead(tx, predecessor, rules=rules)
    worker_id = tx.new_id()
    row = {
        "id": worker_id,
        "name": facts.name,
        "host": facts.host,
        "process_id": facts.process_id,
        "version": facts.version,
        "slots": facts.slots,
        "memory_mb": facts.memory_mb,
        "cpu_count": facts.cpu_count,
        "surroundings": facts.surroundings,
        "isolation": facts.isolation,
        "details": facts.details,
        "started_at": tx.now,
        "heartbeat_at": tx.now,
    }
    workers.insert(tx, row)
    idle.add(tx, worker_id)
    return worker_id


def declare_dead(tx: Transaction, worker_id: str, *, rules: QueueRules) -> None:
    """Recover what a worker holds without waiting for its leases; all it writes from now on is refused."""
    lock_dispatch(tx)
    workers.stop(tx, worker_id)
    idle.remove(tx, worker_id)
    for kind in KINDS.values():
        recover(tx, endings.left_by(tx, kind, worker_id), rules=rules)
    wake_workers(tx)


def retire_worker(tx: Transaction, worker_id: str) -> None:
    """Note that a worker stopped in good order; it may have been picked meanwhile, so others look instead."""
    lock_dispatch(tx)
    workers.stop(tx, worker_id)
    idle.remove(tx, worker_id)
    wake_workers(tx)


def list_workers(tx: Transaction, caller: Caller, *, stopped_since: datetime) -> list[tuple[WorkerRow, list[str]]]:
    """Return the workers at work and those that stopped lately, each with the runs it executes that the caller sees."""
    held: dict[str, list[str]] = {}
    for run_id, workspace_id, claimed_by in runs.running(tx):
        if caller.role_in(workspace_id) is not None:
            held.setdefault(claimed_by, []).append(run_id)
    return [(row, held.get(row.id, [])) for row in workers.listed(tx, stopped_since=stopped_since)]


def drain_worker(tx: Transaction, worker_id: str, *, actor: Actor) -> None:
    """Ask a worker to claim nothing more."""
    if not workers.request_drain(tx, worker_id):
        raise NotFound(f"There is no live worker {worker_id}.")
    subjects: list[tuple[str, str | None, dict[str, list[Any]]]] = [(worker_id, None, {})]
    record_audit(tx, actor, action="worker.drain", subject_kind="worker", subjects=subjects)
    wake_workers(tx)
