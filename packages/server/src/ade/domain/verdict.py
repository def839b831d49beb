"""Whether the result of a run can be used, as its engine judged it."""

from enum import StrEnum


class Verdict(StrEnum):
    """What a person has to do with a result, from the best to the worst."""

    READY = "ready"
    CHECK = "check"
    NOT_USABLE = "not_usable"
