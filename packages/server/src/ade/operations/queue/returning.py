"""How runs and builds come back to the queue, and what is done with those whose worker is gone.

What it costs them is in the names. `return_uncounted`: nothing, as if it had not been claimed. `return_counted` and
`recover`: one of its claims, for something went wrong while it was at work.
"""

from collections.abc import Sequence

from ade.database.queue import builds, endings, waiting
from ade.database.queue.control import lock_dispatch
from ade.database.queue.endings import Lost
from ade.database.queue.kinds import KINDS, RUN, Changed, RunRow
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.build import BuildStatus
from ade.domain.queue import Claim, Failure, QueueRules, lease_lost, terminated, timed_out
from ade.domain.run import RunStatus
from ade.logs import get_logger
from ade.operations.queue.runs import close_run, fail_runs_of_build

log = get_logger()


def return_uncounted(tx: Transaction, claim: Claim) -> str:
    """Return a run or build to its place unharmed, because its worker stops; raise LeaseLost when another may own it.

    Return the status it has then: a run someone asked to cancel is cancelled instead.
    """
    lock_dispatch(tx)
    kind = KINDS[claim.kind]
    if kind is RUN and endings.is_cancel_requested(tx, claim):
        cancelled = endings.cancel_held(tx, claim)
        if cancelled is None:
            raise lease_lost(claim)
        close_run(tx, cancelled)
        return RunStatus.CANCELLED
    back = endings.return_uncounted(tx, kind, claim)
    if back is None:
        raise lease_lost(claim)
    if isinstance(back, RunRow):
        _back_in_place(tx, back)
    wake_workers(tx)
    return back.status


def return_counted(tx: Transaction, claim: Claim, failure: Failure, *, rules: QueueRules) -> bool:
    """Return a run or build that its host failed to its place, where another may have it; return whether it was.

    The claim counts. A run on its last claim is left to be ended, as is one that was cancelled or lost.
    """
    lock_dispatch(tx)
    kind = KINDS[claim.kind]
    if kind is RUN and endings.is_cancel_requested(tx, claim):
        return False
    back = endings.return_counted(tx, kind, claim, failure, most_claims=rules.max_claims)
    if back is None:
        return False
    if isinstance(back, RunRow):
        _back_in_place(tx, back)
    wake_workers(tx)
    return True


def recover(tx: Transaction, found: Sequence[Lost], *, rules: QueueRules) -> list[str]:
    """Deal with runs or builds whose worker is gone; return those that were."""
    recovered = [lost for lost in found if recover_lost(tx, lost, rules=rules)]
    for lost in recovered:
        happened = f"{lost.kind.name}.recovered"
        log.warning(happened, **{f"{lost.kind.name}_id": lost.row.id})
    return [lost.row.id for lost in recovered]


def recover_lost(tx: Transaction, lost: Lost, *, rules: QueueRules) -> bool:
    """Do what is due with what a dead worker held: cancel, fail or return it; return False when the worker lives."""
    row, kind = lost.row, lost.kind
    if lost.is_cancel_requested:
        return _end(tx, endings.cancel_lost(tx, lost))
    if row.deadline_at < tx.now <= row.lease_expires_at and not lost.is_worker_dead:  # it lives and does not end it
        seconds = rules.timeout_of(kind.name).total_seconds()
        return _end(tx, endings.fail_lost(tx, lost, timed_out(kind.name, seconds)))
    if row.claim_count >= rules.max_claims:
        return _end(tx, endings.fail_lost(tx, lost, terminated(kind.name, row.claim_count)))
    back = endings.return_lost(tx, lost)
    if isinstance(back, RunRow):
        _back_in_place(tx, back)
    return back is not None


def _end(tx: Transaction, ended: Changed | None) -> bool:
    """Do what follows the end of a run or build; return whether it ended."""
    if ended is None:
        return False
    if isinstance(ended, RunRow):
        close_run(tx, ended)
    else:
        fail_runs_of_build(tx, ended.id)
    return True


def _back_in_place(tx: Transaction, run: RunRow) -> None:
    """Do what is due for a run that is back at its old place."""
    # Another run of its document may be the better one by now.
    waiting.unpark_document(tx, run.input_document_id)
    build = builds.get(tx, run.build_id)
    if build is None or build.status == BuildStatus.READY:
        return
    if build.status in {BuildStatus.FAILED, BuildStatus.CANCELLED}:
        fail_runs_of_build(tx, build.id)  # it ended while this ran; nobody would make it again
    else:
        builds.hurry(tx, build.id, effective_priority=run.effective_priority)
