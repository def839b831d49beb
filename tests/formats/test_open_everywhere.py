"""Samples and outputs open in the programs people have, without a warning, and hold the values meant."""

# ruff: noqa: DTZ001 - spreadsheets know no zones

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from ade_engine import normalize
from ade_engine.cells import CellError
from ade_engine.write import open_writer
from ade_engine.writers.look import Look
from formats import readers
from formats.readers import XLSX_READERS, Grid, Workbook, grid_of, without_errors

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
CONFIGURATIONS = SAMPLES / "configurations"
WORKBOOKS = sorted(SAMPLES.glob("*.xlsx"))
pytestmark = [pytest.mark.req("E2"), pytest.mark.filterwarnings("error")]
needs_libreoffice = pytest.mark.skipif(readers.SOFFICE is None, reason="LibreOffice is not installed (no soffice)")

TYPES: list[list[Any]] = [
    ["007", 1, 1.5, True, date(2020, 1, 2), datetime(2020, 1, 2, 3, 4, 5), time(6, 7), timedelta(hours=30)],
    ["=1+1", -3, -0.25, False, date(1999, 12, 31), datetime(2021, 1, 1, 12), time(23, 59, 59), timedelta(minutes=5)],
    ['say "hi"\nthere; or, so', 12345, 1e-7, True, None, None, None, None],
    ["  padded  ", None, 2.75, None, date(2024, 2, 29), datetime(2024, 2, 29, 1), time(0, 1), timedelta(days=2)],
    ["äß漢字 😀", 0, None, False, date(1901, 1, 1), datetime(1980, 5, 6, 7, 8, 9), time(12), timedelta(seconds=1)],
]
AMERICAN_DAY, AMERICAN_TIME = r"^(\d\d)/(\d\d)/(\d{4})$", r"\d\d:\d\d:\d\d [AP]M"
HEADER = ["Text", "Whole", "Number", "Flag", "Day", "Moment", "Time", "Length"]


@pytest.fixture(scope="module")
def meant() -> dict[str, Workbook]:
    """What the script of the samples puts into each cell: {file: {sheet: grid}}."""
    sys.path.insert(0, str(SAMPLES))
    try:
        made = runpy.run_path(str(SAMPLES / "make.py"))
    finally:
        sys.path.remove(str(SAMPLES))
        sys.modules.pop("xlsx", None)
    found: dict[str, Workbook] = {}
    scope = made["main"].__globals__

    def note(path: Path, sheets: dict[str, Any], **_: Any) -> None:
        found[path.name] = {name: grid_of([_plain(row) for row in plan.rows]) for name, plan in sheets.items()}

    scope["write_workbook"] = note
    for name, make in made["SAMPLES"].items():
        if name.endswith(".xlsx"):
            make(Path(name))
    return found


def _plain(row: list[Any] | None) -> list[Any]:
    """Return the values of a planned row: what a formula gave, what an error is called."""
    return [_value(cell) for cell in row or []]


def _value(cell: Any) -> Any:
    cell = getattr(cell, "value", cell)  # styled, or a formula with its result
    return getattr(cell, "code", cell)


@pytest.mark.parametrize("path", WORKBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("reader", XLSX_READERS)
def test_every_sample_opens_and_holds_what_was_put_in(path: Path, reader: str, meant: dict[str, Workbook]) -> None:
    expected = meant[path.name]
    assert XLSX_READERS[reader](path) == (expected if reader == "openpyxl" else without_errors(expected))


@needs_libreoffice
def test_every_sample_opens_in_libreoffice(tmp_path: Path, meant: dict[str, Workbook]) -> None:
    for path, found in readers.by_libreoffice(WORKBOOKS, tmp_path):
        assert found.keys() == meant[path.name].keys()
        for sheet, grid in found.items():
            assert _as_meant(grid) == meant[path.name][sheet], (path.name, sheet)


def _as_meant(grid: Grid) -> Grid:
    """Return cells as they are meant: LibreOffice shows some dates and times as Americans write them."""
    return {place: _without_am(re.sub(AMERICAN_DAY, r"\3-\1-\2", text)) for place, text in grid.items()}


def _without_am(text: str) -> str:
    is_time = re.fullmatch(AMERICAN_TIME, text)
    return datetime.strptime(text, "%I:%M:%S %p").time().isoformat() if is_time else text  # noqa: DTZ007


def test_the_csv_sample_opens() -> None:
    path = SAMPLES / "semicolon_latin_1.csv"
    by_hand = readers.csv_by_hand(path, delimiter=";", encoding="latin-1")
    assert by_hand == readers.csv_by_pandas(path, sep=";", encoding="latin-1")
    assert len(by_hand) > 20


def _write(path: Path) -> Path:
    """Write every type of value, half of the rows highlighted, and a second table."""
    writer = open_writer(path, path.suffix[1:])
    writer.begin_table("All types", HEADER, look=Look(has_filter=True))
    writer.write_rows(TYPES[:2])
    writer.write_rows(TYPES[2:], highlighted=[(0, 0), (1, 2), (2, 4), (2, 7)])
    writer.end_table()
    writer.close()
    return writer.paths[0]


@pytest.mark.parametrize("reader", XLSX_READERS)
def test_every_type_of_value_is_read_back_from_xlsx(reader: str, tmp_path: Path) -> None:
    assert XLSX_READERS[reader](_write(tmp_path / "out.xlsx")) == {"All types": grid_of([HEADER, *TYPES])}


@needs_libreoffice
def test_every_type_of_value_is_shown_by_libreoffice(tmp_path: Path) -> None:
    [(_, found)] = readers.by_libreoffice([_write(tmp_path / "out.xlsx")], tmp_path)
    assert {name: _as_meant(grid) for name, grid in found.items()} == {
        "All types": grid_of([HEADER, *([_as_shown(value) for value in row] for row in TYPES)])
    }


def _as_shown(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat(sep=" ")
        case timedelta():
            minutes, seconds = divmod(int(value.total_seconds()), 60)
            return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}"
        case _:
            return value


def test_every_type_of_value_is_read_back_from_csv(tmp_path: Path) -> None:
    path = _write(tmp_path / "out.csv")
    expected = grid_of([HEADER, *([_in_csv(value) for value in row] for row in TYPES)])
    assert readers.csv_by_hand(path) == readers.csv_by_pandas(path) == expected


def _in_csv(value: Any) -> Any:
    match value:
        case datetime():
            return value.isoformat()
        case timedelta():
            minutes, seconds = divmod(int(value.total_seconds()), 60)
            return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
        case _:
            return value


def test_every_type_of_value_is_read_back_from_parquet(tmp_path: Path) -> None:
    path = _write(tmp_path / "out.parquet")
    expected = grid_of([HEADER, *TYPES])
    assert readers.parquet_by_pyarrow(path) == expected
    assert readers.parquet_by_pandas(path) == expected


def test_errors_of_formulas_are_read_back(tmp_path: Path) -> None:
    writer = open_writer(tmp_path / "out.xlsx", "xlsx")
    writer.begin_table("Errors", ["a"])
    writer.write_rows([[CellError("#N/A")], [CellError("#DIV/0!")]])
    writer.end_table()
    writer.close()
    assert readers.by_openpyxl(tmp_path / "out.xlsx") == {"Errors": {(1, 1): "a", (2, 1): "#N/A", (3, 1): "#DIV/0!"}}
    assert (
        readers.by_pandas(tmp_path / "out.xlsx")
        == readers.by_calamine(tmp_path / "out.xlsx")
        == {"Errors": {(1, 1): "a"}}
    )


RUNS = [(path, name) for path in (*WORKBOOKS, SAMPLES / "semicolon_latin_1.csv") for name in (None, "people", "orders")]


@pytest.fixture(scope="module")
def colourful(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the sample configurations with a sheet of issues and highlighted cells."""
    folder = tmp_path_factory.mktemp("configurations")
    found = {}
    for name in ("people", "orders"):
        source = CONFIGURATIONS / name
        for file in source.rglob("*"):
            if file.is_file() and file.suffix in (".py", ".toml"):
                target = folder / name / file.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(file.read_bytes())
        settings = (folder / name / "settings.toml").read_text("utf-8")
        missing = [key for key in ("issues_sheet", "highlight") if key not in settings]
        added = "".join(f"{key} = true\n" for key in missing)
        (folder / name / "settings.toml").write_text(settings.replace("[output]\n", f"[output]\n{added}"), "utf-8")
        found[name] = folder / name
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("path", "rules"), RUNS, ids=lambda value: getattr(value, "stem", str(value)))
def test_every_output_opens_in_every_format_and_holds_the_same(
    path: Path, rules: str | None, colourful: dict[str, Path], tmp_path: Path
) -> None:
    configuration = colourful[rules] if rules else None
    runs = {
        kind: normalize(path, tmp_path / kind, configuration=configuration, format=kind)
        for kind in ("xlsx", "csv", "parquet")
    }
    assert all(run.status == "succeeded" for run in runs.values())
    workbooks = [read(tmp_path / "xlsx/normalized.xlsx") for read in XLSX_READERS.values()]
    assert without_errors(workbooks[0]) == workbooks[1] == workbooks[2]
    if rules:
        assert list(workbooks[0])[-1] == "Issues"
    tables = [grid for grid in workbooks[0].values() if grid]
    assert _grids(runs["csv"].output_paths, readers.csv_by_hand) == tables
    assert _grids(runs["csv"].output_paths, readers.csv_by_pandas) == tables
    assert _grids(runs["parquet"].output_paths, readers.parquet_by_pyarrow) == tables
    assert _grids(runs["parquet"].output_paths, readers.parquet_by_pandas) == tables


def _grids(paths: Sequence[Path], read: Callable[[Path], Grid]) -> list[Grid]:
    """Read the files that hold something: a run without tables leaves an empty one."""
    return [grid for path in paths if path.stat().st_size and (grid := read(path))]


@pytest.mark.slow
@needs_libreoffice
def test_every_output_opens_in_libreoffice(colourful: dict[str, Path], tmp_path: Path) -> None:
    outputs = {}
    for number, (path, rules) in enumerate(RUNS):
        configuration = colourful[rules] if rules else None
        result = normalize(path, tmp_path / str(number), configuration=configuration)
        assert result.output_path is not None
        outputs[result.output_path.rename(tmp_path / f"run{number}.xlsx")] = result
    shown = tmp_path / "shown"
    shown.mkdir()
    for path, found in readers.by_libreoffice(list(outputs), shown):
        expected = {name: grid for name, grid in readers.by_openpyxl(path).items() if grid}
        assert {name: grid for name, grid in found.items() if grid} == expected, path.name
