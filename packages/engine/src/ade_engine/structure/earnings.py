"""Sums up what speaks for each label of a line: the rules set by hand, scaled as learned, and the learned signs."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.evidence import Contribution
from ade_engine.structure.features import LABELS, Evidence
from ade_engine.structure.learned import RULES, SIGNS

_NO_SIGN = (0,) * len(LABELS)
_HEADER = LABELS.index("header")


def earnings_by_hand(evidence: Evidence) -> list[float]:
    """Return the score of each label by the rules set by hand alone."""
    earned = [0.0] * len(LABELS)
    for place, label in enumerate(LABELS):
        for found in evidence[label]:
            earned[place] += found.delta
    return earned


def earnings(evidence: Evidence, signs: Sequence[str]) -> list[float]:
    """Return the score of each label, in the order of LABELS."""
    sums = [0] * len(LABELS)
    for sign in signs:
        for place, weight in enumerate(SIGNS.get(sign, _NO_SIGN)):
            sums[place] += weight
    earned = [weight / 100 for weight in sums]
    for place, label in enumerate(LABELS):
        for found in evidence[label]:
            earned[place] += found.delta * RULES.get(found.rule, 100) / 100
    return earned


def contributions_of(evidence: Evidence, signs: Sequence[str], *, by_hand: bool) -> list[Contribution]:
    """Return what spoke for and against a line being a header, by name."""
    if by_hand:
        return evidence["header"]
    own = [Contribution(c.rule, round(c.delta * RULES.get(c.rule, 100) / 100, 4)) for c in evidence["header"]]
    seen = [Contribution(f"header.{sign}", SIGNS.get(sign, _NO_SIGN)[_HEADER] / 100) for sign in signs]
    return [c for c in own + seen if c.delta]
