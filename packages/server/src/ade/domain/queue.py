"""What the operator allows the queue to do, and what a claim hands to a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from ade.domain.run import FailureCode, LimitedResource
from ade.domain.start_rate import StartRate
from ade.errors import LeaseLost

# What the workers of this version understand of a queue. A migration after which older workers would do the wrong thing
# raises it here and in the dispatch row: from then on those finish what they hold, and claim nothing more.
GENERATION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRules:
    """The limits and times of the queue."""

    queue_size: int = 10_000
    max_running: int = 0
    max_starts_per_second: float = 0
    lease: timedelta = timedelta(seconds=15)
    run_timeout: timedelta = timedelta(seconds=300)
    build_timeout: timedelta = timedelta(seconds=600)
    max_claims: int = 3
    age_after: timedelta = timedelta(hours=1)
    tick: timedelta = timedelta(seconds=1)

    @property
    def kept_size(self) -> int:
        """Return how many places of the queue are kept for workspaces that have little in it: a tenth.

        A queue of fewer than a hundred runs is too short to keep any.
        """
        return self.queue_size // 100 * 10

    def timeout_of(self, kind: str) -> timedelta:
        """Return how long a run or a build may take."""
        return self.run_timeout if kind == "run" else self.build_timeout

    @property
    def start_rate(self) -> StartRate | None:
        """Return the limit on starts, if there is one."""
        return StartRate(self.max_starts_per_second) if self.max_starts_per_second else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A run or a build that a worker holds. Every write it makes for it carries the token."""

    kind: str  # run, build
    id: str
    token: int
    lease_expires_at: datetime
    deadline_at: datetime
    memory_mb: int | None = None  # what the run declared to need
    cpu_count: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a run or a build ended badly."""

    code: FailureCode
    message: str
    resource: LimitedResource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a worker found a run to end: badly if there is a failure; and the facts of it."""

    claim: Claim
    failure: Failure | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def lease_lost(claim: Claim) -> LeaseLost:
    """Return the error of a claim that is not the present one."""
    return LeaseLost(f"{claim.kind.capitalize()} {claim.id} is no longer held under claim {claim.token}.")


_REMEDIES = {
    "run": "Raise ADE_RUN_TIMEOUT_SECONDS or split the document.",
    "build": "Raise ADE_BUILD_TIMEOUT_SECONDS, or let rule files do less while they are imported.",
}


def timed_out(kind: str, seconds: float) -> Failure:
    """Return the failure of a run or build whose time was over, also while its outputs were stored."""
    allowed = f"The {kind} was stopped: it may take {seconds:g} s, including the time to write its end."
    return Failure(code=FailureCode.TIMED_OUT, message=f"{allowed} {_REMEDIES[kind]}")


def terminated(kind: str, claim_count: int) -> Failure:
    """Return the failure of a run or build whose workers died too often."""
    times = "once" if claim_count == 1 else f"{claim_count} times"
    message = f"The worker died during this {kind}, {times}. Check the worker's log, then run it again."
    return Failure(code=FailureCode.PROCESS_TERMINATED, message=message)
