"""Chooses the pairs of signs, and the signs of steps, that a trained chain misses most.

The gradient of a new weight shows how much it would lower the loss. Families are parted in two halves,
and what does not help both counts for nothing: it would be learned from a few workbooks.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

PAIRS, STEPS = 120, 12
LEAST_SEEN = 40
MOST_OF_ONE = 12


def best_pairs(
    signs: np.ndarray, residuals: np.ndarray, unsure: np.ndarray, halves: np.ndarray, *, pull: float
) -> list[tuple[int, int]]:
    """Return the pairs of columns of `signs`; `residuals` and `unsure` are by line and label."""
    seen = signs.T @ signs
    gain = np.zeros(seen.shape)
    for label in range(residuals.shape[1]):
        one, two = ((signs[half] * residuals[half, label, None]).T @ signs[half] for half in (halves, ~halves))
        curve = (signs * unsure[:, label, None]).T @ signs
        gain += _gain(one, two, curve, pull)
    alone = np.diagonal(seen)
    gain[(seen < LEAST_SEEN) | (seen == alone[:, None]) | (seen == alone[None, :])] = 0.0
    firsts, seconds = np.triu_indices(len(gain), 1)
    chosen: list[tuple[int, int]] = []
    used: Counter[int] = Counter()
    for n in np.argsort(-gain[firsts, seconds], kind="stable"):
        pair = int(firsts[n]), int(seconds[n])
        if len(chosen) == PAIRS or not gain[pair]:
            break
        if max(used[pair[0]], used[pair[1]]) < MOST_OF_ONE:
            chosen.append(pair)
            used.update(pair)
    return chosen


def best_steps(signs: np.ndarray, residuals: np.ndarray, halves: np.ndarray, *, pull: float) -> list[int]:
    """Return the columns of `signs` that say most about steps; `residuals` are by line and pair of labels."""
    flat = residuals.reshape(len(residuals), -1)
    one, two = (signs[half].T @ flat[half] for half in (halves, ~halves))
    gain = _gain(one, two, signs.T @ np.abs(flat), pull).sum(1)
    gain[signs.sum(0) < LEAST_SEEN] = 0.0
    return [int(n) for n in np.argsort(-gain, kind="stable")[:STEPS] if gain[n]]


def _gain(one: np.ndarray, two: np.ndarray, curve: np.ndarray, pull: float) -> np.ndarray:
    """Return by how much the loss would fall, were both halves as the one that gains less."""
    least = 2 * np.where(one * two > 0, np.minimum(np.abs(one), np.abs(two)), 0.0)
    return np.asarray(least**2 / (2 * (curve + 2 * pull)))
