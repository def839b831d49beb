"""Looks through the markup of an ods document for how far its sheets reach, repetitions included."""

from __future__ import annotations

import re

from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.extents import SheetExtent
from ade_engine.readers.limits import MIB, ReadLimits
from ade_engine.readers.xml_parts import declares_entities

_TAG = re.compile(rb"<table:(table|table-row|table-cell|covered-table-cell)(\s[^<>]*|/?)>")
_ROWS = re.compile(rb'table:number-rows-repeated="(\d{1,9})"')
_COLUMNS = re.compile(rb'table:number-columns-repeated="(\d{1,9})"')


def check_ods(archive: Archive, *, limits: ReadLimits) -> None:
    """Refuse a document with a sheet that could not be held."""
    if archive.size("content.xml") > limits.buffered_sheet_bytes:
        raise InputError(
            f"The document unpacks to more than {limits.buffered_sheet_bytes // MIB} MB, too much for ods. "
            "Save it as xlsx.",
            cause="too_large",
        )
    rest = b""
    scan = _Scan(limits)
    for chunk in archive.stream("content.xml"):
        rest += chunk
        if b"<!DOCTYPE" in rest or b"<!ENTITY" in rest:
            raise declares_entities()
        cut = rest.rfind(b"<")
        scan.read(rest[:cut])
        rest = rest[cut:]
    scan.extent.check(limits)


class _Scan:
    def __init__(self, limits: ReadLimits) -> None:
        self.extent = SheetExtent()
        self._limits = limits
        self._row = 0
        self._next_row = 0
        self._column = 0

    def read(self, markup: bytes) -> None:
        for name, attributes in _TAG.findall(markup):
            if name == b"table":
                self.extent.check(self._limits)
                self.extent = SheetExtent()
                self._next_row = 0
            elif name == b"table-row":
                self._row = self._next_row
                self._next_row += _repeated(_ROWS, attributes)
                self._column = 0
            else:
                self._read_cell(attributes)

    def _read_cell(self, attributes: bytes) -> None:
        count = _repeated(_COLUMNS, attributes)
        if b"value-type" in attributes or not attributes.endswith(b"/"):
            self.extent.add(self._row, self._column, self._column + count - 1)
            self.extent.add(self._next_row - 1, self._column, self._column)
        self._column += count


def _repeated(pattern: re.Pattern[bytes], attributes: bytes) -> int:
    found = pattern.search(attributes)
    return max(int(found.group(1)), 1) if found else 1
