"""One sheet of an xls workbook: the records around its cells, and the rows as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeVar

from ade_engine.cells import Range, Value
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.compound import Stream
from ade_engine.readers.findings import NOT_A_DATE, UNKNOWN_CHARACTERS
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.row_order import in_order
from ade_engine.readers.xls_cells import CellReader
from ade_engine.readers.xls_globals import Globals
from ade_engine.readers.xls_layout import Layout
from ade_engine.readers.xls_records import Record, damage_as_input_error, records

Item = TypeVar("Item")


class XlsSheet:
    """An open sheet. Its records are walked once for those after the cells, then for the cells."""

    def __init__(
        self, stream: Stream, start: int, end: int, info: SheetInfo, parts: Globals, *, limits: ReadLimits
    ) -> None:
        self.info = info
        self.styles: tuple[Style, ...] = parts.styles.styles
        self._reader: CellReader | None = None
        self._stream = stream
        self._start = start
        self._end = end
        self._parts = parts
        self._limits = limits

    @property
    def merged(self) -> list[Range]:
        """Merged ranges, in the order of the file."""
        return self._layout.merged

    @property
    def hidden_columns(self) -> frozenset[int]:
        """Columns that the sheet hides."""
        return frozenset(self._layout.hidden_columns)

    @property
    def formulas_without_value(self) -> int:
        """How many formulas, of the rows read so far, have no stored result."""
        return self._reader.formulas_without_value if self._reader else 0

    @property
    def findings(self) -> list[Finding]:
        """What could not be read as it was meant."""
        found = []
        if self._reader and self._reader.has_impossible_dates:
            found.append(NOT_A_DATE)
        if self._parts.texts.is_damaged:
            found.append(UNKNOWN_CHARACTERS)
        return found

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something, by ascending number."""
        layout = self._layout
        with damage_as_input_error():
            yield from self._rows() if layout.is_ordered else in_order(list(self._rows()))

    @cached_property
    def _layout(self) -> Layout:
        with damage_as_input_error():
            return Layout(self._records(), version=self._parts.version, limits=self._limits)

    def _records(self) -> Iterator[Record]:
        return records(self._stream, self._start, self._end)

    def _rows(self) -> Iterator[Row]:
        self._reader = reader = CellReader(self._parts)
        hidden_rows = self._layout.hidden_rows
        cell_count = 0
        for number, values, styles in _assembled(self._records(), reader, plain=self._parts.styles.plain):
            while values and values[-1] is None:
                values.pop()
            if values:
                cell_count += len(values)
                self._check(len(values), cell_count)
                yield Row(number + 1, values, self._known(styles, len(values)), number + 1 in hidden_rows)

    def _known(self, styles: list[int], count: int) -> list[int]:
        del styles[count:]
        if max(styles) < len(self.styles):
            return styles
        return [self._parts.styles.known(style) for style in styles]

    def _check(self, width: int, cell_count: int) -> None:
        limits = self._limits
        if width > limits.columns:
            raise InputError(
                f"The sheet has a cell beyond column {limits.columns}. Save it as xlsx.", cause="too_large"
            )
        most = limits.cells if self._layout.is_ordered else limits.unordered_cells
        if cell_count > most:
            raise InputError(
                f"The sheet spans more than {most} cells. Save it as xlsx, or split it into several files.",
                cause="too_large",
            )


def _assembled(
    walked: Iterator[Record], reader: CellReader, *, plain: int
) -> Iterator[tuple[int, list[Value], list[int]]]:
    """Yield number, values and styles of each row; a row whose cells do not stand together comes more than once."""
    number = column = 0
    values: list[Value] = []
    styles: list[int] = []
    for kind, data, start, length in walked:
        if (read := reader.single.get(kind)) is not None:
            if reader.is_text_awaited:
                values[column] = reader.awaited_text()
            row, column, style, value = read(data, start, length)
            if row == number and column == len(values):
                values.append(value)
                styles.append(style)
                continue
            new_styles, new_values = [style], [value]
        elif (read_several := reader.several.get(kind)) is not None:
            if reader.is_text_awaited:
                values[column] = reader.awaited_text()
            row, column, new_styles, new_values = read_several(data, start, length)
        else:
            reader.note(kind, data[start : start + length])
            continue
        if row != number:
            yield number, values, styles
            number, values, styles = row, [], []
        _put(values, new_values, column, None)
        _put(styles, new_styles, column, plain)
    if reader.is_text_awaited:
        values[column] = reader.awaited_text()
    yield number, values, styles


def _put(items: list[Item], new_items: list[Item], position: int, nothing: Item) -> None:
    """Write items from a position on, behind what is there or over it."""
    if position > len(items):
        items += [nothing] * (position - len(items))
    items[position : position + len(new_items)] = new_items
