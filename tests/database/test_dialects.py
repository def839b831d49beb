"""Which errors mean "another one was in the way", "it is there already", or neither, by driver."""

import pytest
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

import samples_of_errors
from ade.database.dialects import connect_arguments, is_contention, is_unique_violation


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


@pytest.mark.req("W5")
def test_a_server_that_is_cut_off_is_noticed_unless_the_address_says_otherwise() -> None:
    usual = connect_arguments(make_url("postgresql://ade@db/ade"))
    patient = connect_arguments(make_url("postgresql://ade@db/ade?connect_timeout=60"))

    assert usual.keys() >= {"connect_timeout", "keepalives_idle", "tcp_user_timeout"}
    assert patient.keys() == usual.keys() - {"connect_timeout"}
    assert connect_arguments(make_url("sqlite:///ade.db")) == {}
