"""What happens to a run once it is in the queue: it ends, is cancelled, given back, or found without a worker."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ade.database import builds, endings, finishing, plans, runs, waiting
from ade.database.builds import BuildRow
from ade.database.control import lock_dispatch
from ade.database.endings import Lost
from ade.database.events import record_audit
from ade.database.finishing import Finished
from ade.database.runs import RunRow
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.build import BuildStatus
from ade.domain.plan import PlanStatus
from ade.domain.queue import Claim, Ending, Failure, QueueRules
from ade.domain.run import FINISHED, FailureCode, RunStatus
from ade.errors import LeaseLost, NotFound, RunFinished
from ade.operations.wake import wake_workers


def succeed_run(tx: Transaction, claim: Claim, **facts: Any) -> RunStatus:
    """End a run well and let go on what waited for it; raise LeaseLost when another worker may own it.

    A run someone asked to cancel is cancelled, however far it got: that was the promise to who asked.
    """
    return finish_run(tx, Ending(claim=claim, facts=facts))


def fail_run(tx: Transaction, claim: Claim, failure: Failure, **facts: Any) -> RunStatus:
    """End a run badly and everything that depends on it; raise LeaseLost when another worker may own it."""
    return finish_run(tx, Ending(claim=claim, failure=failure, facts=facts))


def finish_run(tx: Transaction, ending: Ending) -> RunStatus:
    """End a run as its worker found it to end; raise LeaseLost when another worker may own it."""
    finished = finish_runs(tx, [ending])
    if not finished:
        raise LeaseLost(f"Run {ending.claim.id} is not held under claim {ending.claim.token} any more.")
    wake_workers(tx)
    return finished[0].status


def finish_runs(
    tx: Transaction, endings: Sequence[Ending], *, meanwhile: Callable[[], None] | None = None
) -> list[Finished]:
    """End the runs whose claims still hold and let go on what waited for them; the rest is lost to their worker.

    Wakes nobody but for what was let go on: who calls this frees slots, and knows whether they are filled at once.
    `meanwhile` may ask what else is to be read under the lock.
    """
    if not endings:
        return []
    finish: list[Callable[[], list[Finished]]] = []

    def ask() -> None:
        finish.append(finishing.ask_to_finish(tx, endings))
        if meanwhile is not None:
            meanwhile()

    lock_dispatch(tx, closed=len(endings), meanwhile=ask)
    finished = finish[0]()
    if lost_count := len(endings) - len(finished):
        lock_dispatch(tx, closed=-lost_count)
    for run in finished:
        _let_go_on(tx, run)
    return finished


def _let_go_on(tx: Transaction, run: Finished) -> None:
    """Let the document's next run come forward if there is one, and move the plan on."""
    if run.has_sibling:
        waiting.unpark_document(tx, run.input_document_id)
    _move_plan_on(tx, run)
    if run.has_let_go:
        wake_workers(tx)


def _ended(tx: Transaction, run: RunRow | None, claim: Claim) -> RunStatus:
    if run is None:
        raise LeaseLost(f"Run {claim.id} is not held under claim {claim.token} any more.")
    _after_ending(tx, run)
    return RunStatus(run.status)


def _after_ending(tx: Transaction, run: RunRow) -> None:
    """Let the document's next run come forward, and move the plan on."""
    waiting.unpark_document(tx, run.input_document_id)
    _move_plan_on(tx, run)
    wake_workers(tx)


def _move_plan_on(tx: Transaction, run: RunRow | Finished) -> None:
    if run.plan_id is None:
        return
    if run.status == RunStatus.SUCCEEDED:
        if not waiting.release_phase(tx, run.plan_id, run.phase + 1):
            plans.move(tx, run.plan_id, to=PlanStatus.SUCCEEDED)
        return
    failure = None
    if run.status == RunStatus.FAILED:
        message = f"Phase {run.phase} failed, so this phase has no input. Mend it, then submit the plan again."
        failure = Failure(code=FailureCode.EARLIER_PHASE_FAILED, message=message)
    ended = endings.end_later_phases(tx, run.plan_id, run.phase, failure)
    close_runs(tx, ended)
    plans.move(tx, run.plan_id, to=PlanStatus.FAILED if failure else PlanStatus.CANCELLED)


def close_runs(tx: Transaction, ended: list[RunRow]) -> None:
    """Count runs that ended while they waited, and let the next ones of their documents come forward."""
    if not ended:
        return
    lock_dispatch(tx, closed=len(ended))
    # Not each of them: thousands may wait for one build, and the whole queue waits meanwhile.
    for document_id in waiting.having_parked_runs(tx, {run.input_document_id for run in ended}):
        waiting.unpark_document(tx, document_id)
    wake_workers(tx)


def cancel_run(tx: Transaction, run_id: str, *, actor: Actor, reason: str | None = None) -> RunStatus:
    """Cancel a queued run at once, or ask the worker to stop a running one; return the status it now has."""
    lock_dispatch(tx)
    run = runs.get(tx, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    if run.status in FINISHED:
        raise RunFinished(f"The run has ended already ({run.status}); there is nothing to cancel.")
    audit_change(tx, actor, run, action="run.cancel", changes={"status": [run.status, "cancelled"]}, reason=reason)
    cancelled = endings.cancel_queued(tx, run_id)
    if cancelled is None:
        endings.request_cancel(tx, run_id)
        wake_workers(tx)
        return RunStatus.RUNNING
    lock_dispatch(tx, closed=1)
    _after_ending(tx, cancelled)
    return RunStatus.CANCELLED


def give_back_run(tx: Transaction, claim: Claim) -> RunStatus:
    """Return a run to its place, unharmed, because its worker stops; raise LeaseLost when another may own it."""
    lock_dispatch(tx)
    if endings.cancel_requested(tx, claim.id, claim.token):
        lock_dispatch(tx, closed=1)
        return _ended(tx, endings.cancel_held(tx, claim.id, claim.token), claim)
    run = endings.give_back(tx, claim.id, claim.token)
    if run is None:
        raise LeaseLost(f"Run {claim.id} is not held under claim {claim.token} any more.")
    _back_in_place(tx, run)
    wake_workers(tx)
    return RunStatus.QUEUED


def hand_back_run(tx: Transaction, claim: Claim, failure: Failure, *, rules: QueueRules) -> bool:
    """Return a run that its host failed to its place, where another may have it; tell whether it was.

    The claim counts. A run on its last one is left to be ended, as is one that somebody cancelled or that was lost.
    """
    lock_dispatch(tx)
    if endings.cancel_requested(tx, claim.id, claim.token):
        return False
    run = endings.hand_back(tx, claim.id, claim.token, failure, most_claims=rules.max_claims)
    if run is None:
        return False
    _back_in_place(tx, run)
    wake_workers(tx)
    return True


def _back_in_place(tx: Transaction, run: RunRow) -> None:
    """See to a run that stands at its old place again."""
    # Another run of its document may be the better one by now.
    waiting.unpark_document(tx, run.input_document_id)
    build = builds.get(tx, run.build_id)
    if build is None or build.status == BuildStatus.READY:
        return
    if build.status in {BuildStatus.FAILED, BuildStatus.CANCELLED}:
        fail_runs_of_build(tx, build.id)  # it ended while this ran; nobody would make it again
    else:
        builds.hurry(tx, build.id, effective_priority=run.effective_priority)


def recover_lost(tx: Transaction, lost: Lost, *, rules: QueueRules) -> RunRow | None:
    """Do what is due with a run whose worker is gone: cancel, fail or queue it again; None when the worker lives."""
    run = lost.run
    if run.cancel_requested_at is not None:
        return _close_lost(tx, endings.cancel_lost(tx, lost))
    if run.deadline_at < tx.now <= run.lease_expires_at and not lost.is_worker_dead:  # it lives and does not end it
        return _close_lost(tx, endings.fail_lost(tx, lost, _timed_out(rules)))
    if run.claim_count >= rules.max_claims:
        return _close_lost(tx, endings.fail_lost(tx, lost, _terminated(run.claim_count)))
    requeued = endings.requeue_lost(tx, lost)
    if requeued is not None:
        _back_in_place(tx, requeued)
    return requeued


def _close_lost(tx: Transaction, run: RunRow | None) -> RunRow | None:
    if run is not None:
        lock_dispatch(tx, closed=1)
        _after_ending(tx, run)
    return run


def _timed_out(rules: QueueRules) -> Failure:
    seconds = int(rules.run_timeout.total_seconds())
    message = (
        f"The run took longer than {seconds} s and was stopped. Raise ADE_RUN_TIMEOUT_SECONDS or split the document."
    )
    return Failure(code=FailureCode.TIMED_OUT, message=message)


def _terminated(claim_count: int) -> Failure:
    times = "once" if claim_count == 1 else f"{claim_count} times"
    message = f"The worker died while running this, {times}. Look at the worker's log, then run it again."
    return Failure(code=FailureCode.PROCESS_TERMINATED, message=message)


def audit_change(
    tx: Transaction,
    actor: Actor,
    run: RunRow,
    *,
    action: str,
    changes: Mapping[str, list[Any]],
    reason: str | None = None,
) -> None:
    """Write who changed what of a run."""
    subjects = [(run.id, run.workspace_id, changes)]
    record_audit(tx, actor, action=action, subject_kind="run", subjects=subjects, reason=reason)


def audit_build(
    tx: Transaction, actor: Actor, build: BuildRow, *, action: str, changes: Mapping[str, list[Any]]
) -> None:
    """Write who changed what of a build."""
    subjects = [(build.id, build.workspace_id, changes)]
    record_audit(tx, actor, action=action, subject_kind="build", subjects=subjects)


def fail_runs_of_build(tx: Transaction, build_id: str) -> None:
    """Fail the runs that wait for a build that failed or was cancelled, with its own message."""
    build = builds.get(tx, build_id)
    message = build.failure_message if build is not None and build.failure_message else "The build was cancelled."
    failed = endings.fail_waiting_on_build(tx, build_id, message)
    close_runs(tx, failed)
    for run in failed:
        _move_plan_on(tx, run)
