"""How a child ended, as seen from outside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ade.domain.isolation import Isolation
from ade_engine.protocol import Result


class OutcomeKind(StrEnum):
    """What is certain about the end. Only `succeeded` and `failed` rest on the child's own word."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    RESOURCE_LIMIT = "resource_limit"
    PROCESS_TERMINATED = "process_terminated"
    ISOLATION_UNAVAILABLE = "isolation_unavailable"
    NETWORK_UNAVAILABLE = "network_unavailable"
    KILLED = "killed"
    NOT_STARTED = "not_started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a child used, measured by the kernel and the parent's clock."""

    cpu_seconds: float = 0.0
    peak_memory_bytes: int = 0
    wall_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a child. `cause` is the resource used up, the signal or the reason; `missing` maps layer to reason."""

    kind: OutcomeKind
    cause: str = ""
    message: str = ""
    level: Isolation | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    result: Result | None = None
    log: bytes = b""

    @property
    def code(self) -> str:
        """Return the failure code of a run that ended so; empty when it succeeded."""
        if self.kind is OutcomeKind.SUCCEEDED:
            return ""
        if self.kind is OutcomeKind.FAILED and self.result is not None and self.result.failure is not None:
            return self.result.failure.code
        if self.kind is OutcomeKind.NOT_STARTED:
            return "internal_error"
        return str(self.kind)
