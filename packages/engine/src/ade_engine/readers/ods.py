"""Reads ods documents as a stream, in bounded memory."""

from __future__ import annotations

import re
from pathlib import Path

from ade_engine.cells import Range
from ade_engine.errors import InputError
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import SheetInfo
from ade_engine.readers.compound import encrypted
from ade_engine.readers.limits import DEFAULT_LIMITS, LAST_COLUMN, ReadLimits
from ade_engine.readers.ods_markup import CELLS, HIDDEN, Walker, repeated_columns, repeated_rows, spanned
from ade_engine.readers.ods_sheet import CONTENT, OdsSheet, Table
from ade_engine.readers.ods_styles import OdsStyles
from ade_engine.readers.xml_parts import elements, parsing

_MANIFEST, _STYLES, _SETTINGS = "META-INF/manifest.xml", "styles.xml", "settings.xml"
_ACTIVE = re.compile(rb'config:name="ActiveTable"[^>]*>([^<]*)<')
_AROUND = frozenset({"table-column", "table-row", *CELLS})
_STYLE_PARTS = ("automatic-styles", "styles")


class OdsWorkbook:
    """An open ods document."""

    format = "ods"

    def __init__(self, path: Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self._archive = Archive(path, limits=limits)
        try:
            self._read_parts()
        except InputError:
            self._archive.close()
            raise
        if not self.sheets:
            self._archive.close()
            raise InputError("The workbook has no sheet with cells. Check that it is the right file.", cause="empty")

    def open_sheet(self, info: SheetInfo) -> OdsSheet:
        """Open one of the sheets listed."""
        return OdsSheet(self._archive, info, self._tables[info.index], self._styles)

    def close(self) -> None:
        """Close the file."""
        self._archive.close()

    def _read_parts(self) -> None:
        if _MANIFEST in self._archive and b"encryption-data" in self._archive.read(_MANIFEST):
            raise encrypted()
        self._styles = OdsStyles()
        if _STYLES in self._archive:
            for path, attributes in elements([self._archive.read(_STYLES)]):
                self._styles.add(path, attributes)
        index = _DocumentIndex(self._styles, limits=self._archive.limits)
        with parsing():
            for chunk in self._archive.stream(CONTENT):
                index.parser.Parse(chunk, False)
            index.parser.Parse(b"", True)
        self._tables = index.tables
        self._styles.resolve()
        self.sheets = self._listed()

    def _listed(self) -> list[SheetInfo]:
        """Return the sheets; the first visible one is active where the settings name none."""
        active = self._active_name()
        names = [table.name for table in self._tables if not table.is_hidden]
        active = active if active in names else next(iter(names), "")
        return [
            SheetInfo(
                index=index,
                name=table.name,
                visibility="hidden" if table.is_hidden else "visible",
                is_active=table.name == active,
            )
            for index, table in enumerate(self._tables)
        ]

    def _active_name(self) -> str:
        found = _ACTIVE.search(self._archive.read(_SETTINGS)) if _SETTINGS in self._archive else None
        return found.group(1).decode("utf-8", "replace") if found else ""


class _DocumentIndex(Walker):
    """Finds the tables of a document, and the elements around their cells."""

    def __init__(self, styles: OdsStyles, *, limits: ReadLimits) -> None:
        super().__init__()
        self.tables: list[Table] = []
        self._styles = styles
        self._limits = limits
        self._row = self._column = self._columns = 0
        self._row_count = 1

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Take a style, a table, or a column, row or cell of it."""
        path = self.path
        if len(path) > 2 and path[1] in _STYLE_PARTS:
            self._styles.add(tuple(path), attributes)
        elif name == "table" and path[-2:-1] == ["spreadsheet"]:
            self._add_table(attributes)
        elif name in _AROUND and path.count("table") == 1:  # a table may stand in a cell of another
            self._add_part(name, attributes)

    def _add_part(self, name: str, attributes: dict[str, str]) -> None:
        if name == "table-column":
            self._add_columns(attributes)
        elif name == "table-row":
            self._row += self._row_count
            self._row_count, self._column = repeated_rows(attributes), 0
        else:
            self._add_cell(attributes)

    def _add_table(self, attributes: dict[str, str]) -> None:
        is_hidden = attributes.get("style-name") in self._styles.hidden_tables
        self.tables.append(Table(attributes.get("name", ""), self.parser.CurrentByteIndex, is_hidden, [], set(), []))
        self._row, self._row_count, self._columns = 0, 1, 0
        if len(self.tables) > self._limits.entries:
            raise InputError("The document has too many sheets. Split it into several files.", cause="too_large")

    def _add_columns(self, attributes: dict[str, str]) -> None:
        first, self._columns = self._columns, min(self._columns + repeated_columns(attributes), LAST_COLUMN)
        table = self.tables[-1]
        if attributes.get("visibility") in HIDDEN:
            table.hidden_columns.update(range(first + 1, self._columns + 1))
        style = self._styles.index(attributes.get("default-cell-style-name"))
        table.column_styles.extend([style] * (self._columns - first))

    def _add_cell(self, attributes: dict[str, str]) -> None:
        if "number-columns-spanned" in attributes or "number-rows-spanned" in attributes:
            self._add_merged(*spanned(attributes))
        self._column += repeated_columns(attributes)

    def _add_merged(self, rows: int, columns: int) -> None:
        merged = self.tables[-1].merged
        first = self._column + 1
        if rows > 1 or columns > 1:
            merged.append(Range(self._row, first, self._row + rows - 1, first + columns - 1))
        if len(merged) > self._limits.merged_ranges:
            raise InputError("The sheet has too many merged ranges. Unmerge them.", cause="too_large")
