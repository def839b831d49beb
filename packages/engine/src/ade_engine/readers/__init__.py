"""One reader per input format, one interface (base.py), one place that decides by content (open_workbook)."""

from __future__ import annotations

from pathlib import Path

from ade_engine.readers.base import Workbook
from ade_engine.readers.contents import find_format
from ade_engine.readers.limits import DEFAULT_LIMITS, ReadLimits


def open_workbook(
    path: str | Path,
    *,
    limits: ReadLimits = DEFAULT_LIMITS,
    encoding: str | None = None,
    delimiter: str | None = None,
) -> Workbook:
    """Open a document of any supported format, or raise an InputError that says why it cannot be read.

    `encoding` and `delimiter` are the user's choice for delimited text; other formats have none.
    """
    path = Path(path)
    match find_format(path, limits=limits):
        case "xlsx":
            from ade_engine.readers.xlsx import XlsxWorkbook

            return XlsxWorkbook(path, limits=limits)
        case "xls":
            from ade_engine.readers.xls import XlsWorkbook

            return XlsWorkbook(path, limits=limits)
        case "xlsb":
            from ade_engine.readers.xlsb import XlsbWorkbook

            return XlsbWorkbook(path, limits=limits)
        case "ods":
            from ade_engine.readers.ods import OdsWorkbook

            return OdsWorkbook(path, limits=limits)
        case _:
            from ade_engine.readers.delimited import DelimitedWorkbook

            return DelimitedWorkbook(path, limits=limits, encoding=encoding, delimiter=delimiter)
