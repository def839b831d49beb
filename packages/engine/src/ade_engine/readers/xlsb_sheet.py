"""One sheet of an xlsb workbook: the records around its cells, and the rows as a stream."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import cached_property

from ade_engine.cells import Range, Value
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.binary_values import Numbers, error_value, unpacked
from ade_engine.readers.findings import NOT_A_DATE
from ade_engine.readers.limits import LAST_COLUMN
from ade_engine.readers.number_formats import Calendar
from ade_engine.readers.xls_records import damage_as_input_error
from ade_engine.readers.xlsb_parts import records, wide_text
from ade_engine.readers.xlsx_strings import Strings
from ade_engine.readers.xlsx_styles import Styles

_ROW, _COLUMNS, _CELLS_END, _MERGED = 0, 60, 146, 176
_HIDDEN_ROW = 0x10
_PLACE = struct.Struct("<II").unpack_from
_U32 = struct.Struct("<I").unpack_from
_I32 = struct.Struct("<i").unpack_from
_DOUBLE = struct.Struct("<d").unpack_from

Read = Callable[[bytes, int], Value]
"""What makes a value of the bytes behind a cell's column and style, and of the style."""


class XlsbSheet:
    """An open sheet. Its records are walked once for those around the cells, then for the cells."""

    formulas_without_value = 0

    def __init__(
        self, archive: Archive, part: str, info: SheetInfo, *, strings: Strings, styles: Styles, calendar: Calendar
    ) -> None:
        self.info = info
        self.styles: tuple[Style, ...] = styles.styles
        self._archive = archive
        self._part = part
        self._strings = strings
        self._looks = styles
        self._numbers = Numbers(styles, calendar)

    @property
    def merged(self) -> list[Range]:
        """Merged ranges, in the order of the file."""
        return self._layout[0]

    @property
    def hidden_columns(self) -> frozenset[int]:
        """Columns that the sheet hides."""
        return self._layout[1]

    @property
    def findings(self) -> list[Finding]:
        """What could not be read as it was meant."""
        return [NOT_A_DATE] if self._numbers.has_impossible_dates else []

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something, by ascending number."""
        last_number = cell_count = 0
        limits = self._archive.limits
        with damage_as_input_error():
            for row in self._rows():
                if row.number <= last_number or row.number > limits.rows:
                    raise ValueError("rows are not in order")
                last_number = row.number
                cell_count += len(row.values)
                if cell_count > limits.cells:
                    raise InputError(f"The sheet spans more than {limits.cells} cells. Split it.", cause="too_large")
                yield row

    @cached_property
    def _layout(self) -> tuple[list[Range], frozenset[int]]:
        merged: list[Range] = []
        hidden: set[int] = set()
        with damage_as_input_error():
            for kind, data, start, _ in records(self._archive.stream(self._part)):
                if kind == _MERGED:
                    first_row, last_row, first, last = struct.unpack_from("<IIII", data, start)
                    merged.append(Range(first_row + 1, first + 1, last_row + 1, last + 1))
                elif kind == _COLUMNS and data[start + 16] & 1:
                    first, last = _PLACE(data, start)
                    hidden.update(range(first + 1, min(last + 1, LAST_COLUMN) + 1))
        if len(merged) > self._archive.limits.merged_ranges:
            raise InputError("The sheet has too many merged ranges. Unmerge them.", cause="too_large")
        return merged, frozenset(hidden)

    def _rows(self) -> Iterator[Row]:
        readers = self._readers()
        number, is_hidden = 0, False
        values: list[Value] = []
        styles: list[int] = []
        for kind, data, start, length in records(self._archive.stream(self._part)):
            if kind == _ROW:
                yield from _filled(number, values, styles, is_hidden=is_hidden)
                number, is_hidden = _U32(data, start)[0] + 1, bool(data[start + 11] & _HIDDEN_ROW)
                values, styles = [], []
            elif (read := readers.get(kind)) is not None:
                column, style = _PLACE(data, start)
                self._fill(values, styles, column)
                style = self._looks.known(style & 0xFFFFFF)
                # A slice, because it stands behind the row, or over a cell that came before.
                values[column : column + 1] = (read(data[start + 8 : start + length], style),)
                styles[column : column + 1] = (style,)
            elif kind == _CELLS_END:
                break  # behind them, the same kinds mean other things
        yield from _filled(number, values, styles, is_hidden=is_hidden)

    def _fill(self, values: list[Value], styles: list[int], column: int) -> None:
        """Fill up a row to a column with empty cells."""
        if column >= self._archive.limits.columns:
            raise InputError(
                f"The sheet has a cell beyond column {self._archive.limits.columns}. Save it again as xlsx.",
                cause="too_large",
            )
        if column > len(values):
            styles += [self._looks.plain] * (column - len(values))
            values += [None] * (column - len(values))

    def _readers(self) -> dict[int, Read]:
        numbers = self._numbers

        def short_number(body: bytes, style: int) -> Value:
            return numbers.value(unpacked(_I32(body)[0]), style)

        def long_number(body: bytes, style: int) -> Value:
            return numbers.value(_DOUBLE(body)[0], style)

        return {
            1: lambda _body, _style: None,
            2: short_number,
            **dict.fromkeys((3, 11), lambda body, _style: error_value(body[0])),
            **dict.fromkeys((4, 10), lambda body, _style: bool(body[0])),
            **dict.fromkeys((5, 9), long_number),
            **dict.fromkeys((6, 8), lambda body, _style: wide_text(body, 0) or None),
            7: lambda body, _style: self._strings[_U32(body)[0]],
            62: lambda body, _style: wide_text(body, 1) or None,
        }


def _filled(number: int, values: list[Value], styles: list[int], *, is_hidden: bool) -> Iterator[Row]:
    while values and values[-1] is None:
        values.pop()
    if values:
        yield Row(number, values, styles[: len(values)], is_hidden)
