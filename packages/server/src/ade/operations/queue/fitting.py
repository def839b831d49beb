"""Workers and builds that fit: a build is made and used by workers of one engine, Python and platform alone.

A submission does not choose the worker. So a worker that claims a run whose build it cannot use executes it with a
build of its own, and builds that no living worker could make are made again by one that lives.
"""

from datetime import datetime

from ade.database.content import configuration_files
from ade.database.queue import attempts, build_endings, builds, runs, waiting, workers
from ade.database.queue.builds import FullBuild
from ade.database.queue.control import lock_dispatch
from ade.database.queue.wakeups import wake_workers
from ade.database.transaction import Transaction
from ade.domain.build import BuildStatus
from ade.domain.fingerprint import Surroundings, fingerprint
from ade.domain.queue import Claim, lease_lost
from ade.operations.queue.builds import BuildRequest, ask_build, get_or_create_build
from ade.operations.queue.returning import return_uncounted

MOST_AT_ONCE = 20


def fit_run(tx: Transaction, claim: Claim, surroundings: Surroundings) -> FullBuild | None:
    """Give a run the build of its worker's surroundings and return that, or None when it must be made first.

    Then the run is back in the queue, and all that wait with it wait for the build; raise LeaseLost when another worker
    may own the run.
    """
    lock_dispatch(tx)
    run = attempts.held_run(tx, claim.id, claim.token)
    if run is None:
        raise lease_lost(claim)
    present = builds.require(tx, run.build_id)
    if present.surroundings == str(surroundings):
        return present
    wanted = request_like(tx, present, surroundings)
    answer = ask_build(tx, wanted)
    priority, sequence = run.effective_priority, run.sequence
    fitting = get_or_create_build(tx, wanted, answer, effective_priority=priority, sequence=sequence)
    attempts.set_run_build(tx, claim.id, claim.token, fitting.id)
    if fitting.status == BuildStatus.READY:
        return fitting
    return_uncounted(tx, claim)
    _move_runs(tx, present.id, fitting)
    return None


def take_over(tx: Transaction, surroundings: Surroundings, *, living_since: datetime) -> None:
    """Let the runs of builds that no living worker could make wait for a build of these surroundings.

    Not all at once: the others follow with the next upkeep.
    """
    waiting_kinds = builds.queued_surroundings(tx)
    others = [kind for kind in waiting_kinds if kind != str(surroundings)]
    if not others:
        return
    living = workers.living_surroundings(tx, since=living_since)
    left = [build for kind in others if kind not in living for build in builds.queued_for(tx, kind, most=MOST_AT_ONCE)]
    in_use = runs.builds_of_running(tx) if left else set()
    for build in left:
        _make_again(tx, build, surroundings)
        if build.id not in in_use:  # its runs may come back to it, and would find it cancelled
            build_endings.cancel(tx, build.id)


def _make_again(tx: Transaction, build: FullBuild, surroundings: Surroundings) -> None:
    most_urgent = runs.most_urgent_of_build(tx, build.id)
    if most_urgent is not None:
        wanted = request_like(tx, build, surroundings)
        answer = ask_build(tx, wanted)
        fitting = get_or_create_build(tx, wanted, answer, effective_priority=most_urgent, sequence=build.sequence)
        _move_runs(tx, build.id, fitting)


def request_like(tx: Transaction, build: FullBuild, surroundings: Surroundings) -> BuildRequest:
    """Return the request of a build from the same files in other surroundings."""
    digests = {file.path: file.sha256 for file in configuration_files.listed(tx, build.version_id)}
    return BuildRequest(
        workspace_id=build.workspace_id,
        configuration_id=build.configuration_id,
        version_id=build.version_id,
        fingerprint=fingerprint(digests, surroundings),
        surroundings=str(surroundings),
    )


def _move_runs(tx: Transaction, build_id: str, fitting: FullBuild) -> None:
    """Let the queued runs of a build use another one."""
    waiting.move_to_build(tx, build_id, fitting.id)
    if fitting.status == BuildStatus.READY:
        waiting.unblock_build(tx, fitting.id)
    else:
        waiting.hold_for_build(tx, fitting.id)
        most_urgent = runs.most_urgent_of_build(tx, fitting.id)
        if most_urgent is not None:
            builds.hurry(tx, fitting.id, effective_priority=most_urgent)
    wake_workers(tx)
