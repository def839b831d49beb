"""Walks the records of xlsb sheets: how far each one reaches, and where its errors are."""

from __future__ import annotations

from ade_engine.readers.archive import Archive
from ade_engine.readers.extents import SheetExtent
from ade_engine.readers.limits import LAST_COLUMN, LAST_ROW, ReadLimits

_ROW_HEADER, _ERROR, _FORMULA_ERROR = 0, 3, 11
_CELLS = range(1, 12)


def check_xlsb(archive: Archive, *, limits: ReadLimits) -> None:
    """Refuse a workbook with a sheet that could not be held."""
    for name in archive.names:
        if name.startswith("xl/worksheets/") and name.endswith(".bin"):
            scan_xlsb_sheet(archive.read(name, at_most=limits.buffered_sheet_bytes)).check(limits)


def scan_xlsb_sheet(data: bytes) -> SheetExtent:
    """Return what the cells of a worksheet part span, and its error cells."""
    extent = SheetExtent()
    position, row = 0, 0
    while position < len(data):
        kind, position = _number(data, position, 2)
        length, position = _number(data, position, 4)
        if kind == _ROW_HEADER:
            row = min(int.from_bytes(data[position : position + 4], "little"), LAST_ROW)
        elif kind in _CELLS and kind != 1:
            column = min(int.from_bytes(data[position : position + 4], "little"), LAST_COLUMN)
            extent.add(row, column, column)
            if kind in (_ERROR, _FORMULA_ERROR):
                extent.add_error(row, column, data[position + 8] if position + 8 < len(data) else -1)
        position += length
    return extent


def _number(data: bytes, position: int, most: int) -> tuple[int, int]:
    """Return a number of up to `most` bytes, seven bits in each, and where it ends."""
    value = 0
    for index in range(most):
        byte = data[position] if position < len(data) else 0
        position += 1
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            break
    return value, position
