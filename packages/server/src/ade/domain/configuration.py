"""A configuration's versions: one draft to edit, one published to run, the rest kept."""

from enum import StrEnum

from ade.domain.transitions import Transitions


class VersionStatus(StrEnum):
    """Where a version of a configuration is in its life."""

    DRAFT = "draft"
    PUBLISHED = "published"
    ARCHIVED = "archived"


VERSION_TRANSITIONS: Transitions[VersionStatus] = {
    VersionStatus.DRAFT: frozenset({VersionStatus.PUBLISHED, VersionStatus.ARCHIVED}),
    VersionStatus.PUBLISHED: frozenset({VersionStatus.ARCHIVED}),
    VersionStatus.ARCHIVED: frozenset(),
}
