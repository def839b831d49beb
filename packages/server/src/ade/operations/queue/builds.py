"""Builds in the queue: made once per fingerprint, and what their end means for the runs that wait."""

from dataclasses import dataclass, field
from typing import Any

from ade.database.queue import build_endings, builds, runs, waiting
from ade.database.queue.builds import FullBuild
from ade.database.queue.control import lock_dispatch
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.database.wire.prepared import Answer
from ade.domain.build import BuildStatus
from ade.domain.order import order_key_at
from ade.domain.queue import Claim, Failure, lease_lost
from ade.errors import NotFound
from ade.operations.queue.runs import fail_runs_of_build
from ade.operations.queue.surroundings import here


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildRequest:
    """Which build a run needs."""

    workspace_id: str
    configuration_id: str
    version_id: str
    fingerprint: str
    surroundings: str = field(default_factory=lambda: str(here()))


def ask_build(tx: Transaction, request: BuildRequest) -> Answer[FullBuild]:
    """Ask for the build of a request, in one message with other questions."""
    return builds.ask(tx, configuration_id=request.configuration_id, fingerprint=request.fingerprint)


def get_or_create_build(
    tx: Transaction, request: BuildRequest, answer: Answer[FullBuild], *, effective_priority: int, sequence: int
) -> FullBuild:
    """Return the one build of a fingerprint, queued again if it failed, was cancelled or was removed before.

    `answer` is what `ask_build` returned; it must have been asked under the queue's lock.
    """
    present = next(iter(answer()), None)
    if present is None:
        return _create(tx, request, effective_priority=effective_priority, sequence=sequence)
    if present.status in {BuildStatus.FAILED, BuildStatus.CANCELLED, BuildStatus.REMOVED}:
        build_endings.make_again(tx, present.id, effective_priority=effective_priority, order_key=order_key_at(tx.now))
    elif present.status in {BuildStatus.QUEUED, BuildStatus.BUILDING}:
        builds.hurry(tx, present.id, effective_priority=effective_priority)
    else:
        return present
    return builds.require(tx, present.id)


def _create(tx: Transaction, request: BuildRequest, *, effective_priority: int, sequence: int) -> FullBuild:
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
    """Make a build ready and unblock its runs; raise LeaseLost when another worker may own it."""
    lock_dispatch(tx)
    if build_endings.make_ready(tx, claim, **facts) is None:
        raise lease_lost(claim)
    waiting.unblock_build(tx, claim.id)
    wake_workers(tx)


def fail_build(tx: Transaction, claim: Claim, failure: Failure, **facts: Any) -> None:
    """Fail a build and the runs that wait for it; raise LeaseLost when another worker may own it."""
    lock_dispatch(tx)
    if build_endings.fail(tx, claim, failure, **facts) is None:
        raise lease_lost(claim)
    fail_runs_of_build(tx, claim.id)


def cancel_build(tx: Transaction, build_id: str) -> None:
    """Cancel a build and fail the runs that wait for it."""
    lock_dispatch(tx)
    if build_endings.cancel(tx, build_id) is None:
        raise NotFound(f"There is no build {build_id} that is queued or being made.")
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
