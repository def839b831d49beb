"""What a step did: statuses move along their transitions, events tell all of it, finished runs stay as they are."""

from collections.abc import Iterator

from ade.domain.build import BUILD_TRANSITIONS, BuildStatus
from ade.domain.order import one_level_up
from ade.domain.plan import PLAN_TRANSITIONS, PlanStatus
from ade.domain.run import FINISHED, RUN_TRANSITIONS, RunStatus
from simulation.record import Did, Holder, Ledger
from simulation.state import Event, Run, State

# The status an event leads to; other events leave it as it is.
LEADS_TO = {
    "run.queued": "queued",
    "run.claimed": "running",
    "run.requeued": "queued",
    "run.released": "queued",
    "run.succeeded": "succeeded",
    "run.failed": "failed",
    "run.cancelled": "cancelled",
    "build.queued": "queued",
    "build.claimed": "building",
    "build.requeued": "queued",
    "build.released": "queued",
    "build.ready": "ready",
    "build.failed": "failed",
    "build.cancelled": "cancelled",
}
AUDITED = {
    "run.aged": "run.aged",
    "run.priority_changed": "run.priority",
    "run.moved": "run.move",
    "run.cancel_requested": "run.cancel",
}


def check(did: Did, before: State, after: State, ledger: Ledger) -> list[str]:
    """Return what is wrong with the way from one state to the next; bring the record of holders up to date."""
    told: dict[tuple[str, str], list[Event]] = {}
    for event in after.events:
        told.setdefault((event.subject_kind, event.subject_id), []).append(event)
    found = [*_clock(before, after), *_finished_stay(before, after), *_plans(before, after), *_audits(after)]
    for (kind, subject_id), events in told.items():
        found += _numbers(kind, subject_id, events, before, after)
        found += _moves(kind, subject_id, events, before, after)
    for run in after.runs.values():
        found += _places(did, before.runs.get(run.id), run, told.get(("run", run.id), []), ledger)
    found += _silent_changes(before, after, told)
    _record_holders(did, after, ledger)
    return found


def _clock(before: State, after: State) -> Iterator[str]:
    if after.dispatch.clock_at < before.dispatch.clock_at:
        yield "the queue's clock went back"
    if after.dispatch.claim_sequence < before.dispatch.claim_sequence:
        yield "the tokens went back"
    if any(event.at < before.dispatch.clock_at for event in after.events):
        yield "an event is older than the queue's clock"


def _finished_stay(before: State, after: State) -> Iterator[str]:
    for run in before.runs.values():
        if run.status in FINISHED and after.runs.get(run.id) != run:
            yield f"run {run.id} had {run.status} and was changed: {after.runs.get(run.id)}"


def _plans(before: State, after: State) -> Iterator[str]:
    for plan in before.plans.values():
        status = after.plans[plan.id].status
        if status != plan.status and PlanStatus(status) not in PLAN_TRANSITIONS[PlanStatus(plan.status)]:
            yield f"plan {plan.id} went from {plan.status} to {status}"


def _audits(after: State) -> Iterator[str]:
    written = {(audit.action, audit.subject_id) for audit in after.audits}
    for event in after.events:
        if event.type in AUDITED and (AUDITED[event.type], event.subject_id) not in written:
            yield f"{event.type} of {event.subject_id} is not in the audit log"


def _numbers(kind: str, subject_id: str, events: list[Event], before: State, after: State) -> Iterator[str]:
    rows_before = before.runs if kind == "run" else before.builds
    rows_after = after.runs if kind == "run" else after.builds
    first = rows_before[subject_id].event_count + 1 if subject_id in rows_before else 1
    numbers = [event.sequence for event in events]
    if numbers != list(range(first, rows_after[subject_id].event_count + 1)):
        yield f"events of {kind} {subject_id} are numbered {numbers}, from {first} on"


def _moves(kind: str, subject_id: str, events: list[Event], before: State, after: State) -> Iterator[str]:
    rows_before = before.runs if kind == "run" else before.builds
    row = rows_before.get(subject_id)
    status = row.status if row else None
    for event in events:
        following = LEADS_TO.get(event.type, status)
        if status is not None and following != status and not _may_follow(kind, status, str(following)):
            yield f"{kind} {subject_id} went from {status} to {following}"
        status = following
    present = (after.runs if kind == "run" else after.builds)[subject_id].status
    if present != status:
        yield f"{kind} {subject_id} is {present}, but its events say {status}"


def _may_follow(kind: str, status: str, following: str) -> bool:
    if kind == "run":
        return RunStatus(following) in RUN_TRANSITIONS[RunStatus(status)]
    return BuildStatus(following) in BUILD_TRANSITIONS[BuildStatus(status)]


def _silent_changes(before: State, after: State, told: dict[tuple[str, str], list[Event]]) -> Iterator[str]:
    """Find changes of status or event count that no event tells about."""
    for kind, old, new in (("run", before.runs, after.runs), ("build", before.builds, after.builds)):
        for subject_id, row in new.items():
            earlier = old.get(subject_id)
            if (kind, subject_id) in told:
                continue
            if earlier is None:
                yield f"{kind} {subject_id} appeared without an event"
            elif (earlier.status, earlier.event_count, earlier.claim_token) != (
                row.status,
                row.event_count,
                row.claim_token,
            ):
                yield f"{kind} {subject_id} changed from {earlier.status} to {row.status} without an event"


def _places(did: Did, earlier: Run | None, run: Run, events: list[Event], ledger: Ledger) -> Iterator[str]:
    """Find runs that changed their place without anyone having asked for it."""
    if earlier is None or earlier == run:
        return
    kinds = {event.type for event in events}
    if earlier.order_key != run.order_key and not kinds & {"run.released", "run.moved"}:
        if did.kind != "move":
            yield f"run {run.id} changed its place during {did.kind}"
        ledger.respread.add(run.id)
    if earlier.effective_priority != run.effective_priority:
        yield from _levels(earlier, run, events)
    if earlier.placed_at is not None and earlier.order_key != run.order_key and did.kind != "move":
        yield f"run {run.id} lost the place a person gave it"


def _levels(earlier: Run, run: Run, events: list[Event]) -> Iterator[str]:
    level = earlier.effective_priority
    for event in events:
        if event.type == "run.aged":
            if earlier.ages_at is None or event.at < earlier.ages_at:
                yield f"run {run.id} aged before its time"
            if event.told("from") != level or event.told("to") != one_level_up(level):
                yield f"run {run.id} aged from {event.told('from')} to {event.told('to')}, standing at {level}"
            level = event.told("to")
        elif event.type == "run.priority_changed":
            level = event.told("priority")
    if level != run.effective_priority:
        yield f"run {run.id} stands at {run.effective_priority}, its events say {level}"


def _record_holders(did: Did, after: State, ledger: Ledger) -> None:
    for event in after.events:
        key = (event.subject_kind, event.subject_id)
        if event.type in {"run.claimed", "build.claimed"}:
            ledger.holders[key] = Holder(event.told("worker_id"), did.step)
        elif event.type in LEADS_TO:
            ledger.holders.pop(key, None)
