from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, Field
from ade_engine.configuration.model import ColumnRules, Function
from ade_engine.distinct import PerDistinctValue
from ade_engine.issues import Finding
from ade_engine.transform import FieldTransform, _leave, differs


def function(call):
    code = call.__code__
    return Function(
        "col.x.transform", code.co_varnames[: code.co_argcount], call, "test_transform.py", code.co_firstlineno
    )


def transform(field=None, **functions):
    rules = ColumnRules(field=field or Field("x"), **{name: function(call) for name, call in functions.items()})
    return FieldTransform(rules, {"field": rules.field, "context": None, "table": None, "column": None})


@pytest.mark.req("E5")
@given(st.lists(st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False), st.booleans(), st.dates())))
def test_without_a_transform_no_value_is_altered(values):
    work = transform()
    result = work.apply([values], [])
    assert result.values is values
    assert not work.changes


@given(st.lists(st.sampled_from([0, 1, 0.0, 1.0, True, False, "1", None]), min_size=1))
def test_values_that_are_equal_but_of_other_types_are_not_mixed_up(values):
    work = transform(transform=lambda value: type(value).__name__)
    expected = [None if value is None else type(value).__name__ for value in values]
    assert work.apply([values], []).values == expected


def test_a_function_of_the_value_is_called_once_per_distinct_value():
    calls = []
    work = transform(transform=lambda value: calls.append(value) or value.upper())
    assert work.apply([["a", "b", "a"]], []).values == ["A", "B", "A"]
    assert work.apply([["b", "a"]], []).values == ["B", "A"]
    assert calls == ["a", "b"]


def test_the_memory_of_distinct_values_is_bounded():
    work = PerDistinctValue(lambda value: value, lambda error: None)
    for start in range(0, 100_000, 1000):
        work(list(range(start, start + 1000)))
    assert max(len(memo) for memo in work._memos.values()) <= 17_500


@pytest.mark.req("E6")
def test_changes_are_counted_by_rule():
    work = transform(Field("x", type="integer"), transform=lambda value: abs(value))
    assert work.apply([["1", -2, 3, "-4", None, "x"]], []).values == [1, 2, 3, 4, None, "x"]
    assert work.changes == {"type.integer": 2, "col.x.transform": 2}


def test_a_transform_may_prepare_what_the_type_then_converts():
    work = transform(
        Field("x", type="number"),
        transform=lambda value: value.removesuffix(" EUR") if isinstance(value, str) else value,
    )
    assert work.apply([["1.5 EUR", "2.5", 3]], []).values == [1.5, 2.5, 3]


def test_an_exception_keeps_the_value_and_names_type_and_line_but_not_the_value():
    def broken(value):
        return value.strip()

    result = transform(transform=broken).apply([["a ", 5, None]], [])
    assert result.values == ["a", 5, None]
    [(place, finding)] = result.findings
    assert (place, finding.rule, finding.severity) == (1, "col.x.transform", "error")
    assert (
        finding.message
        == f"the rule raised AttributeError (test_transform.py, line {broken.__code__.co_firstlineno + 1})"
    )


def test_a_result_no_cell_can_hold_keeps_the_value():
    result = transform(transform=lambda value: [value]).apply([["a"]], [])
    assert result.values == ["a"]
    assert "list" in result.findings[0][1].message


def test_a_function_of_the_row_sees_other_fields_and_fills_empty_cells():
    work = transform(transform=lambda row: f"{row['first']} {row['last']}")
    assert work.needs_rows
    rows = [{"first": "A", "last": "B"}, {"first": "C", "last": "D"}]
    assert work.apply([[None, "kept?"]], rows).values == ["A B", "C D"]


def test_a_whole_column_function_answers_for_every_value():
    work = transform(Field("x", type="integer"), transform_column=lambda values: [value * 2 for value in values])
    assert work.apply([["1", "2"]], []).values == [2, 4]
    assert work.changes == {"type.integer": 2, "col.x.transform": 2}


def test_a_whole_column_function_that_loses_a_value_is_an_error():
    with pytest.raises(ConfigurationError, match="one entry for each value"):
        transform(transform_column=lambda values: values[1:]).apply([["a", "b"]], [])


def test_several_columns_are_joined_only_where_more_than_one_holds_something():
    work = transform(Field("x", combine=", "))
    assert work.apply([["a", None, "c", None], ["b", 7, None, " "]], []).values == ["a, b", 7, "c", None]
    assert work.changes == {"combine": 1}


def test_a_combine_function_decides_how_columns_are_joined():
    assert transform(combine=lambda values: sum(values)).apply([[1, 2], [3, None]], []).values == [4, 2]


@given(st.lists(st.one_of(st.none(), st.text(max_size=3), st.integers(0, 3)), min_size=1), st.integers(1, 5))
def test_chunk_size_never_changes_the_result(values, size):
    whole = transform(Field("x", type="text"), transform=lambda value: value + "!")
    parts = transform(Field("x", type="text"), transform=lambda value: value + "!")
    chunks = [values[start : start + size] for start in range(0, len(values), size)]
    expected = list(whole.apply([values], []).values)
    assert [value for chunk in chunks for value in parts.apply([chunk], []).values] == expected
    assert parts.changes == whole.changes


def test_a_change_of_type_is_a_change():
    assert differs(1, True)
    assert differs(1, 1.0)
    assert not differs(date(2024, 1, 1), date(2024, 1, 1))


def test_a_function_of_the_context_is_called_for_every_value():
    calls = []
    work = transform(transform=lambda value, context: calls.append(value) or value)
    work.apply([["a", "a", None]], [])
    assert calls == ["a", "a"]


def test_a_function_of_value_and_field_is_called_once_per_distinct_value():
    calls = []
    work = transform(transform=lambda value, field: calls.append(value) or field.name)
    assert work.apply([["a", "a", None]], []).values == ["x", "x", None]
    assert calls == ["a"]


def test_a_function_of_value_and_row_leaves_empty_cells_and_reports_its_mistakes():
    work = transform(transform=lambda value, row: value / row["parts"])
    result = work.apply([[6, None, 6]], [{"parts": 2}, {"parts": 2}, {"parts": 0}])
    assert result.values == [3.0, None, 6]
    assert [(place, finding.severity) for place, finding in result.findings] == [(2, "error")]
    assert "ZeroDivisionError" in result.findings[0][1].message


def test_whole_column_and_combine_functions_that_raise_keep_the_values():
    result = transform(transform_column=lambda values: values[99]).apply([["a", "b"]], [])
    assert list(result.values) == ["a", "b"]
    assert "IndexError" in result.findings[0][1].message
    result = transform(combine=lambda values: 1 / 0).apply([["a"], ["b"]], [])
    assert result.values == ["a"]
    assert "ZeroDivisionError" in result.findings[0][1].message


def test_only_what_no_cell_can_hold_is_put_back():
    result = transform(transform=lambda value: {1} if value == "b" else value.upper()).apply([["a", "b", "c"]], [])
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
