"""Reads the tables of an example document, as what a first configuration is inferred from."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from ade_engine.cells import Value
from ade_engine.errors import InputError
from ade_engine.mapping.table import column_values
from ade_engine.readers import open_workbook
from ade_engine.structure import find_tables


def example_tables(path: str | Path) -> list[dict[str, list[Value]]]:
    """Return {header: values} of each table with a header, from the rows at its beginning."""
    tables: list[dict[str, list[Value]]] = []
    with closing(open_workbook(path)) as workbook:
        for info in workbook.sheets:
            for found in find_tables(workbook.open_sheet(info)):
                rows = [row.values for row in found.sample]
                named = {
                    column.header: column_values(rows, column.position) for column in found.columns if column.header
                }
                tables.extend([named] if named else [])
                for _ in found.data():
                    pass  # the next table is found only after this one was read
    if not tables:
        message = "No table with a header was found in the example. Use a file whose columns have names."
        raise InputError(message, cause="no_table")
    return tables
