"""Every reason a value is not converted for, in the words the issue shows."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.cells import CellError
from ade_engine.convert import EXACT_TYPES, Ambiguous, CannotConvert, convert_all, converter
from ade_engine.fields import TYPES

NO_NUMBER = "is not a number"
LOST = "is written with an exponent, which often means that digits were lost"
EITHER = "can be read as a decimal or as thousands; set decimal on the field"
TOO_LONG = "has more digits than a number holds; use type text, or round it in a transform"


def convert(value, **options):
    return converter(Field("x", **options))(value)


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        ("integer", True, "is true or false, not a whole number"),
        ("integer", 1.5, "is not a whole number"),
        ("integer", date(2024, 1, 1), "is not a whole number"),
        ("integer", "1,5", "is not a whole number"),
        ("integer", "2.50", "is not a whole number"),
        ("integer", 2.0**60, "is too large: its last digits are lost in the document"),
        ("integer", "2e3", LOST),
        ("integer", "1.5E+10", LOST),
        ("integer", "1,234", EITHER),
        ("integer", "12 apples", NO_NUMBER),
        ("integer", "7 %", "has a percent sign; use type percent"),
        ("integer", "£7", "has a currency; use type money"),
        ("number", False, NO_NUMBER),
        ("number", time(1), NO_NUMBER),
        ("number", float("nan"), NO_NUMBER),
        ("number", float("-inf"), NO_NUMBER),
        ("number", "", NO_NUMBER),
        ("number", "n/a", NO_NUMBER),
        ("number", "1.234", EITHER),
        ("number", "1e999", "is too large a number"),
        ("number", "0.1234567890123456789", TOO_LONG),
        ("number", "CHF 3", "has a currency; use type money"),
        ("number", "3 %", "has a percent sign; use type percent"),
        ("number", "€ x", NO_NUMBER),
        ("money", "3 %", "has a percent sign; use type percent"),
        ("money", "€ USD 3", NO_NUMBER),
        ("money", "3 € 4", NO_NUMBER),
        ("percent", True, "is not a percentage"),
        ("percent", "abc", "is not a percentage"),
        ("percent", "$3", "is not a percentage"),
        ("percent", "1e3 %", "is not a percentage"),
        ("percent", "3", "has no percent sign, so 0.5 could be half a percent or a half; use type number"),
        ("percent", "1,234 %", EITHER),
        ("percent", float("inf"), NO_NUMBER),
        ("boolean", "perhaps", "is not a yes or no"),
        ("boolean", 2, "is not a yes or no"),
        ("boolean", 1.0, "is not a yes or no"),
        ("boolean", date(2024, 1, 1), "is not a yes or no"),
        ("date", 7, "is not a date"),
        ("datetime", 7, "is not a date and time"),
        ("time", 7, "is not a time of day"),
        ("text", CellError("#REF!"), "holds an error left by a formula"),
    ],
)
def test_the_reason_is_given_in_these_words(kind, value, reason):
    with pytest.raises(CannotConvert) as error:
        convert(value, type=kind)
    assert str(error.value) == reason


@pytest.mark.parametrize("kind", TYPES)
def test_an_error_of_a_formula_is_of_no_type(kind):
    with pytest.raises(CannotConvert, match="holds an error left by a formula"):
        convert(CellError("#N/A"), type=kind)


@pytest.mark.parametrize(
    ("text", "decimal", "other"),
    [("1.234.567", ".", ","), ("1,5", ".", ","), ("0.5", ",", "."), ("1.234,5", ".", ","), ("1,23,456.7", ",", ".")],
)
def test_a_number_with_the_other_decimal_mark_says_so(text, decimal, other):
    with pytest.raises(CannotConvert, match="does not use the field's decimal mark"):
        convert(text, type="number", decimal=decimal)
    assert isinstance(convert(text, type="number", decimal=other), int | float)


@pytest.mark.parametrize("text", ["1,234", "1.234", "12,345", "(999.999)", "-123,456", "+1.000", "100,000"])
@pytest.mark.parametrize("kind", ["number", "money", "integer"])
def test_ambiguity_is_told_apart_from_nonsense(text, kind):
    with pytest.raises(Ambiguous):
        convert(text, type=kind)
    readings = [_or_none(text, kind, mark) for mark in ".,"]
    assert readings[0] != readings[1]


def _or_none(text, kind, mark):
    try:
        return convert(text, type=kind, decimal=mark)
    except CannotConvert:
        return None


YES = "true TRUE Yes y Ja oui SÍ si sim waar Wahr vrai vero verdadero verdadeiro 1"
NO = "false NO n Nein non NÃO nao onwaar falsch faux falso 0"
WORDS = {True: YES, False: NO}


@pytest.mark.parametrize(
    ("word", "meaning"), [(word, meaning) for meaning, words in WORDS.items() for word in words.split()]
)
def test_yes_and_no_are_known_in_eight_languages_whatever_their_case(word, meaning):
    for spelled in (word, word.upper(), f" {word} "):
        assert convert(spelled, type="boolean") is meaning


@pytest.mark.parametrize("kind", TYPES)
def test_a_field_without_type_converts_nothing_and_one_with_type_something(kind):
    assert converter(Field("x")) is None
    assert converter(Field("x", type=kind)) is not None
    assert kind in EXACT_TYPES


CELLS = st.one_of(
    st.text(max_size=12),
    st.integers(),
    st.floats(),
    st.booleans(),
    st.dates(),
    st.datetimes(),
    st.times(),
    st.sampled_from(["1", "1.5", "1,5", "1,234", "€ 5", "19 %", "2024-01-05", "10:30", "yes", "0"]),
)


@given(CELLS, st.sampled_from(TYPES))
def test_what_is_converted_is_of_the_types_that_need_no_conversion(value, kind):
    try:
        found = convert(value, type=kind)
    except CannotConvert:
        return
    assert type(found) in EXACT_TYPES[kind]
    again = convert(found, type=kind)
    assert (type(again), again) == (type(found), found)


DIGITS = st.integers(0, 10**15)


@given(DIGITS, st.integers(0, 9))
def test_digits_and_decimals_up_to_what_a_float_holds_come_back_exactly(whole, decimals):
    text = f"{whole % 10**6}.{decimals:05}"
    number = convert(text, type="number", decimal=".")
    assert float(text) == number
    assert isinstance(number, int) == (decimals == 0)


@given(st.lists(st.integers(-(10**17), 10**17), min_size=1), st.sampled_from(["integer", "number", "money"]))
def test_a_column_of_whole_numbers_is_always_converted_at_once(numbers, kind):
    assert convert_all(list(map(str, numbers)), Field("x", type=kind)) == numbers


@pytest.mark.parametrize("kind", ["text", "percent", "boolean", "date", "datetime", "time", None])
def test_other_types_are_looked_at_value_by_value(kind):
    assert convert_all(["1", "2"], Field("x", type=kind)) is None


@pytest.mark.parametrize("values", [["1", 2], ["1", None], [1, 2], ["1", "x"], ["1", ""], ["1", "1 2"]])
def test_one_value_that_is_not_plain_makes_each_be_looked_at(values):
    assert convert_all(values, Field("x", type="number")) is None


@given(st.text(alphabet="0123456789.,-+()%€$ eE'", max_size=10), st.sampled_from(["number", "money", "percent"]))
def test_a_sign_in_front_turns_a_number_into_its_negative(text, kind):
    try:
        number = convert(text, type=kind, decimal=".")
    except CannotConvert:
        return
    if text.strip()[:1].isdigit() and text.strip()[-1:].isdigit():
        assert convert(f"-{text.strip()}", type=kind, decimal=".") == -number
        assert convert(f"({text.strip()})", type=kind, decimal=".") == -number
        assert convert(f"{text.strip()}-", type=kind, decimal=".") == -number


@pytest.mark.parametrize("cell", ["1\n2", "1.5\n2.5", "1\n", "\n1"])
@pytest.mark.parametrize("kind", ["integer", "number", "money"])
def test_a_cell_of_several_lines_of_digits_is_no_column_of_numbers(cell, kind):
    assert convert_all(["7", cell], Field("x", type=kind)) is None


def test_digits_of_other_scripts_convert_to_the_same_numbers_alone_and_at_once():
    texts = ["\uff11\uff12", "\u0663\u0664", "\u096b\u096c"]
    assert convert_all(texts, Field("x", type="integer")) == [convert(text, type="integer") for text in texts]
    assert [convert(text, type="integer") for text in texts] == [12, 34, 56]
