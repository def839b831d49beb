"""Sums by arithmetic, and the evidence that a row is a total: by its words, its place and its numbers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets_in_memory import sheet

from ade_engine.structure import weights as w
from ade_engine.structure.grid import Line, Merges, cut, grid_row
from ade_engine.structure.sums import is_sum, number, rows_summed
from ade_engine.structure.totals import total_evidence, total_word

pytestmark = pytest.mark.req("E3")


def lines(*cells: list[object]) -> list[Line]:
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.5", 1234.5),
        ("$ 1,000", 1000.0),
        ("12 %", 12.0),
        ("1\u00a0234", 1234.0),
        ("(12)", -12.0),
        ("12-", -12.0),
        ("-12", -12.0),
        ("(-12)", -12.0),
        ("7*", 7.0),
        ("7†", 7.0),
        ("", 0.0),
        ("n/a", 0.0),
        ("nan", 0.0),
        ("1e400", 0.0),
        ("inf", 0.0),
    ],
)
def test_a_text_is_the_number_that_it_means_or_none(text, value):
    assert number(text) == value


@pytest.mark.parametrize(("cell", "value"), [(3, 3.0), (2.5, 2.5), (True, 0.0), (None, 0.0), ([], 0.0)])
def test_other_cells_are_their_number_or_none(cell, value):
    assert number(cell) == value


amounts = st.integers(3_000, 10_000)  # a smaller one might be a year, and years are summed by nobody


@given(parts=st.lists(st.tuples(amounts, amounts), min_size=2, max_size=10), is_above=st.booleans())
@settings(max_examples=120, deadline=None)
def test_the_sum_of_up_to_ten_rows_is_found_on_either_side(parts, is_above):
    total = ["all", sum(a for a, _ in parts), sum(b for _, b in parts)]
    rows = [[f"item {n}", a, b] for n, (a, b) in enumerate(parts)]
    made = lines(total, *rows) if is_above else lines(*rows, total)
    i, step = (0, 1) if is_above else (len(parts), -1)

    found = rows_summed(made, i, step)

    # Fewer rows may do by chance, when the others are below what rounding may hide.
    assert found is not None
    assert found[0 if is_above else 1] == (1 if is_above else i - 1)
    assert is_sum(made, i, step)


@given(parts=st.lists(amounts, min_size=2, max_size=10), error=st.sampled_from([0.9, 1.1]))
@settings(max_examples=120, deadline=None)
def test_a_number_that_is_a_tenth_off_every_sum_is_none(parts, error):
    sums = {sum(parts[-count:]) for count in range(2, len(parts) + 1)}
    wrong = sum(parts) * error
    if any(abs(one - wrong) <= 0.01 * wrong for one in sums):
        return
    made = lines(*([f"item {n}", a] for n, a in enumerate(parts)), ["all", wrong])

    assert rows_summed(made, len(parts), -1) is None


def test_a_sum_may_be_rounded():
    assert rows_summed(lines(["a", 33.3], ["b", 66.6], ["all", 100]), 2, -1) == (0, 1)


def test_one_row_is_summed_by_nothing():
    assert rows_summed(lines(["a", 100], ["all", 100]), 1, -1) is None


def test_rows_beyond_reach_are_not_looked_at():
    parts = [[f"item {n}", 100] for n in range(11)]

    assert rows_summed(lines(*parts, ["all", 1100]), 11, -1) is None
    assert rows_summed(lines(*parts[:10], ["all", 1000]), 10, -1) == (0, 9)


def test_rows_without_numbers_between_are_stepped_over():
    assert rows_summed(lines(["a", 100], ["North", None], ["b", 200], ["all", 300]), 3, -1) == (0, 2)


def test_a_line_of_zeros_sums_nothing():
    assert rows_summed(lines(["a", 0], ["b", 0], ["all", 0]), 2, -1) is None


def test_two_of_three_columns_are_enough_and_one_is_not():
    rows = [["a", 100, 10, 1000], ["b", 200, 20, 2000]]

    assert rows_summed(lines(*rows, ["all", 300, 30, 999]), 2, -1) == (0, 1)
    assert rows_summed(lines(*rows, ["all", 300, 31, 999]), 2, -1) is None


def test_small_whole_numbers_of_a_record_are_a_sum_by_chance():
    by_chance = lines(["P-1", "Oslo", 2, 1], ["P-2", "Rome", 3, 4], ["P-3", "Lima", 5, 5])
    of_money = lines(["P-1", "Oslo", 200.5], ["P-2", "Rome", 300.25], ["P-3", "Lima", 500.75])

    assert rows_summed(by_chance, 2, -1) == (0, 1)
    assert not is_sum(by_chance, 2, -1)
    assert is_sum(of_money, 2, -1)


def evidence(made, i, *, width=3):
    return {one.rule: one.delta for one in total_evidence(made, i, [0.5] * len(made), width=width)}


DATA = (["apple", "Oslo", 10], ["pear", "Lima", 20])


@pytest.mark.parametrize("label", ["Total", "Sum:", "GRAND TOTAL", "Summe", "Итого", "合計", "Sub-total", "Average"])
def test_a_row_that_says_nothing_but_total_is_one(label):
    made = lines(*DATA, [label, None, 30], ["plum", "Rome", 5])

    assert evidence(made, 2)["total.word"] == w.TOTAL_WORD


def test_the_record_of_a_company_named_total_is_data():
    made = lines(*DATA, ["Total Oil Ltd", "Rome", 5], ["plum", "Rome", 5])

    assert evidence(made, 2)["total.word_amid_data"] == w.TOTAL_AMID


@pytest.mark.parametrize("below", [[["plum", "Rome", 5]], []])
def test_a_total_of_something_counts_where_data_ends(below):
    made = lines(*DATA, ["Total of fruit", None, 30], *below)

    assert ("total.word" in evidence(made, 2)) == (not below)


def test_the_name_of_a_group_with_total_sums_that_group():
    made = lines(["North", "Oslo", 10], [None, "Lima", 20], ["North Total", None, 30], ["South", "Rome", 5])

    assert "total.word" in evidence(made, 2)


def test_numbers_at_the_end_below_labels_left_blank_are_an_unlabelled_total():
    made = lines(["apple", "Oslo", 10, 1], ["pear", "Lima", 20, 2], [None, None, 30, 3])

    assert "total.unlabelled" in evidence(made, 2, width=4)


def test_numbers_amid_data_are_no_unlabelled_total():
    made = lines(["apple", "Oslo", 10, 1], [None, None, 30, 3], ["pear", "Lima", 20, 2])

    assert set(evidence(made, 1, width=4)) == {"total.no_word"}


def test_what_stands_right_below_a_total_in_the_same_cells_is_among_totals():
    made = lines(*DATA, ["Total", None, 30], ["VAT", None, 6], ["plum", "Rome", 5])

    assert "total.among_totals" in evidence(made, 3)
    assert set(evidence(made, 4)) == {"total.no_word"}


def test_a_full_row_below_a_total_is_data():
    made = lines(*DATA, ["Total", "all", 30], ["plum", "Rome", 5])

    assert set(evidence(made, 3)) == {"total.no_word"}


def test_half_blank_rows_that_lead_to_a_total_are_among_totals():
    wide = (["apple", "Oslo", 10, 1, 2], ["pear", "Lima", 20, 1, 2])
    made = lines(*wide, ["Net", None, 30], ["VAT", None, 6], ["Total", None, 36])

    assert "total.among_totals" in evidence(made, 2, width=5)
    assert "total.among_totals" in evidence(made, 3, width=5)


def test_measures_below_each_other_are_among_totals_and_one_alone_may_be_a_name():
    together = lines(*DATA, ["Min", None, 10], ["Max", None, 20])
    alone = lines(["Min", "Oslo", 10], ["Lee", "Lima", 20])

    assert "total.among_totals" in evidence(together, 2)
    assert set(evidence(alone, 0)) == {"total.no_word"}


def test_a_total_with_numbers_has_more_for_it_than_one_without():
    rows = lines(*DATA, ["Total", None, 30], ["Total", None, "pending"])
    with_numbers, without = evidence(rows, 2), evidence(rows, 3)

    assert with_numbers["total.numbers"] > without["total.no_numbers"]


def test_a_total_is_announced_by_the_first_text_alone():
    assert total_word(lines(["1", "Total", 30], ["x", "y", 1])[0]) == "Total"
    assert total_word(lines(["apple", "Total", 30], ["x", "y", 1])[0]) is None
