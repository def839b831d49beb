"""Decodes the cell records of an xls sheet, one function for each kind of record."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import lru_cache

from ade_engine.cells import Value
from ade_engine.readers.binary_values import Numbers, error_value, unpacked
from ade_engine.readers.xls_globals import Globals
from ade_engine.readers.xls_records import CONTINUE

LEAST_BYTES = {
    8: {
        **dict.fromkeys((0x0201, 0x00BE), 6),
        **dict.fromkeys((0x0204, 0x00D6, 0x0205), 8),
        **dict.fromkeys((0x00FD, 0x027E), 10),
        0x00BD: 12,
        **dict.fromkeys((0x0203, 0x0006, 0x0206, 0x0406), 14),
    },
    2: {0x0001: 7, 0x0002: 9, 0x0003: 15, 0x0004: 8, 0x0005: 9, 0x0006: 15},
}
"""The cell records, and how long each kind is at least; by version, BIFF 3 to 8 under 8."""

Cell = tuple[int, int, int, Value]
"""Row, column, index of the style, and value."""
Cells = tuple[int, int, list[int], list[Value]]
"""The same of several adjacent cells: row, first column, styles, and values."""

_TEXT, _STYLE_INDEX = (0x0207, 0x0007), 0x0044
_PLACE = struct.Struct("<HHH").unpack_from
_NUMBER = struct.Struct("<HHHd").unpack_from
_TEXT_INDEX = struct.Struct("<HHHI").unpack_from
_SHORT_NUMBER = struct.Struct("<HHHi").unpack_from
_DOUBLE = struct.Struct("<d").unpack_from


class CellReader:
    """Decodes the cells of one sheet.

    The text of a formula comes in records of its own: `is_text_awaited` until `awaited_text` is asked for it.
    """

    def __init__(self, parts: Globals) -> None:
        self._parts = parts
        self._texts = parts.texts
        self._strings = parts.strings
        self._numbers = Numbers(parts.styles, parts.calendar)
        self._text_pieces: list[bytes] = []
        self.is_text_awaited = False
        self.default_style = 0
        """Of BIFF 2: the style of the cells that have no room for it."""
        self.formulas_without_value = 0
        self.single = self._readers()
        self.several = {} if parts.version == 2 else {0x00BD: self._short_numbers, 0x00BE: self._blanks}

    @property
    def has_impossible_dates(self) -> bool:
        """Return whether a number with a date format was no date."""
        return self._numbers.has_impossible_dates

    def note(self, kind: int, body: bytes) -> None:
        """Take a record that is no cell, if cells depend on it."""
        if self.is_text_awaited and (kind in _TEXT or (kind == CONTINUE and self._text_pieces)):
            self._text_pieces.append(body)
        elif kind == _STYLE_INDEX and len(body) >= 2:
            self.default_style = int.from_bytes(body[:2], "little")

    def awaited_text(self) -> Value:
        """Return the text of the formula read last."""
        self.is_text_awaited = False
        if not self._text_pieces:
            self.formulas_without_value += 1
            return None
        pieces, self._text_pieces = self._text_pieces, []
        if self._parts.version == 2:
            return self._texts.short(pieces[0], 0) or None
        return self._texts.split(pieces) or None

    def _readers(self) -> dict[int, Callable[[bytes, int, int], Cell]]:
        if self._parts.version == 2:
            return {1: self._blank, 2: self._integer, 3: self._number_2, 4: self._text, 5: self._flag, 6: self._formula}
        return {
            0x0203: self._number,
            0x00FD: self._shared_text,
            0x027E: self._short_number,
            0x0201: self._blank,
            0x0204: self._text,
            0x00D6: self._text,
            0x0205: self._flag,
            **dict.fromkeys((0x0006, 0x0206, 0x0406), self._formula),
        }

    def _number(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, number = _NUMBER(data, start)
        return row, column, style, self._numbers.value(number, style)

    def _shared_text(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, index = _TEXT_INDEX(data, start)
        return row, column, style, self._strings[index]

    def _short_number(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, packed = _SHORT_NUMBER(data, start)
        number = unpacked(packed)
        return row, column, style, self._numbers.moment(number, style) if style in self._numbers.moments else number

    def _short_numbers(self, data: bytes, start: int, length: int) -> Cells:
        row, column, *fields = _pairs((length - 6) // 6)(data, start)
        styles = fields[0::2]
        numbers: list[Value] = [unpacked(packed) for packed in fields[1::2]]
        if not self._numbers.moments.keys().isdisjoint(styles):
            numbers = [
                self._numbers.moment(number, style) if style in self._numbers.moments else number  # type: ignore[arg-type]
                for number, style in zip(numbers, styles, strict=True)
            ]
        return row, column, styles, numbers

    def _blank(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, _ = self._place(data, start)
        return row, column, style, None

    def _blanks(self, data: bytes, start: int, length: int) -> Cells:
        row, column, *styles = struct.unpack_from(f"<{length // 2 - 1}H", data, start)
        return row, column, styles, [None] * len(styles)

    def _text(self, data: bytes, start: int, length: int) -> Cell:
        row, column, style, body = self._place(data, start)
        read = self._texts.short if self._parts.version == 2 else self._texts.long
        return row, column, style, read(data[body : start + length], 0) or None

    def _flag(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, body = self._place(data, start)
        return row, column, style, error_value(data[body]) if data[body + 1] else bool(data[body])

    def _integer(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, body = self._place(data, start)
        return row, column, style, self._numbers.value(data[body] | data[body + 1] << 8, style)

    def _number_2(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, body = self._place(data, start)
        return row, column, style, self._numbers.value(_DOUBLE(data, body)[0], style)

    def _formula(self, data: bytes, start: int, _length: int) -> Cell:
        row, column, style, body = self._place(data, start)
        if data[body + 6 : body + 8] != b"\xff\xff":
            return row, column, style, self._numbers.value(_DOUBLE(data, body)[0], style)
        value: Value = None
        match data[body]:
            case 0:
                self.is_text_awaited = True
            case 1:
                value = bool(data[body + 2])
            case 2:
                value = error_value(data[body + 2])
            case _:  # 3: a text without characters
                pass
        return row, column, style, value

    def _place(self, data: bytes, start: int) -> tuple[int, int, int, int]:
        """Return row, column, style, and where the content begins."""
        row, column, style = _PLACE(data, start)
        if self._parts.version != 2:
            return row, column, style, start + 6
        if self._parts.has_cell_formats:
            style &= 0x3F
            return row, column, self.default_style if style == 0x3F else style, start + 7
        # Font and number format, as xls_styles.py lists them for such files.
        return row, column, style >> 8, start + 7


@lru_cache(256)
def _pairs(count: int) -> Callable[[bytes, int], tuple[int, ...]]:
    """Return what unpacks row, first column, and this many pairs of style and RK value."""
    return struct.Struct("<HH" + "Hi" * count).unpack_from
