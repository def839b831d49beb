"""Laws of the writers: what others read back, names of sheets and files, rows that wait on disk."""

# ruff: noqa: DTZ001 - spreadsheets know no zones
from __future__ import annotations

import csv
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.cells import CellError
from ade_engine.write import open_writer
from ade_engine.writers.delimited import escaped_text, plain_text
from ade_engine.writers.files import TableFiles
from ade_engine.writers.look import Look
from ade_engine.writers.names import sheet_name
from ade_engine.writers.spool import Spool

FEW = settings(max_examples=40, deadline=None)
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)


def write(path, kind, columns, rows, *, step=100, **options):
    writer = open_writer(path, kind, **options)
    writer.begin_table("T", columns)
    for start in range(0, len(rows), step):
        writer.write_rows(rows[start : start + step])
    writer.end_table()
    writer.close()
    return path


def read_csv(path, **options):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, **options))


@FEW
@given(st.lists(st.lists(TEXT, min_size=3, max_size=3), max_size=12), st.integers(1, 5), st.booleans())
def test_texts_come_back_from_csv_whatever_they_hold(tmp_path_factory, rows, step, escapes):
    path = tmp_path_factory.mktemp("w") / "out.csv"
    write(path, "csv", ["a", "b", "c"], rows, step=step, escape_formulas=escapes)
    found = read_csv(path)
    assert found[0] == ["a", "b", "c"]
    if escapes:
        found[1:] = [[cell[1:] if escaped_text(old) != old else cell for cell, old in zip(*pair, strict=True)]
                     for pair in zip(found[1:], rows, strict=True)]  # fmt: skip
    assert found[1:] == rows
    assert path.read_bytes().startswith(b'"a","b","c"\r\n' if escapes else b"a,b,c\r\n")


@given(st.one_of(TEXT, st.tuples(st.sampled_from("=+-@\t\r\n\uff1d'1"), TEXT).map("".join)))
def test_an_escaped_text_begins_like_no_formula_and_a_plain_one_is_untouched(text):
    assert plain_text(text) == text
    found = escaped_text(text)
    assert found in (text, f"'{text}")
    assert not found.startswith(("=", "@", "\t", "\r", "\n"))
    assert not found.startswith(("+", "-")) or found[1].isdigit()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""),
        (True, "TRUE"),
        (False, "FALSE"),
        (7, 7),
        (0.1, "0.1"),
        (1e22, "1e+22"),
        (-0.0, "-0.0"),
        (date(2024, 5, 1), "2024-05-01"),
        (datetime(2024, 5, 1, 10, 30), "2024-05-01T10:30:00"),
        (datetime(2024, 5, 1, tzinfo=UTC), "2024-05-01T00:00:00+00:00"),
        (time(9, 5), "09:05:00"),
        (timedelta(0), "0:00:00"),
        (timedelta(hours=30, minutes=2), "30:02:00"),
        (timedelta(days=-1), "-24:00:00"),
        (timedelta(seconds=1, microseconds=5), "0:00:01.000005"),
        (CellError("#DIV/0!"), "#DIV/0!"),
    ],
)
def test_a_value_has_one_spelling_in_csv(value, expected):
    assert plain_text(value) == expected
    assert escaped_text(value) == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_csv_is_the_same_number_when_it_is_read(value):
    assert float(plain_text(value)) == value


def columns_of(path):
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(path)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, None, -3], "int64"),
        ([1, 2**60], "int64"),
        ([1.5, 2, None], "double"),
        ([True, None], "bool"),
        ([date(2024, 5, 1), None], "date32[day]"),
        ([datetime(2024, 5, 1, 10, 30)], "timestamp[us]"),
        ([time(10, 30)], "time64[us]"),
        ([timedelta(hours=30)], "duration[us]"),
        (["a", None], "string"),
        ([None, None], "string"),
        ([], "string"),
    ],
)
def test_a_parquet_column_has_the_type_of_its_values(tmp_path, values, kind):
    table = columns_of(write(tmp_path / "o.parquet", "parquet", ["x"], [[value] for value in values], step=2))
    assert str(table.schema.field("x").type) == kind
    assert table["x"].to_pylist() == values


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([1, "a"], ["1", "a"]),
        ([1.5, True], ["1.5", "TRUE"]),
        ([date(2024, 5, 1), datetime(2024, 5, 1, 10)], ["2024-05-01", "2024-05-01T10:00:00"]),
        ([2**63, 1], [str(2**63), "1"]),
        ([2**60, 0.5], [str(2**60), "0.5"]),
        ([CellError("#N/A"), 5], ["#N/A", "5"]),
        ([datetime(2024, 5, 1, tzinfo=UTC)], ["2024-05-01T00:00:00+00:00"]),
        ([time(1), timedelta(hours=1), None], ["01:00:00", "1:00:00", None]),
    ],
)
def test_a_parquet_column_of_several_types_is_text_spelled_as_in_csv(tmp_path, values, texts):
    table = columns_of(write(tmp_path / "o.parquet", "parquet", ["x"], [[value] for value in values]))
    assert table["x"].to_pylist() == texts


@FEW
@given(st.lists(st.tuples(st.integers(-(2**53), 2**53), st.one_of(st.none(), TEXT)), max_size=20), st.integers(1, 7))
def test_rows_come_back_from_parquet_in_order(tmp_path_factory, rows, step):
    path = tmp_path_factory.mktemp("w") / "o.parquet"
    table = columns_of(write(path, "parquet", ["n", "t"], [list(row) for row in rows], step=step))
    if rows:
        assert list(zip(table["n"].to_pylist(), table["t"].to_pylist(), strict=True)) == rows
    assert table.num_rows == len(rows)


def test_equal_titles_in_parquet_are_numbered(tmp_path):
    table = columns_of(write(tmp_path / "o.parquet", "parquet", ["a", "a", "a (2)", "a"], [[1, 2, 3, 4]]))
    assert len(set(table.column_names)) == 4
    assert table.column_names[0] == "a"
    assert [table[name].to_pylist() for name in table.column_names] == [[1], [2], [3], [4]]


def test_another_program_reads_the_cells_of_a_workbook(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    rows = [
        ["007", 7, 2.5, True, date(2024, 5, 1), datetime(2024, 5, 1, 10, 30), time(9, 5), "=1+1"],
        [" a\nb ", -(2**40), 1e-9, False, date(1999, 12, 31), datetime(1999, 1, 2, 3, 4, 5), time(23, 59, 59), "<&>"],
    ]
    path = write(tmp_path / "o.xlsx", "xlsx", [f"c{n}" for n in range(8)], rows)
    sheet = openpyxl.load_workbook(path)["T"]
    found = [[cell.value for cell in row] for row in sheet.iter_rows()]
    assert found[0] == [f"c{n}" for n in range(8)]
    for written, read in zip(rows, found[1:], strict=True):
        assert read[:4] == written[:4]
        assert read[4] == datetime.combine(written[4], time())
        assert read[5:] == written[5:]
    assert sheet["H2"].data_type == "s"
    assert sheet["A1"].font.bold
    assert sheet.freeze_panes == "A2"


def test_another_program_sees_formats_widths_and_the_filter(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    writer = open_writer(tmp_path / "o.xlsx", "xlsx")
    writer.begin_table("T", ["share", "name"], look=Look(formats={0: "0.00%"}, widths={1: 40}, has_filter=True))
    writer.write_rows([[0.5, "a"], [0.25, "b"]], highlighted=[(1, 1)])
    writer.end_table()
    writer.begin_table("U", ["x"], look=Look(is_frozen=False))
    writer.close()
    book = openpyxl.load_workbook(tmp_path / "o.xlsx")
    sheet = book["T"]
    assert sheet["A2"].number_format == "0.00%"
    assert sheet.column_dimensions["B"].width == pytest.approx(40, abs=1)
    assert sheet.auto_filter.ref == "A1:B3"
    assert sheet["B3"].fill.fill_type == "solid"
    assert sheet["B2"].fill.fill_type is None
    assert book["U"].freeze_panes is None
    assert book["U"].auto_filter.ref is None


@given(st.lists(st.text(max_size=45), max_size=8))
def test_names_of_sheets_are_legal_and_all_different(wanted):
    taken: set[str] = set()
    names = [sheet_name(name, taken) for name in wanted]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert 0 < len(name) <= 31
        assert not set(name) & set("[]:*?/\\")
        assert not name.startswith("'")
        assert name.strip()
        assert name.lower() != "history"


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("May", "May"), ("a/b", "a b"), ("'q'", "q"), ("", "Sheet"), ("???", "Sheet"), ("HISTORY", "History 1"),
     ("x" * 40, "x" * 31)],
)  # fmt: skip
def test_a_sheet_is_named_close_to_what_was_wanted(wanted, expected):
    assert sheet_name(wanted, set()) == expected


def test_equal_names_of_sheets_are_numbered_within_the_length():
    taken: set[str] = set()
    assert [sheet_name("x" * 31, taken) for _ in range(3)] == ["x" * 31, "x" * 27 + " (2)", "x" * 27 + " (3)"]


@FEW
@given(st.lists(st.text(max_size=50), min_size=1, max_size=6))
def test_files_of_tables_stay_in_their_folder_and_differ(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("w")
    files = TableFiles(folder / "out.csv")
    for name in names:
        files.add(name).touch()
    assert len({path.name.lower() for path in files.paths}) == len(names)
    assert {path.parent for path in files.paths} == {folder}
    assert sorted(folder.iterdir()) == sorted(files.paths)
    assert all(path.name.isascii() and path.suffix == ".csv" for path in files.paths)


CHUNKS = st.lists(
    st.tuples(
        st.sampled_from(["May", "may", "June"]),
        st.lists(st.sampled_from(["a", "A", "b", "c"]), min_size=1, max_size=3, unique_by=str.casefold),
        st.integers(0, 3),
    ),
    max_size=8,
)


@FEW
@given(CHUNKS)
def test_rows_that_wait_come_back_under_the_titles_they_came_with(chunks):
    spool = Spool()
    expected: dict[str, list[dict[str, str]]] = {}
    for number, (name, columns, count) in enumerate(chunks):
        table = spool.table(name)
        table.begin(columns, Look())
        rows = [[f"{number}.{row}.{title.casefold()}" for title in columns] for row in range(count)]
        table.write_rows(rows, [(row, 0) for row in range(count)])
        expected.setdefault(name.casefold(), []).extend(
            dict(zip((title.casefold() for title in columns), row, strict=True)) for row in rows
        )
    for key, table in spool.tables.items():
        found = []
        for rows, highlighted in table.chunks():
            assert all(len(row) == len(table.columns) for row in rows)
            assert all(rows[row][cell] is not None for row, cell in highlighted)
            titles = [title.casefold() for title in table.columns]
            found += [{t: v for t, v in zip(titles, row, strict=True) if v is not None} for row in rows]
        assert found == expected.get(key, [])
        assert len({title.casefold() for title in table.columns}) == len(table.columns)
    spool.close()


def test_an_output_keeps_the_first_spelling_of_its_name_and_titles():
    spool = Spool()
    spool.table("May").begin(["Name", "City"], Look())
    spool.table("MAY").begin(["CITY", "Age"], Look())
    [table] = spool.tables.values()
    assert (table.name, table.columns) == ("May", ["Name", "City", "Age"])
    spool.close()


def test_looks_move_with_their_columns_and_are_joined():
    look = Look(formats={0: "0%", 2: "0.0"}, widths={1: 20}, has_filter=True, is_frozen=False)
    moved = look.moved([2, 0, -1])
    assert (moved.formats, moved.widths) == ({2: "0%"}, {0: 20})
    assert (moved.has_filter, moved.is_frozen) == (True, False)
    joined = Look(formats={0: "a"}).joined(Look(formats={0: "b", 1: "c"}, widths={3: 9}))
    assert (joined.formats, joined.widths) == ({0: "a", 1: "c"}, {3: 9})
