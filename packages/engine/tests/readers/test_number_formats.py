"""What a number format makes of a number, and which day a serial is in either date system."""

# ruff: noqa: DTZ001 - sheets know no zones
from __future__ import annotations

import struct
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.cells import CellError
from ade_engine.readers.base import Row
from ade_engine.readers.binary_values import error_value, unpacked
from ade_engine.readers.number_formats import (
    BUILT_IN_FORMATS,
    DATE,
    DATETIME,
    ELAPSED,
    NUMBER,
    TIME,
    Calendar,
    meaning,
)
from ade_engine.readers.ods_cells import read_value
from ade_engine.readers.row_order import in_order
from ade_engine.readers.xlsx_strings import decode_text
from ade_engine.readers.xlsx_values import is_hidden, number, read_attributes, whole

MEANINGS = {
    NUMBER: ["General", "0", "0.00", "#,##0", "0%", "0.00E+00", "# ?/?", "@", '"day" 0', "[Red]0", "#,##0 \\d\\a\\y",
             "_-* #,##0.00 €", '0 "hours"', "0;[Red]-0", "Standard", "GENERAL", "", "[>=100]0;0.0", '"yyyy"', "\\y\\m"],
    DATE: ["yyyy-mm-dd", "d.m.yy", "mmm yy", "dddd", "[$-409]d-mmm-yyyy;@", 'd" of "mmmm', "m/d", "YYYY", "ge.m.d",
           "[$-F800]dddd, mmmm dd, yyyy", "yyyy\\-mm\\-dd", "mm", "gggee"],
    DATETIME: ["yyyy-mm-dd hh:mm", "d/m/yy h:mm AM/PM", "m/d/yyyy h:mm:ss.000", "dd hh", "[$-409]m/d/yy h:mm AM/PM;@"],
    TIME: ["h:mm", "hh:mm:ss", "h:mm AM/PM", "mm:ss", "mm:ss.0", "ss.00", "a/p", "h"],
    ELAPSED: ["[h]:mm", "[hh]:mm:ss", "[m]", "[ss].00", "[H]"],
}  # fmt: skip


@pytest.mark.parametrize(("code", "expected"), [(code, kind) for kind, codes in MEANINGS.items() for code in codes])
def test_a_format_says_what_its_numbers_are(code, expected):
    assert meaning(code) == expected


@pytest.mark.parametrize(
    ("number_", "expected"),
    [(0, NUMBER), (9, NUMBER), (14, DATE), (17, DATE), (18, TIME), (20, TIME), (22, DATETIME), (45, TIME),
     (46, ELAPSED), (47, TIME), (49, NUMBER), (27, DATE), (32, TIME), (58, DATE), (77, DATETIME),
     (79, ELAPSED), (81, DATE)],
)  # fmt: skip
def test_formats_that_need_not_be_spelled_have_their_meaning(number_, expected):
    assert meaning(BUILT_IN_FORMATS[number_]) == expected


@given(st.text(max_size=20))
def test_what_is_quoted_is_no_part_of_a_format(text):
    quoted = '"' + text.replace('"', "") + '"'
    assert meaning(f"{quoted} 0.00") == NUMBER
    assert meaning(f"yyyy-mm-dd {quoted}") == DATE


@given(st.text(max_size=30))
def test_any_text_is_a_format_of_some_kind(code):
    assert meaning(code) in MEANINGS


OLD, NEW = Calendar(), Calendar(is_1904=True)
DAYS = st.dates(date(1904, 1, 1), date(9999, 12, 31))


@given(DAYS)
def test_a_day_is_the_same_in_both_date_systems_1462_apart(day):
    serial = (day - date(1899, 12, 30)).days
    assert OLD.moment(serial, DATE) == day
    assert NEW.moment(serial - 1462, DATE) == day


@given(st.dates(date(1900, 1, 1), date(1900, 2, 28)))
def test_the_first_days_count_from_one(day):
    assert OLD.moment((day - date(1899, 12, 31)).days, DATE) == day


@given(DAYS, st.times())
def test_a_day_with_a_time_comes_back_to_the_millisecond(day, clock):
    clock = clock.replace(microsecond=clock.microsecond // 1000 * 1000)
    moment = datetime.combine(day, clock)
    serial = (moment - datetime(1899, 12, 30)) / timedelta(days=1)
    found = OLD.moment(serial, DATETIME)
    assert abs(found - moment) <= timedelta(milliseconds=1)
    assert isinstance(OLD.moment(float(int(serial)), DATETIME), datetime)


@given(st.floats(0, 0.999_999, allow_nan=False))
def test_less_than_a_day_is_a_time_of_day(serial):
    for calendar in (OLD, NEW):
        found = calendar.moment(serial, TIME)
        assert isinstance(found, time)
        seconds = found.hour * 3600 + found.minute * 60 + found.second + found.microsecond / 1e6
        assert seconds == pytest.approx(serial * 86_400, abs=0.001)


@given(st.integers(-2_000_000, 2_000_000))
def test_elapsed_time_may_be_negative_and_longer_than_a_day(minutes):
    assert OLD.moment(minutes / 1440, ELAPSED) == timedelta(minutes=minutes)


@pytest.mark.parametrize(
    ("serial", "kind", "expected"),
    [
        (60, DATE, 60),  # the 29 February 1900 that never was
        (60.5, DATETIME, 60.5),
        (0, DATE, time()),
        (0.5, DATE, time(12)),
        (-1, DATE, -1),
        (-0.5, TIME, -0.5),
        (2_958_466, DATE, 2_958_466),
        (2_958_465, DATE, date(9999, 12, 31)),
        (3e6, ELAPSED, 3e6),
        (1.25, TIME, datetime(1900, 1, 1, 6)),
        (0.999_999_999_9, TIME, 0.999_999_999_9),  # rounds to the next midnight
        (43_831, DATETIME, datetime(2020, 1, 1)),
        (43_831.75, DATE, datetime(2020, 1, 1, 18)),
    ],
)
def test_what_is_no_day_stays_the_number_it_is(serial, kind, expected):
    found = OLD.moment(serial, kind)
    assert (type(found), found) == (type(expected), expected)


def test_the_last_instant_of_the_calendar_that_would_round_beyond_it_stays_a_number():
    last = 2_958_465 + (1 - 2**-31)  # rounds to a millisecond that no calendar has
    assert OLD.moment(last, DATETIME) == last
    assert OLD.moment(2_958_465.5, DATETIME) == datetime(9999, 12, 31, 12)
    assert NEW.moment(0, DATE) == date(1904, 1, 1)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from([DATE, DATETIME, TIME, ELAPSED]))
def test_any_number_is_a_moment_or_itself(serial, kind):
    for calendar in (OLD, NEW):
        found = calendar.moment(serial, kind)
        assert isinstance(found, date | time | timedelta) or found == serial


@given(st.integers(-(2**29), 2**29 - 1))
def test_a_packed_integer_is_that_integer_and_hundredths_of_it(value):
    assert unpacked(value << 2 | 2) == value
    assert unpacked(value << 2 | 3) == pytest.approx(value / 100)
    assert isinstance(unpacked(value << 2 | 2), int)


@given(st.floats(-1e6, 1e6, allow_nan=False))
def test_a_packed_float_is_its_upper_half(value):
    upper = struct.unpack("<q", struct.pack("<d", value))[0] >> 32 & ~3
    expected = struct.unpack("<d", struct.pack("<ii", 0, upper))[0]
    assert unpacked(upper) == expected
    assert unpacked(upper | 1) == pytest.approx(expected / 100)


def test_error_codes_have_their_names():
    codes = {
        0x00: "#NULL!",
        0x07: "#DIV/0!",
        0x0F: "#VALUE!",
        0x17: "#REF!",
        0x1D: "#NAME?",
        0x24: "#NUM!",
        0x2A: "#N/A",
    }
    assert {code: error_value(code).code for code in codes} == codes
    assert error_value(0x99) == CellError("#UNKNOWN!")


@pytest.mark.parametrize(
    ("attributes", "text", "expected"),
    [
        ({"value-type": "float", "value": "1e3"}, "x", 1000),
        ({"value-type": "float", "value": "nope"}, "x", "x"),
        ({"value-type": "float", "value": "inf"}, "x", "x"),
        ({"value-type": "float", "value": "nan"}, "", None),
        ({"value-type": "float"}, "", None),
        ({"value-type": "date", "date-value": "2024-05-01Z"}, "x", date(2024, 5, 1)),
        ({"value-type": "date", "date-value": "2024-05-01T10:00:00"}, "x", datetime(2024, 5, 1, 10)),
        ({"value-type": "date", "date-value": "soon"}, "", "soon"),
        ({"value-type": "date"}, "", None),
        ({"value-type": "time", "time-value": "PT10H30M00S"}, "x", time(10, 30)),
        ({"value-type": "time", "time-value": "PT30H00M00,5S"}, "x", timedelta(hours=30, seconds=0.5)),
        ({"value-type": "time", "time-value": "-PT1H"}, "x", timedelta(hours=-1)),
        ({"value-type": "time", "time-value": "P2DT1H"}, "x", timedelta(days=2, hours=1)),
        ({"value-type": "time", "time-value": "P999999999DT999999999H"}, "x", "x"),
        ({"value-type": "time", "time-value": "noon"}, "", "noon"),
        ({"value-type": "boolean", "boolean-value": "TRUE"}, "x", True),
        ({"value-type": "boolean"}, "0", False),
        ({"value-type": "string", "string-value": "own"}, "shown", "own"),
        ({"value-type": "string"}, "", None),
        ({"calcext:value-type": "error"}, "#REF!", CellError("#REF!")),
        ({"calcext:value-type": "error"}, "", None),
        ({}, "plain", "plain"),
    ],
)
def test_a_cell_of_ods_is_what_its_type_says_and_its_text_where_that_fails(attributes, text, expected):
    found = read_value(attributes, text, is_elapsed=False)
    assert (type(found), found) == (type(expected), expected)


def test_an_elapsed_time_of_ods_stays_one_below_a_day():
    attributes = {"value-type": "time", "time-value": "PT10H30M00S"}
    assert read_value(attributes, "x", is_elapsed=True) == timedelta(hours=10, minutes=30)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("7", 7), ("7.0", 7), ("-0.5", -0.5), ("1E3", 1000), ("1e400", "1e400"), ("nan", "nan"), (" x ", "x"), ("", None),
     ("9007199254740993", 9007199254740993), ("1e17", 1e17), (str(2**80), 2**80)],
)  # fmt: skip
def test_a_number_in_markup_is_whole_where_it_can_be(text, expected):
    found = number(text)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [('r="1" s="2"', {"r": "1", "s": "2"}), ("r = '1'", {"r": "1"}), ('x:r="1"', {"x:r": "1"}), ("", {}), ('r="', {})],
)
def test_attributes_are_read_in_both_quotes(markup, expected):
    assert read_attributes(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [('hidden="1"', True), ("hidden='true'", True), ('hidden="on"', True), ('hidden="0"', False), ("", False)],
)
def test_a_row_is_hidden_by_any_word_for_yes(markup, expected):
    assert is_hidden(markup) is expected


@pytest.mark.parametrize(("text", "expected"), [("12", 12), ("", 0), ("-1", 0), ("1.5", 0), ("9" * 10, 0), ("x", 0)])
def test_a_small_number_of_markup_is_never_wrong_but_zero(text, expected):
    assert whole(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=20))
def test_escapes_of_code_units_read_back_as_any_text(text):
    units = text.encode("utf-16-be").hex()
    assert decode_text("".join(f"_x{units[n : n + 4]}_" for n in range(0, len(units), 4))) == text


NUMBERED = st.lists(st.tuples(st.integers(1, 9), st.lists(st.sampled_from([None, 1, "a"]), max_size=4)), max_size=12)


@given(NUMBERED)
def test_rows_in_disorder_come_out_in_order_and_the_later_cell_counts(cells):
    rows = [Row(n, list(values), [0] * len(values)) for n, values in cells]
    found = in_order(rows)
    assert [row.number for row in found] == sorted({n for n, _ in cells})
    for row in found:
        expected: dict[int, object] = {}
        for n, values in cells:
            if n == row.number:
                expected |= {place: value for place, value in enumerate(values) if value is not None}
        assert {place: value for place, value in enumerate(row.values) if value is not None} == expected
