"""A run: one document normalised by one configuration, and its life."""

from collections.abc import Mapping
from enum import IntFlag, StrEnum

from ade.domain.transitions import Transitions, final_statuses


class RunStatus(StrEnum):
    """Where a run is in its life."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


# The only place that says what may follow what. The database turns it into the WHERE clause of every change of status,
# so a race loses instead of corrupting.
RUN_TRANSITIONS: Transitions[RunStatus] = {
    RunStatus.QUEUED: frozenset(
        {
            RunStatus.RUNNING,
            RunStatus.CANCELLED,
            RunStatus.FAILED,  # its build or an earlier phase failed
        }
    ),
    RunStatus.RUNNING: frozenset(
        {
            RunStatus.SUCCEEDED,
            RunStatus.FAILED,
            RunStatus.CANCELLED,
            RunStatus.QUEUED,  # its worker died or returned it: back to its place
        }
    ),
    RunStatus.SUCCEEDED: frozenset(),
    RunStatus.FAILED: frozenset(),
    RunStatus.CANCELLED: frozenset(),
}

FINISHED = final_statuses(RUN_TRANSITIONS)
WITH_RESULT = FINISHED - {RunStatus.CANCELLED}  # those that say something about their document


class FailureCode(StrEnum):
    """Why a run or a build ended badly."""

    BUILD_FAILED = "build_failed"
    EARLIER_PHASE_FAILED = "earlier_phase_failed"
    TIMED_OUT = "timed_out"
    PROCESS_TERMINATED = "process_terminated"
    CONFIGURATION_ERROR = "configuration_error"
    INPUT_ERROR = "input_error"
    RESOURCE_LIMIT = "resource_limit"
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    NETWORK_UNAVAILABLE = "network_unavailable"
    INTERNAL_ERROR = "internal_error"


FAILURE_MEANINGS: Mapping[FailureCode, str] = {
    FailureCode.BUILD_FAILED: "The build of its configuration failed; this is the build's message. Fix the "
    "configuration, then run it again.",
    FailureCode.EARLIER_PHASE_FAILED: "An earlier phase of its plan failed, so it has no input.",
    FailureCode.TIMED_OUT: "It took longer than ADE_RUN_TIMEOUT_SECONDS, a build than ADE_BUILD_TIMEOUT_SECONDS.",
    FailureCode.PROCESS_TERMINATED: "Its process ended without a result, or its workers died ADE_RUN_MAX_CLAIMS times "
    "while they executed it.",
    FailureCode.CONFIGURATION_ERROR: "The rules raised an error, wrote something not allowed, or cannot be built.",
    FailureCode.INPUT_ERROR: "The document cannot be read, or is gone.",
    FailureCode.RESOURCE_LIMIT: "It used more than allowed of the resource in `failure.resource`.",
    FailureCode.ISOLATION_UNAVAILABLE: "The host cannot isolate it as ADE_MIN_ISOLATION requires; `ade doctor` "
    "names the missing layers.",
    FailureCode.NETWORK_UNAVAILABLE: "It was submitted with network access, and ADE_RUNTIME_NETWORK_ACCESS of its "
    "worker is `never`, or the host has no network namespaces; `ade doctor` gives the reason.",
    FailureCode.INTERNAL_ERROR: "A fault of ADE or the file store for more than ten seconds, or a full disk, on "
    "the last of its ADE_RUN_MAX_CLAIMS claims. The worker's log has the cause.",
}


class LimitedResource(StrEnum):
    """What a run with `resource_limit` used up."""

    CPU = "cpu"
    MEMORY = "memory"
    DISK = "disk"
    OUTPUT = "output"
    PROCESSES = "processes"


class WaitingFor(StrEnum):
    """Why a queued run has not started. Derived and shown; never a status."""

    BUILD = "build"
    EARLIER_PHASE = "earlier_phase"
    DOCUMENT_BUSY = "document_busy"
    PAUSED = "paused"
    CAPACITY = "capacity"
    WORKSPACE_CAP = "workspace_cap"
    START_RATE = "start_rate"
    WORKER = "worker"
    SCHEDULED = "scheduled"


class Block(IntFlag):
    """The causes that keep a queued run out of the ready index, as bits of `block_mask`.

    Each bit is cleared in the transaction that removes its cause.
    """

    SCHEDULED = 1
    EARLIER_PHASE = 2
    BUILD = 4
    DOCUMENT_BUSY = 8
    PAUSED = 16
    CAPACITY = 32
