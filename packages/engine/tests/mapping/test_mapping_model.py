"""How a stored model is applied: the same as a straightforward walk through its trees, whatever the weights are."""

import math
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.mapping.model import (
    GIVEN_UP_AT,
    NEVER,
    REASONS,
    UNIT,
    UNLIKELY,
    Model,
    calibration_terms,
    contributions,
    from_json,
    is_safe,
    leads,
    model,
    probability,
    regime,
)
from ade_engine.mapping.pairs import FEATURES
from ade_engine.mapping.value_likeness import VALUE_FEATURES, compare_values
from ade_engine.mapping.value_profile import Seen, profile_values

FEATURE = st.integers(0, len(FEATURES) - 1)
WEIGHT = st.integers(-2 * UNIT, 2 * UNIT)
LEAF = st.tuples(WEIGHT).map(list)
TREES = st.lists(
    st.recursive(
        LEAF,
        lambda child: st.tuples(WEIGHT, FEATURE, st.integers(-5, 105), child, child).map(list),
        max_leaves=6,
    ),
    max_size=4,
)
ROWS = st.lists(st.integers(-1, 120), min_size=len(FEATURES), max_size=len(FEATURES))
CALIBRATION = {name: [0, UNIT, 0, 0, 0, 0] for name in ("both", "names", "values")}


def stored(base, trees):
    return {"features": list(FEATURES), "base": base, "trees": trees, "calibration": CALIBRATION}


def walked(tree, row):
    """The value of the leaf that a row ends in."""
    while len(tree) > 1:
        _, feature, threshold, at_most, above = tree
        tree = at_most if row[feature] <= threshold else above
    return tree[0]


@given(WEIGHT, TREES, ROWS)
def test_a_score_is_the_base_and_the_leaf_of_every_tree(base, trees, row):
    assert from_json(stored(base, trees)).raw(row) == base + sum(walked(tree, row) for tree in trees)


@given(WEIGHT, TREES, ROWS)
def test_reasons_and_the_start_add_up_to_the_score(base, trees, row):
    found = from_json(stored(base, trees))
    assert set(found.reasons(row)) == {"name.base", *REASONS}
    assert found.start + sum(found.reasons(row).values()) == found.raw(row)


@given(WEIGHT, TREES, ROWS, st.permutations(range(len(FEATURES))))
def test_features_are_stored_by_name_and_their_order_does_not_matter(base, trees, row, order):
    place = {feature: number for number, feature in enumerate(order)}

    def renumbered(tree):
        if len(tree) == 1:
            return tree
        value, feature, threshold, at_most, above = tree
        return [value, place[feature], threshold, renumbered(at_most), renumbered(above)]

    other = stored(base, [renumbered(tree) for tree in trees]) | {"features": [FEATURES[n] for n in order]}
    assert from_json(other).raw(row) == from_json(stored(base, trees)).raw(row)


def test_a_model_with_a_feature_that_nobody_computes_is_refused():
    with pytest.raises(ValueError, match="tuple"):
        from_json(stored(0, []) | {"features": ["no such feature"]})


@given(st.integers(-40 * UNIT, 40 * UNIT), st.integers(0, 5 * UNIT))
def test_a_probability_grows_with_the_score_and_never_reaches_certainty(score, more):
    assert 0 <= probability(score) <= probability(score + more) < 1
    assert probability(score) == pytest.approx(1 / (1 + math.exp(-score / UNIT)), abs=1e-3)


@given(st.integers(-3 * UNIT, 3 * UNIT), st.dictionaries(st.sampled_from(sorted(REASONS)), WEIGHT))
def test_reasons_shown_add_up_to_the_probability_they_lead_to(start, reasons):
    shown = contributions(start, reasons)
    reached = probability(start + sum(reasons.values()))
    assert sum(one.delta for one in shown) == pytest.approx(reached, abs=0.001)
    assert shown[0].rule == "name.base"
    signs = [one.delta > 0 for one in shown[1:]]
    assert signs == sorted(signs, reverse=True)


@pytest.mark.parametrize(
    ("feature", "unknown", "reason"),
    [
        ("sizes", -1, "profile.range"),
        ("years", -1, "profile.range"),
        ("same_values", -30, "profile.same"),
        ("value_lead_field", -999, "profile.rivals"),
        ("concepts", -1, "name.meaning"),
        ("opposite", 0, "name.meaning"),
        ("numbers", 0, "name.numbers"),
        ("after", 1, "table.place"),
        ("covers_header", None, "name.words"),
    ],
)
def test_what_is_not_known_of_a_pair_is_no_reason(feature, unknown, reason):
    step = [0, FEATURES.index(feature), 50, [UNIT], [2 * UNIT]]
    found = from_json(stored(0, [step]))
    row = [7] * len(FEATURES)
    assert {name for name, added in found.reasons(row).items() if added} == {reason}
    if unknown is None:
        row[FEATURES.index("length")] = 0  # a column without a header has no name
    else:
        row[FEATURES.index(feature)] = unknown
    assert {name for name, added in found.reasons(row).items() if added} == {"name.base"}


def test_a_reason_that_adds_nothing_is_not_shown():
    shown = contributions(0, {"name.words": 0, "name.letters": UNIT})
    assert [one.rule for one in shown] == ["name.base", "name.letters"]


RAWS = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(-8 * UNIT, 8 * UNIT), min_size=1)


@given(RAWS)
def test_a_lead_is_the_distance_to_the_best_other_pair(raws):
    for pair, (by_column, by_field) in leads(raws).items():
        rivals = [raw for other, raw in raws.items() if other != pair and other[0] == pair[0]]
        others = [raw for other, raw in raws.items() if other != pair and other[1] == pair[1]]
        assert by_column == raws[pair] - max([-9 * UNIT, *rivals])
        assert by_field == raws[pair] - max([-9 * UNIT, *others])


@given(RAWS)
def test_only_one_pair_of_a_column_leads_it(raws):
    found = leads(raws)
    for column in {pair[0] for pair in raws}:
        ahead = [pair for pair in raws if pair[0] == column and found[pair][0] > 0]
        assert len(ahead) <= 1


def row_with(**features):
    row = [0] * len(FEATURES)
    for name, value in features.items():
        row[FEATURES.index(name)] = value
    return row


def test_what_is_known_of_a_pair_chooses_its_calibration():
    assert regime(row_with(length=0, kinds=10)) == "values"
    assert regime(row_with(length=5, kinds=-1)) == "names"
    assert regime(row_with(length=5, kinds=0)) == "both"


def test_a_telling_word_that_is_left_over_makes_a_pair_of_names_alone_unsafe():
    for left, right in product((0, 50, 99), repeat=2):
        assert is_safe(row_with(length=5, kinds=-1, rest_header=left, rest_field=right), 0.95)
    assert not is_safe(row_with(length=5, kinds=-1, rest_header=100), 1.0)
    assert not is_safe(row_with(length=5, kinds=-1, rest_field=100), 1.0)
    assert is_safe(row_with(length=5, kinds=0, rest_header=100), 0.95)


@pytest.mark.parametrize("part", ["numbers", "brackets"])
def test_other_numbers_or_words_in_brackets_make_a_pair_of_names_alone_unsafe(part):
    assert [is_safe(row_with(length=5, kinds=-1, **{part: agreement}), 1.0) for agreement in range(4)] == [
        *[True] * 3,
        False,
    ]
    assert is_safe(row_with(length=5, kinds=0, **{part: 3}), 0.95)


def test_values_alone_must_be_more_certain_than_names_and_values():
    assert not is_safe(row_with(length=0, kinds=0), 0.95)
    assert is_safe(row_with(length=0, kinds=0), 0.999)


@given(
    st.integers(-9 * UNIT, 9 * UNIT), st.tuples(st.integers(-9 * UNIT, 18 * UNIT), st.integers(-9 * UNIT, 18 * UNIT))
)
def test_terms_of_the_calibration_are_bounded_above(raw, both):
    terms = calibration_terms(raw, both)
    assert terms[0] == raw
    assert terms[1] <= 4 * UNIT
    assert terms[2] <= 4 * UNIT
    assert terms[3] == min(terms[1], terms[2])
    assert abs(terms[4]) <= 2 * UNIT


def test_a_pair_that_fell_below_the_limit_is_given_up_at_the_first_place_where_that_is_asked():
    row, first = [0] * len(FEATURES), GIVEN_UP_AT[1]
    for trees, raw in (
        ((UNLIKELY,) * 2, 2 * UNLIKELY),  # too few trees to know
        ((UNLIKELY,) * 2 + (0,) * first, NEVER),
        ((0,) * first + (UNLIKELY,) * 2 + (0,) * first, NEVER),
        ((UNLIKELY,) + (0,) * 3 * first, UNLIKELY),  # no lower than the limit
        ((UNLIKELY,) * 2 + (-UNLIKELY,) * first, (first - 2) * -UNLIKELY),
    ):
        assert Model(0, 0, trees, {}).raw(row) == raw, trees


@given(ROWS, st.integers(-9 * UNIT, 9 * UNIT), st.tuples(WEIGHT, WEIGHT))
def test_a_calibration_is_a_weighted_sum_in_thousandths(row, raw, both):
    weights = [100, 900, 10, 20, 30, 40]
    found = Model(0, 0, (), dict.fromkeys(CALIBRATION, weights)).calibrated(row, raw, both)
    terms = (UNIT, *calibration_terms(raw, both))
    assert found == math.floor(sum(w * t for w, t in zip(weights, terms, strict=True)) / UNIT + 1e-9)


@given(ROWS)
def test_the_model_of_the_engine_scores_any_row_and_explains_it(row):
    found = model()
    assert found.raw(row) in (NEVER, found.start + sum(found.reasons(row).values()))
    assert set(found.calibration) == {"both", "names", "values"}
    assert 0 <= probability(found.calibrated(row, found.raw(row), (0, 0))) < 1


SALT = b"0123456789abcdef"


def compared(column, field, *, salt=SALT):
    ours, seen = profile_values(column)
    theirs, _ = profile_values(field, salt)
    return dict(zip(VALUE_FEATURES, compare_values(ours, seen, theirs, salt), strict=True))


VALUES = st.lists(
    st.one_of(st.integers(-9999, 9999), st.dates(), st.sampled_from(["Oslo", "AB-12", "a@b.org", "yes", "two words"])),
    min_size=1,
    max_size=40,
)


@given(VALUES)
def test_a_column_differs_in_nothing_from_itself(values):
    found = compared(values, values)
    for name in ("kinds", "lengths", "word_count", "distinct", "top", "filled"):
        assert found[name] == 0, name
    for name in ("sizes", "size_spread", "negative", "decimals", "years", "letter_pairs"):
        assert found[name] in (0, -1), name


@given(VALUES, VALUES)
def test_distances_of_values_are_symmetric(ours, theirs):
    one, other = compared(ours, theirs), compared(theirs, ours)
    for name in ("kinds", "lengths", "word_count", "sizes", "size_spread", "years", "distinct", "top", "letter_pairs"):
        assert one[name] == other[name], name


def test_without_values_on_one_side_nothing_is_known():
    ours, seen = profile_values(["a", "b"])
    nothing, unseen = profile_values([])
    assert nothing is None
    for column, its, field in ((nothing, unseen, ours), (ours, seen, None)):
        found = dict(zip(VALUE_FEATURES, compare_values(column, its, field, SALT), strict=True))
        assert {value for name, value in found.items() if not name.startswith("same_")} == {-1}
        assert found["same_values"] == found["same_words"] == -30


def test_other_kinds_and_sizes_are_further_apart():
    amounts = [f"{n}.50" for n in range(100, 130)]
    names = [f"Person {chr(65 + n)}" for n in range(26)]
    assert compared(amounts, amounts)["kinds"] < compared(amounts, names)["kinds"]
    thousand = [str(n * 1000) for n in range(100, 130)]
    assert compared(amounts, thousand)["sizes"] > compared(amounts, amounts)["sizes"]


def test_values_in_common_are_counted_and_need_the_same_salt():
    items = [f"item {n} of {n * 7}" for n in range(60)]
    same, other = compared(items, items), compared(items, [f"thing {n} at {n * 5}" for n in range(60)])
    assert same["same_values"] > 90
    assert same["looked_up"] == 60
    assert other["same_values"] < 40
    theirs, _ = profile_values(items, b"another salt 123")
    ours, seen = profile_values(items)
    apart = dict(zip(VALUE_FEATURES, compare_values(ours, seen, theirs, SALT), strict=True))
    assert apart["same_values"] < 50


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("12", "number"), ("-3.5", "number"), ("$1,200", "number"), ("12%", "number"), ("(40)", "number"),
        ("2024-05-01", "date"), ("1/5/2024", "date"), ("5-May-2024", "date"), ("May 5, 2024", "date"),
        ("10:30", "time"), ("10:30:15 PM", "time"), ("a@b.org", "email"), ("https://a.b/c", "url"), ("www.a.b", "url"),
        ("yes", "boolean"), ("X", "boolean"), ("AB12", "code"), ("a_b", "code"), ("apple", "word"),
        ("two words", "words"), ("a text of more than six single words", "prose"), (True, "boolean"), (2.50, "number"),
    ],
)  # fmt: skip
def test_a_value_counts_as_one_kind(value, kind):
    found, _ = profile_values([value])
    assert found.kinds == {kind: 100}


@given(VALUES, st.integers(0, 40))
def test_shares_of_a_profile_are_percent(values, blanks):
    found, seen = profile_values(values, row_count=len(values) + blanks)
    assert found.filled == 100 * len(values) // (len(values) + blanks)
    assert seen.filled == len(values)
    assert 0 < found.distinct <= 100
    assert 0 < found.top <= 100
    assert 98 <= sum(found.kinds.values()) <= 103
    assert found.lengths == tuple(sorted(found.lengths))


def test_a_long_column_is_sampled_evenly():
    values = [f"v{n}" for n in range(4000)]
    seen = Seen(values, row_count=4000)
    assert seen.filled == 400
    assert {text[1:-1] == "" or int(text[1:]) % 10 == 0 for text in seen.counts} == {True}
