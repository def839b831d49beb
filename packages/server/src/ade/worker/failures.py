"""Turns how a child ended, or what went wrong around it, into the failure people see."""

from __future__ import annotations

from dataclasses import replace

from ade.domain.queue import Failure, timed_out
from ade.domain.run import FailureCode, LimitedResource
from ade.sandbox.inside.spec import MIB
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.settings import Settings
from ade.worker.installing import InstallFailed
from ade_engine.errors import DISK_IS_FULL, full_disk
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

_CODES = {str(code) for code in FailureCode}
_READ_ON = " … The log has the rest."
NETWORK_FORBIDDEN = Outcome(
    kind=OutcomeKind.NETWORK_UNAVAILABLE,
    message="The run was submitted with network access, and ADE_RUNTIME_NETWORK_ACCESS is never on its worker. Run it "
    "again without network access, or change the setting there.",
)
_BUILD_SETTINGS = {LimitedResource.CPU: "ADE_BUILD_CPU_SECONDS", LimitedResource.MEMORY: "ADE_BUILD_MEM_MB"}
DISK_FULL = Failure(code=FailureCode.INTERNAL_ERROR, message=DISK_IS_FULL)


def of_run(outcome: Outcome, settings: Settings) -> Failure | None:
    """Return why a run failed, or None when it succeeded."""
    return run_timed_out(settings) if outcome.kind is OutcomeKind.TIMED_OUT else of_child(outcome)


def run_timed_out(settings: Settings) -> Failure:
    """Return the failure of a run whose time was over, also while its outputs were stored."""
    return timed_out("run", settings.run_timeout_seconds)


def of_build(outcome: Outcome, settings: Settings) -> Failure | None:
    """Return why the proof of a build failed, or None when it succeeded."""
    if outcome.kind is OutcomeKind.TIMED_OUT:
        return timed_out("build", settings.build_timeout_seconds)
    failure = of_child(outcome)
    if failure is None or outcome.result is not None:
        return failure
    message = failure.message.replace("The run", "The build", 1)
    if (setting := _BUILD_SETTINGS.get(failure.resource) if failure.resource else None) is not None:
        message = f"{message} Raise {setting}, or let rule files do less while they are imported."
    return replace(failure, message=shortened(message))


def of_install(error: InstallFailed) -> Failure:
    """Return why a build has no dependencies."""
    if error.is_disk_full:
        return DISK_FULL
    code = FailureCode.TIMED_OUT if error.is_late else FailureCode.CONFIGURATION_ERROR
    if error.resource is not None:
        code = FailureCode.RESOURCE_LIMIT
    return Failure(code=code, message=shortened(str(error)), resource=error.resource)


def of_child(outcome: Outcome) -> Failure | None:
    """Return why a child failed, or None when it succeeded: its own word counts only where it can be believed."""
    if outcome.kind is OutcomeKind.SUCCEEDED:
        return None
    said = outcome.result.failure if outcome.result is not None else None
    if said is not None:
        resource = LimitedResource(said.cause) if said.cause else None
        return Failure(code=FailureCode(said.code), message=said.message, resource=resource)
    code = FailureCode(outcome.code) if outcome.code in _CODES else FailureCode.PROCESS_TERMINATED
    resource = LimitedResource(outcome.cause) if outcome.kind is OutcomeKind.RESOURCE_LIMIT else None
    return Failure(
        code=code,
        message=outcome.message or "It ended without a result. Its log may have the cause.",
        resource=resource,
    )


def other_fingerprint() -> Failure:
    """Return the failure of a build that would not be what the run was submitted with."""
    message = "The configuration was changed after the run was submitted. Submit it again."
    return Failure(code=FailureCode.CONFIGURATION_ERROR, message=message)


def refused(name: str, reason: str) -> Failure:
    """Return the failure of a run that left something else than plain files."""
    message = f"The output {name} was refused: {reason}. A configuration must write plain files only."
    return Failure(code=FailureCode.CONFIGURATION_ERROR, message=shortened(message))


def too_large(max_bytes: int) -> Failure:
    """Return the failure of a run whose outputs together are larger than what it may write."""
    message = f"The outputs of the run are larger than the {max_bytes // MIB} MB it may write."
    return Failure(code=FailureCode.RESOURCE_LIMIT, message=message, resource=LimitedResource.DISK)


def shortened(message: str) -> str:
    """Return a message that fits its place, cut between words, with where to read on."""
    if len(message) <= MAX_MESSAGE_CHARACTERS:
        return message
    return message[: MAX_MESSAGE_CHARACTERS - len(_READ_ON)].rpartition(" ")[0].rstrip(",;:") + _READ_ON


def document_missing(*, is_removed: bool) -> Failure:
    """Return the failure of a run whose document is gone from the file store, by retention or for no known reason."""
    if is_removed:
        message = "Retention removed the file of the document. Upload it again, then run it again."
        return Failure(code=FailureCode.INPUT_ERROR, message=message)
    message = (
        "The worker finds no file of the document. If its file store is the server's (one ADE_FILES_URL on every "
        "host), the file is gone: upload it again, then run it again."
    )
    return Failure(code=FailureCode.INPUT_ERROR, message=message)


def broken(what: str, error: Exception) -> Failure:
    """Return the failure for a fault of our own that did not pass."""
    if full_disk(error):
        return DISK_FULL
    message = f"The worker could not execute the {what} ({type(error).__name__}). Its log has the cause; run it again."
    return Failure(code=FailureCode.INTERNAL_ERROR, message=message)
