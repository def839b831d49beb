"""What is written to xlsx reads back as the same values of the same types."""

# ruff: noqa: DTZ001 - spreadsheets know no zones

from __future__ import annotations

import re
import zipfile
from contextlib import closing
from datetime import date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.cells import CellError
from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.write import open_writer
from ade_engine.writers.look import Look
from ade_engine.writers.xlsx_cells import text_tail, uniform_slot


def write(path, rows, *, columns=None, **options):
    columns = columns or [f"Column {index}" for index in range(len(rows[0]) if rows else 1)]
    writer = open_writer(path, "xlsx")
    writer.begin_table("Table", columns)
    writer.write_rows(rows, **options)
    writer.end_table()
    writer.close()
    return path


def read(path):
    with closing(open_workbook(path)) as workbook:
        return [[row.values for row in workbook.open_sheet(info).rows()] for info in workbook.sheets]


def round_trip(path, values):
    """Write one column, and return what comes back below the header."""
    with closing(open_workbook(write(path, [[value, "end"] for value in values]))) as workbook:
        rows = list(workbook.open_sheet(workbook.sheets[0]).rows())
    return [row.values[0] for row in rows[1:]]


def markup(path, part="xl/worksheets/sheet1.xml"):
    with zipfile.ZipFile(path) as archive:
        return archive.read(part).decode()


milliseconds = st.integers(0, 999).map(lambda value: value * 1000)
values = st.one_of(
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30),
    st.sampled_from(
        ["=1+1", "+49 123", "-5", "@x", " x ", "a\r\nb", "\x00\x07", "_x000D_", "_x005F_", "<&>", "\ufffe", "#N/A"]
    ),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False).filter(
        lambda value: value != int(value) if abs(value) < 1e15 else True
    ),
    st.booleans(),
    st.dates(date(1900, 3, 1), date(9999, 12, 31)),
    st.builds(
        datetime.combine,
        st.dates(date(1900, 3, 1), date(9999, 12, 31)),
        st.builds(time, st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), milliseconds),
    ),
    st.builds(time, st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), milliseconds),
    st.builds(timedelta, days=st.integers(-9999, 99999), milliseconds=st.integers(0, 86_399_999)),
    st.sampled_from(["#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"]).map(CellError),
)


@pytest.mark.req("E5")
@settings(deadline=None)
@given(st.lists(values, min_size=1, max_size=30))
def test_every_value_comes_back_with_its_type(tmp_path_factory, column):
    found = round_trip(tmp_path_factory.mktemp("w") / "out.xlsx", column)
    assert found == column
    assert list(map(type, found)) == list(map(type, column))


@pytest.mark.req("E5")
@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "=1+1"])
def test_text_that_looks_like_a_formula_stays_text(tmp_path, text):
    path = write(tmp_path / "out.xlsx", [[text]])
    assert read(path)[0][1] == [text]
    assert "<f>" not in markup(path)
    assert 's="6" t="inlineStr"' in markup(path)


@pytest.mark.req("E5")
def test_an_integer_that_a_double_cannot_hold_becomes_text(tmp_path):
    assert round_trip(tmp_path / "out.xlsx", [2**53, 2**53 + 1, 12345678901234567890]) == [
        2**53,
        str(2**53 + 1),
        "12345678901234567890",
    ]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([1, 2.5, -3, 1e-7], [1, 2.5, -3, 1e-7]),
        ([0.5, 2**53 + 1], [0.5, str(2**53 + 1)]),
        ([0.5, 10**400], [0.5, str(10**400)]),
        ([1, float("nan"), float("-inf")], [1, CellError("#NUM!"), CellError("#NUM!")]),
        ([True, 1, 1.5], [True, 1, 1.5]),
    ],
)
def test_whole_numbers_and_others_in_one_column_are_written_as_they_are(tmp_path, column, expected):
    found = round_trip(tmp_path / "out.xlsx", column)
    assert found == expected
    assert list(map(type, found)) == list(map(type, expected))


def test_what_is_no_number_becomes_an_error_cell(tmp_path):
    found = round_trip(tmp_path / "out.xlsx", [float("nan"), float("inf"), 1.5])
    assert found == [CellError("#NUM!"), CellError("#NUM!"), 1.5]


def test_days_before_the_calendar_of_spreadsheets_become_text(tmp_path):
    assert round_trip(tmp_path / "out.xlsx", [date(1850, 5, 1), datetime(1850, 5, 1, 2, 3)]) == [
        "1850-05-01",
        "1850-05-01 02:03:00",
    ]


@pytest.mark.req("E5")
def test_text_too_long_for_a_cell_is_refused_and_never_cut(tmp_path):
    fitting = ["x" * 32_767, "\N{GRINNING FACE}" * 16_383]
    assert round_trip(tmp_path / "fits.xlsx", fitting) == fitting
    writer = open_writer(tmp_path / "out.xlsx", "xlsx")
    writer.begin_table("Table", ["A"])
    with pytest.raises(InputError) as caught:
        writer.write_rows([["secret" + "\N{GRINNING FACE}" * 16_383]] * 600)
    assert caught.value.cause == "text_too_long"
    assert "secret" not in str(caught.value)
    writer.discard()
    assert not (tmp_path / "out.xlsx").exists()


@pytest.mark.req("E9")
def test_the_same_tables_give_the_same_bytes(tmp_path):
    rows = [[n, f"text {n % 7}", date(2020, 1, 1)] for n in range(2000)]
    assert write(tmp_path / "a.xlsx", rows).read_bytes() == write(tmp_path / "b.xlsx", rows).read_bytes()


@given(st.integers(1, 700))
@settings(deadline=None, max_examples=20)
def test_chunk_size_never_changes_the_content(tmp_path_factory, size):
    rows = [[n, None if n % 3 else "x"] for n in range(1500)]
    folder = tmp_path_factory.mktemp("w")
    whole = write(folder / "whole.xlsx", rows)
    writer = open_writer(folder / "parts.xlsx", "xlsx")
    writer.begin_table("Table", ["Column 0", "Column 1"])
    for start in range(0, len(rows), size):
        writer.write_rows(rows[start : start + size])
    writer.end_table()
    writer.close()
    assert read(folder / "parts.xlsx") == read(whole)


def test_tables_get_unique_legal_sheet_names(tmp_path):
    writer = open_writer(tmp_path / "out.xlsx", "xlsx")
    wanted = ["Data", "data", "A/B:C*?[x]\\", "", "x" * 40, "x" * 40, "'quoted'", "History"]
    names = []
    for name in wanted:
        names.append(writer.begin_table(name, ["A"]))
        writer.end_table()
    writer.close()
    assert names[:4] == ["Data", "data (2)", "A B C   x", "Sheet"]
    assert len({name.lower() for name in names}) == len(names)
    assert all(0 < len(name) <= 31 and not re.search(r"[\[\]:*?/\\]", name) for name in names)
    with closing(open_workbook(tmp_path / "out.xlsx")) as workbook:
        assert [info.name for info in workbook.sheets] == names


def test_the_header_is_bold_and_frozen(tmp_path):
    path = write(tmp_path / "out.xlsx", [[1]], columns=["=Total"])
    with closing(open_workbook(path)) as workbook:
        sheet = workbook.open_sheet(workbook.sheets[0])
        header = next(sheet.rows())
        assert header.values == ["=Total"]
        assert sheet.styles[header.styles[0]].bold
    assert 'ySplit="1"' in markup(path)


def test_highlighted_cells_are_filled_and_keep_value_and_format(tmp_path):
    rows = [[date(2020, 1, 1), None, "=x"], [date(2020, 1, 2), 5, "b"]]
    path = write(tmp_path / "out.xlsx", rows, highlighted={(0, 0), (0, 1), (0, 2), (1, 1)})
    with closing(open_workbook(path)) as workbook:
        sheet = workbook.open_sheet(workbook.sheets[0])
        _, first, second = sheet.rows()
        assert (first.values, second.values) == (rows[0], rows[1])
        assert [sheet.styles[style].filled for style in first.styles] == [True, True, True]
        assert [sheet.styles[style].filled for style in second.styles] == [False, True, False]


def test_a_filter_spans_the_table(tmp_path):
    writer = open_writer(tmp_path / "out.xlsx", "xlsx")
    writer.begin_table("Table", ["A", "B"], look=Look(has_filter=True))
    writer.write_rows([[1, 2], [3, 4]])
    writer.end_table()
    writer.close()
    assert '<autoFilter ref="A1:B3"/>' in markup(tmp_path / "out.xlsx")


def test_a_workbook_without_tables_is_valid(tmp_path):
    open_writer(tmp_path / "out.xlsx", "xlsx").close()
    assert read(tmp_path / "out.xlsx") == [[]]


def test_a_table_without_rows_keeps_its_header(tmp_path):
    assert read(write(tmp_path / "out.xlsx", [], columns=["A", "B"])) == [[["A", "B"]]]


def test_subclasses_are_written_as_what_they_are(tmp_path):
    class Color(str):
        __slots__ = ()

    class Level(int):
        __slots__ = ()

    assert round_trip(tmp_path / "out.xlsx", [Color("red"), Level(3)]) == ["red", 3]


def test_something_that_is_no_value_is_a_type_error(tmp_path):
    writer = open_writer(tmp_path / "out.xlsx", "xlsx")
    writer.begin_table("Table", ["A"])
    writer.write_rows([[object()]])
    with pytest.raises(TypeError, match="object"):
        writer.end_table()
    writer.discard()


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match="pdf"):
        open_writer(tmp_path / "out.pdf", "pdf")


@given(st.lists(st.text(max_size=6), min_size=1, max_size=4))
def test_texts_filled_in_as_they_are_need_nothing_else(texts):
    slot = uniform_slot(texts)
    if slot is not None:
        assert [slot % text for text in texts] == [text_tail(text) for text in texts]


@pytest.mark.parametrize("text", ["a&b", "a<b", " a", "a ", "=a", "-a", "", "a\nb", "_x000D_", "a\x00", "x" * 20_000])
def test_one_special_text_makes_a_column_be_looked_at_one_by_one(text):
    assert uniform_slot(["plain", text]) is None
    assert uniform_slot(["plain", "texts"]) is not None
