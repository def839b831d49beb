"""Writes xlsx workbooks as a stream, in constant memory; the same tables give the same bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from ade_engine.cells import Value, column_letters
from ade_engine.errors import ResourceLimitExceeded
from ade_engine.writers.look import NO_TEMPLATE, PLAIN, Look
from ade_engine.writers.names import sheet_name
from ade_engine.writers.xlsx_cells import (
    NumberFormats,
    Texts,
    column_tails,
    header_tail,
    highlight,
    styled,
    uniform_slot,
)
from ade_engine.writers.xlsx_parts import container_parts, sheet_head, sheet_tail, table_parts

LAST_ROW = 1_048_576

_BATCH_ROWS = 512
_LARGEST_PART_BYTES = 2**31 - 2**24
# Measured: higher levels take much more time than they save space.
_COMPRESSION_LEVEL = 1
_WIDEST, _NARROWEST = 50, 9
_WIDTH_ROWS = 100


class XlsxWriter:
    """An open workbook. Rows wait in a small batch, because whole columns are rendered faster than single cells."""

    filled: Mapping[str, dict[str, Any]] = NO_TEMPLATE

    def __init__(self, path: Path) -> None:
        self.paths = [path]
        self._zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_COMPRESSION_LEVEL)
        self._names: list[str] = []
        self._taken: set[str] = set()
        self._texts = Texts()
        self._formats = NumberFormats()
        self._sheet: _SheetWriter | None = None
        self._tables: dict[int, dict[str, str]] = {}  # by the number of the sheet

    def begin_table(
        self,
        name: str,
        columns: Sequence[str],
        *,
        look: Look = PLAIN,
        is_issues: bool = False,  # noqa: ARG002
    ) -> str:
        """Start a sheet with a header row; return its name."""
        name = sheet_name(name, self._taken)
        self._names.append(name)
        # Opened by name, a part gets a fixed time: the bytes depend on the content alone.
        part = self._zip.open(f"xl/worksheets/sheet{len(self._names)}.xml", "w")
        styles = {index: self._formats.style_of(form) for index, form in look.formats.items()}
        self._sheet = _SheetWriter(part, columns, texts=self._texts, look=look, styles=styles)
        return name

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:
        """Write rows; `highlighted` cells are (index into `rows`, index of the column)."""
        if self._sheet is None:
            raise ValueError("begin_table comes before write_rows")
        self._sheet.add(rows, highlighted)

    def end_table(self) -> None:
        """Finish the sheet."""
        if self._sheet is not None:
            if ref := self._sheet.finish():
                number = len(self._names)
                self._tables[number] = table_parts(number, self._names[-1], ref, self._sheet.columns)
            self._sheet = None

    def close(self) -> None:
        """Finish the workbook; one without tables gets an empty sheet, because a workbook needs one."""
        if not self._names:
            self.begin_table("Sheet", [])
        self.end_table()
        parts = container_parts(self._names, self._formats.codes, tables=list(self._tables))
        for table in self._tables.values():
            parts |= table
        for name, text in parts.items():
            with self._zip.open(name, "w") as part:
                part.write(text.encode())
        self._zip.close()

    def discard(self) -> None:
        """Give up: close and remove the file. What can't be written, on a full disk, is not missed."""
        with suppress(OSError, ValueError):
            if self._sheet is not None:
                self._sheet.abandon()
        with suppress(OSError, ValueError):
            self._zip.close()
        self.paths[0].unlink(missing_ok=True)


class _SheetWriter:
    def __init__(
        self,
        part: IO[bytes],
        columns: Sequence[str],
        *,
        texts: Texts,
        look: Look,
        styles: Mapping[int, int],
    ) -> None:
        self._part = part
        self.columns = columns
        self._letters = [column_letters(index) for index in range(1, len(columns) + 1)]
        self._texts = texts
        self._look = look
        self._styles = styles
        self._waiting: list[Sequence[Value]] = []
        self._highlighted: set[tuple[int, int]] = set()
        self._row_count = 0
        self._byte_count = 0

    def add(self, rows: Sequence[Sequence[Value]], highlighted: Collection[tuple[int, int]]) -> None:
        waiting = len(self._waiting)
        self._waiting.extend(rows)
        self._highlighted.update((row + waiting, column) for row, column in highlighted)
        if len(self._waiting) >= _BATCH_ROWS:
            self._flush()

    def finish(self) -> str | None:
        """End the sheet; return the range of its Excel table, if it is one: with a row, and headers that differ."""
        self._flush()
        ref = f"A1:{self._letters[-1]}{self._row_count}" if self.columns else None
        is_unlike = len({title.casefold() for title in self.columns}) == len(self.columns) and all(self.columns)
        is_table = self._look.is_excel_table and self._row_count > 1 and is_unlike
        is_filtered = self._look.has_filter and not is_table
        self._write([sheet_tail(ref if is_filtered else None, has_table=is_table)])
        self._part.close()
        return ref if is_table else None

    def abandon(self) -> None:
        self._part.close()

    def _flush(self) -> None:
        if not self._row_count:
            self._begin()
        first = self._row_count + 1
        self._row_count += len(self._waiting)
        if self._row_count > LAST_ROW:
            raise ResourceLimitExceeded(
                f"A sheet of xlsx holds {LAST_ROW} rows, and the table has more. Choose csv as output.",
                resource="output",
            )
        if self._waiting:
            self._write(self._render(first))
        self._waiting = []
        self._highlighted = set()

    def _begin(self) -> None:
        self._write([sheet_head(self._widths(), is_frozen=self._look.is_frozen)])
        self._row_count = 1
        cells = [
            f'<c r="{letters}1"{header_tail(header)}'
            for letters, header in zip(self._letters, self.columns, strict=True)
        ]
        self._write([f'<row r="1">{"".join(cells)}</row>'])

    def _widths(self) -> list[int]:
        widths = [len(header) + 2 for header in self.columns]
        for row in self._waiting[:_WIDTH_ROWS]:
            for index, value in enumerate(row):
                if isinstance(value, str) and len(value) >= widths[index]:
                    widths[index] = len(value) + 1
        usual = [min(max(width, _NARROWEST), _WIDEST) for width in widths]
        return [self._look.widths.get(index, width) for index, width in enumerate(usual)]

    def _render(self, first: int) -> Iterable[str]:
        """Yield the markup of the waiting rows: a template of the row is filled with what differs from row to row."""
        numbers = [str(number) for number in range(first, first + len(self._waiting))]
        slots = ['<row r="%s">']
        parts: list[Sequence[object]] = [numbers]
        for index, values in enumerate(zip(*self._waiting, strict=True)):
            start = f'<c r="{self._letters[index]}'
            slot = None if self._highlighted else uniform_slot(values)
            if slot is not None:
                slots.append(f'{start}%s"{styled(slot, self._styles[index]) if index in self._styles else slot}')
                parts += (numbers, values)
            else:
                self._add_column(start, self._tails(index, values), numbers=numbers, slots=slots, parts=parts)
        template = "".join([*slots, "</row>"])
        return map(template.__mod__, zip(*parts, strict=True))

    def _tails(self, index: int, values: Sequence[Value]) -> list[str | None]:
        tails = column_tails(values, self._texts)
        if (style := self._styles.get(index)) is not None:
            tails = [tail and styled(tail, style) for tail in tails]
        if not self._highlighted:
            return tails
        return [highlight(tail) if (row, index) in self._highlighted else tail for row, tail in enumerate(tails)]

    @staticmethod
    def _add_column(
        start: str,
        tails: list[str | None],
        *,
        numbers: list[str],
        slots: list[str],
        parts: list[Sequence[object]],
    ) -> None:
        if None in tails:
            slots.append("%s")
            parts.append(
                ["" if tail is None else f'{start}{number}"{tail}' for number, tail in zip(numbers, tails, strict=True)]
            )
        else:
            slots.append(f'{start}%s"%s')
            parts += (numbers, tails)

    def _write(self, texts: Iterable[str]) -> None:
        data = "".join(texts).encode()
        self._byte_count += len(data)
        if self._byte_count > _LARGEST_PART_BYTES:
            raise ResourceLimitExceeded(
                "A sheet of the output takes more than 2 GB. Choose csv as output.", resource="output"
            )
        self._part.write(data)
