"""A plan: runs in phases, each phase ready when the one before it succeeded."""

from enum import StrEnum

from ade.domain.transitions import Transitions


class PlanStatus(StrEnum):
    """Where a plan is in its life."""

    ACTIVE = "active"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


PLAN_TRANSITIONS: Transitions[PlanStatus] = {
    PlanStatus.ACTIVE: frozenset({PlanStatus.SUCCEEDED, PlanStatus.FAILED, PlanStatus.CANCELLED}),
    PlanStatus.SUCCEEDED: frozenset(),
    PlanStatus.FAILED: frozenset(),
    PlanStatus.CANCELLED: frozenset(),
}
