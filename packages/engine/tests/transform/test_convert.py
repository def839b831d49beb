# ruff: noqa: DTZ001 - cells have no time zone
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.cells import CellError
from ade_engine.convert import CannotConvert, convert_all, converter


def convert(value, **options):
    return converter(Field("x", **options))(value)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("integer", "42", 42),
        ("integer", " -7 ", -7),
        ("integer", 3.0, 3),
        ("integer", "1,234,567", 1234567),
        ("integer", "12345678901234567890", 12345678901234567890),
        ("number", "1.5", 1.5),
        ("number", "1,5", 1.5),
        ("number", "0.125", 0.125),
        ("number", "1.234,50", 1234.5),
        ("number", "1,234.50", 1234.5),
        ("number", "1 234,5", 1234.5),
        ("number", "1'234.5", 1234.5),
        ("number", "1.234.567", 1234567),
        ("number", "2e3", 2000),
        ("number", 7, 7),
        ("boolean", "Yes", True),
        ("boolean", "nein", False),
        ("boolean", 1, True),
        ("date", "2024-03-09", date(2024, 3, 9)),
        ("date", "31.12.2024", date(2024, 12, 31)),
        ("date", "12/31/2024", date(2024, 12, 31)),
        ("date", "05/05/2024", date(2024, 5, 5)),
        ("date", "3 Mar 2024", date(2024, 3, 3)),
        ("date", "March 3, 2024", date(2024, 3, 3)),
        ("date", datetime(2024, 3, 9), date(2024, 3, 9)),
        ("datetime", "2024-03-09T10:30", datetime(2024, 3, 9, 10, 30)),
        ("datetime", date(2024, 3, 9), datetime(2024, 3, 9)),
        ("time", "9:05", time(9, 5)),
        ("time", timedelta(hours=9, minutes=5), time(9, 5)),
        ("text", 7, "7"),
        ("text", True, "TRUE"),
        ("text", "as it is", "as it is"),
        ("text", datetime(2024, 3, 9, 10), "2024-03-09 10:00:00"),
        ("boolean", False, False),
        ("date", date(2024, 3, 9), date(2024, 3, 9)),
        ("datetime", datetime(2024, 3, 9, 1), datetime(2024, 3, 9, 1)),
        ("datetime", "2024-03-09", datetime(2024, 3, 9)),
        ("time", time(9), time(9)),
        ("text", date(2024, 3, 9), "2024-03-09"),
    ],
)  # fmt: skip
def test_what_can_mean_one_thing_only_is_converted(kind, value, expected):
    found = convert(value, type=kind)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("integer", "1.5"), ("integer", 1.5), ("integer", True), ("integer", "12a"), ("integer", "1.234"),
        ("number", "1.234"), ("number", "1,234"), ("number", "12,34,56"), ("number", "€ 5"), ("number", "5%"),
        ("number", ""),
        ("number", "nan"), ("number", "inf"), ("number", date(2024, 1, 1)), ("number", "1,234.567,8"),
        ("boolean", "maybe"), ("boolean", 2), ("boolean", 0.5),
        ("date", "03/04/2024"), ("date", "3/4/24"), ("date", "31/02/2024"), ("date", "tomorrow"), ("date", 45000),
        ("date", datetime(2024, 3, 9, 10)), ("date", "5 Foo 2024"), ("date", "Mar 2024"),
        ("number", "1e999"), ("number", "9" * 5000), ("integer", "9" * 5000), ("number", "1" * 401 + ".5"),
        ("datetime", 7), ("date", "2024-03-09T10:30"),
        ("time", "25:00"), ("time", 0.5),
        ("integer", CellError("#N/A")), ("text", CellError("#N/A")),
    ],
)  # fmt: skip
def test_what_could_mean_two_things_or_none_is_not_guessed(kind, value):
    with pytest.raises(CannotConvert):
        convert(value, type=kind)


def test_the_field_can_settle_what_is_ambiguous():
    assert convert("03/04/2024", type="date", day_first=True) == date(2024, 4, 3)
    assert convert("03/04/2024", type="date", day_first=False) == date(2024, 3, 4)
    assert convert("3.4.24", type="date", formats=["%d.%m.%y"]) == date(2024, 4, 3)
    assert convert("1.234", type="number", decimal=".") == 1.234
    assert convert("1.234", type="number", decimal=",") == 1234
    assert convert("1,234", type="integer", decimal=".") == 1234


def test_given_formats_are_the_only_ones():
    with pytest.raises(CannotConvert, match="formats"):
        convert("2024-03-09", type="date", formats=["%d.%m.%Y"])


# Without small letters, since a text could otherwise be a part of what every reason says.
@given(
    st.text(st.characters(exclude_categories=["Ll"]), max_size=20),
    st.sampled_from(["integer", "number", "date", "datetime", "boolean", "time", "text"]),
)
def test_any_text_is_converted_or_refused_without_showing_it(text, kind):
    reason = ""
    try:
        convert(text, type=kind)
    except CannotConvert as error:
        reason = str(error)
    assert len(text) < 4 or text not in reason


@given(st.integers(-(10**30), 10**30))
def test_whole_numbers_of_any_length_survive_as_text_and_back(number):
    assert convert(convert(number, type="text"), type="integer") == number


@given(
    st.lists(
        st.one_of(
            st.from_regex(r"[-+]?[0-9]{1,5}", fullmatch=True),
            st.from_regex(r"-?[0-9]{1,5}[.,][0-9]{1,5}", fullmatch=True),
        ),
        min_size=1,
    ),
    st.sampled_from(["integer", "number"]),
    st.sampled_from([None, ".", ","]),
)
def test_a_column_converted_at_once_is_what_each_value_converts_to(texts, kind, decimal):
    field = Field("x", type=kind, decimal=decimal)
    at_once = convert_all(texts, field)
    if at_once is not None:
        convert = converter(field)
        assert [(type(value), value) for value in at_once] == [(type(v), v) for v in map(convert, texts)]


@pytest.mark.req("E11")
@pytest.mark.parametrize("kind", ["number", "money"])
def test_a_whole_number_is_an_int_as_in_a_workbook(kind):
    for texts in (["5.00", "-6.0", "7.50"], ["5,00", "-6,0", "7,50"]):
        alone = [convert(text, type=kind) for text in texts]
        at_once = convert_all(texts, Field("x", type=kind))
        assert [(type(value), value) for value in alone] == [(int, 5), (int, -6), (float, 7.5)]
        assert at_once is None or list(map(repr, at_once)) == list(map(repr, alone))


def test_plain_numbers_are_converted_at_once():
    assert convert_all(["1", "-2", "003"], Field("x", type="integer")) == [1, -2, 3]
    assert convert_all(["1.5", "-2.25"], Field("x", type="number")) == [1.5, -2.25]
    assert convert_all(["1.5", "1.250"], Field("x", type="number")) is None  # thousands, perhaps
    assert convert_all(["1.5"], Field("x", type="number", decimal=",")) is None
    assert convert_all(["1.5", None], Field("x", type="number")) is None
