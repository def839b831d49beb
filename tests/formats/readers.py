"""Other people's readers of spreadsheets, each as {sheet: {cell: text}}, so that what they read can be compared."""

from __future__ import annotations

import csv
import math
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]
import pandas  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
from python_calamine import CalamineWorkbook

Grid = dict[tuple[int, int], str]
Workbook = dict[str, Grid]

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
ERRORS = frozenset({"#N/A", "#DIV/0!"})
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")


def grid_of(rows: Iterable[Sequence[Any]]) -> Grid:
    """Return what the filled cells hold, in one spelling for all readers."""
    cells = {(r, c): spelled(value) for r, row in enumerate(rows, 1) for c, value in enumerate(row, 1)}
    return {place: text for place, text in cells.items() if text}


def spelled(value: Any) -> str:
    """Return a value as text; numbers, dates and times have one spelling whatever type a reader gives them."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case float() if math.isnan(value):
            return ""
        case int() | float():
            return f"{float(value):.10g}"
        case datetime():
            return "" if pandas.isna(value) else value.isoformat().removesuffix("T00:00:00")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return f"{value.total_seconds():g} s"
        case _:
            text = str(value)
            return f"{float(text):.10g}" if _NUMBER.fullmatch(text) else text


def by_openpyxl(path: Path) -> Workbook:
    """Read a workbook as scripts do."""
    workbook = openpyxl.load_workbook(path, data_only=True)
    return {sheet.title: grid_of(sheet.iter_rows(values_only=True)) for sheet in workbook.worksheets}


def by_pandas(path: Path) -> Workbook:
    """Read a workbook into data frames."""
    frames = pandas.read_excel(
        path, sheet_name=None, header=None, dtype=object, keep_default_na=False, na_filter=False, engine="openpyxl"
    )
    return {str(name): grid_of(frame.itertuples(index=False, name=None)) for name, frame in frames.items()}


def by_calamine(path: Path) -> Workbook:
    """Read a workbook with the reader of Rust programs."""
    workbook = CalamineWorkbook.from_path(path)
    names = workbook.sheet_names
    return {name: grid_of(workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)) for name in names}


def without_errors(workbook: Workbook) -> Workbook:
    """Leave out the errors of formulas: pandas and calamine read such cells as empty."""
    return {
        name: {place: text for place, text in grid.items() if text not in ERRORS} for name, grid in workbook.items()
    }


XLSX_READERS: dict[str, Callable[[Path], Workbook]] = {
    "openpyxl": by_openpyxl,
    "pandas": by_pandas,
    "calamine": by_calamine,
}


def by_libreoffice(paths: Sequence[Path], folder: Path) -> Iterator[tuple[Path, Workbook]]:
    """Convert workbooks to csv, a file for each sheet, and read these; one start for all of them."""
    assert SOFFICE is not None
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = [SOFFICE, profile, "--headless", "--convert-to", _ALL_SHEETS, "--outdir", str(folder), *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "Error" not in done.stdout + done.stderr, done.stderr
    for path in paths:
        start = f"{path.stem}-"
        files = sorted(folder.glob(f"{start}*.csv"))
        yield path, {file.stem.removeprefix(start): csv_by_hand(file) for file in files}


def csv_by_hand(path: Path, *, delimiter: str = ",", encoding: str = "utf-8") -> Grid:
    """Read a csv file with the standard library."""
    with path.open(encoding=encoding, newline="") as file:
        return grid_of(csv.reader(file, delimiter=delimiter))


def csv_by_pandas(path: Path, *, sep: str = ",", encoding: str = "utf-8") -> Grid:
    """Read a csv file into a data frame."""
    frame = pandas.read_csv(path, header=None, dtype=str, keep_default_na=False, sep=sep, encoding=encoding)
    return grid_of(frame.itertuples(index=False, name=None))


def parquet_by_pandas(path: Path) -> Grid:
    """Read a parquet file into a data frame."""
    frame = pandas.read_parquet(path, engine="pyarrow", dtype_backend="pyarrow").astype(object)
    rows = frame.where(frame.notna(), None).itertuples(index=False, name=None)
    return grid_of([list(frame.columns), *([_plain(value) for value in row] for row in rows)])


def parquet_by_pyarrow(path: Path) -> Grid:
    """Read a parquet file as it is."""
    table = pyarrow.parquet.read_table(path)
    return grid_of([table.column_names, *(list(row.values()) for row in table.to_pylist())])


def _plain(value: Any) -> Any:
    return value.to_pytimedelta() if isinstance(value, pandas.Timedelta) else value
