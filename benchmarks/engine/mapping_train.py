"""Trains the model of column mapping on the cases of a corpus, cross-validated by family."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mapping_cases import Case, Prepared, described, prepare, read_cases
from mapping_trees import Growth, grow, raw_scores
from mapping_variants import few_rows, renamed, without_headers, without_profiles

from ade_engine.mapping.guess import assigned_pairs
from ade_engine.mapping.model import GIVEN_UP_AT, NEVER, UNIT, UNLIKELY, calibration_terms, leads, probability, regime
from ade_engine.mapping.pairs import FEATURES, Pair

WEIGHTS = {"given": 1.0, "no profiles": 0.4, "names only": 0.4, "renamed": 0.3, "few rows": 0.3, "no headers": 0.2}
# More of these never makes a pair less likely, or more likely: what few cases suggest to the contrary is chance.
_RISING = (
    "covers_header", "covers_field", "last_word", "letters", "skeleton", "within", "shortened", "concepts", "meaning",
    "telling_word", "name_sum", "name_lead_column", "name_lead_field", "same_values", "same_words", "before", "after",
    "near_header", "near_field",
)  # fmt: skip
_FALLING = ("rest_both", "opposite", "place")
GROWTH = Growth(rising=tuple(map(FEATURES.index, _RISING)), falling=tuple(map(FEATURES.index, _FALLING)))
_SMOOTHING = 1.0
_NEAR, _FAR_KEPT = -100, 0.08
_USUAL, _SHARE, _MOST_SHARE = 40, 0.5, 2.0


@dataclass(frozen=True, kw_only=True)
class Example:
    """The open pairs of one case: features, and whether they are right; -1 where that is not known."""

    group: str
    case: Case
    pairs: Sequence[Pair]
    rows: Any
    right: Any
    prepared: Prepared


def examples(folder: Path, *, variants: bool = True) -> list[Example]:
    """Return the cases of a corpus and what is made of them, described by the engine."""
    found: list[Example] = []
    for case in read_cases(folder / "cases.jsonl"):
        if (prepared := prepare(case)) is None:
            continue
        found.append(_example("given", prepared))
        if not variants:
            continue
        found.append(_example("no profiles", without_profiles(prepared)))
        found.append(_example("no headers", without_headers(prepared)))
        made = [("renamed", renamed(case, side=side, seed=1)) for side in ("target", "source")]
        for group, other in [*made, ("few rows", few_rows(case))]:
            its = prepare(other) if other else None
            found += [_example(group, its)] if its else []
    if variants:
        cases = map(prepare, read_cases(folder / "names_only.jsonl"))
        found += [_example("names only", prepared) for prepared in cases if prepared]
    return found


def _example(group: str, prepared: Prepared) -> Example:
    entries = list(described(prepared))
    return Example(
        group=group,
        case=prepared.case,
        pairs=[(column, field) for column, field, _, _ in entries],
        rows=np.array([row for _, _, row, _ in entries], dtype=np.int32).reshape(len(entries), len(FEATURES)),
        right=np.array([-1 if right is None else int(right) for *_, right in entries], dtype=np.int32),
        prepared=prepared,
    )


def folds(found: Iterable[Example], count: int) -> dict[str, int]:
    """Return the fold of each family; folds hold about as many pairs each."""
    sizes: dict[str, int] = {}
    for example in found:
        sizes[example.case.family] = sizes.get(example.case.family, 200) + len(example.pairs)
    load, where = [0] * count, {}
    names = sorted(sizes)
    random.Random(3).shuffle(names)  # noqa: S311 - the same every time
    for family in sorted(names, key=lambda name: -sizes[name]):
        where[family] = min(range(count), key=lambda fold: load[fold])
        load[where[family]] += sizes[family]
    return where


def fit(found: Sequence[Example], growth: Growth) -> tuple[float, list[Any]]:
    """Return trees grown on examples; thresholds and values are those of floating point."""
    known = [(example, example.right >= 0) for example in found if len(example.pairs)]
    rows = np.concatenate([example.rows[is_known] for example, is_known in known])
    right = np.concatenate([example.right[is_known] for example, is_known in known]).astype(float)
    shares = _shares(found)
    weights = np.concatenate([np.full(int(k.sum()), shares[e.case.family] * WEIGHTS[e.group]) for e, k in known])
    kept = (right > 0) | _are_near(rows) | (np.random.default_rng(5).random(len(right)) < _FAR_KEPT)
    weights = np.where((right > 0) | _are_near(rows), weights, weights / _FAR_KEPT)
    return grow(rows[kept], right[kept], weights[kept], growth)


def _shares(found: Sequence[Example]) -> dict[str, float]:
    """Return how much a pair of each family counts: what two hundred columns of one source show is soon said."""
    columns: dict[str, int] = {}
    for example in found:
        if example.group in ("given", "names only"):
            columns[example.case.family] = columns.get(example.case.family, 0) + int((example.right > 0).sum())
    return {family: min(_MOST_SHARE, (_USUAL / max(count, 1)) ** _SHARE) for family, count in columns.items()}


def _are_near(rows: Any) -> Any:
    """Return which pairs come near to being right; of the many others a part is enough."""
    names = rows[:, [FEATURES.index("name_lead_column"), FEATURES.index("name_lead_field")]]
    return (names > _NEAR).all(axis=1)


def scored(found: Sequence[Example], base: float, trees: list[Any]) -> list[dict[Pair, int]]:
    """Return the raw scores of the pairs of each example, in the units of the stored model."""
    return [
        dict(zip(example.pairs, _raws(base, trees, example.rows), strict=True)) if example.pairs else {}
        for example in found
    ]


def _raws(base: float, trees: list[Any], rows: Any) -> list[int]:
    """Return raw scores as the engine reckons them, which gives up pairs that are out of the question."""
    raws, is_given_up = raw_scores(base, trees, rows), np.zeros(len(rows), dtype=bool)
    for count in GIVEN_UP_AT[1:]:
        is_given_up |= UNIT * raw_scores(base, trees[:count], rows) < UNLIKELY
    return [int(raw) for raw in np.where(is_given_up, NEVER, np.round(UNIT * raws))]


def out_of_fold(
    found: Sequence[Example], growth: Growth, *, count: int = 5, tell: Callable[[str], None] = print
) -> list[dict[Pair, int]]:
    """Return the raw scores of all pairs by trees that have seen no case of the same family."""
    where = folds(found, count)
    answers: list[dict[Pair, int]] = [{} for _ in found]
    for fold in range(count):
        base, trees = fit([example for example in found if where[example.case.family] != fold], growth)
        held = [number for number, example in enumerate(found) if where[example.case.family] == fold]
        for number, raws in zip(held, scored([found[n] for n in held], base, trees), strict=True):
            answers[number] = raws
        tell(f"fold {fold + 1} of {count}")
    return answers


def assigned(example: Example, raws: Mapping[Pair, int]) -> list[tuple[Pair, str, tuple[int, ...], int]]:
    """Return the assigned pairs of an example: regime, terms of the calibration, and whether it is right."""
    ahead, place = leads(raws), {pair: number for number, pair in enumerate(example.pairs)}
    return [
        (
            pair,
            regime(example.rows[place[pair]]),
            calibration_terms(raws[pair], ahead[pair]),
            int(example.right[place[pair]]),
        )
        for pair in assigned_pairs(raws).items()
    ]


def calibrate(found: Sequence[Example], raws: Sequence[Mapping[Pair, int]]) -> dict[str, list[int]]:
    """Return the weights, by regime, that turn raw scores into log-odds; a logistic regression each."""
    kept: dict[str, list[tuple[tuple[int, ...], int, float]]] = {"both": [], "names": [], "values": []}
    for example, its in zip(found, raws, strict=True):
        weight = 1.0 if example.group not in ("renamed", "few rows") else 0.15
        for _, known, terms, right in assigned(example, its):
            if right >= 0:
                kept[known].append((terms, right, weight))
    return {known: _logistic(entries) for known, entries in kept.items()}


def _logistic(entries: Sequence[tuple[tuple[int, ...], int, float]]) -> list[int]:
    terms = np.array([terms for terms, _, _ in entries], dtype=float) / UNIT
    right = np.array([right for _, right, _ in entries], dtype=float)
    weight = np.array([weight for _, _, weight in entries])
    terms = np.c_[np.ones(len(terms)), terms]
    found = np.zeros(terms.shape[1])
    keep = _SMOOTHING * np.r_[0, np.ones(terms.shape[1] - 1)]
    for _ in range(60):
        likely = 1 / (1 + np.exp(-np.clip(terms @ found, -30, 30)))
        slope = terms.T @ ((likely - right) * weight) + keep * found
        curve = (terms * (weight * likely * (1 - likely))[:, None]).T @ terms + np.diag(keep + 1e-6)
        found -= np.linalg.solve(curve, slope)
    return [round(UNIT * value) for value in found]


def confidences(example: Example, raws: Mapping[Pair, int], weights: Mapping[str, Sequence[int]]) -> dict[Pair, float]:
    """Return the calibrated probability of each assigned pair."""
    found = {}
    for pair, known, terms, _ in assigned(example, raws):
        total = sum(weight * term for weight, term in zip(weights[known], (UNIT, *terms), strict=True)) // UNIT
        found[pair] = probability(total)
    return found


def cross_calibrated(
    found: Sequence[Example], raws: Sequence[Mapping[Pair, int]], *, count: int = 5
) -> list[dict[Pair, float]]:
    """Return probabilities by a calibration that has seen no case of the same family either."""
    where = folds(found, count)
    answers: list[dict[Pair, float]] = [{} for _ in found]
    for fold in range(count):
        others = [n for n, example in enumerate(found) if where[example.case.family] != fold]
        weights = calibrate([found[n] for n in others], [raws[n] for n in others])
        for number, example in enumerate(found):
            if where[example.case.family] == fold:
                answers[number] = confidences(example, raws[number], weights)
    return answers


def write_model(path: Path, base: float, trees: Sequence[Any], calibration: Mapping[str, Sequence[int]]) -> None:
    """Write a model as whole numbers."""
    content = {
        "features": list(FEATURES),
        "base": round(UNIT * base),
        "calibration": calibration,
        "trees": [_whole(tree) for tree in trees],
    }
    path.write_text(
        json.dumps(content, separators=(",", ":")).replace("],[[", "],\n[[") + "\n", encoding="utf-8", newline="\n"
    )


def _whole(tree: Sequence[Any]) -> list[Any]:
    value = round(UNIT * tree[0])
    return [value] if len(tree) == 1 else [value, tree[1], tree[2], _whole(tree[3]), _whole(tree[4])]


def only(found: Sequence[Example], families: Iterable[str], *, are_in: bool) -> list[Example]:
    """Return the examples of some families, or of all others."""
    wanted = set(families)
    return [example for example in found if (example.case.family in wanted) is are_in]
