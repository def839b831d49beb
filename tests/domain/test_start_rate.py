"""The start rate keeps any window to its number of starts, and its list of starts short."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade.domain.start_rate import MOST_INSTANTS, StartRate, Starts

BEGIN = datetime(2026, 1, 1, 23, 59, 59, tzinfo=UTC)


@pytest.mark.req("Q5")
@given(
    rate=st.floats(0.1, 5000),
    steps=st.lists(st.tuples(st.integers(0, 2_000_000), st.integers(1, 6000)), max_size=40),
)
def test_no_window_holds_more_starts_than_it_may(rate: float, steps: list[tuple[int, int]]) -> None:
    limit, now = StartRate(rate), BEGIN
    kept: Starts = []
    started: list[tuple[datetime, int]] = []
    for pause, wanted in steps:
        now += timedelta(microseconds=pause)
        count = min(wanted, limit.free_at(kept, now))
        if count:
            kept = limit.adding(count, kept, now)
            started.append((now, count))
        assert len(kept) <= MOST_INSTANTS + 2
        assert sum(number for at, number in started if at > now - limit.window) <= limit.most
        assert (limit.next_start_at(kept, now) > now) == (limit.free_at(kept, now) == 0)


@pytest.mark.req("Q5")
@pytest.mark.parametrize(("rate", "most", "seconds"), [(4, 4, 1), (1, 1, 1), (0.5, 1, 2), (2.5, 3, 1.2)])
def test_a_rate_is_a_whole_number_of_starts_in_a_window(rate: float, most: int, seconds: float) -> None:
    assert (StartRate(rate).most, StartRate(rate).window) == (most, timedelta(seconds=seconds))
