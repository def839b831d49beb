"""Writes tables into the sheets of a template; the rows wait on disk, because formulas above them name their number."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from typing import IO, Any

from ade_engine.cells import Value, column_letters
from ade_engine.errors import ResourceLimitExceeded
from ade_engine.readers.limits import LAST_ROW
from ade_engine.records import record
from ade_engine.templates.references import Shift
from ade_engine.templates.sheet import Column, SheetParts, edited, last_row_beside, taken_apart
from ade_engine.templates.styles import TemplateStyles
from ade_engine.templates.template import FillArea, Template, TemplateSheet
from ade_engine.templates.workbook import new_part, other_parts
from ade_engine.writers.look import PLAIN, Look
from ade_engine.writers.names import sheet_name
from ade_engine.writers.spool import Spool
from ade_engine.writers.xlsx_cells import HEADER, Texts, column_tails, text_tail
from ade_engine.writers.xlsx_parts import sheet_head, sheet_tail

_COMPRESSION_LEVEL = 1
_NARROWEST, _WIDEST = 9, 50
_Chunk = tuple[list[Sequence[Value]], list[tuple[int, int]]]


@record(frozen=False)
class _Waiting:
    """A table whose rows wait: where it goes, and where its rows are in the spool."""

    name: str
    columns: Sequence[str]
    look: Look
    sheet: TemplateSheet
    area: FillArea
    is_new: bool
    places: Mapping[int, int]
    chunks: list[int] = field(default_factory=list)
    count: int = 0


class TemplateWriter:
    """A template that is being filled. Tables without a sheet in it get new sheets behind those it has."""

    def __init__(self, path: Path | IO[bytes], template: Template) -> None:
        self.paths = [path] if isinstance(path, Path) else []
        self._template = template
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL)
        self._spool = Spool()
        self._tables: list[_Waiting] = []
        self._names = {sheet.name.lower() for sheet in template.sheets}
        self._styles = TemplateStyles(template.parts[template.styles])
        self._texts = Texts()
        self._part: IO[bytes] | None = None

    @property
    def filled(self) -> dict[str, dict[str, Any]]:
        """Return what the artifact says of each table by its sheet: where its rows are, and what has no column."""
        return {
            table.name: {
                "file": self._template.file,
                "is_new_sheet": table.is_new,
                "header_row": table.area.header_row,
                "rows": table.count,
                "columns": {column_letters(column): table.columns[place] for column, place in table.places.items()},
                "left_out": [title for place, title in enumerate(table.columns) if place not in table.places.values()],
            }
            for table in self._tables
        }

    def begin_table(self, name: str, columns: Sequence[str], *, look: Look = PLAIN, is_issues: bool = False) -> str:
        """Start with the rows of a table; return the name of the sheet that takes them."""
        taken = [table.sheet.name for table in self._tables]
        sheet = None if is_issues else self._template.sheet_of(name, taken)
        if sheet is not None and sheet.area is not None:
            places = sheet.area.places(columns, self._template.names)
            if places:
                self._tables.append(_Waiting(sheet.name, columns, look, sheet, sheet.area, False, places))
                return sheet.name
        name = sheet_name(name, self._names)
        headers = dict(enumerate(columns, 1))
        area = FillArea(1, 2, 2, headers)
        new = TemplateSheet(name, new_part(self._template, sum(table.is_new for table in self._tables)), area, [])
        places = {column: column - 1 for column in headers}
        self._tables.append(_Waiting(name, columns, look, new, area, True, places))
        return name

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:
        """Take rows; `highlighted` cells are (index into `rows`, index of the column)."""
        if not rows:
            return
        table = self._tables[-1]
        table.count += len(rows)
        if table.area.header_row + table.count > LAST_ROW:
            raise ResourceLimitExceeded(
                f"A sheet of xlsx holds {LAST_ROW} rows, and the table has more. Choose csv as output.",
                resource="output",
            )
        table.chunks.append(self._spool.add((rows, list(highlighted))))

    def end_table(self) -> None:
        """Finish the table."""

    def close(self) -> None:
        """Write the workbook."""
        parts = self._template.parts
        shifts = {table.name.casefold(): self._shift(table) for table in self._tables if not table.is_new}
        filled = {table.sheet.part for table in self._tables}
        for sheet in self._template.sheets:
            if sheet.part not in filled:
                self._write(sheet.part, [edited(parts[sheet.part], sheet.name, shifts)])
        for table in self._tables:
            content = self._new_sheet(table) if table.is_new else parts[table.sheet.part]
            own = {table.name.casefold(): self._shift(table), **shifts}
            apart = taken_apart(content, table.sheet, table.area, table.places, own)
            self._write(table.sheet.part, self._sheet(table, apart))
        new = [table.name for table in self._tables if table.is_new]
        for name, part in other_parts(self._template, shifts, new):
            self._write(name, [part])
        self._write(self._template.styles, [self._styles.part()])
        self._zip.close()
        self._spool.close()

    def discard(self) -> None:
        """Give up: close and remove the file. What can't be written, on a full disk, is not missed."""
        self._spool.close()
        with suppress(OSError, ValueError):
            if self._part is not None:
                self._part.close()
        with suppress(OSError, ValueError):
            self._zip.close()
        for path in self.paths:
            path.unlink(missing_ok=True)

    def _write(self, name: str, content: Sequence[bytes] | Iterator[bytes]) -> None:
        # Opened by name, a part gets a fixed time: the bytes depend on the content alone.
        self._part = self._zip.open(name, "w", force_zip64=True)
        for piece in content:
            self._part.write(piece)
        self._part.close()
        self._part = None

    def _shift(self, table: _Waiting) -> Shift:
        area = table.area
        beside = 0 if table.is_new else last_row_beside(self._template.parts[table.sheet.part], area)
        return Shift(area.first, area.last, max(table.count, beside - area.first + 1, 1))

    def _new_sheet(self, table: _Waiting) -> bytes:
        """Return a sheet with a header alone, to be filled like one of the template."""
        widths = [min(max(len(title) + 2, _NARROWEST), _WIDEST) for title in table.columns]
        widths = [table.look.widths.get(place, width) for place, width in enumerate(widths)]
        bold = self._styles.style(0, HEADER, None)
        cells = [
            f'<c r="{column_letters(column)}1"{bold}{tail[tail.index(" t=") :]}'
            for column, tail in enumerate(map(text_tail, table.columns), 1)
        ]
        ref = f"A1:{column_letters(len(table.columns))}2" if table.look.has_filter and table.columns else None
        head = sheet_head(widths, is_frozen=table.look.is_frozen)
        return f'{head}<row r="1">{"".join(cells)}</row>{sheet_tail(ref)}'.encode()

    def _sheet(self, table: _Waiting, apart: SheetParts) -> Iterator[bytes]:
        yield apart.head
        first = table.area.first
        for place in table.chunks:
            rows, highlighted = self._spool.at(place)
            yield "".join(self._rendered(table, apart, (rows, highlighted), first)).encode()
            first += len(rows)
        for row in range(first, self._shift(table).end + 1):  # an area keeps one row, and those with cells beside it
            cells = [f'<c r="{column.letters}{row}" s="{column.style}"/>' for column in apart.columns if column.style]
            yield _with_cells_beside(f"{apart.row_tag % row}{''.join(cells)}</row>", apart.beside.get(row)).encode()
        yield apart.tail

    def _rendered(self, table: _Waiting, apart: SheetParts, chunk: _Chunk, first: int) -> list[str]:
        """Return the markup of rows: a text of the row is filled with what differs from row to row."""
        rows, highlighted = chunk
        marked = set(highlighted)
        numbers = range(first, first + len(rows))
        slots, parts = [apart.row_tag], [list(map(str, numbers))]
        values = list(zip(*rows, strict=True))
        for column in apart.columns:
            if column.place is not None:
                slots.append("%s")
                look = table.look.formats.get(column.place)
                parts.append(self._cells(column, values[column.place], look, marked, first))
            elif column.formula is not None:
                slots.append(f'<c r="{column.letters}%s"{_style(column)}><f>%s</f></c>')
                text, distances = column.formula, column.distances
                parts += [list(map(str, numbers)), [text % tuple(row + by for by in distances) for row in numbers]]
            elif column.style:
                slots.append(f'<c r="{column.letters}%s"{_style(column)}/>')
                parts.append(list(map(str, numbers)))
        text = "".join([*slots, "</row>"])
        written = [text % cells for cells in zip(*parts, strict=True)]
        for row in apart.beside.keys() & set(numbers):
            written[row - first] = _with_cells_beside(written[row - first], apart.beside[row])
        return written

    def _cells(
        self, column: Column, values: Sequence[Value], code: str | None, marked: set[tuple[int, int]], first: int
    ) -> list[str]:
        """Return the cells of a column, in the format of the template's first row."""
        styles, base = self._styles, column.style
        tails = column_tails(values, self._texts)
        cells = []
        for place, tail in enumerate(tails):
            start = f'<c r="{column.letters}{first + place}"'
            if (place, column.place) in marked:
                shown = styles.dressed(tail or "/>", base, code, is_highlighted=True)
            elif tail is None:
                shown = f"{_style(column)}/>" if base else ""
            else:
                shown = styles.dressed(tail, base, code)
            cells.append(f"{start}{shown}" if shown else "")
        return cells


def _style(column: Column) -> str:
    return f' s="{column.style}"' if column.style else ""


def _with_cells_beside(row: str, beside: tuple[str, str] | None) -> str:
    if beside is None:
        return row
    left, right = beside
    tag, _, cells = row.partition(">")
    return f"{tag}>{left}{cells.removesuffix('</row>')}{right}</row>"
