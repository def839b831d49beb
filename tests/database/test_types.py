"""Column types give back what they were given."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from ade.database.types import Instant, Json, from_microseconds, to_microseconds

TABLE = sa.Table("t", sa.MetaData(), sa.Column("at", Instant), sa.Column("data", Json))
INSTANTS = st.datetimes(datetime(1900, 1, 1), datetime(9999, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(INSTANTS)
def test_instants_keep_every_microsecond(instant: datetime) -> None:
    assert from_microseconds(to_microseconds(instant)) == instant


def test_an_instant_of_another_zone_comes_back_in_utc() -> None:
    noon_in_tokyo = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=9)))

    assert from_microseconds(to_microseconds(noon_in_tokyo)) == datetime(2026, 5, 1, 3, tzinfo=UTC)


def test_an_instant_without_a_zone_is_refused() -> None:
    with pytest.raises(TypeError):
        to_microseconds(datetime(2026, 5, 1))  # noqa: DTZ001


def test_an_instant_beyond_the_calendar_is_refused_and_not_kept_for_those_who_read_it() -> None:
    with pytest.raises(OverflowError):
        to_microseconds(datetime(9999, 12, 31, 20, tzinfo=timezone(timedelta(hours=-12))))


@given(JSON)
def test_json_comes_back_equal_and_equal_values_are_equal_text(value: Any) -> None:
    dialect = sa.create_engine("sqlite://").dialect
    text = Json().process_bind_param(value, dialect)

    again = Json().process_result_value(text, dialect)

    assert again == value
    assert Json().process_bind_param(again, dialect) == text
