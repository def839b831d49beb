"""Reads the csv and xlsx files of a configuration folder that fields look values up in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.files import DATA_SUFFIXES, data_files
from ade_engine.configuration.problems import did_you_mean
from ade_engine.errors import ConfigurationError, EngineError
from ade_engine.fields import Field
from ade_engine.words import as_key

MOST_ROWS = 500_000
_Rows = Iterator[tuple[int, Sequence[Value]]]


def lookup_of(folder: Path, field: Field, others: Mapping[str, Field]) -> dict[str, Value] | None:
    """Return what a field finds by key, or None when it looks nothing up."""
    if field.lookup is None:
        return None
    rows = _rows(folder, field.lookup)
    header = _header(field.lookup, rows)
    by = others.get(str(field.lookup_by))
    keys = [field.lookup_key] if field.lookup_key else [str(field.lookup_by), *([by.title] if by else [])]
    values = [field.lookup_value] if field.lookup_value else [field.name, field.title]
    key, value = (_place(field.lookup, header, wanted) for wanted in (keys, values))
    return _pairs(field.lookup, rows, key, value, ignores_case=field.ignore_case)


def replacements_of(folder: Path, field: Field) -> Mapping[str, Any]:
    """Return what each word of a field becomes: as its file says, or its dict. The file's first line is a header."""
    if not isinstance(field.replace, str):
        return field.replace or {}
    rows = _rows(folder, field.replace)
    if len(_header(field.replace, rows)) < 2:
        raise _wrong(field.replace, 1, "the file needs two columns: the words and their replacements")
    return _pairs(field.replace, rows, 0, 1, ignores_case=field.ignore_case)


def _pairs(file: str, rows: _Rows, key: int, value: int, *, ignores_case: bool) -> dict[str, Value]:
    found: dict[str, Value] = {}
    first: dict[str, int] = {}
    for number, cells in rows:
        word = as_key(_cell(cells, key), ignores_case=ignores_case)
        if word is None:
            continue
        if word in found:
            raise _wrong(file, number, f"row {first[word]} has the same key. Keep one of them")
        if len(found) == MOST_ROWS:
            raise _wrong(file, number, f"the file has more than {MOST_ROWS:,} keys. Use a smaller one")
        found[word], first[word] = _cell(cells, value), number
    return found


def _cell(cells: Sequence[Value], place: int) -> Value:
    return cells[place] if place < len(cells) else None


def _rows(folder: Path, file: str) -> _Rows:
    """Yield the rows of a file's first sheet with their numbers."""
    path = folder / file
    if path.suffix.lower() not in DATA_SUFFIXES or not path.resolve().is_relative_to(folder.resolve()):
        raise _wrong(file, 1, "the file must be a csv or xlsx file of the configuration folder")
    if not path.is_file():
        raise _wrong(file, 1, f"there is no such file. {did_you_mean(file, data_files(folder)) or ''}".rstrip())
    from ade_engine.readers import open_workbook

    try:
        with closing(open_workbook(path)) as workbook:
            yield from ((row.number, row.values) for row in workbook.open_sheet(workbook.sheets[0]).rows())
    except ConfigurationError:
        raise
    except EngineError as error:
        raise _wrong(file, 1, str(error)) from error


def _header(file: str, rows: _Rows) -> list[str]:
    first = next(rows, None)
    if first is None:
        raise _wrong(file, 1, "the file is empty")
    return ["" if cell is None else str(cell).strip() for cell in first[1]]


def _place(file: str, header: Sequence[str], wanted: Sequence[str]) -> int:
    """Return the column of the first name that the header has."""
    folded = [name.casefold() for name in header]
    for name in wanted:
        if name.casefold() in folded:
            return folded.index(name.casefold())
    advice = did_you_mean(wanted[0], header) or "Columns are: " + ", ".join(header)
    raise _wrong(file, 1, f"there is no column {wanted[0]}. {advice}")


def _wrong(file: str, line: int, message: str) -> ConfigurationError:
    return ConfigurationError(f"{file}, line {line}: {message}", file=file, line=line)
