"""Turns how a child ended, or what went wrong around it, into the failure people see."""

from __future__ import annotations

from ade.domain.queue import Failure
from ade.domain.run import FailureCode, LimitedResource
from ade.sandbox.outcome import Outcome, OutcomeKind
from ade.settings import Settings
from ade_engine.errors import DISK_IS_FULL, full_disk

_CODES = {str(code) for code in FailureCode}
DISK_FULL = Failure(code=FailureCode.INTERNAL_ERROR, message=DISK_IS_FULL)


def of_run(outcome: Outcome, settings: Settings) -> Failure | None:
    """Return why a run failed, or None when it succeeded."""
    if outcome.kind is OutcomeKind.TIMED_OUT:
        message = (
            f"The run took longer than {settings.run_timeout_seconds:g} s and was stopped. "
            "Raise ADE_RUN_TIMEOUT_SECONDS or split the document."
        )
        return Failure(code=FailureCode.TIMED_OUT, message=message)
    return of_child(outcome)


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
        code=code, message=outcome.message or "It ended without a result. Its log may tell why.", resource=resource
    )


def other_fingerprint() -> Failure:
    """Return the failure of a build that would not be what the run was submitted with."""
    message = "The configuration was changed after the run was submitted. Submit it again."
    return Failure(code=FailureCode.CONFIGURATION_ERROR, message=message)


def refused(name: str, reason: str) -> Failure:
    """Return the failure of a run that left something else than plain files."""
    message = f"The output {name} was refused: {reason}. A configuration must write plain files only."
    return Failure(code=FailureCode.CONFIGURATION_ERROR, message=message[:240])


def document_missing() -> Failure:
    """Return the failure of a run whose document is gone from the file store."""
    message = (
        "The worker finds no file of the document. If its file store is the server's (one ADE_FILES_URL on every "
        "host), the file is gone: upload it again, then run it again."
    )
    return Failure(code=FailureCode.INPUT_ERROR, message=message)


def broken(what: str, error: Exception) -> Failure:
    """Return the failure for a fault of our own that did not pass."""
    if full_disk(error):
        return DISK_FULL
    message = (
        f"The worker could not carry out the {what} ({type(error).__name__}). Its log has the cause; run it again."
    )
    return Failure(code=FailureCode.INTERNAL_ERROR, message=message)
