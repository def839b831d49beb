"""Workbooks for one test each."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

import openpyxl  # type: ignore[import-untyped]

Rows = Sequence[Sequence[Any]]


def workbook(sheets: Mapping[str, Rows]) -> bytes:
    """Return a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()
