"""Learns the weights of the chain that labels lines: a conditional random field with labels that are partly hidden.

What may be several things (a row of a table whose header was not labelled) is summed over. Weights are drawn towards
what was set by hand: signs and steps towards 0, rules towards 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from minimise import minimise
from sequences import Sequence

from ade_engine.structure import labelling
from ade_engine.structure import weights as w
from ade_engine.structure.features import LABELS

PULL, RULE_PULL = 2.0, 3.0
STEPS = 36
LEAST_SEEN = 8
BATCH = 256
COUNT = len(LABELS)
START = COUNT
_NEVER = -1e6
_HEADER, _DATA = LABELS.index("header"), LABELS.index("data")


@dataclass
class Names:
    """The signs, steps and rules that have a weight."""

    signs: list[str]
    steps: list[str]
    rules: list[str]


def names_of(sequences: list[Sequence]) -> Names:
    """Return what is seen often enough to learn from."""
    signs, steps, rules = Counter[str](), Counter[str](), Counter[str]()
    for found in sequences:
        for line in range(len(found.gaps)):
            signs.update(set(found.signs[line]))
            steps.update(set(found.steps[line]))
            rules.update(rule for label in found.rules[line] for rule in label)
    return Names(*(sorted(n for n, seen in c.items() if seen >= LEAST_SEEN) for c in (signs, steps, rules)))


class Weights:
    """All weights of the chain, as arrays and as one vector."""

    def __init__(self, names: Names) -> None:
        self.shapes = [(len(names.signs), COUNT), (len(names.steps), COUNT + 1, COUNT), (len(names.rules),), (COUNT,)]
        self.rest = np.concatenate(
            [np.full(int(np.prod(s)), float(len(s) == 1 and s[0] != COUNT)) for s in self.shapes]
        )
        self.pull = np.concatenate(
            [np.full(int(np.prod(s)), RULE_PULL if k == 2 else PULL) for k, s in enumerate(self.shapes)]
        )

    def parts(self, vector: np.ndarray) -> list[np.ndarray]:
        """Return a vector as signs, steps, rules and ends."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(vector, ends), self.shapes, strict=True)]


class Lines:
    """All lines of all sequences as arrays, in batches of sequences of similar length."""

    def __init__(self, sequences: list[Sequence], names: Names) -> None:
        size = sum(len(s.gaps) for s in sequences)
        self.lengths = np.array([len(s.gaps) for s in sequences])
        self.starts = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        self.signs = np.zeros((size, len(names.signs)), np.float32)
        self.steps = np.zeros((size, len(names.steps)), np.float32)
        self.rules = np.zeros((size, len(names.rules)), np.float32)
        self.rule_labels = np.array([LABELS.index(rule.split(".")[0]) for rule in names.rules])
        self.fixed = np.zeros((size, COUNT), np.float32)
        self.moves = np.full((size, COUNT + 1, COUNT), _NEVER, np.float32)
        self.allowed = np.zeros((size, COUNT), bool)
        places = [{name: n for n, name in enumerate(part)} for part in (names.signs, names.steps, names.rules)]
        for start, found in zip(self.starts, sequences, strict=True):
            for i in range(len(found.gaps)):
                self._fill(int(start) + i, found, i, places)
        sizes = Counter(s.families for s in sequences)
        self.shares = np.array([s.weight / sizes[s.families] ** 0.5 for s in sequences])
        order = np.argsort(self.lengths, kind="stable")
        self.batches = [order[n : n + BATCH] for n in range(0, len(order), BATCH)]

    def _fill(self, n: int, found: Sequence, i: int, places: list[dict[str, int]]) -> None:
        signs, steps, rules = places
        self.signs[n, [signs[s] for s in found.signs[i] if s in signs]] = 1
        self.steps[n, [steps[s] for s in found.steps[i] if s in steps]] = 1
        for label, sums in enumerate(found.rules[i]):
            for rule, delta in sums.items():
                if rule in rules:
                    self.rules[n, rules[rule]] += delta
                else:
                    self.fixed[n, label] += delta
        if i and found.again[i - 1]:
            self.fixed[n, _HEADER] += w.AFTER_PAGE
        costs = np.array(_costs(found, i)).T
        self.moves[n] = np.maximum(costs, _NEVER)
        self.moves[n, :START] = self.moves[n, :START] if i else _NEVER
        self.moves[n, START] = _NEVER if i else self.moves[n, START]
        self.allowed[n, [LABELS.index(label) for label in found.allowed[i]]] = True


def _costs(found: Sequence, i: int) -> list[list[float]]:
    """Return the costs set by hand, without anything learned."""
    if found.again[i]:
        return labelling.NEW_PAGE
    gap = found.gaps[i]
    costs = [row.copy() for row in (labelling.AFTER_GAP if gap else labelling.ADJACENT)]
    costs[_HEADER][_DATA] += w.HEADER_UNLIKE * found.alike[i]
    if gap:
        costs[_DATA][_DATA] += w.GAP_UNLIKE * (1.0 - found.alike[i]) + w.GAP_ROW * min(gap - 1, w.GAP_ROWS)
    return costs


def train(sequences: list[Sequence], names: Names) -> list[np.ndarray]:
    """Return the weights of signs, steps, rules and ends."""
    lines, weights = Lines(sequences, names), Weights(names)
    found = minimise(lambda vector: _loss(lines, weights, vector), weights.rest.copy(), steps=STEPS)
    return weights.parts(found)


def _loss(lines: Lines, weights: Weights, vector: np.ndarray) -> tuple[float, np.ndarray]:
    signs, steps, rules, ends = weights.parts(vector)
    earned = lines.fixed + lines.signs @ signs.astype(np.float32)
    scaled = lines.rules * rules.astype(np.float32)
    for label in range(COUNT):
        earned[:, label] += scaled[:, lines.rule_labels == label].sum(1)
    moves = lines.moves + np.tensordot(lines.steps, steps.astype(np.float32), axes=(1, 0))
    hand = np.array([w.END.get(label, 0.0) for label in LABELS])
    by_label, by_step, by_end = np.zeros(earned.shape), np.zeros(steps.shape), np.zeros(COUNT)
    total = 0.0
    for batch in lines.batches:
        total += _add_batch(lines, batch, earned, moves, hand + ends, by_label, by_step, by_end)
    away = vector - weights.rest
    gradient = [lines.signs.T @ by_label, by_step, (lines.rules * by_label[:, lines.rule_labels]).sum(0), by_end]
    flat = np.concatenate([part.ravel() for part in gradient])
    return total + float((weights.pull * away**2).sum()), flat + 2 * weights.pull * away


def _add_batch(lines, batch, earned, moves, ends, by_label, by_step, by_end):  # type: ignore[no-untyped-def]
    """Add what a batch has against the weights to three arrays, and return its loss."""
    lengths = lines.lengths[batch]
    longest, size = int(lengths.max()), len(batch)
    places = lines.starts[batch][:, None] + np.minimum(np.arange(longest)[None, :], lengths[:, None] - 1)
    inside = np.arange(longest)[None, :] < lengths[:, None]
    own, move = earned[places].astype(float), moves[places].astype(float)
    right = np.where(lines.allowed[places], own, own - 1e5)
    sums, nodes, pairs = _marginals(
        np.concatenate([own, right]), np.concatenate([move, move]), ends, np.concatenate([inside] * 2)
    )
    free, bound = sums[:size], sums[size:]
    share = lines.shares[batch] * (bound > free - 400)  # what no path leads through teaches nothing
    node = (nodes[:size] - nodes[size:]) * share[:, None, None]
    pair = (pairs[:size] - pairs[size:]) * share[:, None, None, None]
    by_label[places[inside]] = node[inside]
    flat = lines.steps[places].reshape(size * longest, -1).astype(float)
    by_step += (flat.T @ pair.reshape(size * longest, -1)).reshape(by_step.shape)
    by_end += node[np.arange(size), lengths - 1].sum(0)
    return float((share * np.where(share > 0, free - bound, 0.0)).sum())


def _marginals(own: np.ndarray, moves: np.ndarray, ends: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the log of the sum over all paths, and how likely each label and each pair of labels is."""
    size, longest, _ = own.shape
    both = np.maximum(moves + own[:, :, None, :], _NEVER)
    peak = both.max(axis=(2, 3))
    odds = np.ascontiguousarray(np.exp(both - peak[:, :, None, None]).transpose(1, 0, 2, 3))
    ahead, scale = np.zeros((longest, size, COUNT)), np.ones((longest, size))
    for t in range(longest):
        reached = odds[t, :, START] if not t else (ahead[t - 1][:, None, :] @ odds[t, :, :START])[:, 0]
        scale[t] = np.maximum(reached.sum(1), 1e-300)
        ahead[t] = reached / scale[t][:, None]
    last = inside.sum(1) - 1
    closing = np.exp(ends)
    final = np.maximum((ahead[last, np.arange(size)] * closing).sum(1), 1e-300)
    seen = inside.T
    sums = ((np.log(scale) + peak.T) * seen).sum(0) + np.log(final)
    back, current = np.zeros((longest, size, COUNT)), np.zeros((size, COUNT))
    for t in range(longest - 1, -1, -1):
        if t < longest - 1:
            current = (odds[t + 1, :, :START] @ (current / scale[t + 1][:, None])[:, :, None])[:, :, 0]
        current = np.where((last == t)[:, None], closing[None, :] / final[:, None], current)
        back[t] = current
    nodes = ahead * back * seen[:, :, None]
    pairs = np.zeros((longest, size, COUNT + 1, COUNT))
    pairs[0, :, START] = nodes[0]
    follow = (back[1:] / scale[1:][:, :, None])[:, :, None, :]
    pairs[1:, :, :START] = ahead[:-1][:, :, :, None] * odds[1:, :, :START] * follow * seen[1:, :, None, None]
    return sums, nodes.transpose(1, 0, 2), pairs.transpose(1, 0, 2, 3)
