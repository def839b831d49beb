"""How the database must stand after every step, whatever the step was."""

from collections import Counter
from collections.abc import Iterator

from ade.domain.order import UNITS_PER_MICROSECOND
from ade.domain.run import Block
from simulation.record import Did, Ledger
from simulation.state import KNOWN_CAUSES, Run, State


def check(did: Did, before: State, after: State, ledger: Ledger) -> list[str]:
    """Return what is wrong with a state."""
    return [
        *_limits(after, ledger),
        *_documents(after),
        *_plans(after),
        *_builds(after),
        *(sentence for run in after.queued for sentence in (*_known_causes(run, after), *_lazy_causes(run, after))),
        *(sentence for run in after.queued for sentence in _keys(run, before.runs.get(run.id), ledger)),
    ]


def _limits(after: State, ledger: Ledger) -> Iterator[str]:
    open_count = sum(run.is_open for run in after.runs.values())
    if after.dispatch.open_run_count != open_count:
        yield f"{open_count} runs are open, the counter says {after.dispatch.open_run_count}"
    if open_count > ledger.rules.queue_size:
        yield f"{open_count} runs are open, {ledger.rules.queue_size} may be"
    if ledger.rules.max_running and len(after.running) > ledger.rules.max_running:
        yield f"{len(after.running)} runs run, {ledger.rules.max_running} may"


def _documents(after: State) -> Iterator[str]:
    for document, count in Counter(run.input_document_id for run in after.running).items():
        if count > 1:
            yield f"document {document} has {count} running runs"


def _plans(after: State) -> Iterator[str]:
    phases: dict[str, list[Run]] = {plan_id: [] for plan_id in after.plans}
    for run in after.runs.values():
        if run.plan_id is not None:
            phases[run.plan_id].append(run)
    for plan in after.plans.values():
        statuses = [run.status for run in phases[plan.id]]
        if plan.status == "succeeded" and set(statuses) != {"succeeded"}:
            yield f"plan {plan.id} succeeded with phases {statuses}"
        if plan.status == "active" and {"failed", "cancelled"} & set(statuses):
            yield f"plan {plan.id} is active with phases {statuses}"
        if plan.status == "active" and set(statuses) == {"succeeded"}:
            yield f"plan {plan.id} is active although every phase succeeded"


def _builds(after: State) -> Iterator[str]:
    """A build is as urgent as the most urgent run that waits for it, or its runs starve behind it."""
    most_urgent: dict[str, Run] = {}
    for run in after.queued:
        most_urgent.setdefault(run.build_id, run)
    for build_id, run in most_urgent.items():
        build = after.builds[build_id]
        level = build.effective_priority
        if build.is_open and level > run.effective_priority:
            yield f"build {build.id} stands at {level}, run {run.id} waits for it at {run.effective_priority}"


def _known_causes(run: Run, after: State) -> Iterator[str]:
    build = after.builds[run.build_id]
    if build.status in {"failed", "cancelled"}:
        yield f"run {run.id} waits for build {build.id}, which {build.status}"
    if bool(run.block_mask & Block.BUILD) != (build.status != "ready"):
        yield f"run {run.id} has block {run.block_mask}, its build is {build.status}"
    if bool(run.block_mask & Block.EARLIER_PHASE) != _waits_for_phase(run, after):
        yield f"run {run.id} has block {run.block_mask}, phase {run.phase} of its plan"
    if run.block_mask & Block.SCHEDULED and run.scheduled_at is None:
        yield f"run {run.id} waits for a time nobody set"
    if not run.block_mask & KNOWN_CAUSES and run.ready_at is None:
        yield f"run {run.id} is ready since nobody knows when"


def _waits_for_phase(run: Run, after: State) -> bool:
    if run.phase <= 1:
        return False
    earlier = [other for other in after.runs.values() if other.plan_id == run.plan_id and other.phase == run.phase - 1]
    return any(other.status != "succeeded" for other in earlier)


def _lazy_causes(run: Run, after: State) -> Iterator[str]:
    """A run parked when a claim met it needs a cause that will let it go on: nobody else looks at it."""
    if run.block_mask & Block.PAUSED and not any(pause.covers(run) for pause in after.pauses):
        yield f"run {run.id} is parked as paused, and no pause covers it"
    if run.block_mask & Block.CAPACITY and run.workspace_id not in after.caps:
        yield f"run {run.id} is parked for a cap its workspace does not have"
    if run.block_mask == Block.DOCUMENT_BUSY and not _is_somebody_before(run, after):
        yield f"run {run.id} is parked behind its document, and nothing of the document runs or comes first"


def _is_somebody_before(run: Run, after: State) -> bool:
    """Return whether a run of the same document runs, or will be claimed before this one by every worker it fits."""
    if any(other.input_document_id == run.input_document_id for other in after.running):
        return True
    return any(
        other.input_document_id == run.input_document_id
        and _comes_forward(other, run, after)
        and other.place < run.place
        and other.needs_no_more_than(run)
        for other in after.queued
    )


def _comes_forward(other: Run, run: Run, after: State) -> bool:
    """Return whether one run may be claimed, or waits for nothing that does not hold the other back as well."""
    if other.block_mask == Block.PAUSED:
        return any(pause.covers(other) and pause.covers(run) for pause in after.pauses)
    return other.block_mask in {0, Block.CAPACITY}


def _keys(run: Run, earlier: Run | None, ledger: Ledger) -> Iterator[str]:
    """A ready run stands where its ready time puts it, unless a person or a neighbour's move put it elsewhere."""
    if run.placed_at is not None or run.id in ledger.respread or run.block_mask & KNOWN_CAUSES:
        return
    if run.ready_at is not None and run.order_key != run.ready_at * UNITS_PER_MICROSECOND:
        yield f"run {run.id} is ready since {run.ready_at} and stands at {run.order_key}"
    # One that came back to a build that no living worker could make was given another, and became ready with that.
    is_same_build = earlier is not None and earlier.build_id == run.build_id
    if earlier is not None and is_same_build and earlier.status == "running" and earlier.order_key != run.order_key:
        yield f"run {run.id} came back to another place"
