"""Laws of conversion: a value written in a known way is read as it was meant, or reported as wrong."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.cells import Range, cell_name, column_letters, parse_cell, parse_range
from ade_engine.convert import CannotConvert, converter

DAYS = st.dates(min_value=date(1900, 1, 1), max_value=date(2199, 12, 31))
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
# Cents up to a hundred billion: a float holds all of them.
AMOUNTS = st.integers(min_value=-(10**13), max_value=10**13).map(lambda cents: Decimal(cents) / 100)
# How a country writes a number: its decimal mark, and what is between thousands.
NOTATIONS = (".,", ",.", ", ", ". ", ".'", ",", ".")
REFUSED = object()


def converted(value, kind, **options):
    """The value, or REFUSED."""
    try:
        return converter(Field("x", type=kind, **options))(value)
    except CannotConvert:
        return REFUSED


def written(amount, notation, *, places=2):
    """An amount as people write it, such as 1.234,50."""
    decimal, *between = notation
    whole, _, cents = f"{abs(amount):,.{places}f}".partition(".")
    sign = "-" if amount < 0 else ""
    return sign + whole.replace(",", between[0] if between else "") + (decimal + cents if places else "")


@given(day=DAYS)
@pytest.mark.parametrize(
    "write",
    [
        lambda day: day.isoformat(),
        lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year:04}",
        lambda day: f"{MONTHS[day.month - 1][:3]} {day.day}, {day.year:04}",
        lambda day: f"{day.day:02}-{MONTHS[day.month - 1][:3].upper()}-{day.year:04}",
    ],
)
def test_a_day_whose_parts_cannot_be_confused_is_that_day(write, day):
    assert converted(write(day), "date") == day


@given(day=DAYS)
@pytest.mark.parametrize("mark", ["/", ".", "-"])
@pytest.mark.parametrize("is_day_first", [True, False])
def test_a_day_in_numbers_is_the_day_that_was_meant_or_refused(day, mark, is_day_first):
    first, second = (day.day, day.month) if is_day_first else (day.month, day.day)
    text = f"{first:02}{mark}{second:02}{mark}{day.year:04}"

    assert converted(text, "date", day_first=is_day_first) == day
    is_clear = day.day > 12 or day.day == day.month
    assert converted(text, "date") == (day if is_clear else REFUSED)
    if not is_clear or day.day == day.month:
        return
    assert converted(text, "date", day_first=not is_day_first) is REFUSED


@given(day=DAYS)
def test_formats_that_read_a_text_as_different_days_refuse_it(day):
    text = f"{day:%d/%m/}{day.year:04}"
    both = ("%d/%m/%Y", "%m/%d/%Y")

    is_clear = day.day > 12 or day.day == day.month
    assert converted(text, "date", formats=both) == (day if is_clear else REFUSED)
    assert converted(text, "date", formats=both[:1]) == day


@given(amount=AMOUNTS)
@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("kind", ["number", "money"])
def test_an_amount_is_read_as_it_was_written_when_its_decimal_mark_is_known(kind, notation, amount):
    assert converted(written(amount, notation), kind, decimal=notation[0]) == float(amount)


@given(amount=AMOUNTS, places=st.integers(min_value=0, max_value=4))
@example(amount=Decimal(1234), places=0)
@example(amount=Decimal("1.23"), places=3)
@pytest.mark.parametrize("notation", NOTATIONS)
def test_an_amount_is_never_read_as_another_one_when_its_decimal_mark_is_not_known(notation, amount, places):
    text = written(amount, notation, places=places)

    assert converted(text, "number") in (float(round(amount, places)), REFUSED)


@given(amount=AMOUNTS)
@pytest.mark.parametrize("shape", ["{} €", "€{}", "EUR {}", "{} EUR", "$ {}", "{} zł"])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_currency_changes_no_amount(notation, shape, amount):
    text = shape.format(written(abs(amount), notation))

    assert converted(text, "money", decimal=notation[0]) == float(abs(amount))
    assert converted(text, "number", decimal=notation[0]) is REFUSED


@given(amount=AMOUNTS.filter(bool))
@pytest.mark.parametrize("shape", ["({})", "-{}", "{}-", "\N{MINUS SIGN}{}"])
def test_each_way_to_write_a_negative_amount_means_the_same(shape, amount):
    text = shape.format(written(abs(amount), ".,"))

    assert converted(text, "money", decimal=".") == -float(abs(amount))


@given(hundredths=st.integers(min_value=-100_000, max_value=100_000))
def test_a_percentage_is_a_share_of_one(hundredths):
    text = f"{hundredths / 100:.2f} %"

    assert converted(text, "percent", decimal=".") == pytest.approx(hundredths / 10_000, abs=1e-12)


@given(number=st.integers(min_value=-(10**30), max_value=10**30))
def test_a_whole_number_keeps_every_digit(number):
    assert converted(str(number), "integer") == number
    assert converted(f"{number:,}", "integer", decimal=".") == number


@given(row=st.integers(min_value=1, max_value=1_048_576), column=st.integers(min_value=1, max_value=16_384))
def test_a_cell_has_one_name_and_the_name_one_cell(row, column):
    assert parse_cell(cell_name(row, column)) == (row, column)
    assert cell_name(row, column) == f"{column_letters(column)}{row}"


@given(
    rows=st.tuples(st.integers(1, 1_048_576), st.integers(1, 1_048_576)).map(sorted),
    columns=st.tuples(st.integers(1, 16_384), st.integers(1, 16_384)).map(sorted),
)
def test_a_range_is_read_as_it_is_written(rows, columns):
    name = f"{cell_name(rows[0], columns[0])}:{cell_name(rows[1], columns[1])}"

    assert parse_range(name) == Range(rows[0], columns[0], rows[1], columns[1])


@given(text=st.text(max_size=8))
def test_a_text_is_the_name_of_a_cell_or_refused(text):
    try:
        row, column = parse_cell(text)
    except ValueError:
        return
    assert cell_name(row, column) == text.upper()
