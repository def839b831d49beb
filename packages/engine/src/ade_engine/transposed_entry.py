"""What the artifact says of tables whose fields are rows, with the rows and columns of the document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ade_engine.cells import column_letters
from ade_engine.evidence import DIGITS

if TYPE_CHECKING:
    from ade_engine.readers.base import Sheet
    from ade_engine.structure import FoundTable
    from ade_engine.structure.turned import Transposed


def transposed_entry(found: FoundTable, transposed: Transposed) -> dict[str, Any]:
    """Return what makes a table look as if its fields were rows, and what became of it."""
    left_out = [*found.totals_rows, *found.group_rows, *found.note_rows, *found.repeated_header_rows]
    return {
        "is_turned": transposed.is_turned,
        "is_too_large": transposed.is_too_large,
        "decided_by": transposed.decided_by,
        "range": transposed.place.a1,
        "score": transposed.score,
        "contributions": [
            {"rule": one.rule, "delta": round(float(one.delta), DIGITS) + 0.0} for one in transposed.contributions
        ],
        "header_columns": [column_letters(column) for column in transposed.header_columns],
        "left_out_columns": [column_letters(column) for column in sorted(left_out)] if transposed.is_turned else [],
    }


def turned_parts(header: Mapping[str, Any], transposed: Transposed) -> dict[str, Any]:
    """Return the parts of a turned table's entry that name rows: its rows are columns of the document."""
    return {
        "header": {**header, "rows": [], "runner_up": None},
        "title_rows": list(transposed.title_rows),
        "note_rows": [],
        "totals_rows": [],
        "group_rows": list(transposed.group_rows),
        "groups": [],
        "totals": [],
        "repeated_header_rows": [],
    }


def hidden_parts(found: FoundTable, sheet: Sheet) -> dict[str, Any]:
    """Return how many fields of a turned table are hidden rows, and which of its records are hidden columns."""
    records = range(found.first_row, found.last_row + 1)
    columns = sorted(column for column in sheet.hidden_columns if column in records)
    rows = len(found.view.hidden_columns) if found.view is not None else 0
    return {"rows": rows, "columns": [column_letters(column) for column in columns]}
