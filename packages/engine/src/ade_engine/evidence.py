"""Evidence for or against a decision: named, signed contributions that sum to its score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

DIGITS = 4  # scores are compared and stored with this many decimals, on every machine


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one rule added to a score, or took from it."""

    rule: str
    delta: float


def total(contributions: Iterable[Contribution]) -> float:
    """Return the score the contributions make."""
    return round(sum(contribution.delta for contribution in contributions), DIGITS)
