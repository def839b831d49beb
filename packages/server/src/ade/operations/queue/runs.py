"""How runs end: by their worker, by a person, or with what they depend on. returning.py has how they come back."""

from collections.abc import Mapping
from typing import Any

from ade.database.queue import builds, endings, plans, runs, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.events import record_audit
from ade.database.queue.finishing import Finished
from ade.database.queue.kinds import BuildRow, RunRow
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.access import Actor
from ade.domain.plan import PlanStatus
from ade.domain.queue import Failure
from ade.domain.run import FINISHED, FailureCode, RunStatus
from ade.errors import NotFound, RunFinished


def unblock_after(tx: Transaction, finished: list[Finished], *, closed_count: int) -> None:
    """Unblock what waited for runs that ended.

    The lock counted `closed_count` as closed; those that did not end are lost to their worker, and stay open. Wakes
    workers only for what was unblocked: the caller frees slots, and knows whether they are filled at once.
    """
    if lost_count := closed_count - len(finished):
        lock_dispatch(tx, closed=-lost_count)
    for run in finished:
        _unblock_followers(tx, run)


def _unblock_followers(tx: Transaction, run: Finished) -> None:
    """Let the document's next run come forward if there is one, and move the plan on."""
    if run.has_sibling:
        waiting.unpark_document(tx, run.input_document_id)
    _move_plan_on(tx, run)
    if run.unblocks_others:
        wake_workers(tx)


def close_run(tx: Transaction, run: RunRow) -> None:
    """Do what follows the end of one run that was not counted yet: its document's next run, and its plan."""
    lock_dispatch(tx, closed=1)
    _after_ending(tx, run)


def _after_ending(tx: Transaction, run: RunRow) -> None:
    """Let the document's next run come forward, and move the plan on."""
    waiting.unpark_document(tx, run.input_document_id)
    _move_plan_on(tx, run)
    wake_workers(tx)


def _move_plan_on(tx: Transaction, run: RunRow | Finished) -> None:
    if run.plan_id is None:
        return
    if run.status == RunStatus.SUCCEEDED:
        if not waiting.unblock_phase(tx, run.plan_id, run.phase + 1):
            plans.move(tx, run.plan_id, to=PlanStatus.SUCCEEDED)
        return
    failure = None
    if run.status == RunStatus.FAILED:
        message = f"Phase {run.phase} failed, so this phase has no input. Fix it, then submit the plan again."
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
        raise RunFinished(f"The run has already ended ({run.status}); there is nothing to cancel.")
    audit_change(tx, actor, run, action="run.cancel", changes={"status": [run.status, "cancelled"]}, reason=reason)
    cancelled = endings.cancel_queued(tx, run_id)
    if cancelled is None:
        endings.request_cancel(tx, run_id)
        wake_workers(tx)
        return RunStatus.RUNNING
    close_run(tx, cancelled)
    return RunStatus.CANCELLED


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
