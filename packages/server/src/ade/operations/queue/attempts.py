"""What a worker asks of the database around one attempt."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from ade.database.content import configuration_files
from ade.database.queue import attempts, builds
from ade.database.queue.attempts import HeldRun
from ade.database.queue.builds import FullBuild
from ade.database.transaction import Transaction
from ade.domain.fingerprint import fingerprint
from ade.domain.queue import Claim, lease_lost
from ade.domain.run import RunStatus
from ade.operations.queue.builds import rebuild
from ade.operations.queue.fitting import fit_run
from ade.operations.queue.returning import return_uncounted
from ade.operations.queue.surroundings import here

# Retention counts in days: a build's use need not be written with every run.
NOTE_USE_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOrder:
    """All a worker needs to execute a run."""

    run: HeldRun
    build: FullBuild
    wanted_by_next_phase: str | None  # where the next phase of the plan looks for this run's output
    earlier_folder: str | None  # of the claim before, whose stream this one carries on
    is_use_noted: bool
    is_build_fitting: bool  # made for the engine, Python and platform of this worker
    lifecycle: list[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Produced:
    """An output that is a document now."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOrder:
    """All a worker needs to make a build."""

    build: FullBuild
    files: dict[str, bytes]
    is_as_submitted: bool
    earlier_folder: str | None
    lifecycle: list[Mapping[str, Any]]


def begin_run(tx: Transaction, claim: Claim, *, folder: str) -> RunOrder:
    """Return what to execute; raise LeaseLost when the claim is not the present one."""
    held = attempts.ask_held_run(tx, claim.id, claim.token)
    builds_of_it = attempts.ask_build_of_run(tx, claim.id)
    product = attempts.ask_product(tx, claim.id)
    lifecycle = attempts.ask_lifecycle(tx, "run", claim.id)
    run = next(iter(held()), None)
    if run is None:
        raise lease_lost(claim)
    [build] = builds_of_it()
    return RunOrder(
        run=run,
        build=build,
        wanted_by_next_phase=product(),
        earlier_folder=run.file_key if run.file_key != folder else None,
        is_use_noted=build.last_used_at is not None and tx.now - build.last_used_at < NOTE_USE_AFTER,
        is_build_fitting=build.surroundings == str(here()),
        lifecycle=lifecycle(),
    )


def fit_order(tx: Transaction, claim: Claim, order: RunOrder) -> RunOrder | None:
    """Return what to execute with a build that fits this worker, or None: the run waits for it, back in the queue."""
    build = fit_run(tx, claim, here())
    return None if build is None else replace(order, build=build, is_use_noted=False)


def adopt_run(tx: Transaction, claim: Claim, build_id: str, *, folder: str) -> None:
    """Make the folder of this claim the one readers look into; raise LeaseLost when another may hold the run."""
    if not attempts.set_folder(tx, claim, folder):
        raise lease_lost(claim)
    attempts.note_use(tx, build_id)


def fill_document(tx: Transaction, claim: Claim, produced: Produced) -> None:
    """Note what a run wrote as the document of the next phase."""
    attempts.fill_product(tx, claim.id, size_bytes=produced.size_bytes, sha256=produced.sha256)


def begin_build(tx: Transaction, claim: Claim, *, folder: str) -> BuildOrder:
    """Return what to build; raise LeaseLost when the claim is not the present one."""
    build = attempts.held_build(tx, claim.id, claim.token)
    if build is None:
        raise lease_lost(claim)
    files = configuration_files.contents(tx, build.version_id)
    digests = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
    return BuildOrder(
        build=build,
        files=files,
        is_as_submitted=fingerprint(digests, here()) == build.fingerprint,
        earlier_folder=build.file_key if build.file_key != folder else None,
        lifecycle=attempts.ask_lifecycle(tx, "build", claim.id)(),
    )


def adopt_build(tx: Transaction, claim: Claim, *, folder: str) -> None:
    """Make the folder of this claim the one readers look into; raise LeaseLost when another may hold the build."""
    if not attempts.set_folder(tx, claim, folder):
        raise lease_lost(claim)


def is_shown(tx: Transaction, kind: str, subject_id: str, folder: str) -> bool:
    """Return whether a folder is the one readers of a run or build look into; once it is not, it never is again."""
    return attempts.folder_of(tx, kind, subject_id) == folder


def return_for_rebuild(tx: Transaction, claim: Claim, build: FullBuild) -> None:
    """Return a run to the queue and have its build made again first, unless another run asked for that before."""
    if return_uncounted(tx, claim) != RunStatus.QUEUED:
        return  # someone asked to cancel it meanwhile
    present = builds.get(tx, build.id)
    if present is not None and present.file_key == build.file_key:
        rebuild(tx, build.id)
