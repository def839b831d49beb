"""The order key: instants with room between them."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade.domain.order import UNITS_PER_MICROSECOND, keys_between, one_level_up, order_key_at
from ade.domain.priority import HIGHEST, LOWEST, Priority

INSTANTS = st.datetimes(datetime(1970, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(INSTANTS, INSTANTS)
def test_keys_order_as_their_instants_do(one: datetime, other: datetime) -> None:
    assert (order_key_at(one) < order_key_at(other)) == (one < other)


@given(INSTANTS)
def test_a_thousand_places_fit_between_two_microseconds(instant: datetime) -> None:
    following = order_key_at(instant + timedelta(microseconds=1))

    assert following - order_key_at(instant) == UNITS_PER_MICROSECOND


@given(st.integers(-(10**18), 10**18), st.integers(1, 10**9), st.integers(1, 200))
def test_keys_between_are_as_many_as_asked_for_and_strictly_between_or_none(low: int, gap: int, count: int) -> None:
    keys = keys_between(low, low + gap, count)

    if not keys:
        assert gap <= count
        return
    assert len(keys) == count
    assert [low, *keys, low + gap] == sorted({low, *keys, low + gap})


@pytest.mark.parametrize("priority", range(HIGHEST, LOWEST + 1))
def test_ageing_moves_up_to_the_next_named_level_and_never_down(priority: int) -> None:
    higher = one_level_up(priority)

    assert higher in {*Priority, priority}
    assert higher <= priority
    assert not [level for level in Priority if higher < level < priority]
