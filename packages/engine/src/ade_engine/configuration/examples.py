"""Reads example documents as the tables that a first configuration is inferred from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ade_engine.cells import Value
from ade_engine.mapping.headers import numbered
from ade_engine.mapping.table import column_values
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Row
from ade_engine.structure import FoundTable, find_tables

_MOST_ROWS = 20_000  # of a table: enough to meet what is rare, without holding a large document in memory


def example_tables(path: str | Path, *, encoding: str | None = None) -> list[dict[str, list[Value]]]:
    """Return the tables of a document as header → values, for `infer_configuration`."""
    tables = []
    with closing(open_workbook(Path(path), encoding=encoding)) as workbook:
        for info in workbook.sheets:
            tables += [_table(found) for found in find_tables(workbook.open_sheet(info))]
    return tables


def _table(found: FoundTable) -> dict[str, list[Value]]:
    rows: list[Row] = []
    for chunk in found.data():  # to the end: the next table is found only after this one was read
        rows += chunk[: _MOST_ROWS - len(rows)]
    cells = [row.values for row in rows]
    headers = numbered(column.header for column in found.columns)
    columns = zip(headers, found.columns, strict=True)
    return {header: column_values(cells, column.position) for header, column in columns if header}
