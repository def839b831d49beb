"""The tables that unstructured finds: run by tables.py --peer PYTHON, with a Python that has unstructured[xlsx].

Reads a JSON list of sheets, each a list of rows of cells, and writes the ranges of each: first and last row and column,
from 1. The package hands out tables as HTML only, so this asks its parser for the place of each core table.
"""

# ruff: noqa: SLF001 - the place of a table is not public
from __future__ import annotations

import json
import sys

import pandas as pd
from unstructured.partition import xlsx


def main() -> None:
    """Answer on standard output."""
    json.dump([_tables(cells) for cells in json.load(sys.stdin)], sys.stdout)


def _tables(cells: list[list[str | None]]) -> list[list[int]]:
    if not cells:
        return []
    found = []
    for component in xlsx._ConnectedComponents.from_worksheet_df(pd.DataFrame(cells)):
        core = xlsx._SubtableParser(component.subtable).core_table
        if core is not None and len(core):
            rows, columns = list(core.index), list(core.columns)
            found.append([int(rows[0]) + 1, int(columns[0]) + 1, int(rows[-1]) + 1, int(columns[-1]) + 1])
    return found


if __name__ == "__main__":
    main()
