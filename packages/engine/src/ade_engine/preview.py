"""A look into a document or a configuration without running anything of the user's: `python -m ade_engine.preview`.

    sheets FILE                      the sheets of a document
    cells FILE SHEET RANGE           the cells of a range; SHEET counts from 0
    tables FILE SHEET                the tables the built-in rules find on a sheet, with their header and other rows
    index FILE SHEET FOLDER          writes a sheet so that any of its rows is found at once (sheet_index.py)
    check FOLDER                     what is wrong with a configuration, as far as reading it tells
    starter FOLDER TEMPLATE          writes a first configuration
    infer FOLDER FILE                writes a configuration with the fields of a document

It answers with one JSON document on standard output. The process limits itself before it opens anything: documents come
from strangers.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from math import isfinite
from pathlib import Path
from typing import Any

from ade_engine.cells import CellError, Range, Value, column_letters, parse_range
from ade_engine.errors import EngineError, InputError

MOST_CELLS = 20_000
MOST_TABLES = 200
MOST_ROWS = 1000  # of one kind that are listed
MEMORY_BYTES = 1024 * 1024 * 1024
CPU_SECONDS = 30
INDEX_CPU_SECONDS = 300
FILE_BYTES = 4 * 1024 * 1024 * 1024


def main(arguments: list[str]) -> int:
    """Answer one question; an error of ours is an answer too."""
    limit_process(INDEX_CPU_SECONDS if arguments[0] == "index" else CPU_SECONDS)
    try:
        answer = _COMMANDS[arguments[0]](*arguments[1:])
    except EngineError as error:
        answer = {"error": {"code": error.code, "cause": getattr(error, "cause", None), "message": str(error)}}
    except MemoryError:
        answer = {"error": {"code": "resource_limit", "cause": "too_large", "message": "The document is too large."}}
    sys.stdout.write(json.dumps(answer, ensure_ascii=False))
    return 0


def limit_process(cpu_seconds: int = CPU_SECONDS) -> None:
    """Bound memory, CPU time and written bytes, where the system can."""
    try:
        import resource
    except ImportError:  # Windows: the parent's timeout is all there is
        return
    for kind, limit in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bound = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(kind, (bound, bound))


def sheets(path: str) -> dict[str, Any]:
    """Return the format and the sheets of a document."""
    from ade_engine.readers import open_workbook

    workbook = open_workbook(path)
    try:
        listed = [
            {"index": info.index, "name": info.name, "visibility": info.visibility, "is_active": info.is_active}
            for info in workbook.sheets
        ]
        return {"format": workbook.format, "sheets": listed}
    finally:
        workbook.close()


def cells(path: str, sheet: str, wanted: str) -> dict[str, Any]:
    """Return the cells of a range of one sheet, with their types, and what is merged or hidden there."""
    from ade_engine.readers import open_workbook

    area = _area(wanted)
    workbook = open_workbook(path)
    try:
        info = _sheet(workbook, sheet)
        return {"sheet": {"index": info.index, "name": info.name}, **_cells(workbook.open_sheet(info), area)}
    finally:
        workbook.close()


def tables(path: str, sheet: str) -> dict[str, Any]:
    """Return the tables of one sheet as the built-in rules see them: where they are, and what each kind of row is."""
    from ade_engine.readers import open_workbook
    from ade_engine.structure import find_tables

    workbook = open_workbook(path)
    try:
        info = _sheet(workbook, sheet)
        listed: list[dict[str, Any]] = []
        for table in find_tables(workbook.open_sheet(info)):
            table.skip()  # how far it reaches is known only then
            listed.append(_table(table))
            if len(listed) == MOST_TABLES:
                break
        return {"sheet": {"index": info.index, "name": info.name}, "tables": listed}
    finally:
        workbook.close()


def index(path: str, sheet: str, folder: str) -> dict[str, Any]:
    """Write the index of a sheet into a folder."""
    from ade_engine.readers import open_workbook
    from ade_engine.sheet_index import write_index

    workbook = open_workbook(path)
    try:
        info = _sheet(workbook, sheet)
        opened = workbook.open_sheet(info)
        about = {
            "sheet": {"index": info.index, "name": info.name},
            "merged": [span.a1 for span in opened.merged],
            "hidden_columns": sorted(opened.hidden_columns),
        }
        return {"rows": write_index(opened, Path(folder), about=about, tell=_cell)}
    finally:
        workbook.close()


def _table(table: Any) -> dict[str, Any]:
    kinds = ("header_rows", "title_rows", "totals_rows", "note_rows", "group_rows", "repeated_header_rows")
    columns = [{"column": column_letters(one.position), "header": one.header} for one in table.columns]
    rows = {kind: list(getattr(table, kind))[:MOST_ROWS] for kind in kinds}
    return {"range": table.range.a1, "columns": columns, **rows, "score": table.score, "margin": table.margin}


def _sheet(workbook: Any, number: str) -> Any:
    found = [info for info in workbook.sheets if str(info.index) == number]
    if not found:
        raise InputError(f"The document has no sheet number {number}.", cause="no_such_sheet")
    return found[0]


def _area(wanted: str) -> Range:
    try:
        area = parse_range(wanted)
    except ValueError as error:
        raise InputError(f"{error}. Give a range such as A1:H50.", cause="bad_range") from None
    count = (area.last_row - area.first_row + 1) * (area.last_column - area.first_column + 1)
    if count > MOST_CELLS:
        raise InputError(f"The range has {count} cells; ask for {MOST_CELLS} at most.", cause="bad_range")
    return area


def _cells(sheet: Any, area: Range) -> dict[str, Any]:
    rows, has_more = [], False
    for row in sheet.rows():
        if row.number > area.last_row:
            has_more = True
            break
        if row.number >= area.first_row:
            part = row.values[area.first_column - 1 : area.last_column]
            rows.append({"row": row.number, "is_hidden": row.is_hidden, "cells": [_cell(value) for value in part]})
    merged = [span.a1 for span in sheet.merged if _overlap(span, area)]
    hidden = sorted(column for column in sheet.hidden_columns if area.first_column <= column <= area.last_column)
    return {"range": area.a1, "rows": rows, "merged": merged, "hidden_columns": hidden, "has_more_rows": has_more}


def _overlap(one: Range, other: Range) -> bool:
    is_beside = one.last_column < other.first_column or one.first_column > other.last_column
    return not is_beside and one.first_row <= other.last_row and one.last_row >= other.first_row


def _cell(value: Value) -> dict[str, Any] | None:
    if value is None:
        return None
    kind = next(name for type_, name in _KINDS if isinstance(value, type_))
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE_INTEGER:
        return {"type": kind, "value": str(value)}  # JavaScript would round it
    if isinstance(value, float) and not isfinite(value):
        return {"type": kind, "value": str(value)}  # JSON has no word for it
    return {"type": kind, "value": value if isinstance(value, str | bool | int | float) else _text(value)}


def _text(value: date | time | timedelta | CellError) -> str:
    return value.isoformat() if isinstance(value, date | time) else str(value)


_SAFE_INTEGER = 2**53 - 1
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "number"),
    (float, "number"),
    (str, "text"),
    (datetime, "datetime"),
    (date, "date"),
    (time, "time"),
    (timedelta, "duration"),
    (CellError, "error"),
)


def check(folder: str) -> dict[str, Any]:
    """Return what reading a configuration finds wrong; nothing of it is executed."""
    from ade_engine.configuration.check import static_problems

    return {"problems": [problem.as_json() for problem in sorted(static_problems(Path(folder)))]}


def starter(folder: str, template: str) -> dict[str, Any]:
    """Write a first configuration and name its files."""
    from ade_engine.configuration.starter import init_configuration

    root = Path(folder)
    return {"files": list(_relative(root, init_configuration(root, template)))}


def infer(folder: str, path: str) -> dict[str, Any]:
    """Write a configuration with the fields, types and names a document has, and name its files."""
    from ade_engine.configuration.examples import example_tables
    from ade_engine.configuration.starter import infer_configuration

    root = Path(folder)
    return {"files": list(_relative(root, infer_configuration(root, example_tables(path))))}


def _relative(root: Path, paths: list[Path]) -> Iterator[str]:
    return (path.relative_to(root).as_posix() for path in paths)


_COMMANDS: dict[str, Callable[..., dict[str, Any]]] = {
    "sheets": sheets,
    "cells": cells,
    "tables": tables,
    "index": index,
    "check": check,
    "starter": starter,
    "infer": infer,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
