"""Priorities by name and by number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade.domain.priority import parse_priority


@pytest.mark.req("Q1")
@pytest.mark.parametrize(
    ("name", "number"),
    [("urgent", 10), ("high", 20), ("normal", 50), ("low", 70), (" Background ", 90), ("0", 0), ("100", 100)],
)
def test_names_and_numbers_are_understood(name: str, number: int) -> None:
    assert parse_priority(name) == number


@pytest.mark.req("Q1")
@pytest.mark.parametrize("text", ["", "101", "-1", "5.5", "urgently", "1e1"])
def test_anything_else_is_refused_with_what_is_accepted(text: str) -> None:
    with pytest.raises(ValueError, match="urgent, high, normal, low, background, or a whole number from 0 to 100"):
        parse_priority(text)


@given(st.text())
def test_every_text_is_understood_or_refused_cleanly(text: str) -> None:
    try:
        number = parse_priority(text)
    except ValueError:
        return
    assert 0 <= number <= 100
