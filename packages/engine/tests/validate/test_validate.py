from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, Field
from ade_engine.cells import CellError
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.issues import mask
from ade_engine.row_view import Rows
from ade_engine.unique import UniqueCheck
from ade_engine.validate import FieldValidation


def function(call):
    code = call.__code__
    return Function(
        "col.x.validate", code.co_varnames[: code.co_argcount], call, "test_validate.py", code.co_firstlineno
    )


def found(values, field=None, *, validate=None, validate_column=None, rows=()):
    rules = ColumnRules(
        field=field or Field("x"),
        validators=(function(validate),) if validate else (),
        validate_column=function(validate_column) if validate_column else None,
    )
    work = FieldValidation(rules, {"field": rules.field, "context": None, "table": None, "column": None})
    views = {"row": Rows({name: [row[name] for row in rows] for name in (rows[0] if rows else ())})}
    return [(place, finding.rule, finding.severity) for place, finding in work.apply(values, views)]


def test_a_required_field_must_be_filled():
    assert found(["a", None, "", "  "], Field("x", required=True)) == [(n, "required", "error") for n in (1, 2, 3)]
    assert found([None, ""]) == []


@pytest.mark.parametrize(
    ("field", "good", "bad", "rule"),
    [
        (Field("x", type="integer"), 5, "five", "type.integer"),
        (Field("x", pattern=r"[A-Z]{2}\d"), "AB1", "AB12", "pattern"),
        (Field("x", choices=["open", "closed"]), "open", "Open", "choices"),
        (Field("x", minimum=1), 1, 0, "minimum"),
        (Field("x", minimum=1), 1, "one", "minimum"),
        (Field("x", maximum=date(2024, 12, 31)), date(2024, 1, 1), date(2025, 1, 1), "maximum"),
    ],
)
def test_what_a_field_demands_is_checked(field, good, bad, rule):
    assert found([good, bad, None], field) == [(1, rule, "error")]


def test_an_error_cell_is_an_issue_and_not_a_value():
    assert found([CellError("#N/A")]) == [(0, "cell.error", "warning")]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, []),
        ([], []),
        ("wrong", ["error"]),
        (("warning", "odd"), ["warning"]),
        (["one", ("info", "two")], ["error", "info"]),
    ],
)
def test_a_rule_answers_with_nothing_a_message_a_severity_or_several(answer, expected):
    assert [severity for _, _, severity in found(["a"], validate=lambda value: answer)] == expected


@pytest.mark.parametrize("answer", [True, 7, ("fatal", "x"), ("a", "b", "c")])
def test_any_other_answer_stops_the_run(answer):
    with pytest.raises(ConfigurationError, match=r"test_validate.py, line \d+"):
        found(["a"], validate=lambda value: answer)


def test_a_rule_that_raises_is_an_issue_of_each_cell_it_failed_on():
    assert found(["a", 1, "b", 1], validate=lambda value: None if value.upper() else "x") == [
        (1, "col.x.validate", "error"),
        (3, "col.x.validate", "error"),
    ]


def test_a_cross_field_rule_sees_the_row():
    rows = [{"start": 1, "end": 2}, {"start": 3, "end": 2}]
    assert found(
        [2, 2], validate=lambda row: "ends before it starts" if row["end"] < row["start"] else None, rows=rows
    ) == [(1, "col.x.validate", "error")]


def test_one_instant_in_two_time_zones_is_checked_twice():
    rome = timezone(timedelta(hours=1))
    values = [datetime(2024, 1, 1, 12, tzinfo=rome), datetime(2024, 1, 1, 11, tzinfo=UTC)]

    def is_noon(value):
        return "is not noon" if value.hour != 12 else None

    assert found(values, validate=is_noon) == [(1, "col.x.validate", "error")]
    assert found(values[::-1], validate=is_noon) == [(0, "col.x.validate", "error")]


def test_a_whole_column_rule_answers_for_every_value():
    assert found([1, 2], validate_column=lambda values: [None, ("info", "even")]) == [(1, "col.x.validate", "info")]
    with pytest.raises(ConfigurationError):
        found([1, 2], validate_column=lambda values: [None])


@pytest.mark.parametrize("count", [10, 150_000])
def test_repeated_values_point_to_the_row_that_came_first(count):
    check = UniqueCheck()
    values = [f"id-{number}" for number in range(count)]
    check.add(values, range(2, count + 2))
    check.add(["id-3", None, "", "id-3", "new", None], range(count + 2, count + 8))
    assert list(check.repeats()) == [(count + 2, 5), (count + 5, 5)]


def test_equal_values_of_other_types_are_not_repeats():
    check = UniqueCheck()
    check.add([1, "1", 1.0, True], [1, 2, 3, 4])
    assert list(check.repeats()) == []


@pytest.mark.parametrize(
    ("message", "values", "expected"),
    [
        ("Anna is not allowed", ["Anna"], "… is not allowed"),
        ("anna is not allowed", ["Anna "], "… is not allowed"),
        ("must have 8 characters", [8], "must have … characters"),
        ("is a bad value", ["a"], "is … bad value"),
        ("is bad", [None, ""], "is bad"),
        ("1,234.50 is too much", [1234.5], "… is too much"),
        ("1.234,50 is too much", ["1234.5"], "… is too much"),
        ("about 1235 is too much", [1234.5678], "about … is too much"),
        ("12.3% is too much", [0.1234], "… is too much"),
        ("not before 06.05.2024", [date(2024, 5, 6)], "not before …"),
        ("not on May 6, 2024", [datetime(2024, 5, 6, 7, 8)], "not on …"),  # noqa: DTZ001
        ("Ada Weber is known", ["Ada  Weber"], "… is known"),
        ("must be at most 12 of 99", [12.4], "must be at most 12 of 99"),
    ],
)
def test_a_message_is_rid_of_the_values_it_shows(message, values, expected):
    assert mask(message, values) == expected


@given(st.text(min_size=3, alphabet=st.characters(codec="utf-8", exclude_categories=["Z", "C"])))
def test_no_value_of_three_characters_or_more_survives_in_a_message(value):
    assert value not in mask(f"found {value} and {value!r} in {value.lower()}", [value])


def test_a_value_known_to_be_fine_does_not_vouch_for_an_equal_one_of_another_type():
    field = Field("x", pattern=r"\d")
    work = FieldValidation(ColumnRules(field=field), {"field": field, "context": None, "table": None, "column": None})
    assert work.apply([1, 0], []) == []
    assert [place for place, _ in work.apply([True, False], [])] == [0, 1]
    assert work.apply([1, 0], []) == []


@given(
    st.lists(st.one_of(st.none(), st.sampled_from([0, 1, True, 1.5, "", " ", "a", "7"])), min_size=1), st.integers(1, 4)
)
def test_chunk_size_never_changes_what_is_found(values, size):
    field = Field("x", type="number", required=True, maximum=5)
    given_all = {"field": field, "context": None, "table": None, "column": None}

    def check(chunks):
        work, start, found = FieldValidation(ColumnRules(field=field), given_all), 0, []
        for chunk in chunks:
            found += [(start + place, finding) for place, finding in work.apply(chunk, [])]
            start += len(chunk)
        return found

    assert check([values[n : n + size] for n in range(0, len(values), size)]) == check([values])


def test_a_whole_column_rule_that_raises_or_says_nothing():
    assert found([1, 2], validate_column=lambda values: None) == []
    assert found([1, 2], validate_column=lambda values: values[9]) == [(0, "col.x.validate", "error")]


def test_a_rule_of_value_and_row_is_not_asked_about_empty_cells():
    rows = [{"a": 1}, {"a": 1}]
    assert found([None, 5], validate=lambda value, row: "wrong", rows=rows) == [(1, "col.x.validate", "error")]


def test_a_rule_of_the_context_is_asked_for_every_cell():
    calls = []
    found(["a", "a", "b"], validate=lambda value, context: calls.append(value))
    assert calls == ["a", "a", "b"]


def test_what_is_known_to_be_fine_is_forgotten_in_time():
    rules = ColumnRules(field=Field("x"))
    work = FieldValidation(rules, {"field": rules.field, "context": None, "table": None, "column": None})
    for start in range(0, 60_000, 1000):
        assert work.apply([f"v{n}" for n in range(start, start + 1000)], []) == []
    assert sum(map(len, work._fine.values())) <= 17_500


@given(st.lists(st.sampled_from(["", " ", "ab", "abc", "abcd", None, 1, 2.5, True, "x" * 9]), min_size=1))
def test_looking_at_suspects_alone_finds_what_looking_at_each_value_finds(values):
    def validate(value):
        return None if len(str(value)) == 3 else "must have three characters"

    field = Field("x", required=True)
    alone = [
        (place, *entry[1:]) for place, value in enumerate(values) for entry in found([value], field, validate=validate)
    ]
    assert found(values, field, validate=validate) == alone
