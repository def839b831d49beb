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


def test_csv_writes_one_file_per_table(tmp_path):
    paths = write(tmp_path / "out.csv", "csv", ("A", ["a"], [["1"]]), ("B", ["b"], [["2"]]))
    assert [path.name for path in paths] == ["out.csv", "out-2.csv"]
    assert paths[1].read_bytes() == b"b\r\n2\r\n"


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
