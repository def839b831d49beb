"""One sheet of an ods document: the rows as a stream, out of the markup of its table."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ade_engine.cells import Range, Value
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.ods_cells import read_value
from ade_engine.readers.ods_markup import CELLS, HIDDEN, Walker, repeated_columns, repeated_rows
from ade_engine.readers.ods_styles import OdsStyles
from ade_engine.readers.xml_parts import parsing
from ade_engine.records import record

CONTENT = "content.xml"

_Run = tuple[Value, str | None, int]
"""A value, the name of its style, and the number of columns it fills."""

# Line ends in the markup and the spaces around them. Other spaces are text: LibreOffice writes several in a row into
# cells of more than one paragraph or font, and reads them so, although ODF has an element for them.
_LINE_ENDS = re.compile(r"(?<![ \t])[ \t]*+[\r\n][ \t\r\n]*+")
# Stand for the elements of white space, which remain as they are; no character of XML is equal to them.
_SPACE, _TAB, _BREAK = "\x01", "\x02", "\x03"
_ELEMENTS = str.maketrans({_SPACE: " ", _TAB: "\t", _BREAK: "\n"})


@record
class Table:
    """A table of the document: where its markup begins, and the elements around its cells."""

    name: str
    position: int
    is_hidden: bool
    merged: list[Range]
    hidden_columns: set[int]
    column_styles: list[int]


class OdsSheet:
    """An open sheet."""

    findings: tuple[Finding, ...] = ()

    def __init__(self, archive: Archive, info: SheetInfo, table: Table, styles: OdsStyles) -> None:
        self.info = info
        self.merged = table.merged
        self.hidden_columns = frozenset(table.hidden_columns)
        self.styles: tuple[Style, ...] = tuple(styles.styles)
        self.formulas_without_value = 0
        self._archive = archive
        self._table = table
        self._named_styles = styles

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something, by ascending number."""
        limits = self._archive.limits
        reader = TableReader(self._table, self._named_styles, limits=limits)
        number = cell_count = 0
        for row, count in self._read(reader):
            self.formulas_without_value = reader.formulas_without_value
            for repeated in range(number + 1, number + count + 1 if row.values else 0):
                cell_count += len(row.values)
                if repeated > limits.rows or cell_count > limits.cells:
                    raise too_many(limits.cells)
                yield Row(repeated, list(row.values), row.styles, row.is_hidden)
            number += count

    def _read(self, reader: TableReader) -> Iterator[tuple[Row, int]]:
        with parsing():
            for chunk in self._archive.stream(CONTENT):
                reader.parser.Parse(chunk, False)
                yield from reader.rows
                reader.rows.clear()
                if reader.is_done:
                    return
            reader.parser.Parse(b"", True)


class TableReader(Walker):
    """Reads the rows of one table into `rows`, each with how often it is repeated."""

    def __init__(self, table: Table, styles: OdsStyles, *, limits: ReadLimits) -> None:
        super().__init__()
        self.parser.CharacterDataHandler = self._add_text
        self.rows: list[tuple[Row, int]] = []
        self.is_done = False
        self.formulas_without_value = 0
        self._table = table
        self._styles = styles
        self._limits = limits
        self._repeated_count = 0
        # How long the path is at the tag of the table and of the cell; 0 while none is open.
        self._table_depth = self._cell_depth = 0
        self._row: dict[str, str] = {}
        self._cell: dict[str, str] = {}
        self._runs: list[_Run] = []
        self._paragraphs: list[str] = []
        self._is_text = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Begin a row, a cell, or a paragraph of it."""
        if not self._table_depth:
            if name == "table" and self.parser.CurrentByteIndex == self._table.position:
                self._table_depth = len(self.path)
        elif self._cell_depth:
            if self._is_text:
                self._paragraphs[-1] += _mark(name, attributes)
            elif name == "p" and len(self.path) == self._cell_depth + 1:
                self._is_text = True
                self._paragraphs.append("")
        elif name in CELLS:
            self._cell_depth = len(self.path)
            self._cell, self._paragraphs = attributes, []
        elif name == "table-row":
            self._row, self._runs = attributes, []

    def end(self, name: str) -> None:
        """End a paragraph, a cell, a row, or the table."""
        depth = len(self.path)
        if self._cell_depth:
            if depth == self._cell_depth:
                self._cell_depth = 0
                self._add_cell()
            elif depth == self._cell_depth + 1:
                self._end_paragraph()
        elif self._table_depth and depth == self._table_depth:
            self._table_depth = 0
            self.is_done = True
        elif self._table_depth and name == "table-row":
            self._add_row()

    def _add_text(self, data: str) -> None:
        """Take characters of a paragraph."""
        if self._is_text:
            self._paragraphs[-1] += data

    def _end_paragraph(self) -> None:
        if self._is_text:
            self._is_text = False
            text = self._paragraphs[-1]
            if "\n" in text or "\r" in text:
                text = _LINE_ENDS.sub(_between_words, text)
            self._paragraphs[-1] = text.translate(_ELEMENTS)

    def _add_cell(self) -> None:
        cell = self._cell
        style = cell.get("style-name") or self._row.get("default-cell-style-name")
        is_elapsed = cell.get("value-type") == "time" and self._styles.is_elapsed(style)
        value = read_value(cell, "\n".join(self._paragraphs), is_elapsed=is_elapsed)
        if value is None and "formula" in cell and "value-type" not in cell:
            self.formulas_without_value += 1
        self._runs.append((value, style, repeated_columns(cell)))

    def _add_row(self) -> None:
        while self._runs and self._runs[-1][0] is None:
            self._runs.pop()
        values: list[Value] = []
        styles: list[int] = []
        for value, style, count in self._runs:
            self._check(len(values) + count, count - 1 if value is not None else 0)
            styles += [self._styles.index(style)] * count if style else self._defaults(len(values), count)
            values += [value] * count
        count = repeated_rows(self._row)
        self._check(len(values), len(values) * (count - 1))
        self.rows.append((Row(0, values, styles, self._row.get("visibility") in HIDDEN), count))

    def _defaults(self, first: int, count: int) -> list[int]:
        styles = self._table.column_styles[first : first + count]
        return styles + [0] * (count - len(styles))

    def _check(self, width: int, repeated: int) -> None:
        self._repeated_count += repeated
        if width > self._limits.columns or self._repeated_count > self._limits.repeated_cells:
            raise too_many(self._limits.repeated_cells if width <= self._limits.columns else self._limits.columns)


def too_many(most: int) -> InputError:
    """Return the error for a sheet with more cells, rows or columns than are read."""
    return InputError(f"The sheet has or repeats more cells than can be read ({most}). Split it.", cause="too_large")


def _between_words(found: re.Match[str]) -> str:
    is_at_edge = found.start() == 0 or found.end() == len(found.string)
    return "" if is_at_edge else " "


def _mark(name: str, attributes: dict[str, str]) -> str:
    if name == "s":
        count = attributes.get("c", "1")
        return _SPACE * (int(count) if count.isdecimal() and len(count) < 5 else 1)
    return {"tab": _TAB, "line-break": _BREAK}.get(name, "")
