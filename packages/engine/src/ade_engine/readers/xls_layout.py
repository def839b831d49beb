"""A first walk through the records of an xls sheet: what is merged and hidden, and whether the rows are in order."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from ade_engine.cells import Range
from ade_engine.errors import InputError
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.xls_cells import LEAST_BYTES
from ade_engine.readers.xls_records import Record

_ROW, _COLUMNS, _MERGED = 0x0208, 0x007D, 0x00E5
_ROW_BYTES, _COLUMN_BYTES = 14, 10
_LAST_COLUMN = 255


class Layout:
    """What the records of a sheet say in addition to the cells. Rows and columns count from 1."""

    def __init__(self, records: Iterable[Record], *, version: int, limits: ReadLimits) -> None:
        self.merged: list[Range] = []
        self.hidden_rows: set[int] = set()
        self.hidden_columns: set[int] = set()
        self.is_ordered = True
        self._limits = limits
        least_bytes = LEAST_BYTES[2 if version == 2 else 8]
        last_row = 0
        for kind, data, start, length in records:
            least = least_bytes.get(kind)
            if least is not None:
                if length < least:
                    raise ValueError("a cell was cut off")
                row = data[start] | data[start + 1] << 8
                if row < last_row:
                    self.is_ordered = False
                last_row = row
            else:
                self._add(kind, data, start, length)

    def _add(self, kind: int, data: bytes, start: int, length: int) -> None:
        if kind == _ROW and length >= _ROW_BYTES:
            if data[start + 12] & 0x20:
                self.hidden_rows.add((data[start] | data[start + 1] << 8) + 1)
        elif kind == _COLUMNS and length >= _COLUMN_BYTES:
            if data[start + 8] & 1:
                first, last = struct.unpack_from("<HH", data, start)
                self.hidden_columns.update(range(first + 1, min(last, _LAST_COLUMN) + 2))
        elif kind == _MERGED:
            self._add_merged(data[start + 2 : start + length])

    def _add_merged(self, body: bytes) -> None:
        for first_row, last_row, first_column, last_column in struct.iter_unpack("<HHHH", body[: len(body) // 8 * 8]):
            if first_row <= last_row and first_column <= last_column:
                self.merged.append(Range(first_row + 1, first_column + 1, last_row + 1, last_column + 1))
        if len(self.merged) > self._limits.merged_ranges:
            raise InputError(
                f"The sheet has more than {self._limits.merged_ranges} merged ranges. Unmerge them.", cause="too_large"
            )
