"""Says in words why a table looks as if its fields were rows, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TRANSPOSED_RULES: dict[str, str | tuple[str, str]] = {
    "transposed.names_of_fields": "its first column holds names of fields",
    "transposed.names_in_a_row": "a row holds names of fields",
    "transposed.words": "its first column holds usual names of columns",
    "transposed.words_in_first_row": "its first row holds usual names of columns",
    "transposed.kinds_along_rows": "cells are of one kind along rows, and not down columns",
    "transposed.kinds_down_columns": "cells are of one kind down columns, and not along rows",
    "transposed.numbers_throughout": "all its cells hold numbers",
    "transposed.steps_in_first_row": "its first row steps through years, months or dates",
    "transposed.empty_corner": "its first cell is empty",
    "transposed.values_repeat_down": "texts repeat down its columns, and not along its rows",
    "transposed.names_repeat": "names in its first column repeat",
    "transposed.total": "its first column names a total",
    "transposed.second_column": "its names are not in the first column",
}
_DECIDED_BY = {
    "evidence": "it looks transposed",
    "settings": "the settings say so",
    "correction": "a person decided it",
}


def transposed_lines(transposed: Mapping[str, Any], reasons: str) -> Iterator[str]:
    """Yield what is known of a table that looks transposed, with the reasons in words."""
    if transposed["is_turned"]:
        yield _turned(transposed, reasons)
        if left_out := transposed["left_out_columns"]:
            yield f"{_columns(left_out)} of it: totals, headings or notes, not data."
        return
    if transposed["decided_by"] == "evidence":
        yield f"{transposed['range']} looks transposed: its first column holds the names of fields{reasons}."
    if transposed["is_too_large"]:
        yield "It is too large to be turned, and was read unchanged."
    else:
        yield 'It was read unchanged. Set [tables] transposed to "turn" to read its columns as rows, or to "never".'


def _turned(transposed: Mapping[str, Any], reasons: str) -> str:
    why = _DECIDED_BY[transposed["decided_by"]]
    names = transposed["header_columns"]
    hold = "holds" if len(names) == 1 else "hold"
    fields = f" {_columns(names)} {hold} the names of its fields." if names else ""
    return f"It was turned: {why}{reasons if transposed['decided_by'] == 'evidence' else ''}.{fields}"


def _columns(letters: list[str]) -> str:
    return f"{'Column' if len(letters) == 1 else 'Columns'} {', '.join(letters)}"
