"""Dates and times in the notations people use: each reads back as the day it was made from, or is refused."""

# ruff: noqa: DTZ001 - cells have no time zone
import calendar
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.convert import Ambiguous, CannotConvert, converter

DAYS = st.dates(date(1000, 1, 1), date(9999, 12, 31))
MOMENTS = st.datetimes(datetime(1000, 1, 1), datetime(9999, 12, 31, 23, 59, 59))
MONTHS = [name for name in calendar.month_name if name]


def convert(value, **options):
    return converter(Field("x", **options))(value)


def ordinal(day):
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def in_words(day):
    """The same day as letters, invoices and exports spell it."""
    name = MONTHS[day.month - 1]
    return [
        f"{day.day} {name} {day:%Y}",
        f"{day.day:02} {name[:3]} {day:%Y}",
        f"{day.day}-{name[:3]}-{day:%Y}",
        f"{day.day}-{name[:3].upper()}-{day:%Y}",
        f"{ordinal(day.day)} {name} {day:%Y}",
        f"{name} {day.day}, {day:%Y}",
        f"{name[:3]}. {day.day}, {day:%Y}",
        f"{name.lower()} {ordinal(day.day)} {day:%Y}",
        f"  {name} {day.day} {day:%Y} ",
    ]


@given(DAYS)
def test_a_month_that_is_spelled_has_one_reading(day):
    assert {convert(text, type="date") for text in in_words(day)} == {day}


@given(DAYS, st.sampled_from("-/."))
def test_day_month_and_year_in_figures_are_read_in_the_order_the_field_names(day, sign):
    first, second = f"{day.day}{sign}{day.month}{sign}{day:%Y}", f"{day.month:02}{sign}{day.day:02}{sign}{day:%Y}"
    assert convert(first, type="date", day_first=True) == day
    assert convert(second, type="date", day_first=False) == day


@given(DAYS, st.sampled_from("-/."))
def test_without_an_order_a_date_in_figures_is_that_day_or_ambiguous(day, sign):
    for text in (f"{day.day}{sign}{day.month}{sign}{day:%Y}", f"{day.month}{sign}{day.day}{sign}{day:%Y}"):
        if day.day <= 12 and day.day != day.month:
            with pytest.raises(Ambiguous, match="day or month first; set day_first or formats"):
                convert(text, type="date")
        else:
            assert convert(text, type="date") == day


@given(DAYS)
def test_signs_between_the_parts_of_a_date_are_not_mixed(day):
    with pytest.raises(CannotConvert, match="is not a date"):
        convert(f"{day.day}.{day.month}/{day:%Y}", type="date", day_first=True)


@given(DAYS)
def test_the_short_form_of_iso_and_the_week_form_name_the_same_day(day):
    year, week, weekday = day.isocalendar()
    texts = [day.isoformat(), f"{day:%Y%m%d}"]
    texts += [f"{year}-W{week:02}-{weekday}", f"{year}W{week:02}{weekday}"] if 1000 <= year <= 9999 else []
    assert {convert(text, type="date") for text in texts} == {day}


@given(MOMENTS.map(lambda moment: moment.replace(microsecond=0)))
def test_a_moment_in_iso_is_read_with_its_time(moment):
    for text in (moment.isoformat(), moment.isoformat(sep=" "), f"{moment:%Y%m%d}T{moment:%H%M%S}"):
        assert convert(text, type="datetime") == moment


@given(MOMENTS, st.integers(-14, 14))
def test_an_offset_is_kept_with_the_moment(moment, hours):
    zoned = moment.replace(tzinfo=timezone(timedelta(hours=hours)))
    found = convert(zoned.isoformat(), type="datetime")
    assert (found, found.utcoffset()) == (zoned, zoned.utcoffset())


def test_z_stands_for_utc():
    assert convert("2024-03-09T10:30:00Z", type="datetime") == datetime(2024, 3, 9, 10, 30, tzinfo=UTC)


@given(MOMENTS)
def test_a_date_field_takes_midnight_and_no_other_time(moment):
    if moment.time() == time():
        assert convert(moment, type="date") == moment.date()
    else:
        with pytest.raises(CannotConvert, match="has a time of day; use type datetime"):
            convert(moment, type="date")


@given(DAYS)
def test_a_day_is_the_midnight_it_begins_with_and_back(day):
    moment = convert(day, type="datetime")
    assert moment.time() == time()
    assert convert(moment, type="date") == day


@pytest.mark.parametrize(
    "text",
    [
        "29.02.2023",  # no leap year
        "29 Feb 1900",
        "31 April 2024",
        "30 February 2024",
        "0 March 2024",
        "32 March 2024",
        "2024-02-30",
        "2024-13-01",
        "2024-00-10",
        "20240230",
        "2023-W53-1",
        "0000-01-01",
    ],
)
def test_a_day_that_no_calendar_has_is_refused(text):
    with pytest.raises(CannotConvert, match="is not a date"):
        convert(text, type="date", day_first=True)


@pytest.mark.parametrize("year", [1600, 1904, 2000, 2024])
def test_a_leap_day_is_a_day_in_every_notation(year):
    texts = [f"{year}-02-29", f"29.02.{year}", f"02/29/{year}", f"29 Feb {year}", f"February 29, {year}"]
    assert {convert(text, type="date") for text in texts} == {date(year, 2, 29)}


@pytest.mark.parametrize(
    "text",
    ["Sept 5, 2024", "5 Sept 2024", "5 Sep 2024", "September 5 2024", "5. September 2024", "Sep. 5th, 2024"],
)
def test_september_has_two_short_forms(text):
    if text.startswith("5. "):
        with pytest.raises(CannotConvert):  # an ordinal point is not an English notation
            convert(text, type="date")
    else:
        assert convert(text, type="date") == date(2024, 9, 5)


@pytest.mark.parametrize("word", ["Jane", "Mars", "Octo", "Septem", "Decem", "Ma", "Junes", "Xyz", "Maio", "Mai"])
def test_a_word_that_merely_resembles_a_month_is_none(word):
    with pytest.raises(CannotConvert, match="is not a date"):
        convert(f"5 {word} 2024", type="date")


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("09.03.24", "%d.%m.%y", date(2024, 3, 9)),
        ("2024/069", "%Y/%j", date(2024, 3, 9)),
        ("240309", "%y%m%d", date(2024, 3, 9)),
        ("9 mar 24", "%d %b %y", date(2024, 3, 9)),
        ("Sat 9 March 2024", "%a %d %B %Y", date(2024, 3, 9)),
        ("9. März 2024", "%d. %B %Y", date(2024, 3, 9)),
        ("9. MAERZ 2024", "%d. %B %Y", date(2024, 3, 9)),
        ("1er août 2024", "%der %B %Y", date(2024, 8, 1)),
        ("9 de setembro de 2024", "%d de %B de %Y", date(2024, 9, 9)),
        ("9 févr. 2024", "%d %b %Y", date(2024, 2, 9)),
        ("Sept. 2024, 9", "%b %Y, %d", date(2024, 9, 9)),
        ("9 févr. 2024", "%d %b. %Y", date(2024, 2, 9)),
        ("9-okt-24", "%d-%b-%y", date(2024, 10, 9)),
        ("9 października 2024", "%d %B %Y", date(2024, 10, 9)),
    ],
)
def test_a_format_of_the_field_reads_what_has_no_reading_of_its_own(text, form, expected):
    with pytest.raises(CannotConvert):
        convert(text, type="date")
    assert convert(text, type="date", formats=[form]) == expected


@pytest.mark.parametrize("text", ["9 jui 2024", "9 Ma 2024", "9 Octobery 2024", "9 Rom 2024"])
def test_letters_that_are_no_month_fit_no_format(text):
    with pytest.raises(CannotConvert, match="none of the field's date formats"):
        convert(text, type="date", formats=["%d %B %Y", "%d %b %Y"])


@given(DAYS, st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%Y-%m-%d", "%d %B %Y", "%Y%m%d", "%j-%Y"]))
def test_what_a_format_writes_the_same_format_reads(day, form):
    assert convert(day.strftime(form), type="date", formats=[form]) == day


@given(DAYS)
def test_two_formats_that_read_the_same_day_do_not_disagree(day):
    text = day.isoformat()
    assert convert(text, type="date", formats=["%Y-%m-%d", "%Y-%m-%d"]) == day
    with pytest.raises(CannotConvert, match="none of the field's date formats"):
        convert(text, type="date", formats=["%d.%m.%Y", "%m/%d/%Y"])


@given(st.times())
def test_a_time_cell_stays_and_a_duration_below_a_day_is_a_time(moment):
    assert convert(moment, type="time") == moment
    span = timedelta(hours=moment.hour, minutes=moment.minute, seconds=moment.second, microseconds=moment.microsecond)
    assert convert(span, type="time") == moment


@given(st.times().map(lambda moment: moment.replace(microsecond=0)))
def test_a_time_is_read_with_or_without_seconds_and_leading_zero(moment):
    assert convert(f"{moment.hour}:{moment:%M:%S}", type="time") == moment
    assert convert(f" {moment:%H:%M} ", type="time") == moment.replace(second=0)


@pytest.mark.parametrize(
    "value",
    ["24:00", "12:60", "12:5", "12:30:60", "12", "12:30 pm", "12.30", "-1:00", "1:2:3:4", "", 12, 0.25, True,
     date(2024, 1, 1), timedelta(days=1), timedelta(seconds=-1)],
)  # fmt: skip
def test_what_is_no_time_of_day_is_refused(value):
    with pytest.raises(CannotConvert, match="is not a time of day"):
        convert(value, type="time")


@pytest.mark.parametrize("kind", ["date", "datetime"])
@pytest.mark.parametrize("value", [45000, 45000.5, True, time(10), timedelta(days=3), "", "   "])
def test_a_serial_number_is_never_taken_for_a_date(kind, value):
    with pytest.raises(CannotConvert, match="is not a date"):
        convert(value, type=kind)
