"""Learns the weights of the signs of a gutter by logistic regression, drawn towards nothing."""

from __future__ import annotations

from collections import Counter

import numpy as np
from minimise import minimise
from sequences import Gutter

from ade_engine.structure.regions import MOST_BY_HAND

PULL = 1.0
LEAST_SEEN = 5
STEPS = 200
EAGERNESS = 0.4  # a table cut in two is worse by the measures than two in one, but rarer: added to every score


def train(gutters: list[Gutter]) -> dict[str, int]:
    """Return weights in hundredths by sign; "by_hand" scales the score set by hand, "base" is always added."""
    seen = Counter(sign for gutter in gutters for sign in gutter.signs)
    names = sorted(sign for sign, count in seen.items() if count >= LEAST_SEEN)
    place = {sign: n for n, sign in enumerate(names)}
    table = np.zeros((len(gutters), len(names) + 2))
    for row, gutter in zip(table, gutters, strict=True):
        row[[place[sign] for sign in gutter.signs if sign in place]] = 1
        row[-2:] = max(-MOST_BY_HAND, min(gutter.score, MOST_BY_HAND)), 1
    sizes = Counter(gutter.families for gutter in gutters)
    shares = np.array([gutter.weight / sizes[gutter.families] ** 0.5 for gutter in gutters])
    sides = np.array([1.0 if gutter.parts else -1.0 for gutter in gutters])
    pull = np.full(table.shape[1], PULL)
    pull[-1] = 0.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = sides * (table @ weights)
        wrong = 1 / (1 + np.exp(np.clip(odds, -30, 30)))
        value = float((shares * np.logaddexp(0, -odds)).sum() + (pull * weights**2).sum())
        return value, -(table.T @ (shares * wrong * sides)) + 2 * pull * weights

    weights = minimise(loss, np.zeros(table.shape[1]), steps=STEPS)
    weights[-1] += EAGERNESS
    return {name: round(100 * float(x)) for name, x in zip([*names, "by_hand", "base"], weights, strict=True)}
