from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ade_engine.mapping.assign import best_assignment


def test_a_column_that_loses_its_first_choice_gets_its_second():
    gains = {(0, 0): 50, (0, 1): 10, (1, 0): 45, (1, 1): 40}
    assert best_assignment(gains) == {0: 0, 1: 1}


def test_the_whole_table_counts_and_not_the_best_pair():
    gains = {(0, 0): 50, (0, 1): 49, (1, 0): 48}
    assert best_assignment(gains) == {0: 1, 1: 0}


def test_a_column_without_a_pair_stays_unmapped():
    assert best_assignment({(0, 0): 5, (1, 0): 3}) == {0: 0}
    assert best_assignment({}) == {}


@pytest.mark.req("E4")
def test_ties_go_to_the_earlier_column_and_then_to_the_earlier_field():
    assert best_assignment({(0, 0): 5, (1, 0): 5}) == {0: 0}
    assert best_assignment({(3, 2): 5, (3, 1): 5}) == {3: 1}
    assert best_assignment({(c, f): 5 for c in range(3) for f in range(3)}) == {0: 0, 1: 1, 2: 2}


pairs = st.dictionaries(st.tuples(st.integers(0, 3), st.integers(0, 3)), st.integers(1, 2), min_size=3, max_size=12)


@pytest.mark.req("E4")
@settings(max_examples=300)
@given(pairs)
@example({(2, 3): 2, (0, 2): 1, (1, 2): 1, (3, 3): 2, (0, 3): 1})
def test_no_other_assignment_is_better_and_ties_go_to_earlier_columns_then_earlier_fields(gains):
    assert best_assignment(gains) == _best_by_trying_all(gains)


def _best_by_trying_all(gains):
    def worth(order):
        chosen = {column: field for column, field in enumerate(order) if (column, field) in gains}
        preference = [4 - chosen[column] if column in chosen else 0 for column in range(4)]
        return sum(gains[pair] for pair in chosen.items()), preference

    fields = [0, 1, 2, 3, None, None, None, None]
    best = max(set(permutations(fields, 4)), key=worth)
    return {column: field for column, field in enumerate(best) if (column, field) in gains}


def test_a_wide_table_is_solved_too():
    gains = {(column, field): 1 + (column * 7 + field * 3) % 5 for column in range(120) for field in range(20)}
    chosen = best_assignment(gains)
    assert len(chosen) == 20
    assert sum(gains[pair] for pair in chosen.items()) == 100


def test_thousands_of_columns_that_all_want_the_same_fields_are_solved():
    gains = {(column, field): 5 for column in range(4000) for field in range(3)}
    assert best_assignment(gains) == {0: 0, 1: 1, 2: 2}
