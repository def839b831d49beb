"""Adds up the evidence for each label of a line: the rules set by hand, scaled as learned, and the learned signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ade_engine.evidence import Contribution
from ade_engine.structure.features import LABELS, Evidence
from ade_engine.structure.learned import PAIRS, RULES, SIGNS

_NO_PAIRS: Mapping[str, Sequence[int]] = {}
_HEADER = LABELS.index("header")
_NOTHING = (0,) * len(LABELS)


def earnings_by_hand(evidence: Evidence) -> list[float]:
    """Return the score of each label by the rules set by hand alone."""
    earned = [0.0] * len(LABELS)
    for place, label in enumerate(LABELS):
        for found in evidence[label]:
            earned[place] += found.delta
    return earned


def earnings(evidence: Evidence, signs: Sequence[str]) -> list[float]:
    """Return the score of each label, in the order of LABELS."""
    columns = zip(_NOTHING, *(weights for _, weights in _weights_of(signs)), strict=True)
    earned = [sum(column) / 100 for column in columns]
    for place, label in enumerate(LABELS):
        for found in evidence[label]:
            earned[place] += found.delta * RULES.get(found.rule, 100) / 100
    return earned


def contributions_of(evidence: Evidence, signs: Sequence[str], *, by_hand: bool) -> list[Contribution]:
    """Return what spoke for and against a line being a header, by name."""
    if by_hand:
        return evidence["header"]
    own = [Contribution(c.rule, round(c.delta * RULES.get(c.rule, 100) / 100, 4)) for c in evidence["header"]]
    seen = [Contribution(f"header.{name}", weights[_HEADER] / 100) for name, weights in _weights_of(signs)]
    return [c for c in own + seen if c.delta]


def _weights_of(signs: Sequence[str]) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield the weights of signs and of pairs of signs that mean more together, by name."""
    present = frozenset(signs)
    for sign in signs:
        if sign in SIGNS:
            yield sign, SIGNS[sign]
        for other, weights in PAIRS.get(sign, _NO_PAIRS).items():
            if other in present:
                yield f"{sign}_with_{other}", weights
