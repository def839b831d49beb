"""The cells of a range, taken from the index of their sheet."""

from __future__ import annotations

import json
from typing import Any

from ade.errors import DocumentTooLarge, Invalid
from ade.operations.reading.sheet_index import SheetIndex
from ade_engine.cells import Range, cell_name, parse_range

MOST_CELLS = 20_000
MOST_ROWS = 2000  # each takes the time of about ten cells
MOST_FOUND = 1000
MOST_SEARCHED_BYTES = 4 * 1024 * 1024  # of the index, by one question: it is searched where all requests are answered
MOST_READ_BYTES = 16 * 1024 * 1024  # of the index, for one range: whole rows are read, however few of their cells
MOST_COLUMNS = 16_384


def area_of(wanted: str) -> Range:
    """Return a range, or raise what is wrong with it."""
    try:
        area = parse_range(wanted)
    except ValueError as error:
        raise Invalid(f"{error}. Give a range such as A1:H50.") from None
    count = (area.last_row - area.first_row + 1) * (area.last_column - area.first_column + 1)
    if count > MOST_CELLS:
        raise Invalid(f"The range has {count} cells; request at most {MOST_CELLS}.")
    return area


def cells_in(index: SheetIndex, area: Range, *, has_numbers: bool = False) -> dict[str, Any]:
    """Return the cells of a range, and the last row of the sheet once it is known.

    `has_numbers` tells that the first cell of each row is the number it has elsewhere, which the answer names it by.
    """
    if index.about is None:
        raise RuntimeError("an index without its sheet")
    if not index.is_whole and area.first_row > (index.last_row or 0):
        raise DocumentTooLarge(
            f"Only the rows up to {index.last_row} of this sheet can be shown. Download the document to see the rest; "
            "a run reads all of it."
        )
    rows, has_more = _rows(index, area, has_numbers=has_numbers)
    about = index.about.values
    return {
        "sheet": about["sheet"],
        "range": area.a1,
        "rows": rows,
        "merged": [span.a1 for span in index.about.merged if _overlap(span, area)],
        "hidden_columns": [
            column for column in about["hidden_columns"] if area.first_column <= column <= area.last_column
        ],
        "has_more_rows": has_more or index.last_row is None or not index.is_whole,
        "last_row": index.last_row,
        "is_whole": index.is_whole,
        "encoding": about.get("encoding"),
        "other_encoding": about.get("other_encoding"),
    }


def _rows(index: SheetIndex, area: Range, *, has_numbers: bool) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows of an area, and whether more follow; no cell beside it is parsed but the number of its row."""
    found: list[dict[str, Any]] = []
    lines = index.lines(area.first_row, column_count=area.last_column + has_numbers, most_bytes=MOST_READ_BYTES)
    for place, is_hidden, *cells in lines:
        if int(place) > area.last_row:
            return found, True
        if int(place) >= area.first_row:
            row = int(json.loads(cells.pop(0))) if has_numbers else int(place)
            wanted = cells[area.first_column - 1 : area.last_column]
            values = json.loads(b"[%s]" % b",".join([cell or b"null" for cell in wanted]))
            found.append({"row": row, "is_hidden": is_hidden == b"1", "cells": [*map(_typed, values)]})
    return found, False


def _typed(cell: Any) -> Any:
    """Return a cell with its type, which the index leaves out of texts and numbers."""
    if isinstance(cell, str):
        return {"type": "text", "value": cell}
    if isinstance(cell, int | float):
        return {"type": "number", "value": cell}
    return cell


def found_in(
    index: SheetIndex, text: str, *, first_row: int, last_row: int, has_numbers: bool = False
) -> dict[str, Any]:
    """Return the cells of some rows that contain a text, whatever its case, and the row to continue from.

    At least one row is searched, and no further one after a number of bytes: a text such as "e" is in nearly every row,
    so that each of its cells has to be parsed.
    """
    wanted, found, searched_bytes = text.casefold(), list[str](), 0
    as_written = json.dumps(text, ensure_ascii=False)[1:-1].casefold()
    for number, _, *cells in index.lines(first_row, column_count=MOST_COLUMNS):
        row = int(number)
        if row > last_row or len(found) >= MOST_FOUND or searched_bytes >= MOST_SEARCHED_BYTES:
            return {"items": found, "next_row": row, "searched_to": None}
        if row < first_row:
            continue
        if has_numbers:
            del cells[0]
        line = b"\t".join(cells)
        searched_bytes += len(line)
        if as_written not in line.decode("utf-8", "replace").casefold():
            continue
        for column, cell in enumerate(cells, 1):
            if cell and wanted in str(_typed(json.loads(cell))["value"]).casefold():
                found.append(cell_name(row, column))
    is_at_end = index.last_row is not None
    cut_at = index.last_row if is_at_end and not index.is_whole else None
    return {"items": found, "next_row": None if is_at_end else last_row + 1, "searched_to": cut_at}


def _overlap(one: Range, other: Range) -> bool:
    is_beside = one.last_column < other.first_column or one.first_column > other.last_column
    return not is_beside and one.first_row <= other.last_row and one.last_row >= other.first_row
