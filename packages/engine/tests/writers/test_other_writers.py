"""csv and parquet keep the values, too."""

# ruff: noqa: DTZ001 - spreadsheets know no zones

from __future__ import annotations

import csv
import sys
from datetime import date, datetime, time, timedelta

import pytest

from ade_engine.cells import CellError
from ade_engine.errors import ConfigurationError
from ade_engine.write import open_writer

ROWS = [
    ["007", 1, 1.5, True, None],
    ["=1+1", 2**70, -0.1, False, date(2020, 1, 2)],
    ['say "hi"\nthere', -3, 1e300, True, datetime(2020, 1, 2, 3, 4, 5)],
    [" padded ", 0, 2.0, False, time(6, 7)],
    ["", 0, 2.0, False, timedelta(hours=30, seconds=5)],
    ["ä", 0, 2.0, False, CellError("#N/A")],
]


def write(path, kind, *tables):
    writer = open_writer(path, kind)
    for name, columns, rows in tables:
        writer.begin_table(name, columns)
        writer.write_rows(rows[:2])
        writer.write_rows(rows[2:], highlighted=[(0, 0)])
        writer.end_table()
    writer.close()
    return writer.paths


@pytest.mark.req("E2", "E5")
def test_csv_spells_every_value_without_changing_text(tmp_path):
    [path] = write(tmp_path / "out.csv", "csv", ("T", list("abcde"), ROWS))
    with path.open(encoding="utf-8", newline="") as file:
        found = list(csv.reader(file))
    assert found == [
        list("abcde"),
        ["007", "1", "1.5", "TRUE", ""],
        ["=1+1", str(2**70), "-0.1", "FALSE", "2020-01-02"],
        ['say "hi"\nthere', "-3", "1e+300", "TRUE", "2020-01-02T03:04:05"],
        [" padded ", "0", "2.0", "FALSE", "06:07:00"],
        ["", "0", "2.0", "FALSE", "30:00:05"],
        ["ä", "0", "2.0", "FALSE", "#N/A"],
    ]


FORMULAS = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "=cmd|' /C calc'!A0",
    "-",
    "+49 30 123",
    "\uff1d1",
]
HARMLESS = ["-5", "+3.5e-2", "-1,234.50", "+49301234", "-5%", "a=b", "", "007", " =1", "'=1", "x;=1+1"]


def test_text_that_looks_like_a_formula_is_escaped_on_demand_and_numbers_never_are(tmp_path):
    writer = open_writer(tmp_path / "out.csv", "csv", escape_formulas=True)
    writer.begin_table("T", ["=header", "name"])
    writer.write_rows([[text, -1.5] for text in [*FORMULAS, *HARMLESS]])
    writer.write_rows([[-7, timedelta(hours=-1)]])
    writer.close()
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        header, *found = csv.reader(file)
    assert header == ["'=header", "name"]
    assert [row[0] for row in found] == [*(f"'{text}" for text in FORMULAS), *HARMLESS, "-7"]
    assert {row[1] for row in found} == {"-1.5", "-1:00:00"}


def test_escaped_cells_stay_whole_where_semicolons_separate(tmp_path):
    writer = open_writer(tmp_path / "out.csv", "csv", escape_formulas=True)
    writer.begin_table("T", ["a"])
    writer.write_rows([["x;=1+1"]])
    writer.close()
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file, delimiter=";")) == [["a"], ["x;=1+1"]]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_each_table_has_a_file_with_its_name(tmp_path, kind):
    names = ["Leeds", "Zürich / Genève", "東京", "../../etc/passwd", "Leeds", "x" * 300, "a b", "CON", ".", "-"]
    paths = write(tmp_path / f"out.{kind}", kind, *((name, ["a"], [[name]]) for name in names))
    assert [path.stem for path in paths] == [
        "out-1-Leeds",
        "out-2-Zurich_Geneve",
        "out-3",
        "out-4-etc_passwd",
        "out-5-Leeds",
        "out-6-" + "x" * 40,
        "out-7-a_b",
        "out-8-CON",
        "out-9",
        "out-10",
    ]
    assert sorted(tmp_path.iterdir()) == sorted(paths)


def test_the_first_of_several_files_holds_the_first_table(tmp_path):
    paths = write(tmp_path / "out.csv", "csv", ("A", ["a"], [["1"]]), ("B", ["b"], [["2"]]))
    assert [path.read_bytes() for path in paths] == [b"a\r\n1\r\n", b"b\r\n2\r\n"]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_of_issues_leaves_the_names_of_tables_alone(tmp_path, kind):
    for count, expected in ((0, ["out"]), (1, ["out"]), (2, ["out-1-T", "out-2-T"])):
        folder = tmp_path / str(count)
        folder.mkdir()
        writer = open_writer(folder / f"out.{kind}", kind)
        for _ in range(count):
            writer.begin_table("T", ["a"])
            writer.end_table()
        writer.begin_table("Issues", ["b"], is_issues=True)
        writer.end_table()
        writer.close()
        assert [path.stem for path in writer.paths] == [*expected, "out-issues"]
        assert sorted(folder.iterdir()) == sorted(writer.paths)


def test_csv_without_tables_is_an_empty_file(tmp_path):
    [path] = write(tmp_path / "out.csv", "csv")
    assert path.read_bytes() == b""


@pytest.mark.parametrize("kind", ["xlsx", "csv"])
def test_a_discarded_document_leaves_nothing_behind(tmp_path, kind):
    writer = open_writer(tmp_path / f"out.{kind}", kind)
    writer.begin_table("A", ["a"])
    writer.write_rows([[1]])
    writer.end_table()
    writer.begin_table("B", ["a"])
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_rows_before_a_table_are_a_mistake(tmp_path):
    for kind in ("xlsx", "csv"):
        writer = open_writer(tmp_path / f"out.{kind}", kind)
        with pytest.raises(ValueError, match="begin_table"):
            writer.write_rows([[1]])
        writer.close()


def test_parquet_keeps_types_and_turns_mixed_columns_into_text(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [[1, 1.5, "a", date(2020, 1, 1), 1], [None, None, None, None, "x"], [2, 2.5, "b", date(2020, 1, 2), True]]
    [path] = write(tmp_path / "out.parquet", "parquet", ("T", ["i", "f", "s", "d", "d"], rows))
    table = parquet.read_table(path)
    assert [str(kind) for kind in table.schema.types] == ["int64", "double", "string", "date32[day]", "string"]
    assert table.schema.names == ["i", "f", "s", "d", "d (2)"]
    assert [list(row.values()) for row in table.to_pylist()] == [
        [1, 1.5, "a", date(2020, 1, 1), "1"],
        [None, None, None, None, "x"],
        [2, 2.5, "b", date(2020, 1, 2), "TRUE"],
    ]


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigurationError, match="pip install"):
        open_writer(tmp_path / "out.parquet", "parquet")


def test_parquet_keeps_integers_of_any_length(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    [path] = write(tmp_path / "out.parquet", "parquet", ("T", ["i"], [[1], [2**70]]))
    assert parquet.read_table(path).to_pylist() == [{"i": "1"}, {"i": str(2**70)}]


def test_parquet_keeps_whole_numbers_among_decimals_as_numbers(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [[1, 1, 2**60], [2.5, 2**60 + 1, 1], [None, 0.5, None]]
    [path] = write(tmp_path / "out.parquet", "parquet", ("T", ["mixed", "exact", "long"], rows))
    table = parquet.read_table(path)
    assert [str(kind) for kind in table.schema.types] == ["double", "string", "int64"]
    assert table.column("mixed").to_pylist() == [1.0, 2.5, None]
    assert table.column("exact").to_pylist() == ["1", str(2**60 + 1), "0.5"]
