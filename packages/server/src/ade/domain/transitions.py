"""The shape shared by all state machines: which status may follow which."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

Status = TypeVar("Status", bound=StrEnum)
Transitions = Mapping[Status, frozenset[Status]]


def statuses_leading_to(transitions: Transitions[Status], target: Status) -> frozenset[Status]:
    """Return the statuses from which `target` may be reached in one step."""
    return frozenset(status for status, following in transitions.items() if target in following)


def final_statuses(transitions: Transitions[Status]) -> frozenset[Status]:
    """Return the statuses nothing follows."""
    return frozenset(status for status, following in transitions.items() if not following)
