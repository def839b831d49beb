"""Issues of whole sheets and tables: what the reader reports, what is left out, and where no table was found."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from ade_engine.configuration.model import Configuration
from ade_engine.issues import Finding, Issue
from ade_engine.layout import OutputColumn
from ade_engine.readers.base import Sheet
from ade_engine.structure import FoundTable
from ade_engine.structure.kinds import EMPTY, MARK, TEXTUAL, kind_of

NO_TABLE = "structure.no_table"
HIDDEN_SHEET = "sheet.hidden"
_TEXT_ONLY = TEXTUAL | {MARK, EMPTY}
_TEXT = "text only"
_MOST_ROWS = 3
_TAKEN_FOR = {
    "header": "a part of the header",
    "group": "the heading of a group",
    "total": "a total without matching rows",
    "title": "a title",
    "note": "a note",
}
_MANY = {
    "header": "parts of the header",
    "group": "headings of groups",
    "total": "totals without matching rows",
    "title": "titles",
    "note": "notes",
}


def table_issues(sheet: str | None, found: Iterable[Finding]) -> Iterator[Issue]:
    """Yield findings about a whole table or sheet as its issues."""
    for finding in found:
        yield Issue(sheet, None, None, finding.rule, finding.severity, finding.message)


def missing_issues(columns: Sequence[OutputColumn], configuration: Configuration, sheet: str | None) -> Iterator[Issue]:
    """Yield an issue for each required field that no column was found for."""
    present = {column.rules.field.name for column in columns if column.rules and column.is_filled}
    for field in configuration.fields:
        if field.required and field.name not in present:
            yield Issue(sheet, None, field.name, "required", "error", "is required, and no column was found for it")


def reader_issues(sheet: Sheet) -> Iterator[Issue]:
    """Yield what the reader reports about a whole sheet."""
    yield from table_issues(sheet.info.name, sheet.findings)
    if count := sheet.formulas_without_value:
        formulas = "1 formula has" if count == 1 else f"{count} formulas have"
        message = f"{formulas} no stored result and read as empty; open and save the file in a spreadsheet program"
        yield Issue(sheet.info.name, None, None, "formula.no_value", "warning", message)


def what_it_holds(sheet: Sheet) -> str | None:
    """Return what a sheet without a table holds, none of which is in the output; None when it is empty."""
    kinds = {kind_of(value) for row in sheet.rows() for value in row.values}
    if kinds <= {EMPTY}:
        return None
    return _TEXT if kinds <= _TEXT_ONLY else "cells that do not form a table"


def no_table_issue(name: str | None, holds: str, *, has_others: bool) -> Issue:
    """Return the issue of a sheet without a table; text is harmless if other sheets have tables."""
    severity = "info" if has_others and holds == _TEXT else "warning"
    return Issue(name, None, None, NO_TABLE, severity, f"no table found: {holds}; nothing of it is in the output")


def hidden_sheet_issue(name: str | None) -> Issue:
    """Return the issue of a hidden sheet that was not read although no other sheet has a table."""
    message = (
        "the sheet is hidden and was not read, and none of the sheets that were read has a table; name the sheet to "
        "read it"
    )
    return Issue(name, None, None, HIDDEN_SHEET, "warning", message)


def row_below_issues(found: FoundTable) -> Iterator[Issue]:
    """Yield an issue when one cell right below a table was treated as a note: it may be a last row."""
    if found.axes.are_turned:
        return
    row = found.last_row + 1
    if row in found.lone_rows and all(doubt.row != row for doubt in found.doubtful_rows):
        message = f"row {row} has one cell right below the table and was treated as a note; it is not in the output"
        yield Issue(found.sheet, None, None, "structure.row_below", "warning", message)


def outside_issues(sheet: str | None, numbers: Sequence[int], count: int) -> Iterator[Issue]:
    """Yield an issue when rows are in no table although they are written like the records of one above."""
    if count:
        verb = "is" if count == 1 else "are"
        message = (
            f"{_rows(numbers, count)} {verb} written like records above and {verb} in no table and not in the output"
        )
        yield Issue(sheet, None, None, "structure.row_outside", "warning", message)


def doubtful_row_issues(found: FoundTable, *, sure: Collection[int], are_groups_sure: bool) -> Iterator[Issue]:
    """Yield an issue when rows that may be records are left out or treated as a part of the header."""
    for label in _TAKEN_FOR:
        rows = [row.row for row in found.doubtful_rows if row.label == label and row.row not in sure]
        if label == "group":
            rows = [] if are_groups_sure else _doubtful_groups(found)
        if rows:
            yield Issue(found.sheet, None, None, "structure.row_in_doubt", "warning", _left_out(rows, label))
    if rows := sorted({row.row for row in found.doubtful_rows if row.label == "data" and row.row not in sure}):
        yield Issue(found.sheet, None, None, "structure.total_in_doubt", "warning", _kept(rows))


def _left_out(rows: Sequence[int], label: str) -> str:
    one = len(rows) == 1
    taken_for = _TAKEN_FOR[label] if one else _MANY[label]
    return (
        f"{_rows(rows)} {'was' if one else 'were'} treated as {taken_for} and may be "
        f"{'a record' if one else 'records'}; {'it is' if one else 'they are'} not among the rows of the output"
    )


def _kept(rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return f"{_rows(rows)} was treated as a record and may be a total; it is among the rows of the output"
    return f"{_rows(rows)} were treated as records and may be totals; they are among the rows of the output"


def _doubtful_groups(found: FoundTable) -> list[int]:
    """Return the headings that may be records: those that do not repeat, and those that are written as the data is.

    Headings prove each other when each has rows: one right above another of its level may be a record like the others.
    """
    levels = {group.row: group.level for group in found.groups}
    repeat = found.group_rows[-1] - found.group_rows[0] >= len(found.group_rows) if found.group_rows else False
    have_rows = all(row not in levels or levels.get(row + 1) != levels[row] for row in found.group_rows)
    doubtful = [row for row in found.doubtful_rows if row.label == "group"]
    return [row.row for row in doubtful if row.looks_like_data or not (repeat and have_rows)]


def _rows(rows: Sequence[int], count: int | None = None) -> str:
    shown = [str(row) for row in rows[:_MOST_ROWS]]
    if (more := (len(rows) if count is None else count) - _MOST_ROWS) > 0:
        return f"rows {', '.join(shown)} and {more} more"
    return f"row {shown[0]}" if len(rows) == 1 else f"rows {', '.join(shown[:-1])} and {shown[-1]}"


def wider_row_issues(found: FoundTable) -> Iterator[Issue]:
    """Yield an issue when rows far down are wider than the table: their cells are not in the output."""
    if found.wider_row_count:
        rows = "1 row has" if found.wider_row_count == 1 else f"{found.wider_row_count} rows have"
        message = f"{rows} cells right of the table's last column; they are not in the output"
        yield Issue(found.sheet, None, None, "structure.wider_rows", "warning", message)
