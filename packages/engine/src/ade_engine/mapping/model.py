"""A model of boosted trees, stored as whole numbers: how likely a pair of a column and a field is right, and why."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ade_engine.evidence import DIGITS, Contribution
from ade_engine.mapping.likeness import OTHERS
from ade_engine.mapping.pairs import FEATURES, Pair, unknown_value
from ade_engine.mapping.reading import PLAIN
from ade_engine.records import record

FILE = Path(__file__).with_name("model.json")
UNIT = 1000  # log-odds are stored in thousandths
NEVER = -9 * UNIT
_MOST_LEAD = 4 * UNIT
# What a person reads: features by the reason they belong to.
REASONS = {
    "name.words": (
        "covers_header", "covers_field", "rest_header", "rest_field", "rest_both", "shared_weight", "last_word",
        "first_word", "in_order", "words", "length", "name_sum", "telling_word",
    ),
    "name.letters": ("letters", "skeleton", "within", "shortened"),
    "name.meaning": ("concepts", "opposite", "meaning", "near_header", "near_field", "narrowed"),
    "name.numbers": ("numbers", "brackets"),
    "name.rivals": ("name_lead_column", "name_lead_field"),
    "profile.kinds": ("kinds", "kind", "shapes", "lengths", "word_count", "letter_pairs", "value_sum"),
    "profile.range": ("sizes", "size_spread", "negative", "decimals", "years"),
    "profile.repeats": ("distinct", "top", "filled", "variety", "looked_up", "looked_up_words", "seen"),
    "profile.same": ("same_values", "same_words"),
    "profile.rivals": ("value_lead_column", "value_lead_field", "kind_rivals_column", "kind_rivals_field"),
    "table.place": ("place", "before", "after"),
    "table.rivals": ("columns_left", "fields_left"),
}  # fmt: skip
_REASON_OF = {feature: reason for reason, features in REASONS.items() for feature in features}
_LENGTH, _KINDS = FEATURES.index("length"), FEATURES.index("kinds")
_REST_HEADER, _REST_FIELD = FEATURES.index("rest_header"), FEATURES.index("rest_field")
_NUMBERS, _BRACKETS = FEATURES.index("numbers"), FEATURES.index("brackets")
_MOST = 0.9999  # nothing is certain
_VALUES_ALONE = 0.985  # from here on, fewer than 1 in 200 columns without headers are mapped wrongly
_REASONS = tuple(_REASON_OF[feature] for feature in FEATURES)
_BASE = "name.base"  # what is due to nothing that a person could see
_UNKNOWN = tuple(unknown_value(feature) for feature in FEATURES)
_OF_NAMES = tuple(reason.startswith("name.") for reason in _REASONS)
UNLIKELY = -5 * UNIT  # a pair that falls below this at one of these trees is given up: no later ones make it likely
GIVEN_UP_AT = (0, 40, 60, 80)
Node = Any  # a leaf is its value; any other (feature, threshold, at most, above, value)


@record
class Model:
    """Trees, the value they start from, and the weights that turn raw scores into probabilities."""

    base: int
    start: int  # the log-odds of a pair of which nothing is known
    trees: tuple[Node, ...]
    calibration: Mapping[str, Sequence[int]]  # by what is known of a pair: see regime

    def raw(self, row: Sequence[int]) -> int:
        """Return the log-odds of a pair, before its rivals are looked at; of one that is out of the question, NEVER."""
        total: int = self.base
        for start, end in zip(GIVEN_UP_AT, (*GIVEN_UP_AT[1:], None), strict=True):
            if 0 < start < len(self.trees) and total < UNLIKELY:
                return NEVER
            for node in self.trees[start:end]:
                while node.__class__ is tuple:
                    node = node[2] if row[node[0]] <= node[1] else node[3]
                total += node
        return total

    def reasons(self, row: Sequence[int]) -> dict[str, int]:
        """Return what each reason adds to the log-odds: along a path, a step is due to the feature it asks for.

        A step that asks for what is not known, such as the range of texts, is no reason that a person could check.
        """
        found = dict.fromkeys((_BASE, *REASONS), 0)
        is_nameless = not row[_LENGTH]
        for tree in self.trees:
            node = tree
            while node.__class__ is tuple:
                feature, threshold, at_most, above, value = node
                node = at_most if row[feature] <= threshold else above
                is_told = row[feature] != _UNKNOWN[feature] and not (is_nameless and _OF_NAMES[feature])
                found[_REASONS[feature] if is_told else _BASE] += _value(node) - value
        return found

    def calibrated(self, row: Sequence[int], raw: int, leads: tuple[int, int]) -> int:
        """Return the log-odds of a pair with regard to its leads over the rivals of its column and of its field."""
        terms = (UNIT, *calibration_terms(raw, leads))
        return sum(weight * term for weight, term in zip(self.calibration[regime(row)], terms, strict=True)) // UNIT


def regime(row: Sequence[int]) -> str:
    """Return what is known of a pair: both names and values, names alone, or values alone."""
    if not row[_LENGTH]:
        return "values"
    return "names" if row[_KINDS] < 0 else "both"


def is_safe(row: Sequence[int], likely: float) -> bool:
    """Return whether a pair may be mapped at all: with less to compare, more is asked for.

    Names alone must not leave a telling word over, nor have other numbers or other words in brackets. Values alone must
    be more certain than a person would ask for.
    """
    known = regime(row)
    if known == "values":
        return likely >= _VALUES_ALONE
    if known == "both":
        return True
    return max(row[_REST_HEADER], row[_REST_FIELD]) < PLAIN and OTHERS not in (row[_NUMBERS], row[_BRACKETS])


def calibration_terms(raw: int, leads: tuple[int, int]) -> tuple[int, ...]:
    """Return what the calibration weighs."""
    by_column, by_field = (min(lead, _MOST_LEAD) for lead in leads)
    return raw, by_column, by_field, min(by_column, by_field), max(min(raw, 2 * UNIT), -2 * UNIT)


def leads(raws: Mapping[Pair, int]) -> dict[Pair, tuple[int, int]]:
    """Return how far each pair is ahead of the best other pair of its column, and of its field."""
    best: dict[tuple[str, int], list[tuple[int, Pair]]] = {}
    for pair, raw in raws.items():
        for key in (("column", pair[0]), ("field", pair[1])):
            best[key] = sorted([*best.get(key, ()), (raw, pair)], reverse=True)[:2]

    def lead(pair: Pair, key: tuple[str, int]) -> int:
        rival = next((raw for raw, other in best[key] if other != pair), NEVER)
        return raws[pair] - max(rival, NEVER)

    return {pair: (lead(pair, ("column", pair[0])), lead(pair, ("field", pair[1]))) for pair in raws}


def probability(log_odds: int) -> float:
    """Return log-odds as a probability with the precision every machine agrees on."""
    found = 1 / (1 + math.exp(-max(-30 * UNIT, min(30 * UNIT, log_odds)) / UNIT))
    return min(round(found, DIGITS), _MOST)


def contributions(start: int, reasons: Mapping[str, int]) -> tuple[Contribution, ...]:
    """Return reasons as parts of the probability they lead to: first what is in favour, then what is against."""
    told = [reason for reason in reasons.items() if reason[0] != _BASE]
    ordered = sorted(told, key=lambda reason: (reason[1] < 0, -abs(reason[1]), reason[0]))
    reached = start + reasons.get(_BASE, 0)
    found = [Contribution(_BASE, probability(reached))]
    for reason, added in ordered:
        step = round(probability(reached + added) - probability(reached), DIGITS)
        reached += added
        if step:
            found.append(Contribution(reason, step))
    return tuple(found)


@cache
def model() -> Model:
    """Return the model that is part of the engine, read once."""
    return from_json(json.loads(FILE.read_bytes()))


def from_json(content: Mapping[str, Any]) -> Model:
    """Return a stored model. Features are stored by name: another order of features reads as the same model."""
    places = [FEATURES.index(name) for name in content["features"]]
    trees = tuple(_node(tree, places) for tree in content["trees"])
    start = content["base"] + sum(map(_value, trees))
    return Model(content["base"], start, trees, content["calibration"])


def _node(stored: Sequence[Any], places: Sequence[int]) -> Node:
    if len(stored) == 1:
        return stored[0]
    value, feature, threshold, at_most, above = stored
    return (places[feature], threshold, _node(at_most, places), _node(above, places), value)


def _value(node: Node) -> int:
    found: int = node[4] if node.__class__ is tuple else node
    return found
