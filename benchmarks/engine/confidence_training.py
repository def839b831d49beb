"""Learns how likely a table or a header is right, from tables found with weights that were not trained on them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from minimise import minimise

PULL = 12.0
STEPS = 100


def train(found: Sequence[tuple[tuple[str, ...], bool]]) -> dict[str, int]:
    """Return the weights, in hundredths, of the doubts: a logistic regression."""
    names = [*sorted({doubt for doubts, _ in found for doubt in doubts}), "base"]
    place = {name: n for n, name in enumerate(names)}
    table = np.zeros((len(found), len(names)))
    for row, (doubts, _) in zip(table, found, strict=True):
        row[[place[doubt] for doubt in doubts] + [-1]] = 1
    sides = np.array([1.0 if is_right else -1.0 for _, is_right in found])
    pull = np.full(len(names), PULL)
    pull[-1] = 0.0

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        odds = sides * (table @ weights)
        wrong = 1 / (1 + np.exp(np.clip(odds, -30, 30)))
        value = float(np.logaddexp(0, -odds).sum() + (pull * weights**2).sum())
        return value, -(table.T @ (wrong * sides)) + 2 * pull * weights

    weights = minimise(loss, np.zeros(len(names)), steps=STEPS)
    return {name: round(100 * float(weight)) for name, weight in zip(names, weights, strict=True)}
