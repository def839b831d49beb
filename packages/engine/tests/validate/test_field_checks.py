"""Checks of a field one by one: a quick look at many values overlooks nothing, and every message is spelled out."""

from __future__ import annotations

import enum
import errno
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, Field
from ade_engine.cells import CellError
from ade_engine.configuration.model import Function
from ade_engine.errors import full_disk
from ade_engine.field_checks import field_checks
from ade_engine.issues import mask
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS
from ade_engine.row_view import FieldNotComputed, UnknownField
from ade_engine.rules import are_cells, as_cell, asked_of_rows, evidence, findings, not_computed, raised, unreadable

CELLS = st.one_of(
    st.text(min_size=1, max_size=6).filter(str.strip), st.integers(-50, 50), st.floats(-50, 50), st.booleans(),
    st.dates(date(2020, 1, 1), date(2025, 1, 1)), st.just(CellError("#N/A")),
    st.sampled_from(["open", "Open", "AB1", "5"]),
)  # fmt: skip
FIELDS = st.sampled_from(
    [
        Field("x"),
        Field("x", type="integer"),
        Field("x", type="text", pattern=r"[A-Z]+\d"),
        Field("x", pattern=r"\d+"),
        Field("x", choices=["open", 5, True]),
        Field("x", minimum=0, maximum=10),
        Field("x", type="date", minimum=date(2021, 1, 1)),
        Field("x", type="number", maximum=1.5),
        Field("x", minimum=date(2022, 1, 1)),
    ]
)


@given(FIELDS, st.lists(CELLS, min_size=1, max_size=8))
def test_a_quick_look_at_many_values_overlooks_nothing(field, values):
    distinct = set(values)
    for check in field_checks(field):
        types = set(map(type, distinct))
        if check.all_pass(distinct, types):
            assert [value for value in distinct if check.finding(value) is not None] == []


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=6))
def test_bounds_clear_many_numbers_at_once_exactly_when_all_are_within(values):
    for check in field_checks(Field("x", minimum=-5, maximum=10))[1:]:
        is_fine = all(check.finding(value) is None for value in values)
        assert check.all_pass(set(values), {int}) == is_fine


@pytest.mark.parametrize(
    ("options", "value", "rule", "severity", "message"),
    [
        ({}, CellError("#N/A"), "cell.error", "warning", "holds an error left by a formula"),
        ({"type": "integer"}, "x", "type.integer", "error", "is not a number"),
        ({"pattern": r"\d+"}, "x1", "pattern", "error", "does not match the field's pattern"),
        ({"pattern": r"\d+"}, 1.5, "pattern", "error", "does not match the field's pattern"),
        ({"choices": ["open"]}, "oopen", "choices", "error",
         'is not one of the field\'s choices; the nearest is "open"'),
        ({"choices": ["open"]}, "zzz", "choices", "error", "is not one of the field's choices"),
        ({"choices": [1, 2]}, 3, "choices", "error", "is not one of the field's choices"),
        ({"minimum": 5}, 4, "minimum", "error", "is below the field's minimum"),
        ({"maximum": 5}, 6, "maximum", "error", "is above the field's maximum"),
        ({"minimum": 5}, "four", "minimum", "error", "cannot be compared with the field's minimum"),
        ({"maximum": date(2024, 1, 1)}, 5, "maximum", "error", "cannot be compared with the field's maximum"),
    ],
)  # fmt: skip
def test_each_check_says_what_is_wrong_in_these_words(options, value, rule, severity, message):
    found = [finding for check in field_checks(Field("x", **options)) if (finding := check.finding(value)) is not None]
    assert [(one.rule, one.severity, one.message) for one in found] == [(rule, severity, message)]


@pytest.mark.parametrize(
    ("options", "value"),
    [({}, "x"), ({"type": "integer"}, 5), ({"pattern": r"\d+"}, 15), ({"choices": ["a", 1]}, 1), ({"minimum": 5}, 5),
     ({"maximum": 5}, 5), ({"minimum": date(2024, 1, 1)}, date(2024, 1, 1))],
)  # fmt: skip
def test_what_a_field_allows_is_fine_to_the_last_bound(options, value):
    assert [finding for check in field_checks(Field("x", **options)) if (finding := check.finding(value))] == []


def function(call=lambda value: value, parameters=("value",)):
    return Function("col.x.validate", parameters, call, "columns/x.py", 9)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, []),
        ("", []),
        ([], []),
        ((), []),
        ("wrong", [("error", "wrong")]),
        (("warning", "odd"), [("warning", "odd")]),
        (("info", "so"), [("info", "so")]),
        (["a", ("info", "b"), None], [("error", "a"), ("info", "b")]),
    ],
)
def test_a_rule_may_say_nothing_a_message_a_severity_or_several(answer, expected):
    assert [(one.severity, one.message) for one in findings(function(), answer, [])] == expected


@pytest.mark.parametrize("answer", [5, True, ("bad", "x"), ("error", 5), ("error", "a", "b"), {"a": 1}])
def test_any_other_answer_names_the_rule_and_its_place(answer):
    with pytest.raises(ConfigurationError) as refusal:
        findings(function(), answer, [])
    expected = "columns/x.py, line 9: col.x.validate must return None, a message or (severity, message)"
    assert str(refusal.value) == expected


class Colour(enum.StrEnum):
    RED = "red"


class Number(int):
    pass


class Day(date):
    pass


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("a", "a"),
        (Colour.RED, "red"),
        (Number(5), 5),
        (Day(2024, 5, 1), date(2024, 5, 1)),
        (datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 1, tzinfo=UTC)),
        (timedelta(hours=1), timedelta(hours=1)),
        (time(9), time(9)),
        (None, None),
        (CellError("#N/A"), CellError("#N/A")),
    ],
)
def test_a_result_of_a_derived_type_is_the_plain_value(result, expected):
    found, finding = as_cell(function(), result)
    assert (type(found), found, finding) == (type(expected), expected, None)


@pytest.mark.parametrize(
    ("result", "what"),
    [([1], "list"), ({}, "dict"), (object(), "object"), (1j, "complex"), (float("nan"), "a number that is not finite"),
     (b"x", "bytes")],
)  # fmt: skip
def test_what_no_cell_can_hold_is_a_finding(result, what):
    found, finding = as_cell(function(), result)
    assert found is None
    assert finding.message == f"the rule returned {what}, which no cell can hold"
    assert not are_cells(["a", result])


@pytest.mark.parametrize(("answer", "expected"), [(0.5, 0.5), (None, 0), (5, 1), (-5, -1), (True, 1), (0, 0)])
def test_evidence_is_a_number_within_bounds(answer, expected):
    assert evidence(function(lambda value: answer), 1.0, value=1) == expected


def test_a_detector_that_fails_or_says_something_else_stops_the_run_with_its_place():
    with pytest.raises(ConfigurationError, match=r"columns/x\.py, line 9: col\.x\.validate raised ZeroDivisionError"):
        evidence(function(lambda value: 1 / 0), 1.0, value=1)
    with pytest.raises(ConfigurationError, match="must return a number or None, not str"):
        evidence(function(lambda value: "x"), 1.0, value=1)


def test_what_went_wrong_in_a_rule_is_told_without_its_text():
    assert raised(function(), ValueError("secret")).message == "the rule raised ValueError (columns/x.py, line 9)"
    assert "asks for a field that does not exist" in raised(function(), UnknownField("secret")).message
    assert unreadable(function(), "y").message == "was not computed, because y has no valid value in this row"
    error = not_computed(function(), FieldNotComputed("y"))
    assert str(error) == (
        'columns/x.py, line 9: x reads y, which is computed later. Name it in the field: Field("x", reads=["y"]).'
    )
    assert asked_of_rows(function(parameters=("value", "source", "row"))) == ("row", "source")
    assert asked_of_rows(function()) == ()


def test_a_full_disk_is_found_behind_other_errors():
    full = OSError(errno.ENOSPC, "no space")
    behind = ConfigurationError("x")
    behind.__cause__ = full
    assert full_disk(full) is full_disk(behind) is full
    assert full_disk(OSError(errno.ENOENT, "none")) is None
    assert full_disk(ConfigurationError("x")) is None


VALUES = st.lists(
    st.one_of(
        st.text(alphabet="abcXYZ 019-", min_size=3, max_size=10).filter(lambda text: len(text.strip()) > 2),
        st.integers(100, 10**9),
        st.dates(date(1950, 1, 1), date(2049, 12, 31)),
    ),
    min_size=1,
    max_size=3,
)


@given(VALUES, st.sampled_from(["{} is wrong", "found '{}' here", "{}", "a {} b {}", "X{}Y"]))
def test_no_value_is_left_in_a_message_however_it_is_put_in(values, template):
    message = mask(template.format(*values, *values), values)
    for value in values:
        assert str(value).strip().lower() not in message.lower()


@given(
    st.dates(date(1950, 1, 1), date(2049, 12, 31)), st.sampled_from(["%d.%m.%Y", "%m/%d/%Y", "%d %B %Y", "%B %d, %Y"])
)
def test_a_date_is_masked_in_the_notations_of_people(day, form):
    assert mask(f"on {day.strftime(form)} it broke", [day]) == "on … it broke"


@pytest.mark.parametrize(
    ("message", "values", "expected"),
    [
        ("amount 1,234.50 is odd", [1234.5], "amount … is odd"),
        ("amount 1.234,50 is odd", ["1234.5"], "amount … is odd"),
        ("about 1235 is odd", [1234.5678], "about … is odd"),
        ("12% is odd", [0.12], "… is odd"),
        ("at most 10 allowed", [11], "at most 10 allowed"),
        ("must have 8 digits", ["ab"], "must have 8 digits"),
        ("not in a table", ["a"], "not in … table"),
        ("nothing to hide", [None, True], "nothing to hide"),
    ],
)
def test_figures_are_masked_where_they_are_the_value_and_only_there(message, values, expected):
    assert mask(message, values) == expected


@given(st.text(max_size=600))
def test_a_message_is_never_longer_than_allowed(message):
    assert len(mask(message, [])) <= MAX_MESSAGE_CHARACTERS
