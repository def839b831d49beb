"""Reads xlsx and xlsm workbooks as a stream, in bounded memory."""

from __future__ import annotations

import posixpath
from functools import cached_property
from pathlib import Path

from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import SheetInfo
from ade_engine.readers.limits import DEFAULT_LIMITS, ReadLimits
from ade_engine.readers.number_formats import Calendar
from ade_engine.readers.relations import read_relations
from ade_engine.readers.xlsx_sheet import XlsxSheet
from ade_engine.readers.xlsx_strings import SpilledStrings, read_strings
from ade_engine.readers.xlsx_styles import Styles, read_styles
from ade_engine.readers.xlsx_values import Values, whole
from ade_engine.readers.xml_parts import elements

_VISIBILITY = {"hidden": "hidden", "veryHidden": "very_hidden"}
_DEFAULT_WORKBOOK = "xl/workbook.xml"


class XlsxWorkbook:
    """An open xlsx or xlsm document. Chart and macro sheets are not listed: they hold no cells."""

    def __init__(self, path: Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self._archive = Archive(path, limits=limits)
        try:
            self._read_parts()
        except InputError:
            self._archive.close()
            raise

    def _read_parts(self) -> None:
        self._part = self._find_workbook()
        self._relations = {relation.id: relation for relation in read_relations(self._archive, self._part)}
        self._parts: dict[int, str] = {}
        self._is_1904 = False
        self.sheets = self._read_sheets()
        if not self.sheets:
            raise InputError("The workbook has no sheet with cells. Check that it is the right file.", cause="empty")
        self.format = "xlsm" if self._has_macros() else "xlsx"

    def open_sheet(self, info: SheetInfo) -> XlsxSheet:
        """Open one of the sheets listed."""
        return XlsxSheet(self._archive, self._parts[info.index], info, values=self._values, styles=self._styles)

    @property
    def part(self) -> str:
        """Return the name of the part that lists the sheets."""
        return self._part

    @property
    def styles_part(self) -> str | None:
        """Return the name of the part of cell formats."""
        return self._related("styles")

    def part_of(self, info: SheetInfo) -> str:
        """Return the name of a sheet's part."""
        return self._parts[info.index]

    def close(self) -> None:
        """Close the file, and the temporary one of its texts."""
        self._archive.close()
        strings = self.__dict__.get("_strings")
        if isinstance(strings, SpilledStrings):
            strings.close()

    @cached_property
    def _styles(self) -> Styles:
        part = self._related("styles")
        return read_styles([self._archive.read(part)]) if part else Styles()

    @cached_property
    def _strings(self) -> list[str | None] | SpilledStrings:
        part = self._related("sharedStrings")
        return read_strings(self._archive.stream(part), limits=self._archive.limits) if part else []

    @cached_property
    def _values(self) -> Values:
        return Values(strings=self._strings, styles=self._styles, calendar=Calendar(is_1904=self._is_1904))

    def _find_workbook(self) -> str:
        for relation in read_relations(self._archive, ""):
            if relation.kind == "officeDocument" and relation.target in self._archive:
                return relation.target
        if _DEFAULT_WORKBOOK in self._archive:
            return _DEFAULT_WORKBOOK
        raise InputError("The file is a zip container but not a workbook. Save it as xlsx.", cause="unsupported")

    def _read_sheets(self) -> list[SheetInfo]:
        sheets: list[SheetInfo] = []
        active = 0
        index = -1
        for path, attributes in elements([self._archive.read(self._part)]):
            match path[1:]:
                case ("workbookPr",):
                    self._is_1904 = attributes.get("date1904", "0").lower() in ("1", "true", "on")
                case ("bookViews", "workbookView"):
                    active = whole(attributes.get("activeTab", "0"))
                case ("sheets", "sheet"):
                    index += 1
                    part = self._sheet_part(attributes.get("id", ""))
                    if part is not None:
                        self._parts[index] = part
                        sheets.append(_sheet(attributes, index=index, is_active=index == active))
                case _:
                    pass
        return sheets

    def _sheet_part(self, key: str) -> str | None:
        found = self._relations.get(key)
        if found is None or found.kind != "worksheet" or found.target not in self._archive:
            return None
        return found.target

    def _related(self, kind: str) -> str | None:
        for relation in self._relations.values():
            if relation.kind == kind and relation.target in self._archive:
                return relation.target
        fallback = posixpath.join(posixpath.dirname(self._part), f"{kind}.xml")
        return fallback if fallback in self._archive else None

    def _has_macros(self) -> bool:
        types = "[content_types].xml"
        return types in self._archive and b"macroEnabled.main" in self._archive.read(types)


def _sheet(attributes: dict[str, str], *, index: int, is_active: bool) -> SheetInfo:
    visibility = _VISIBILITY.get(attributes.get("state", ""), "visible")
    return SheetInfo(index=index, name=attributes.get("name", ""), visibility=visibility, is_active=is_active)
