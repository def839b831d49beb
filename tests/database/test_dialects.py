"""Which errors mean "another one was in the way", "it is there already", or neither, by driver."""

import pytest
from sqlalchemy.exc import DBAPIError

import samples_of_errors
from ade.database.dialects import is_contention, is_unique_violation


@pytest.mark.parametrize("error", samples_of_errors.ALL_CONTENTION, ids=str)
def test_contention_is_recognised(error: DBAPIError) -> None:
    assert is_contention(error)
    assert not is_unique_violation(error)


@pytest.mark.parametrize("error", samples_of_errors.UNIQUE, ids=str)
def test_unique_violations_are_recognised(error: DBAPIError) -> None:
    assert is_unique_violation(error)
    assert not is_contention(error)


@pytest.mark.parametrize("error", samples_of_errors.OTHER, ids=str)
def test_other_errors_are_neither(error: DBAPIError) -> None:
    assert not is_contention(error)
    assert not is_unique_violation(error)
