"""Puts the outputs of several runs into one document: tables of the same name become one, in the order of the runs.

Rows stream from file to file; nothing but the headers is held. Types are those of the files: cells of xlsx and columns
of parquet keep theirs, csv is text.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

from ade_engine.cells import Value, parse_cell
from ade_engine.errors import ConfigurationError, EngineError, InputError
from ade_engine.outputs import FORMATS
from ade_engine.protocol import ARTIFACT
from ade_engine.readers import open_workbook
from ade_engine.records import record
from ade_engine.write import Writer, open_writer
from ade_engine.writers.look import Look

_CHUNK = 1024
_MOST_OPEN = 8  # workbooks


@record
class _Area:
    """Where the rows of a table are in a sheet that has more: a template that was filled."""

    first: int
    last: int
    places: Sequence[int]  # of the columns, from 0


@record
class _Part:
    """A table of one run: where it is, and its headers."""

    path: Path
    sheet: str | None
    columns: list[str]
    look: Look
    area: _Area | None = None


def combine(folders: Sequence[str | Path], into: str | Path) -> list[Path]:
    """Write the outputs of runs, given by their folders, into one document; return its files.

    The format follows from the ending of `into`; the runs may have written any. Rules may have written something else
    in the place of results: raise InputError for it.
    """
    try:
        with closing(_Workbooks()) as workbooks:
            return _combine(folders, into, workbooks)
    except (KeyError, TypeError, AttributeError, ValueError, RuntimeError, csv.Error, FileNotFoundError) as error:
        message = f"The results do not have the form that a run writes ({type(error).__name__})."
        raise InputError(message, cause="unsupported") from error


class _Workbooks:
    """Opens the workbooks of runs and keeps the last few open: to open one takes the longer the more sheets it has."""

    def __init__(self) -> None:
        self._open: dict[Path, Any] = {}

    def sheet(self, path: Path, name: str) -> Any:
        """Return a sheet of a workbook; it can be read until others of many workbooks were asked for."""
        workbook = self._open.pop(path, None) or open_workbook(path)
        self._open[path] = workbook  # the last one asked for is last
        if len(self._open) > _MOST_OPEN:
            self._open.pop(next(iter(self._open))).close()
        return workbook.open_sheet(next(info for info in workbook.sheets if info.name == name))

    def close(self) -> None:
        """Close all that are open."""
        for workbook in self._open.values():
            workbook.close()


def _combine(folders: Sequence[str | Path], into: str | Path, workbooks: _Workbooks) -> list[Path]:
    target = Path(into)
    output_format = target.suffix.removeprefix(".").lower()
    if output_format not in FORMATS:
        raise ConfigurationError(f"{target.name} must end in one of .{', .'.join(FORMATS)}")
    tables: dict[str, tuple[str, list[_Part]]] = {}
    for folder in map(Path, folders):
        for name, part in _parts(folder, workbooks):
            tables.setdefault(name.casefold(), (name, []))[1].append(part)
    writer = open_writer(target, output_format)
    try:
        for name, parts in tables.values():
            _write(writer, name, parts, workbooks)
        writer.close()
    except BaseException:
        writer.discard()
        raise
    return writer.paths


def _parts(folder: Path, workbooks: _Workbooks) -> Iterator[tuple[str, _Part]]:
    """Yield the tables that a run wrote, by name, as its artifact lists them."""
    artifact = json.loads((folder / ARTIFACT).read_bytes())
    seen: set[tuple[Path, str]] = set()
    for output in artifact["outputs"]:
        name, path = output["name"], folder / Path(output["file"]).name
        place = (path, name if path.suffix == ".xlsx" else "")
        if place in seen:
            raise InputError(f"The results name a table of {path.name} twice.", cause="unsupported")
        seen.add(place)
        if path.suffix == ".xlsx":
            yield name, _xlsx_part(path, name, workbooks.sheet(path, name), output.get("template"))
        elif (read := _READERS.get(path.suffix)) is not None:
            yield name, _Part(path, None, next(read(path), []), Look())
        else:
            raise InputError(f"{path.name} is no output of a run.", cause="unsupported")


def _xlsx_part(path: Path, name: str, sheet: Any, template: dict[str, Any] | None) -> _Part:
    header_row = int(template["header_row"]) if template is not None else 1
    rows = list(islice(sheet.rows(), header_row + 100))
    formats = {
        place: form
        for row in reversed(rows)
        for place, (value, style) in enumerate(zip(row.values, row.styles or (), strict=False))
        if row.number > header_row
        and isinstance(value, int | float)
        and (form := sheet.styles[style].number_format) != "General"
    }
    if template is None:
        columns = ["" if value is None else str(value) for value in rows[0].values] if rows else []
        return _Part(path, name, columns, Look(formats=formats))
    places = [parse_cell(f"{letters}1")[1] - 1 for letters in template["columns"]]
    look = Look(formats={number: formats[place] for number, place in enumerate(places) if place in formats})
    area = _Area(header_row + 1, header_row + int(template["rows"]), places)
    return _Part(path, name, [str(title) for title in template["columns"].values()], look, area)


def _write(writer: Writer, name: str, parts: Sequence[_Part], workbooks: _Workbooks) -> None:
    """Write the tables of one name below each other; their columns are found by header."""
    titles: dict[str, str] = {}
    look = Look()
    for part in parts:
        titles |= {title.casefold(): title for title in part.columns if title.casefold() not in titles}
        places = {key: place for place, key in enumerate(titles)}
        look = look.joined(part.look.moved([places[title.casefold()] for title in part.columns]))
    writer.begin_table(name, list(titles.values()), look=look)
    order = {key: place for place, key in enumerate(titles)}
    for part in parts:
        rows = _rows_of(part, workbooks)
        places_of = [order[title.casefold()] for title in part.columns]
        while chunk := list(islice(rows, _CHUNK)):
            writer.write_rows([_aligned(row, places_of, len(titles)) for row in chunk])
    writer.end_table()


def _aligned(row: Sequence[Value], places: Sequence[int], width: int) -> list[Value]:
    cells: list[Value] = [None] * width
    for place, value in zip(places, row, strict=False):  # the empty cells at the end of a row of xlsx are cut off
        cells[place] = value
    return cells


def _rows_of(part: _Part, workbooks: _Workbooks) -> Iterator[Sequence[Value]]:
    """Return the rows below the header."""
    if part.sheet is None:
        return islice(_READERS[part.path.suffix](part.path), 1, None)
    rows = workbooks.sheet(part.path, part.sheet).rows()
    if (area := part.area) is None:
        return (row.values for row in islice(rows, 1, None))
    values = (row.values for row in rows if area.first <= row.number <= area.last)
    return ([row[place] if place < len(row) else None for place in area.places] for row in values)


def _csv_rows(path: Path) -> Iterator[list[Value]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines)


def _parquet_rows(path: Path) -> Iterator[list[Value]]:
    try:
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise EngineError("Parquet needs pyarrow. Install it with: pip install 'ade-engine[parquet]'") from error
    with parquet.ParquetFile(path) as file:
        yield list(file.schema_arrow.names)
        for batch in file.iter_batches(batch_size=_CHUNK):
            yield from (list(row) for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))


_READERS: dict[str, Callable[[Path], Iterator[list[Any]]]] = {".csv": _csv_rows, ".parquet": _parquet_rows}
