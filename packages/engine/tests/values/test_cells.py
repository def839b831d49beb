"""Small parts that everything else is made of: names of cells, keys, columns of any length, cells on a screen."""

# ruff: noqa: DTZ001 - cells have no time zone
from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.cells import CellError, Range, cell_name, column_letters, parse_cell, parse_range
from ade_engine.currencies import CODES, SYMBOLS, agreed, code_of
from ade_engine.distinct import PerDistinctValue, have_zones, kind_of
from ade_engine.issues import Finding
from ade_engine.marks import MarkCheck, mark_of, marks_in
from ade_engine.notation import decimal_marks, plain, written
from ade_engine.shown import SAFE_INTEGER, shown_cell
from ade_engine.unique import UniqueCheck
from ade_engine.words import as_key, word_map

CELLS = st.one_of(
    st.none(), st.text(max_size=8), st.integers(), st.floats(allow_nan=False), st.booleans(), st.dates(),
    st.datetimes(), st.times(), st.timedeltas(), st.sampled_from(["#N/A", "#REF!"]).map(CellError),
)  # fmt: skip


@pytest.mark.parametrize(
    ("column", "letters"),
    [(1, "A"), (26, "Z"), (27, "AA"), (52, "AZ"), (53, "BA"), (702, "ZZ"), (703, "AAA"), (16384, "XFD")],
)
def test_columns_are_lettered_as_spreadsheets_do(column, letters):
    assert column_letters(column) == letters
    assert parse_cell(f"{letters}1") == (1, column)


@given(st.integers(1, 2**20), st.integers(1, 16384))
def test_the_name_of_a_cell_reads_back(row, column):
    name = cell_name(row, column)
    assert parse_cell(name) == parse_cell(name.lower()) == (row, column)
    letters = column_letters(column)
    assert parse_cell(f"${letters}${row}") == (row, column)


@given(st.integers(1, 16383))
def test_letters_come_in_the_order_of_columns(column):
    one, other = column_letters(column), column_letters(column + 1)
    assert (len(one), one) < (len(other), other)


@pytest.mark.parametrize("name", ["", "A", "1", "A0", "A01", "ABCD1", "A1:B2", "A-1", "Ä1", "A1 "])
def test_what_is_no_cell_has_no_place(name):
    with pytest.raises(ValueError, match="is not a cell name"):
        parse_cell(name)


PLACES = st.tuples(st.integers(1, 500), st.integers(1, 500))


@given(PLACES, PLACES)
def test_a_range_is_the_same_from_any_two_corners(one, other):
    found = parse_range(f"{cell_name(*one)}:{cell_name(*other)}")
    assert found == parse_range(f"{cell_name(*other)}:{cell_name(*one)}") == parse_range(found.a1)
    assert found.contains(*one)
    assert found.contains(*other)
    assert not found.contains(found.last_row + 1, found.first_column)
    assert not found.contains(found.first_row, found.last_column + 1)


def test_a_single_cell_is_a_range_too():
    assert parse_range("C7") == Range(7, 3, 7, 3)
    assert parse_range("C7").a1 == "C7:C7"


@pytest.mark.parametrize(
    ("value", "key"),
    [
        (None, None), ("", None), ("  ", None), ("a ", "a"), (7, "7"), (7.0, "7"), (7.5, "7.5"), ("7", "7"),
        (True, "True"), (date(2024, 5, 1), "2024-05-01"), (time(9), "09:00:00"), ("A  B", "A  B"), (-0.0, "0"),
    ],
)  # fmt: skip
def test_a_value_is_looked_up_by_its_plain_text(value, key):
    assert as_key(value) == key


@given(st.text(max_size=12))
def test_where_case_is_ignored_so_are_blanks_in_a_row(text):
    key = as_key(text, ignores_case=True)
    assert key == as_key(f" {text} ", ignores_case=True)
    assert key is None or key == as_key(key, ignores_case=True)


def test_a_choice_replaces_its_other_spellings_only_where_case_is_ignored():
    choices = ["Open", "Closed"]
    assert word_map(Field("x", choices=choices), {}) == {}
    assert word_map(Field("x", choices=choices, ignore_case=True), {}) == {"open": "Open", "closed": "Closed"}
    given_words = word_map(Field("x", choices=choices, ignore_case=True, replace={"o": "Open"}), {"O": "Open", "": "x"})
    assert given_words == {"open": "Open", "closed": "Closed", "o": "Open"}


@given(st.lists(CELLS, max_size=30), st.integers(1, 7))
def test_repeats_are_those_of_a_straightforward_search(values, step):
    check, watched = UniqueCheck(), UniqueCheck(is_watched=True)
    seen_early = []
    for start in range(0, len(values), step):
        chunk, rows = values[start : start + step], list(range(start, min(start + step, len(values))))
        assert check.add(chunk, rows) == []
        seen_early += watched.add(chunk, rows)
    first: dict[object, int] = {}
    expected = []
    for row, value in enumerate(values):
        if value is None or (isinstance(value, str) and not value.strip()):
            continue
        key = (type(value), repr(value))
        if key in first:
            expected.append((row, first[key]))
        first.setdefault(key, row)
    assert list(check.repeats()) == expected
    assert seen_early == [row for row, _ in expected]


def shouted(value):
    if value == "bad":
        raise ValueError("no")
    return f"{value}!" if isinstance(value, str) else value


def rescued(error):
    return Finding("x", "error", str(error))


@given(st.lists(st.one_of(st.sampled_from(["a", "bad", "", "b"]), CELLS), max_size=40), st.integers(1, 9))
def test_a_function_per_distinct_value_answers_as_one_per_value(values, step):
    work = PerDistinctValue(shouted, rescued)
    results, places = [], []
    for start in range(0, len(values), step):
        found, findings = work(values[start : start + step])
        results += found
        places += [start + place for place, _ in findings]
    expected = [
        value if value in (None, "", "bad") or isinstance(value, CellError) else shouted(value) for value in values
    ]
    assert [(type(one), repr(one)) for one in results] == [(type(one), repr(one)) for one in expected]
    assert places == [place for place, value in enumerate(values) if value == "bad"]


def test_values_that_hardly_repeat_are_answered_alike():
    values = [f"v{number}" for number in range(5000)]
    work = PerDistinctValue(shouted, rescued)
    found = [result for start in range(0, 5000, 500) for result in work(values[start : start + 500])[0]]
    assert found == [f"{value}!" for value in values]
    mixed, findings = work(["a", None, "bad", CellError("#N/A")])
    assert mixed == ["a!", None, "bad", CellError("#N/A")]
    assert [place for place, _ in findings] == [2]


def test_one_instant_in_two_zones_is_of_two_kinds():
    east = datetime(2024, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    west = east.astimezone(UTC)
    assert east == west
    assert kind_of(east) != kind_of(west)
    assert kind_of(1) != kind_of(1.0) != kind_of(True)
    assert have_zones([east], {datetime})
    assert not have_zones([datetime(2024, 1, 1)], {datetime})
    assert not have_zones(["a"], {str})


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (True, "boolean", True), (5, "number", 5), (SAFE_INTEGER + 1, "number", str(SAFE_INTEGER + 1)),
        (-SAFE_INTEGER, "number", -SAFE_INTEGER), (2.5, "number", 2.5), (float("inf"), "number", "inf"),
        ("x", "text", "x"), (date(2024, 5, 1), "date", "2024-05-01"), (time(9, 5), "time", "09:05:00"),
        (datetime(2024, 5, 1, 9), "datetime", "2024-05-01T09:00:00"),
        (timedelta(hours=30), "duration", "1 day, 6:00:00"),
        (CellError("#N/A"), "error", "#N/A"),
    ],
)  # fmt: skip
def test_a_cell_is_shown_with_its_type(value, kind, shown):
    assert shown_cell(value) == {"type": kind, "value": shown}


@given(CELLS, st.integers(1, 10))
def test_every_cell_is_shown_in_json_and_never_longer_than_allowed(value, longest):
    found = shown_cell(value, longest=longest)
    assert json.loads(json.dumps(found)) == found
    if value is None:
        assert found is None
    elif isinstance(found["value"], str):
        assert len(found["value"]) <= longest
        assert found.get("is_cut", False) == (len(str(value)) > longest or found.get("is_cut", False))


def test_a_text_is_cut_only_beyond_the_longest():
    assert shown_cell("abc", longest=3) == {"type": "text", "value": "abc"}
    assert shown_cell("abcd", longest=3) == {"type": "text", "value": "abc", "is_cut": True}


@pytest.mark.parametrize("symbol", SYMBOLS)
def test_every_symbol_stands_for_a_code_or_for_itself(symbol):
    code = code_of(symbol)
    assert code in CODES or code == symbol
    assert agreed(symbol, symbol) == code
    assert mark_of(f"{symbol} 5") == mark_of(f"5 {symbol}") == code


@given(st.sampled_from(sorted(CODES)), st.sampled_from([*SYMBOLS, *sorted(CODES)]))
def test_whether_two_currencies_agree_does_not_depend_on_their_order(code, other):
    assert agreed(code, other) == agreed(other, code)
    found = agreed(code, other)
    assert found in (None, code)
    assert (found is None) == (mark_of(f"{other} 5 {code}") is None)


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        ("5", None),
        ("5 %", "%"),
        ("€5", "EUR"),
        ("$5", "$"),
        ("$5 CAD", "CAD"),
        ("abc", None),
        ("€ % 5", None),
        ("", None),
    ],
)
def test_the_mark_of_a_number_is_its_currency_or_percent_sign(text, mark):
    assert mark_of(text) == mark


def test_marks_are_found_by_place_in_texts_alone():
    assert marks_in(["€5", 5, None, "7 %", "x", "USD 1"]) == {0: "EUR", 3: "%", 5: "USD"}


def checked(field, *chunks):
    check = MarkCheck(field)
    return [[place for place, _ in check.findings(values, marks)] for values, marks in chunks]


def test_another_currency_than_above_is_found_across_chunks():
    money = Field("x", type="money")
    assert checked(money, ([5, 6], {0: "EUR"}), ([7, 8], {0: "USD", 1: "EUR"})) == [[], [0]]
    assert checked(money, ([5, 6], {0: "$"}), ([7], {0: "CAD"}), ([8], {0: "USD"})) == [[], [], [0]]
    assert checked(Field("x", type="money", currency="y"), ([5], {0: "EUR"}), ([6], {0: "USD"})) == [[], []]


@pytest.mark.parametrize(
    ("options", "value", "is_doubtful"),
    [
        ({}, 0.19, False), ({}, 1, False), ({}, -1, False), ({}, 1.01, True), ({}, 19, True), ({}, -19, True),
        ({"maximum": 50}, 19, False), ({"maximum": 50}, -19, True), ({"minimum": -50}, -19, False), ({}, "19", False),
        ({}, True, False), ({}, None, False),
    ],
)  # fmt: skip
def test_a_percentage_beyond_all_without_a_sign_is_doubtful_unless_the_field_allows_it(options, value, is_doubtful):
    field = Field("x", type="percent", **options)
    assert checked(field, ([value], {})) == [[0] if is_doubtful else []]
    assert checked(field, ([value], {0: "%"})) == [[]]


@settings(max_examples=200)
@given(st.text(alphabet="0123456789.,' -+()%€$", max_size=12))
def test_a_number_has_a_decimal_mark_with_which_it_reads(text):
    number = written(text)
    if number is None:
        return
    for mark in decimal_marks(number):
        digits = plain(number, mark)
        assert float(digits) == float(digits)
        assert digits.startswith("-") == number.is_negative
    assert number.kind == ("percent" if number.has_percent else "money" if number.currency else "number")
