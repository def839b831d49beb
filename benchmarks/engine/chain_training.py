"""Learns the weights of the chain that labels lines: a conditional random field with labels that are partly hidden.

What may be several things (a row of a table whose header was not labelled) is summed over. Weights are drawn towards
what was set by hand: signs and steps towards 0, rules towards 1. A second training adds the pairs of signs, and the
signs of steps, that would lower the loss of the first most, in either half of the families (sign_pairs.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from labelled import number
from minimise import minimise
from sequences import Sequence
from sign_pairs import best_pairs, best_steps

from ade_engine.structure import labelling
from ade_engine.structure import weights as w
from ade_engine.structure.features import LABELS

PULL, RULE_PULL = 2.0, 3.0
STEPS, MORE_STEPS = 36, 30
PAIR = " "
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

    def from_parts(self, known: list[np.ndarray]) -> np.ndarray:
        """Return a vector that begins with weights known for fewer names."""
        parts = self.parts(self.rest.copy())
        for part, own in zip(parts, known, strict=True):
            part[: len(own)] = own
        return np.concatenate([part.ravel() for part in parts])


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
        halves = [number(s.families[0] + " half") % 2 == 0 for s in sequences]
        self.halves = np.repeat(np.array(halves), self.lengths)
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


def train(sequences: list[Sequence], names: Names) -> tuple[Names, list[np.ndarray]]:
    """Return the weights of signs, steps, rules and ends, and the names they belong to, pairs of signs among them."""
    lines, weights = Lines(sequences, names), Weights(names)
    found = minimise(lambda vector: _loss(lines, weights, vector), weights.rest.copy(), steps=STEPS)
    longer = _with_pairs(lines, names, _residuals(lines, weights, found))
    again = Weights(longer)
    start = again.from_parts(weights.parts(found))
    return longer, again.parts(minimise(lambda vector: _loss(lines, again, vector), start, steps=MORE_STEPS))


def _with_pairs(lines: Lines, names: Names, residuals: tuple[np.ndarray, ...]) -> Names:
    """Add pairs of signs, and signs as steps, to the lines and to the names."""
    signs = lines.signs
    pairs = best_pairs(signs, residuals[0], residuals[1], lines.halves, pull=PULL)
    steps = best_steps(signs, residuals[2], lines.halves, pull=PULL)
    lines.signs = np.concatenate([signs, *((signs[:, a] * signs[:, b])[:, None] for a, b in pairs)], axis=1)
    lines.steps = np.concatenate([lines.steps, signs[:, steps]], axis=1)
    both = [PAIR.join((names.signs[a], names.signs[b])) for a, b in pairs]
    return Names(names.signs + both, names.steps + [names.signs[n] for n in steps], names.rules)


def _loss(lines: Lines, weights: Weights, vector: np.ndarray) -> tuple[float, np.ndarray]:
    by_label = np.zeros((len(lines.signs), COUNT))
    by_step, by_end = np.zeros(weights.shapes[1]), np.zeros(COUNT)
    total = 0.0
    for part in _batches(lines, weights, vector):
        total += part.loss
        by_label[part.places] = part.node
        by_step += np.tensordot(lines.steps[part.places].astype(float), part.pair, axes=(0, 0))
        by_end += part.last
    away = vector - weights.rest
    gradient = [lines.signs.T @ by_label, by_step, (lines.rules * by_label[:, lines.rule_labels]).sum(0), by_end]
    flat = np.concatenate([part.ravel() for part in gradient])
    return total + float((weights.pull * away**2).sum()), flat + 2 * weights.pull * away


def _residuals(lines: Lines, weights: Weights, vector: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what weights say too much by line and label, how unsure they are, and the former by pair of labels."""
    size = len(lines.signs)
    node, unsure = np.zeros((size, COUNT), np.float32), np.zeros((size, COUNT), np.float32)
    pair = np.zeros((size, COUNT + 1, COUNT), np.float32)
    for part in _batches(lines, weights, vector):
        node[part.places], unsure[part.places], pair[part.places] = part.node, part.unsure, part.pair
    return node, unsure, pair


@dataclass
class _Part:
    """What a batch of lines has against the weights: by line, by step into a line, at the end; and its loss."""

    places: np.ndarray
    node: np.ndarray
    unsure: np.ndarray
    pair: np.ndarray
    last: np.ndarray
    loss: float


def _batches(lines: Lines, weights: Weights, vector: np.ndarray) -> Iterator[_Part]:
    signs, steps, rules, ends = weights.parts(vector)
    earned = lines.fixed + lines.signs @ signs.astype(np.float32)
    scaled = lines.rules * rules.astype(np.float32)
    for label in range(COUNT):
        earned[:, label] += scaled[:, lines.rule_labels == label].sum(1)
    moves = lines.moves + np.tensordot(lines.steps, steps.astype(np.float32), axes=(1, 0))
    hand = np.array([w.END.get(label, 0.0) for label in LABELS])
    for batch in lines.batches:
        yield _part(lines, batch, earned, moves, hand + ends)


def _part(lines: Lines, batch: np.ndarray, earned: np.ndarray, moves: np.ndarray, ends: np.ndarray) -> _Part:
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
    unsure = nodes[:size] * (1 - nodes[:size]) * share[:, None, None]
    pair = (pairs[:size] - pairs[size:]) * share[:, None, None, None]
    last = node[np.arange(size), lengths - 1].sum(0)
    loss = float((share * np.where(share > 0, free - bound, 0.0)).sum())
    return _Part(places[inside], node[inside], unsure[inside], pair[inside], last, loss)


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
