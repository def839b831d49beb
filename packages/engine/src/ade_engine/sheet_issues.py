"""Issues of whole sheets and tables: what the reader reports, what is left out, and where no table was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ade_engine.issues import Finding, Issue
from ade_engine.readers.base import Sheet
from ade_engine.structure import FoundTable
from ade_engine.structure.kinds import EMPTY, MARK, TEXTUAL, kind_of

NO_TABLE = "structure.no_table"
HIDDEN_SHEET = "sheet.hidden"
_TEXT_ONLY = TEXTUAL | {MARK, EMPTY}
_TEXT = "text only"


def table_issues(sheet: str | None, found: Iterable[Finding]) -> Iterator[Issue]:
    """Yield findings about a whole table or sheet as its issues."""
    for finding in found:
        yield Issue(sheet, None, None, finding.rule, finding.severity, finding.message)


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
    return _TEXT if kinds <= _TEXT_ONLY else "cells that form no table"


def no_table_issue(name: str | None, holds: str, *, has_others: bool) -> Issue:
    """Return the issue of a sheet without a table; text beside the tables of other sheets is nothing to worry about."""
    severity = "info" if has_others and holds == _TEXT else "warning"
    return Issue(name, None, None, NO_TABLE, severity, f"no table found: {holds}; nothing of it is in the output")


def hidden_sheet_issue(name: str | None) -> Issue:
    """Return the issue of a hidden sheet that was not read although no other sheet has a table."""
    message = "the sheet is hidden and was not read, and no sheet that was read has a table; name the sheet to read it"
    return Issue(name, None, None, HIDDEN_SHEET, "warning", message)


def row_below_issues(found: FoundTable) -> Iterator[Issue]:
    """Yield an issue when one cell right below a table of two columns was taken for a note: it may be a last row."""
    if found.axes.are_turned:
        return
    row = found.last_row + 1
    if len(found.columns) == 2 and row in found.lone_rows:
        message = f"row {row} has one cell right below the table and was taken for a note; it is not in the output"
        yield Issue(found.sheet, None, None, "structure.row_below", "warning", message)


def wider_row_issues(found: FoundTable) -> Iterator[Issue]:
    """Yield an issue when rows far down are wider than the table: their cells are not in the output."""
    if found.wider_row_count:
        rows = "1 row has" if found.wider_row_count == 1 else f"{found.wider_row_count} rows have"
        message = f"{rows} cells right of the table's last column; they are not in the output"
        yield Issue(found.sheet, None, None, "structure.wider_rows", "warning", message)
