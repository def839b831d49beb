"""Reads example documents as the tables that a first configuration is inferred from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ade_engine.cells import Value
from ade_engine.mapping.table import column_values
from ade_engine.readers import open_workbook
from ade_engine.structure import FoundTable, find_tables


def example_tables(path: str | Path) -> list[dict[str, list[Value]]]:
    """Return the tables of a document as header → a sample of values, for `infer_configuration`."""
    tables = []
    with closing(open_workbook(Path(path))) as workbook:
        for info in workbook.sheets:
            for found in find_tables(workbook.open_sheet(info)):
                tables.append(_table(found))
                for _ in found.data():
                    pass  # the next table is found only after this one was read
    return tables


def _table(found: FoundTable) -> dict[str, list[Value]]:
    rows = [row.values for row in found.sample]
    return {column.header: column_values(rows, column.position) for column in found.columns if column.header}
