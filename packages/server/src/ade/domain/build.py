"""A build: the environment of one configuration fingerprint, and its life."""

from enum import StrEnum

from ade.domain.transitions import Transitions


class BuildStatus(StrEnum):
    """Where a build is in its life."""

    QUEUED = "queued"
    BUILDING = "building"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REMOVED = "removed"  # it was ready, and retention removed its files


# A build row is unique by fingerprint, so a build that ended is made again in the same row, and only when a new run
# asks for it (or its files were collected).
BUILD_TRANSITIONS: Transitions[BuildStatus] = {
    BuildStatus.QUEUED: frozenset({BuildStatus.BUILDING, BuildStatus.CANCELLED}),
    BuildStatus.BUILDING: frozenset(
        {
            BuildStatus.READY,
            BuildStatus.FAILED,
            BuildStatus.CANCELLED,
            BuildStatus.QUEUED,  # its worker died or returned it
        }
    ),
    BuildStatus.READY: frozenset({BuildStatus.QUEUED, BuildStatus.REMOVED}),
    BuildStatus.FAILED: frozenset({BuildStatus.QUEUED}),
    BuildStatus.CANCELLED: frozenset({BuildStatus.QUEUED}),
    BuildStatus.REMOVED: frozenset({BuildStatus.QUEUED}),
}
