from datetime import UTC, date, datetime, time, timedelta, timezone
from enum import Enum, IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, Field
from ade_engine.cells import CellError
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.distinct import PerDistinctValue
from ade_engine.issues import Finding
from ade_engine.row_view import Rows
from ade_engine.transform import FieldTransform, _leave, differs


def function(call):
    code = call.__code__
    return Function(
        "col.x.transform", code.co_varnames[: code.co_argcount], call, "test_transform.py", code.co_firstlineno
    )


def transform(field=None, **functions):
    rules = ColumnRules(field=field or Field("x"), **{name: function(call) for name, call in functions.items()})
    return FieldTransform(rules, {"field": rules.field, "context": None, "table": None, "column": None})


def applied(work, sources, rows=()):
    columns = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    return work.apply(work.start(sources), {"row": Rows(columns), "source": Rows(dict(columns))})


@pytest.mark.req("E5")
@given(st.lists(st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.dates())))
def test_without_a_transform_no_value_is_altered(values):
    work = transform()
    result = applied(work, [values])
    assert result.values is values
    assert not work.changes


@given(st.lists(st.sampled_from([0, 1, 0.0, 1.0, True, False, "1", None]), min_size=1))
def test_values_that_are_equal_but_of_other_types_are_not_mixed_up(values):
    work = transform(transform=lambda value: type(value).__name__)
    expected = [None if value is None else type(value).__name__ for value in values]
    assert applied(work, [values]).values == expected


ROME, LONDON = timezone(timedelta(hours=1)), UTC


def test_one_instant_in_two_time_zones_is_not_mixed_up():
    values = [datetime(2024, 1, 1, 12, tzinfo=ROME), datetime(2024, 1, 1, 11, tzinfo=LONDON), None]
    work = transform(transform=lambda value: value.hour)
    assert applied(work, [values]).values == [12, 11, None]
    assert applied(work, [values[1::-1]]).values == [11, 12]


def test_a_function_of_the_value_is_called_once_per_distinct_value():
    calls = []
    work = transform(transform=lambda value: calls.append(value) or value.upper())
    assert applied(work, [["a", "b", "a"]]).values == ["A", "B", "A"]
    assert applied(work, [["b", "a"]]).values == ["B", "A"]
    assert calls == ["a", "b"]


def test_the_memory_of_distinct_values_is_bounded():
    work = PerDistinctValue(lambda value: value, lambda error: None)
    for start in range(0, 100_000, 1000):
        work(list(range(start, start + 1000)))
    assert max(len(memo) for memo in work._memos.values()) <= 17_500


@pytest.mark.req("E6")
def test_changes_are_counted_by_rule():
    work = transform(Field("x", type="integer"), transform=lambda value: abs(value))
    assert applied(work, [["1", -2, 3, "-4", None, "x"]]).values == [1, 2, 3, 4, None, "x"]
    assert work.changes == {"type.integer": 2, "col.x.transform": 2}


def test_a_transform_may_prepare_what_the_type_then_converts():
    work = transform(
        Field("x", type="number"),
        transform=lambda value: value.removesuffix(" EUR") if isinstance(value, str) else value,
    )
    assert applied(work, [["1.5 EUR", "2.5", 3]]).values == [1.5, 2.5, 3]


def test_an_exception_keeps_the_value_and_names_type_and_line_but_not_the_value():
    def broken(value):
        return value.strip()

    result = applied(transform(transform=broken), [["a ", 5, None]])
    assert result.values == ["a", 5, None]
    [(place, finding)] = result.findings
    assert (place, finding.rule, finding.severity) == (1, "col.x.transform", "error")
    assert (
        finding.message
        == f"the rule raised AttributeError (test_transform.py, line {broken.__code__.co_firstlineno + 1})"
    )


def test_a_result_no_cell_can_hold_keeps_the_value():
    result = applied(transform(transform=lambda value: [value]), [["a"]])
    assert result.values == ["a"]
    assert "list" in result.findings[0][1].message


def test_a_function_of_the_row_sees_other_fields_and_fills_empty_cells():
    work = transform(transform=lambda row: f"{row['first']} {row['last']}")
    assert work.needs_rows
    rows = [{"first": "A", "last": "B"}, {"first": "C", "last": "D"}]
    assert applied(work, [[None, "kept?"]], rows).values == ["A B", "C D"]


def test_a_whole_column_function_answers_for_every_value():
    work = transform(Field("x", type="integer"), transform_column=lambda values: [value * 2 for value in values])
    assert applied(work, [["1", "2"]]).values == [2, 4]
    assert work.changes == {"type.integer": 2, "col.x.transform": 2}


def test_a_whole_column_function_that_loses_a_value_is_an_error():
    with pytest.raises(ConfigurationError, match="one entry for each value"):
        applied(transform(transform_column=lambda values: values[1:]), [["a", "b"]])


def test_several_columns_are_joined_only_where_more_than_one_holds_something():
    work = transform(Field("x", combine=", "))
    assert applied(work, [["a", None, "c", None], ["b", 7, None, " "]]).values == ["a, b", 7, "c", None]
    assert work.changes == {"combine": 1}


def test_a_combine_function_decides_how_columns_are_joined():
    assert applied(transform(combine=lambda values: sum(values)), [[1, 2], [3, None]]).values == [4, 2]


@given(st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(0, 3)), min_size=1), st.integers(1, 5))
def test_chunk_size_never_changes_the_result(values, size):
    whole = transform(Field("x", type="text"), transform=lambda value: value + "!")
    parts = transform(Field("x", type="text"), transform=lambda value: value + "!")
    chunks = [values[start : start + size] for start in range(0, len(values), size)]
    expected = list(applied(whole, [values]).values)
    assert [value for chunk in chunks for value in applied(parts, [chunk]).values] == expected
    assert parts.changes == whole.changes


def test_a_change_of_type_is_a_change():
    assert differs(1, True)
    assert differs(1, 1.0)
    assert not differs(date(2024, 1, 1), date(2024, 1, 1))


def test_a_function_of_the_context_is_called_for_every_value():
    calls = []
    work = transform(transform=lambda value, context: calls.append(value) or value)
    applied(work, [["a", "a", None]])
    assert calls == ["a", "a"]


def test_a_function_of_value_and_field_is_called_once_per_distinct_value():
    calls = []
    work = transform(transform=lambda value, field: calls.append(value) or field.name)
    assert applied(work, [["a", "a", None]]).values == ["x", "x", None]
    assert calls == ["a"]


def test_a_function_of_value_and_row_leaves_empty_cells_and_reports_its_mistakes():
    work = transform(transform=lambda value, row: value / row["parts"])
    result = applied(work, [[6, None, 6]], [{"parts": 2}, {"parts": 2}, {"parts": 0}])
    assert result.values == [3.0, None, 6]
    assert [(place, finding.severity) for place, finding in result.findings] == [(2, "error")]
    assert "ZeroDivisionError" in result.findings[0][1].message


def test_whole_column_and_combine_functions_that_raise_keep_the_values():
    result = applied(transform(transform_column=lambda values: values[99]), [["a", None, "b"]])
    assert list(result.values) == ["a", None, "b"]
    assert [(place, "IndexError" in finding.message) for place, finding in result.findings] == [(0, True), (2, True)]
    result = applied(transform(combine=lambda values: 1 / 0), [["a"], ["b"]])
    assert result.values == ["a"]
    assert "ZeroDivisionError" in result.findings[0][1].message


def test_only_what_no_cell_can_hold_is_put_back():
    result = applied(transform(transform=lambda value: {1} if value == "b" else value.upper()), [["a", "b", "c"]])
    assert result.values == ["A", "b", "C"]
    assert [place for place, _ in result.findings] == [1]


def test_a_mistake_of_our_own_in_a_conversion_is_not_swallowed():
    with pytest.raises(RuntimeError):
        PerDistinctValue(_fail, _leave)(["a"])


def _fail(value):
    raise RuntimeError


def test_values_that_hardly_repeat_are_done_without_looking_them_up_and_with_the_same_result():
    def half(value):
        if value == 999:
            raise ValueError
        return value // 2

    work = PerDistinctValue(half, lambda error: Finding("rule", "error", "failed"))
    chunks = [list(range(start, start + 300)) for start in range(0, 6000, 300)] + [[None, 4, "", 6] * 100]
    chunks[-1] = [4 if value == "" else value for value in chunks[-1]]
    results = [work(chunk) for chunk in chunks]
    assert [values for values, _ in results[:3]] == [[value // 2 for value in chunk] for chunk in chunks[:3]]
    assert results[3][1] == [(99, Finding("rule", "error", "failed"))]
    assert results[3][0][99] == 999
    assert results[-1][0] == [None, 2, 2, 3] * 100


ERROR = CellError("#N/A")


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    "functions",
    [
        {"transform": lambda value: str(value)},
        {"transform": lambda value, context: str(value)},
        {"transform_column": lambda values: [str(value) for value in values]},
    ],
)
def test_an_error_left_by_a_formula_is_never_turned_into_a_text(functions):
    assert list(applied(transform(**functions), [["a", ERROR, "b"]]).values) == ["a", ERROR, "b"]
    many = [f"text {number}" for number in range(2000)]
    work = transform(**functions)
    applied(work, [many[:1000]])  # values that do not repeat are no longer looked up
    assert list(applied(work, [[*many[1000:], ERROR]]).values)[-1] is ERROR


@pytest.mark.req("E5")
def test_an_error_joined_with_other_columns_stays_an_error():
    work = transform(Field("x", combine=", "))
    assert applied(work, [["a", ERROR, ERROR], ["b", "c", None]]).values == ["a, b", ERROR, ERROR]


def test_a_function_of_the_row_alone_may_replace_an_error():
    work = transform(transform=lambda row: row["other"])
    assert applied(work, [[ERROR]], [{"other": 5}]).values == [5]


class Shade(str, Enum):  # noqa: UP042 - the one whose str() is its name
    RED = "red"


class Level(IntEnum):
    LOW = 1


class Share(float):
    """A number with a spelling of its own, as those of numpy have."""

    def __repr__(self):
        return f"Share({float(self)})"


class Moment(datetime):
    """A derived date with a time, as in pandas."""


class NoMoment(datetime):
    """A date with a time that stands for none, as in pandas."""

    year = float("nan")


class Day(date):
    """A derived date."""


class Clock(time):
    """A derived time of day."""


class Span(timedelta):
    """A derived duration."""


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("derived", "plain"),
    [
        (Shade.RED, "red"),
        (Level.LOW, 1),
        (Share(0.5), 0.5),
        (Moment(2024, 5, 6, 7, 8, tzinfo=UTC), datetime(2024, 5, 6, 7, 8, tzinfo=UTC)),
        (Day(2024, 5, 6), date(2024, 5, 6)),
        (Clock(7, 8), time(7, 8)),
        (Span(hours=5), timedelta(hours=5)),
    ],
)
def test_a_value_of_a_derived_type_is_written_as_the_plain_value(derived, plain):
    result = applied(transform(transform=lambda value: derived), [["x"]])
    assert [(type(value), value) for value in result.values] == [(type(plain), plain)]
    assert not result.findings


@pytest.mark.req("E5")
@pytest.mark.parametrize("number", [float("nan"), float("inf"), Share("nan")])
@pytest.mark.parametrize("field", [Field("x"), Field("x", type="number")])
def test_a_number_that_is_not_finite_is_an_issue_and_the_old_value_stays(field, number):
    result = applied(transform(field, transform=lambda value: number if value == 1 else 2.5), [[1, 2]])
    assert result.values == [1, 2.5]
    [(place, finding)] = result.findings
    assert (place, finding.message) == (0, "the rule returned a number that is not finite, which no cell can hold")


def test_a_date_that_stands_for_none_is_an_issue():
    result = applied(transform(transform=lambda value: NoMoment(2024, 1, 1)), [["x"]])
    assert result.values == ["x"]
    assert [finding.message for _, finding in result.findings] == ["the rule returned NoMoment, which no cell can hold"]


@pytest.mark.req("E5")
@pytest.mark.parametrize(("between", "joined"), [("", "ab"), (", ", "a, b"), (None, "a b")])
def test_columns_are_joined_by_the_text_of_the_field(between, joined):
    assert applied(transform(Field("x", combine=between)), [["a"], ["b"]]).values == [joined]


@pytest.mark.parametrize(("returned", "written"), [(Shade.RED, "red"), (float("nan"), 1)])
def test_what_combine_returns_is_treated_like_what_transform_returns(returned, written):
    result = applied(transform(combine=lambda values: returned), [[1], [2]])
    assert result.values == [written]
    assert len(result.findings) == (written == 1)
