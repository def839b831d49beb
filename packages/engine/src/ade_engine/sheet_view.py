"""A view of an output: its rows sorted, or only some of them, as lines of an index.

Each line begins with its place in the view; the first cell is the number that its row has in the output. The header
stays on top. What is sorted is held in memory, so there is a bound to it; what is only filtered is not held.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import chain, takewhile
from math import inf, isfinite
from pathlib import Path
from typing import Any

from ade_engine.cells import Value, parse_cell, parse_range
from ade_engine.errors import InputError
from ade_engine.mapping.profile import is_empty
from ade_engine.protocol import ARTIFACT, ISSUES, MOST_INDEX_BYTES
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Row, Sheet, SheetInfo
from ade_engine.sheet_index import Line, cells_of, line_of

MOST_SORTED_BYTES = MOST_INDEX_BYTES  # of lines, beside which are their keys: what can be shown can be sorted
MOST_SORTED_ROWS = 1_100_000  # more than a sheet of a workbook has
OUTPUT, DOCUMENT = "output", "document"  # files of the folder, before their endings
_NOT_MATCHED = "The rows of this output cannot be matched with those of the document."
Keeps = Callable[[Row], bool]


@dataclass(frozen=True, kw_only=True)
class View:
    """What is looked at. `sort` is a column, `conditions` are columns with what their cells must contain or be."""

    sort: int | None = None
    is_descending: bool = False
    conditions: Sequence[Sequence[Any]] = field(default_factory=list)  # column, whether they are equal, text
    only: str | None = None  # issues or changes


@contextmanager
def view_lines(
    folder: Path, sheet: int, view: View, *, table: int, encoding: str | None = None
) -> Iterator[tuple[SheetInfo, Iterator[Line]]]:
    """Yield a sheet of the output in a folder, and the lines of its view.

    Sheets count from 0, and so does `table`: which output it is, where a format has a file for each. `encoding` is that
    of the document.
    """
    workbook = open_workbook(_file(folder, OUTPUT))
    try:
        infos = [info for info in workbook.sheets if info.index == sheet]
        if not infos:
            raise InputError(f"The output has no sheet number {sheet}.", cause="no_such_sheet")
        facts = _Facts.of(json.loads((folder / ARTIFACT).read_bytes()), table, infos[0].name)
        keeps = [*_only(folder, view.only, facts, encoding), *map(_condition, view.conditions)]
        yield infos[0], _lines(workbook.open_sheet(infos[0]), view, facts, keeps)
    except (LookupError, TypeError, ValueError, AttributeError) as error:  # rules can write in place of the engine
        raise InputError("The artifact of this run is not what the engine writes.", cause="no_such_view") from error
    finally:
        workbook.close()


def _file(folder: Path, stem: str) -> Path:
    return next(path for path in folder.iterdir() if path.stem == stem and path.name not in (ARTIFACT, ISSUES))


@dataclass(frozen=True)
class _Facts:
    """What a run says of a table of its output."""

    header_row: int
    last_row: float  # that the run wrote; in a template, more may stand below
    sheet: str | None
    table: Mapping[str, Any] | None  # None where it is not one table whose rows are in the output
    is_in_template: bool = False  # whose columns are in an order of their own

    @classmethod
    def of(cls, artifact: Mapping[str, Any], number: int, name: str | None) -> _Facts:
        """Find the table by the name of its sheet, or by the number of its file where files have no sheets."""
        outputs = artifact["outputs"] if name is None else [one for one in artifact["outputs"] if one["name"] == name]
        place = number if name is None else 0
        output = outputs[place] if place < len(outputs) else {}
        own = [
            (sheet["name"], table)
            for sheet in artifact["sheets"]
            for table in sheet["tables"]
            if output and table["output"] == output["name"]
        ]
        sheet, table = own[0] if len(own) == 1 else (None, None)
        if (template := output.get("template")) is None:
            return cls(1, inf, sheet, table)
        header_row = template["header_row"]
        return cls(header_row, header_row + template["rows"], sheet, table, is_in_template=True)

    def known_table(self) -> Mapping[str, Any]:
        """Return the table; raise where its rows are not known."""
        if self.table is None or self.table.get("row_numbers") is None:
            raise InputError(_NOT_MATCHED, cause="no_such_view")
        return self.table

    def source_rows(self) -> Iterator[int]:
        """Yield the row of the document of each row of the output."""
        for first, count in self.known_table()["row_numbers"]:
            yield from range(first, first + count)


def _condition(given: Sequence[Any]) -> Keeps:
    """Return whether a row has a text in a column, whatever its case."""
    column, is_equal, text = int(given[0]), bool(given[1]), str(given[2]).strip().casefold()

    def keeps(row: Row) -> bool:
        shown = text_of(row.values[column - 1] if column <= len(row.values) else None).strip().casefold()
        return shown == text if is_equal else text in shown

    return keeps


def text_of(value: Value) -> str:
    """Return a value as a screen shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat().removesuffix("T00:00:00")
    return str(value)


def _only(folder: Path, only: str | None, facts: _Facts, encoding: str | None) -> list[Keeps]:
    if only is None:
        return []
    if only == "issues":
        wrong = _rows_with_issues(folder, facts)
        return [lambda row: row.number in wrong]
    return [_is_changed(folder, facts, encoding)]


def _rows_with_issues(folder: Path, facts: _Facts) -> set[int]:
    """Return the rows of the output with a cell that something is wrong with."""
    place = parse_range(facts.known_table()["range"])
    wrong = set()
    with (folder / ISSUES).open(encoding="utf-8") as lines:
        for line in lines:
            issue = json.loads(line)
            if issue["cell"] is None or issue["sheet"] != facts.sheet:
                continue
            row, column = parse_cell(issue["cell"])
            if place.first_column <= column <= place.last_column:
                wrong.add(row)
    first = facts.header_row + 1
    return {number for number, row in enumerate(facts.source_rows(), first) if row in wrong}


def _is_changed(folder: Path, facts: _Facts, encoding: str | None) -> Keeps:
    """Return whether a value of a row is another one than in the document; all rows are asked for, from the top."""
    table = facts.known_table()
    if facts.is_in_template:
        raise InputError(_NOT_MATCHED, cause="no_such_view")
    has_types = not str(table["file"]).endswith((".csv", ".tsv"))
    columns = [
        (place, parse_cell(f"{one['from'][0]}1")[1], has_types and _counts_changes(table, one["field"]))
        for place, one in enumerate(table.get("output_columns") or ())
        if len(one["from"]) == 1
    ]
    sources, rows = facts.source_rows(), _document_rows(folder, facts.sheet, encoding)
    present: list[Row | None] = [next(rows, None)]

    def keeps(row: Row) -> bool:
        number = next(sources, 0)
        while present[0] is not None and present[0].number < number:
            present[0] = next(rows, None)
        before = present[0].values if present[0] is not None and present[0].number == number else []
        return any(
            _differs(_at(before, source - 1), _at(row.values, place), is_typed=is_typed)
            for place, source, is_typed in columns
        )

    return keeps


def _counts_changes(table: Mapping[str, Any], name: str | None) -> bool:
    return bool(name in table["transform"] and table["transform"][name]["changed"])


def _document_rows(folder: Path, sheet: str | None, encoding: str | None) -> Iterator[Row]:
    workbook = open_workbook(_file(folder, DOCUMENT), encoding=encoding)
    try:
        found = [info for info in workbook.sheets if info.name == sheet]
        if not found:
            raise InputError(_NOT_MATCHED, cause="no_such_view")
        yield from workbook.open_sheet(found[0]).rows()
    finally:
        workbook.close()


def _at(values: Sequence[Value], place: int) -> Value:
    return values[place] if place < len(values) else None


def _differs(before: Value, after: Value, *, is_typed: bool) -> bool:
    if text_of(before) != text_of(after):
        return True
    return is_typed and before is not None and after is not None and _kind(before) != _kind(after)


def _kind(value: Value) -> type:
    return float if type(value) is int else type(value)


def _lines(sheet: Sheet, view: View, facts: _Facts, keeps: Sequence[Keeps]) -> Iterator[Line]:
    rows = sheet.rows()
    head: list[Row] = []
    first = next(rows, None)
    while first is not None and first.number <= facts.header_row:
        head.append(first)
        first = next(rows, None)
    data = takewhile(lambda row: row.number <= facts.last_row, chain([] if first is None else [first], rows))
    kept = (row for row in data if all(keep(row) for keep in keeps))
    found = _held(kept, view.sort, is_descending=view.is_descending) if view.sort else map(_named, kept)
    for place, (is_hidden, cells) in enumerate(chain(map(_named, head), found), 1):
        yield place, line_of(place, is_hidden, cells)


def _named(row: Row) -> tuple[bool, bytes]:
    """Return a row with its number as the first cell."""
    return row.is_hidden, b"%d\t%b" % (row.number, cells_of(row))


def _held(rows: Iterator[Row], column: int, *, is_descending: bool) -> Iterator[tuple[bool, bytes]]:
    """Yield rows by the values of a column; those without one come last, whichever way."""
    filled: list[tuple[tuple[int, Any], tuple[bool, bytes]]] = []
    empty: list[tuple[bool, bytes]] = []
    size = 0
    for row in rows:
        line = _named(row)
        size += len(line[1])
        if size > MOST_SORTED_BYTES or len(filled) + len(empty) >= MOST_SORTED_ROWS:
            raise InputError(
                f"Only {MOST_SORTED_ROWS:,} rows and {MOST_SORTED_BYTES // 1024**2} MB of cells can be sorted. "
                "Filter the rows first, or download the result.",
                cause="too_large",
            )
        value = _at(row.values, column - 1)
        if is_empty(value):
            empty.append(line)
        else:
            filled.append((sort_key(value), line))
    filled.sort(key=lambda one: one[0], reverse=is_descending)
    yield from (line for _, line in filled)
    yield from empty


def sort_key(value: Value) -> tuple[int, Any]:
    """Return what rows are sorted by: numbers, then days, times, texts without case, and true and false."""
    if isinstance(value, bool):
        return (4, value)
    if isinstance(value, int | float):
        return (0, value) if isfinite(value) else (5, str(value))
    if isinstance(value, datetime | date):
        return (1, value.isoformat())
    if isinstance(value, str):
        return (3, value.casefold())
    if isinstance(value, timedelta):
        return (2, value)
    if isinstance(value, time):
        seconds = 3600 * value.hour + 60 * value.minute + value.second
        return (2, timedelta(seconds=seconds, microseconds=value.microsecond))
    return (5, str(value))
