"""Reads xlsb workbooks as a stream, in bounded memory."""

from __future__ import annotations

import struct
from functools import cached_property
from pathlib import Path

from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import SheetInfo
from ade_engine.readers.limits import DEFAULT_LIMITS, ReadLimits
from ade_engine.readers.number_formats import Calendar
from ade_engine.readers.relations import read_relations
from ade_engine.readers.xls_records import damage_as_input_error
from ade_engine.readers.xlsb_parts import read_styles, read_texts, records, wide_text
from ade_engine.readers.xlsb_sheet import XlsbSheet
from ade_engine.readers.xlsx_strings import SpilledStrings, kept_strings
from ade_engine.readers.xlsx_styles import Styles

_WORKBOOK = "xl/workbook.bin"
_PROPERTIES, _SHEET, _WINDOW = 153, 156, 158
_VISIBILITY = {1: "hidden", 2: "very_hidden"}


class XlsbWorkbook:
    """An open xlsb document. Chart and macro sheets are not listed: they have no cells."""

    format = "xlsb"

    def __init__(self, path: Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self._archive = Archive(path, limits=limits)
        try:
            self._relations = {one.id: one for one in read_relations(self._archive, _WORKBOOK)}
            self._parts: dict[int, str] = {}
            self._calendar = Calendar()
            with damage_as_input_error():
                self.sheets = self._read_sheets()
        except InputError:
            self._archive.close()
            raise
        if not self.sheets:
            self._archive.close()
            raise InputError("The workbook has no sheet with cells. Check that it is the right file.", cause="empty")

    def open_sheet(self, info: SheetInfo) -> XlsbSheet:
        """Open one of the sheets listed."""
        with damage_as_input_error():
            return XlsbSheet(
                self._archive,
                self._parts[info.index],
                info,
                strings=self._strings,
                styles=self._styles,
                calendar=self._calendar,
            )

    def close(self) -> None:
        """Close the file, and the temporary one of its texts."""
        self._archive.close()
        strings = self.__dict__.get("_strings")
        if isinstance(strings, SpilledStrings):
            strings.close()

    @cached_property
    def _styles(self) -> Styles:
        part = self._related("styles")
        return read_styles(self._archive.stream(part)) if part else Styles()

    @cached_property
    def _strings(self) -> list[str | None] | SpilledStrings:
        part = self._related("sharedStrings")
        return kept_strings(read_texts(self._archive.stream(part)), limits=self._archive.limits) if part else []

    def _read_sheets(self) -> list[SheetInfo]:
        sheets: list[SheetInfo] = []
        active = 0
        index = -1
        for kind, data, start, _ in records([self._archive.read(_WORKBOOK)]):
            if kind == _PROPERTIES:
                self._calendar = Calendar(is_1904=bool(data[start] & 1))
            elif kind == _WINDOW:
                active = struct.unpack_from("<I", data, start + 24)[0]
            elif kind == _SHEET:
                index += 1
                key = wide_text(data, start + 8)
                name = wide_text(data, start + 12 + 2 * struct.unpack_from("<I", data, start + 8)[0])
                visibility = _VISIBILITY.get(data[start], "visible")
                if self._has_cells(key, index):
                    sheets.append(SheetInfo(index=index, name=name, visibility=visibility, is_active=index == active))
        return sheets

    def _has_cells(self, key: str, index: int) -> bool:
        found = self._relations.get(key)
        if found is None or found.kind != "worksheet" or found.target not in self._archive:
            return False
        self._parts[index] = found.target
        return True

    def _related(self, kind: str) -> str | None:
        found = (one.target for one in self._relations.values() if one.kind == kind and one.target in self._archive)
        return next(found, None)
