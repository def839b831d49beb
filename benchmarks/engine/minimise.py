"""Minimises a smooth function with the limited-memory BFGS method, in numpy alone: the same steps every time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_MEMORY = 10
_TRIES = 12


def minimise(
    function: Callable[[np.ndarray], tuple[float, np.ndarray]], start: np.ndarray, *, steps: int
) -> np.ndarray:
    """Return where `function`, which gives a value and its gradient, is least after some steps."""
    place = start.copy()
    value, gradient = function(place)
    moves: list[tuple[np.ndarray, np.ndarray]] = []
    for _ in range(steps):
        direction = -_curved(gradient, moves)
        slope = float(direction @ gradient)
        length = 1.0 if moves else 1.0 / max(float(np.abs(gradient).sum()), 1e-9)
        for _ in range(_TRIES):
            reached = place + length * direction
            new_value, new_gradient = function(reached)
            if new_value <= value + 1e-4 * length * slope:
                break
            length *= 0.4
        else:
            return place
        move, change = reached - place, new_gradient - gradient
        if move @ change > 1e-10:
            moves = [*moves[-_MEMORY + 1 :], (move, change)]
        is_flat = value - new_value < 1e-5 * abs(value)
        place, value, gradient = reached, new_value, new_gradient
        if is_flat:
            break
    return place


def _curved(gradient: np.ndarray, moves: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Multiply the gradient by the inverse curvature known from the last moves."""
    found = gradient.copy()
    factors = []
    for move, change in reversed(moves):
        factor = (move @ found) / (move @ change)
        factors.append(factor)
        found -= factor * change
    if moves:
        move, change = moves[-1]
        found *= (move @ change) / (change @ change)
    for (move, change), factor in zip(moves, reversed(factors), strict=True):
        found += (factor - (change @ found) / (move @ change)) * move
    return found
