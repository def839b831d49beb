"""Letters in common of two texts, counted with whole numbers as bits, are those that a plain table of lengths finds."""

from hypothesis import given
from hypothesis import strategies as st

from ade_engine.mapping.spelling import alike, edits

TEXTS = st.text(alphabet="abcde é数", max_size=40)


def common(one, other):
    """The length of the longest common subsequence, by the table that textbooks fill."""
    row = [0] * (len(other) + 1)
    for letter in one:
        above = row[:]
        for place, theirs in enumerate(other, start=1):
            row[place] = above[place - 1] + 1 if letter == theirs else max(above[place], row[place - 1])
    return row[-1]


@given(TEXTS, TEXTS)
def test_edits_are_the_letters_of_both_that_are_not_in_common(one, other):
    assert edits(one, other) == edits(other, one) == len(one) + len(other) - 2 * common(one, other)


@given(TEXTS, TEXTS.filter(bool))
def test_only_equal_texts_are_completely_alike(one, other):
    assert (alike(one, other) == 100) is (one == other)
    assert 0 <= alike(one, other) <= 100


def test_one_letter_of_a_long_text_is_seen():
    assert edits("a" * 200 + "b", "a" * 200) == 1
