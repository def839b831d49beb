"""Builds in the queue: made once per fingerprint, and what their end means for the runs that wait."""

from dataclasses import dataclass, field
from typing import Any

from ade.database import build_endings, builds, runs, waiting
from ade.database.build_endings import LostBuild
from ade.database.builds import BuildRow
from ade.database.control import lock_dispatch
from ade.database.prepared import Answer
from ade.database.transaction import Transaction
from ade.domain.build import BuildStatus
from ade.domain.order import order_key_at
from ade.domain.queue import Claim, Failure, QueueRules
from ade.domain.run import FailureCode
from ade.errors import LeaseLost, NotFound
from ade.operations.runs import fail_runs_of_build
from ade.operations.surroundings import here
from ade.operations.wake import wake_workers


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """Which build a run needs."""

    workspace_id: str
    configuration_id: str
    version_id: str
    fingerprint: str
    surroundings: str = field(default_factory=lambda: str(here()))


def ask_build(tx: Transaction, request: BuildRequest) -> Answer:
    """Ask for the build of a request, so that other questions can be asked meanwhile."""
    return builds.ask(tx, configuration_id=request.configuration_id, fingerprint=request.fingerprint)


def get_or_create_build(
    tx: Transaction, request: BuildRequest, *, effective_priority: int, sequence: int, asked: Answer | None = None
) -> BuildRow:
    """Return the one build of a fingerprint, queued again if it failed, was cancelled or was removed before.

    `asked` is the question for it, where it was asked under the queue's lock already.
    """
    lock_dispatch(tx)
    found: BuildRow | None = next(iter((asked or ask_build(tx, request))()), None)
    if found is None:
        return _create(tx, request, effective_priority=effective_priority, sequence=sequence)
    if found.status in {BuildStatus.FAILED, BuildStatus.CANCELLED, BuildStatus.REMOVED}:
        build_endings.make_again(tx, found.id, effective_priority=effective_priority, order_key=order_key_at(tx.now))
    elif found.status in {BuildStatus.QUEUED, BuildStatus.BUILDING}:
        builds.hurry(tx, found.id, effective_priority=effective_priority)
    else:
        return found
    again = builds.get(tx, found.id)
    if again is None:
        raise NotFound(f"There is no build {found.id}.")
    return again


def _create(tx: Transaction, request: BuildRequest, *, effective_priority: int, sequence: int) -> BuildRow:
    return builds.insert_or_find(
        tx,
        {
            "id": tx.new_id(),
            "workspace_id": request.workspace_id,
            "configuration_id": request.configuration_id,
            "version_id": request.version_id,
            "fingerprint": request.fingerprint,
            "surroundings": request.surroundings,
            "effective_priority": effective_priority,
            "order_key": order_key_at(tx.now),
            "sequence": sequence,
            "created_at": tx.now,
            "queued_at": tx.now,
        },
    )


def finish_build(tx: Transaction, claim: Claim, **facts: Any) -> None:
    """Make a build ready and let its runs go on; raise LeaseLost when another worker may own it."""
    lock_dispatch(tx)
    if build_endings.make_ready(tx, claim.id, claim.token, **facts) is None:
        raise LeaseLost(f"Build {claim.id} is not held under claim {claim.token} any more.")
    waiting.release_build(tx, claim.id)
    wake_workers(tx)


def fail_build(tx: Transaction, claim: Claim, failure: Failure, **facts: Any) -> None:
    """Fail a build and the runs that wait for it; raise LeaseLost when another worker may own it."""
    lock_dispatch(tx)
    if build_endings.fail(tx, claim.id, claim.token, failure, **facts) is None:
        raise LeaseLost(f"Build {claim.id} is not held under claim {claim.token} any more.")
    fail_runs_of_build(tx, claim.id)


def give_back_build(tx: Transaction, claim: Claim) -> None:
    """Return a build to the queue because its worker stops; raise LeaseLost when another may own it."""
    lock_dispatch(tx)
    if build_endings.give_back(tx, claim.id, claim.token) is None:
        raise LeaseLost(f"Build {claim.id} is not held under claim {claim.token} any more.")
    wake_workers(tx)


def hand_back_build(tx: Transaction, claim: Claim, failure: Failure, *, rules: QueueRules) -> bool:
    """Return a build that its host failed to the queue, unless this was its last claim; tell whether it was."""
    lock_dispatch(tx)
    if build_endings.hand_back(tx, claim.id, claim.token, failure, most_claims=rules.max_claims) is None:
        return False
    wake_workers(tx)
    return True


def cancel_build(tx: Transaction, build_id: str) -> None:
    """Cancel a build and fail the runs that wait for it."""
    lock_dispatch(tx)
    if build_endings.cancel(tx, build_id) is None:
        raise NotFound(f"There is no build {build_id} that waits or is being made.")
    fail_runs_of_build(tx, build_id)


def rebuild(tx: Transaction, build_id: str) -> None:
    """Make a ready build again because its files are gone; its queued runs wait for it."""
    lock_dispatch(tx)
    build = builds.get(tx, build_id)
    if build is None or build.status != BuildStatus.READY:
        return
    most_urgent = runs.most_urgent_of_build(tx, build_id)
    effective_priority = build.effective_priority if most_urgent is None else most_urgent
    build_endings.make_again(tx, build_id, effective_priority=effective_priority, order_key=order_key_at(tx.now))
    waiting.hold_for_build(tx, build_id)
    wake_workers(tx)


def recover_lost(tx: Transaction, lost: LostBuild, *, rules: QueueRules) -> bool:
    """Queue the build of a dead worker again, or fail it after too many tries; tell whether its worker was gone."""
    build = lost.build
    if build.deadline_at < tx.now <= build.lease_expires_at and not lost.is_worker_dead:  # it lives and does not end it
        failed = build_endings.fail_lost(tx, lost, _timed_out(rules))
    elif build.claim_count >= rules.max_claims:
        failed = build_endings.fail_lost(tx, lost, _terminated(build.claim_count))
    else:
        return build_endings.requeue_lost(tx, lost) is not None
    if failed is not None:
        fail_runs_of_build(tx, build.id)
    return failed is not None


def _timed_out(rules: QueueRules) -> Failure:
    seconds = int(rules.build_timeout.total_seconds())
    message = f"The build took longer than {seconds} s and was stopped. Raise ADE_BUILD_TIMEOUT_SECONDS or need less."
    return Failure(code=FailureCode.TIMED_OUT, message=message)


def _terminated(claim_count: int) -> Failure:
    message = f"The worker died while building this, {claim_count} times. Look at the worker's log, then run it again."
    return Failure(code=FailureCode.PROCESS_TERMINATED, message=message)
