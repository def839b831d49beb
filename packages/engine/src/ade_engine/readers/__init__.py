"""One reader per input format, one interface (base.py), one place that decides by content (open_workbook)."""

from __future__ import annotations

from pathlib import Path

from ade_engine.readers.base import Workbook
from ade_engine.readers.contents import find_format
from ade_engine.readers.limits import DEFAULT_LIMITS, ReadLimits


def open_workbook(path: str | Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> Workbook:
    """Open a document of any supported format, or raise an InputError that says why it cannot be read."""
    path = Path(path)
    match find_format(path, limits=limits):
        case "xlsx":
            from ade_engine.readers.xlsx import XlsxWorkbook

            return XlsxWorkbook(path, limits=limits)
        case "text":
            from ade_engine.readers.delimited import DelimitedWorkbook

            return DelimitedWorkbook(path, limits=limits)
        case name:
            from ade_engine.readers.calamine import CalamineWorkbook

            return CalamineWorkbook(path, name, limits=limits)
