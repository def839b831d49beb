"""Grows boosted trees on whole-number features: histograms, best split first, Newton steps. Needs numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

_BINS = 64


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How trees are grown."""

    rounds: int = 170
    rate: float = 0.08
    leaves: int = 8
    depth: int = 5
    least: float = 4.0  # curvature of a leaf, about four times that of a row in doubt
    smoothing: float = 5.0
    features: float = 0.5  # share of the features a tree may ask for
    rows: float = 0.6  # share of the rows a tree sees
    seed: int = 7
    rising: tuple[int, ...] = ()  # features of which more never makes a pair less likely
    falling: tuple[int, ...] = ()


def grow(rows: Any, right: Any, weights: Any, growth: Growth) -> tuple[float, list[Any]]:
    """Return the value to start from, and nested trees: [value] or [value, feature, threshold, at most, above]."""
    edges = [_edges(rows[:, number]) for number in range(rows.shape[1])]
    binned = np.stack([np.searchsorted(cuts, rows[:, n]) for n, cuts in enumerate(edges)], axis=1).astype(np.int64)
    binned = np.asfortranarray(binned)
    share = float((right * weights).sum() / weights.sum())
    base = float(np.log(share / (1 - share)))
    raw = np.full(len(right), base)
    chance = np.random.default_rng(growth.seed)
    trees = []
    for _ in range(growth.rounds):
        kept = np.flatnonzero(chance.random(len(right)) < growth.rows)
        columns = np.sort(chance.permutation(rows.shape[1])[: int(rows.shape[1] * growth.features)])
        likely = 1 / (1 + np.exp(-raw[kept]))
        slopes, curves = (likely - right[kept]) * weights[kept], likely * (1 - likely) * weights[kept]
        signs = np.array([(n in growth.rising) - (n in growth.falling) for n in columns])
        tree = _tree(binned[np.ix_(kept, columns)], slopes, curves, signs, growth)
        stored = _stored(tree, columns, edges)
        trees.append(stored)
        raw += _values(stored, rows)
    return base, trees


def _edges(values: Any) -> Any:
    """Return the thresholds between bins: every value where there are few, quantiles otherwise."""
    distinct = np.unique(values)
    if len(distinct) > _BINS:
        distinct = np.unique(np.quantile(values, np.linspace(0, 1, _BINS), method="nearest"))
    return distinct[:-1]


@dataclass
class _Leaf:
    place: Any
    depth: int
    value: float
    gradients: float
    hessians: float
    bounds: tuple[float, float]
    best: tuple[float, int, int, float] | None = None  # gain, feature, bin, the value in the middle
    split: tuple[int, int, _Leaf, _Leaf] | None = None


def _tree(binned: Any, gradients: Any, hessians: Any, signs: Any, growth: Growth) -> _Leaf:
    root = _leaf(np.arange(len(gradients)), 0, binned, gradients, hessians, signs, growth)
    leaves = [root]
    while len(leaves) < growth.leaves:
        chosen = max((leaf for leaf in leaves if leaf.best), key=lambda leaf: leaf.best[0], default=None)  # type: ignore[index]
        if chosen is None or chosen.best is None:
            break
        _, feature, cut, _ = chosen.best
        is_low = binned[chosen.place, feature] <= cut
        parts = [
            _leaf(chosen.place[side], chosen.depth + 1, binned, gradients, hessians, signs, growth, bounds)
            for side, bounds in zip((is_low, ~is_low), _bounds(chosen, signs[feature]), strict=True)
        ]
        chosen.split = (feature, cut, parts[0], parts[1])
        leaves = [leaf for leaf in leaves if leaf is not chosen] + parts
    return root


def _bounds(leaf: _Leaf, sign: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return between which values the two parts of a leaf stay, so that what is above never falls below."""
    low, high = leaf.bounds
    if not sign or leaf.best is None:
        return leaf.bounds, leaf.bounds
    middle = min(max(leaf.best[3], low), high)
    return ((low, middle), (middle, high)) if sign > 0 else ((middle, high), (low, middle))


def _leaf(
    place: Any, depth: int, binned: Any, gradients: Any, hessians: Any, signs: Any, growth: Growth,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> _Leaf:  # fmt: skip
    total, curve = float(gradients[place].sum()), float(hessians[place].sum())
    value = min(max(-growth.rate * total / (curve + growth.smoothing), bounds[0]), bounds[1])
    leaf = _Leaf(place, depth, value, total, curve, bounds)
    if depth < growth.depth and curve >= 2 * growth.least:
        leaf.best = _best(leaf, binned[place], gradients[place], hessians[place], signs, growth)
    return leaf


def _best(
    leaf: _Leaf, binned: Any, gradients: Any, hessians: Any, signs: Any, growth: Growth
) -> tuple[float, int, int, float] | None:
    width = binned.shape[1]
    low_g, low_h = np.empty((width, _BINS)), np.empty((width, _BINS))
    for feature in range(width):
        bins = binned[:, feature]
        low_g[feature] = np.bincount(bins, weights=gradients, minlength=_BINS)
        low_h[feature] = np.bincount(bins, weights=hessians, minlength=_BINS)
    low_g, low_h = low_g.cumsum(axis=1), low_h.cumsum(axis=1)
    high_g, high_h = leaf.gradients - low_g, leaf.hessians - low_h
    smooth = growth.smoothing
    gain = low_g**2 / (low_h + smooth) + high_g**2 / (high_h + smooth) - leaf.gradients**2 / (leaf.hessians + smooth)
    low_v, high_v = -low_g / (low_h + smooth), -high_g / (high_h + smooth)
    gain[(low_h < growth.least) | (high_h < growth.least) | ((high_v - low_v) * signs[:, None] < 0)] = -1
    place = int(gain.argmax())
    if gain.flat[place] <= 1e-6:
        return None
    middle = growth.rate * float(low_v.flat[place] + high_v.flat[place]) / 2
    return float(gain.flat[place]), place // _BINS, place % _BINS, middle


def _stored(leaf: _Leaf, columns: Any, edges: list[Any]) -> list[Any]:
    if leaf.split is None:
        return [leaf.value]
    feature, cut, low, high = leaf.split
    column = int(columns[feature])
    return [leaf.value, column, int(edges[column][cut]), _stored(low, columns, edges), _stored(high, columns, edges)]


def _values(tree: list[Any], rows: Any) -> Any:
    if len(tree) == 1:
        return np.full(len(rows), tree[0])
    is_low = rows[:, tree[1]] <= tree[2]
    found = np.empty(len(rows))
    found[is_low] = _values(tree[3], rows[is_low])
    found[~is_low] = _values(tree[4], rows[~is_low])
    return found


def raw_scores(base: float, trees: list[Any], rows: Any) -> Any:
    """Return the log-odds of many rows at once."""
    return base + sum((_values(tree, rows) for tree in trees), np.zeros(len(rows)))
