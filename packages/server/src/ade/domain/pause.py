"""A pause: what may not start for now. Pauses overlap; each is lifted on its own."""

from enum import StrEnum


class PauseScope(StrEnum):
    """What a pause holds back."""

    ALL = "all"
    PRIORITY = "priority"
    WORKSPACE = "workspace"
    PLAN = "plan"
