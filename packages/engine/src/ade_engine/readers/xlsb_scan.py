"""Walks the records of xlsb sheets: how far each one reaches, and where its errors are."""

from __future__ import annotations

from collections.abc import Iterator

from ade_engine.readers.archive import Archive
from ade_engine.readers.extents import SheetExtent
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.relations import read_relations

_WORKBOOK = "xl/workbook.bin"

_ROW_HEADER, _BUNDLED_SHEET = 0, 156
_FILLED_CELLS = range(2, 12)
_ERRORS = (3, 11)


def scan_xlsb(archive: Archive, *, limits: ReadLimits) -> list[SheetExtent]:
    """Return what each sheet spans, in the order of the workbook; refuse one that could not be held."""
    targets = {relation.id: relation.target for relation in read_relations(archive, _WORKBOOK)}
    extents = []
    for key in _sheet_keys(archive.read(_WORKBOOK)):
        part = targets.get(key, "")
        data = archive.read(part, at_most=limits.buffered_sheet_bytes) if part in archive else b""
        extent = _scan_sheet(data)
        extent.check(limits)
        extents.append(extent)
    return extents


def _sheet_keys(data: bytes) -> Iterator[str]:
    for kind, start, _ in _records(data):
        if kind == _BUNDLED_SHEET:
            length = int.from_bytes(data[start + 8 : start + 12], "little")
            yield data[start + 12 : start + 12 + 2 * min(length, 255)].decode("utf-16-le", "replace")


def _scan_sheet(data: bytes) -> SheetExtent:
    extent = SheetExtent()
    row = 0
    for kind, start, _ in _records(data):
        if kind == _ROW_HEADER:
            row = int.from_bytes(data[start : start + 4], "little")
        elif kind in _FILLED_CELLS:
            column = int.from_bytes(data[start : start + 4], "little")
            extent.add(row, column, column)
            if kind in _ERRORS:
                extent.add_error(row, column, int.from_bytes(data[start + 8 : start + 9], "little"))
    return extent


def _records(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (kind, offset of the body, its length) of each record."""
    position = 0
    while position < len(data):
        kind, position = _number(data, position, 2)
        length, position = _number(data, position, 4)
        yield kind, position, length
        position += length


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
