"""Says what the queue must look like, from the causes themselves and never from `block_mask`.

`expected_claims` works out what a claim must take; `problems` lists whatever is wrong with a database.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from ade.database.schema import builds, events, pauses, plans, queue_control, runs, workspaces
from ade.database.transaction import Transaction
from ade.domain.order import ORDER
from ade.domain.queue import QueueRules
from ade.domain.run import Block
from ade.operations.queue.claiming import Room

Row = sa.Row[Any]
PAGE = 200
_COLUMNS = (
    runs.c.id,
    runs.c.workspace_id,
    runs.c.plan_id,
    runs.c.input_document_id,
    runs.c.build_id,
    runs.c.priority,
    runs.c.memory_mb,
    runs.c.block_mask,
    runs.c.scheduled_at,
    *(runs.c[name] for name in ORDER),
)


@dataclass
class Causes:
    """Everything that can hold a run back, read afresh."""

    ready_builds: set[str]
    busy_documents: set[str]
    running_in: dict[str, int]
    caps: dict[str, int]
    pauses: list[tuple[str, str | None]]
    succeeded_phases: set[tuple[str, int]]
    now: Any

    @classmethod
    def read(cls, tx: Transaction) -> "Causes":
        running = tx.execute(sa.select(runs).where(runs.c.status == "running")).all()
        capped = tx.execute(sa.select(workspaces).where(workspaces.c.max_running.is_not(None))).all()
        ended = sa.select(runs.c.plan_id, runs.c.phase).where(runs.c.plan_id.is_not(None), runs.c.status == "succeeded")
        in_force = sa.select(pauses.c.scope, pauses.c.value).where(pauses.c.lifted_at.is_(None))
        return cls(
            ready_builds=set(tx.execute(sa.select(builds.c.id).where(builds.c.status == "ready")).scalars()),
            busy_documents={run.input_document_id for run in running},
            running_in={row.id: sum(run.workspace_id == row.id for run in running) for row in capped},
            caps={row.id: row.max_running for row in capped},
            pauses=[(row.scope, row.value) for row in tx.execute(in_force)],
            succeeded_phases={(row.plan_id, row.phase) for row in tx.execute(ended)},
            now=tx.now,
        )

    def lasting(self, run: Row) -> Block:
        """Return the causes that were known when the run was submitted and still hold."""
        found = Block(0)
        if run.build_id not in self.ready_builds:
            found |= Block.BUILD
        if run.phase > 1 and (run.plan_id, run.phase - 1) not in self.succeeded_phases:
            found |= Block.EARLIER_PHASE
        # Scheduled runs are let go by upkeep: between its ticks one may wait a little longer than its time.
        return found | (Block(run.block_mask) & Block.SCHEDULED)

    def is_paused(self, run: Row) -> bool:
        facts = {
            "all": None,
            "priority": str(run.priority),
            "workspace": run.workspace_id,
            "plan": run.plan_id,
        }
        return any(facts[scope] == value for scope, value in self.pauses)

    def has_room(self, run: Row) -> bool:
        return self.running_in.get(run.workspace_id, 0) < self.caps.get(run.workspace_id, 2**31)

    def start(self, run: Row) -> None:
        self.busy_documents.add(run.input_document_id)
        if run.workspace_id in self.running_in:
            self.running_in[run.workspace_id] += 1


def expected_claims(tx: Transaction, *, rules: QueueRules, room: Room) -> list[tuple[str, str]]:
    """Return (kind, id) of what a claim must take now, in order: go down the queue and take what may start."""
    causes = Causes.read(tx)
    if ("all", None) in causes.pauses:
        return []
    slots = room.slots
    if rules.max_running:
        running = sa.select(sa.func.count()).select_from(runs).where(runs.c.status == "running")
        slots = min(slots, rules.max_running - int(tx.execute(running).scalar_one()))
    taken: list[tuple[str, str]] = []
    memory_mb = room.memory_mb
    for kind, row in _in_order(tx):
        if len(taken) >= slots:
            break
        if kind == "run":
            needed = row.memory_mb or 0
            if not _may_start(row, causes) or needed > memory_mb:
                continue
            memory_mb -= needed
            causes.start(row)
        taken.append((kind, row.id))
    return taken


def _may_start(run: Row, causes: Causes) -> bool:
    return (
        not causes.lasting(run)
        and not causes.is_paused(run)
        and run.input_document_id not in causes.busy_documents
        and causes.has_room(run)
    )


def _in_order(tx: Transaction) -> Iterator[tuple[str, Row]]:
    """Yield queued builds and runs, best first; a build goes before a run of the same place."""
    waiting = tx.execute(
        sa.select(builds)
        .where(builds.c.status == "queued")
        .order_by(builds.c.effective_priority, builds.c.order_key, builds.c.sequence)
    ).all()
    queued_builds = list(waiting)
    for run in _queued_runs(tx):
        while queued_builds and _build_place(queued_builds[0]) <= (run.effective_priority, run.order_key):
            yield "build", queued_builds.pop(0)
        yield "run", run
    yield from (("build", build) for build in queued_builds)


def _build_place(build: Row) -> tuple[int, int]:
    return build.effective_priority, build.order_key


def _queued_runs(tx: Transaction) -> Iterator[Row]:
    columns = [runs.c[name] for name in ORDER]
    queued = sa.select(*_COLUMNS).where(runs.c.status == "queued").order_by(*columns)
    first = tx.execute(queued.limit(PAGE)).all()  # mostly enough: a claim needs the head of the queue
    yield from first
    if len(first) == PAGE:
        yield from tx.execute(queued).all()[PAGE:]


def problems(tx: Transaction) -> list[str]:
    """Return a sentence for everything that must not be."""
    causes = Causes.read(tx)
    queued = list(_queued_runs(tx))
    return [
        *_wrong_counts(tx),
        *_gaps(tx),
        *_busy_twice(tx),
        *_wrong_blocks(queued, causes),
        *_stranded_documents(queued, causes),
        *_hopeless(tx),
        *_wrong_plans(tx),
    ]


def _wrong_counts(tx: Transaction) -> Iterator[str]:
    told = tx.execute(sa.select(queue_control.c.open_run_count).where(queue_control.c.name == "dispatch")).scalar_one()
    counted = open_count(tx)
    if told != counted:
        yield f"open_run_count is {told}, but {counted} runs are open"


def open_count(tx: Transaction) -> int:
    """Count the runs that wait or run."""
    is_open = runs.c.status.in_(("queued", "running"))
    return int(tx.execute(sa.select(sa.func.count()).select_from(runs).where(is_open)).scalar_one())


def _gaps(tx: Transaction) -> Iterator[str]:
    """Events of each run and build must be numbered 1 to event_count."""
    found = tx.execute(
        sa.select(
            events.c.subject_id,
            sa.func.count().label("number"),
            sa.func.min(events.c.sequence).label("first"),
            sa.func.max(events.c.sequence).label("last"),
        ).group_by(events.c.subject_id)
    ).all()
    told = {row.subject_id: (row.number, row.first, row.last) for row in found}
    for table in (runs, builds):
        for row in tx.execute(sa.select(table.c.id, table.c.event_count)):
            wanted = (row.event_count, 1, row.event_count)
            if row.event_count and told.get(row.id) != wanted:
                yield f"{table.name} {row.id}: events (number, first, last) are {told.get(row.id)}, not {wanted}"


def _busy_twice(tx: Transaction) -> Iterator[str]:
    twice = (
        sa.select(runs.c.input_document_id)
        .where(runs.c.status == "running")
        .group_by(runs.c.input_document_id)
        .having(sa.func.count() > 1)
    )
    yield from (f"document {document} has several running runs" for document in tx.execute(twice).scalars())


def _wrong_blocks(queued: list[Row], causes: Causes) -> Iterator[str]:
    """A bit must have its cause: one without is a run that waits for nothing, for ever."""
    lasting = Block.SCHEDULED | Block.EARLIER_PHASE | Block.BUILD
    for run in queued:
        mask = Block(run.block_mask)
        if mask & lasting != causes.lasting(run):
            yield f"run {run.id} has {mask!r}, but its causes are {causes.lasting(run)!r}"
        if Block.PAUSED in mask and not causes.is_paused(run):
            yield f"run {run.id} is parked for a pause that does not cover it"
        if Block.CAPACITY in mask and run.workspace_id not in causes.caps:
            yield f"run {run.id} is parked for the cap of a workspace that has none"


def _stranded_documents(queued: list[Row], causes: Causes) -> Iterator[str]:
    """A parked sibling of a free document must have one before it that will wake it when it ends."""
    open_heads: dict[str, list[Row]] = {}
    for run in queued:  # in order
        if run.input_document_id in causes.busy_documents or causes.lasting(run):
            continue
        ahead = open_heads.setdefault(run.input_document_id, [])
        if run.block_mask == Block.DOCUMENT_BUSY and not _has_waker(run, ahead, causes):
            yield f"run {run.id} is parked behind a document that nobody works on"
        ahead.append(run)


def _has_waker(run: Row, ahead: list[Row], causes: Causes) -> bool:
    """Return whether some run before it is ready, or held back by the same cause as this one."""
    for other in ahead:
        if other.block_mask == 0:
            return True
        if other.block_mask == Block.PAUSED and causes.is_paused(run):
            return True
        if other.block_mask == Block.CAPACITY and run.workspace_id == other.workspace_id:
            return True
    return False


def _hopeless(tx: Transaction) -> Iterator[str]:
    ended = sa.select(builds.c.id).where(builds.c.status.in_(("failed", "cancelled")))
    hopeless = sa.select(runs.c.id).where(runs.c.status == "queued", runs.c.build_id.in_(ended))
    yield from (f"run {run_id} waits for a build that failed" for run_id in tx.execute(hopeless).scalars())


def _wrong_plans(tx: Transaction) -> Iterator[str]:
    is_open = sa.exists().where(runs.c.plan_id == plans.c.id, runs.c.status.in_(("queued", "running")))
    stuck = sa.select(plans.c.id).where(plans.c.status == "active", sa.not_(is_open))
    yield from (f"plan {plan_id} is active without a phase to come" for plan_id in tx.execute(stuck).scalars())
