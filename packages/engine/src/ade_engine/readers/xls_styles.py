"""Reads the FONT, FORMAT and XF records of an xls workbook: how each cell format looks, and what numbers in it mean."""

from __future__ import annotations

import struct

from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.number_formats import BUILT_IN_FORMATS, meaning
from ade_engine.readers.xls_text import TextDecoder
from ade_engine.readers.xlsx_styles import Styles

_FONT, _FORMAT, _XF = (0x0031, 0x0231), (0x001E, 0x041E), (0x0043, 0x0243, 0x0443, 0x00E0)
_NUMBERED_FORMAT = 0x041E
_BOLD_WEIGHT = 600
_CENTERED = (2, 6)  # centered, and centered across several cells
_NO_FILL = (0, 17)  # none, and the faint grey that xlsx lists beside it

_Look = tuple[int, int, int, int, bool, bool, bool]
"""Font, number format, alignment, indent, fill, border at the top and at the bottom."""


class StyleRecords:
    """Collects the records about styles, in the order of the file."""

    def __init__(self, version: int, texts: TextDecoder) -> None:
        self._version = version
        self._texts = texts
        self._fonts: list[tuple[bool, bool]] = []
        self._formats: dict[int, str] = dict(BUILT_IN_FORMATS) if version >= 5 else {}
        self._format_count = 0
        self._looks: list[_Look] = []

    @property
    def has_cell_formats(self) -> bool:
        """Return whether cells name a format by its index; the oldest files spell it out in each cell."""
        return bool(self._looks)

    def add(self, kind: int, body: bytes) -> None:
        """Take a record, if it is about styles."""
        if kind in _XF:
            self._looks.append(_READ_LOOK[self._version](body))
        elif kind in _FONT:
            self._fonts.append(self._font(body))
        elif kind in _FORMAT:
            self._add_format(kind, body)

    def styles(self) -> Styles:
        """Return the cell formats by index."""
        looks = self._looks or [(font, number, 0, 0, False, False, False) for font in range(4) for number in range(64)]
        styles = [self._style(look) for look in looks]
        plain = len(styles) if styles[0] != PLAIN else 0
        styles += [PLAIN] if plain else []
        memo = {code: meaning(code) for code in {style.number_format for style in styles}}
        return Styles(tuple(styles), tuple(memo[style.number_format] for style in styles), plain)

    def _font(self, body: bytes) -> tuple[bool, bool]:
        options = body[2]
        is_bold = bool(options & 1)
        if self._version >= 5:
            is_bold = int.from_bytes(body[6:8], "little") >= _BOLD_WEIGHT
        return is_bold, bool(options & 2)

    def _add_format(self, kind: int, body: bytes) -> None:
        start = 2 if kind == _NUMBERED_FORMAT else 0
        code = self._texts.long(body, start) if self._version >= 8 else self._texts.short(body, start)
        number = int.from_bytes(body[:2], "little") if self._version >= 5 else self._format_count
        self._format_count += 1
        self._formats[number] = code

    def _style(self, look: _Look) -> Style:
        font, number_format, alignment, indent, filled, border_top, border_bottom = look
        # There is no font number 4.
        position = font - (font > 4)
        bold, italic = self._fonts[position] if position < len(self._fonts) else (False, False)
        return Style(
            bold=bold,
            italic=italic,
            filled=filled,
            border_top=border_top,
            border_bottom=border_bottom,
            centered=alignment in _CENTERED,
            indent=indent,
            number_format=self._formats.get(number_format, "General"),
        )


def _look_8(body: bytes) -> _Look:
    font, number_format, alignment, indent, borders, more = struct.unpack_from("<HH2xBxBxII", body)
    is_filled = more >> 26 not in _NO_FILL
    return font, number_format, alignment & 7, indent & 15, is_filled, bool(borders & 0xF00), bool(borders & 0xF000)


def _look_5(body: bytes) -> _Look:
    font, number_format, alignment, area, borders = struct.unpack_from("<HH2xBxII", body)
    is_filled = area >> 16 & 0x3F not in _NO_FILL
    return font, number_format, alignment & 7, 0, is_filled, bool(borders & 7), bool(area & 0x01C00000)


def _look_4(body: bytes, layout: str = "<BB2xBxHI") -> _Look:
    font, number_format, alignment, area, borders = struct.unpack_from(layout, body)
    is_filled = area & 0x3F not in _NO_FILL
    return font, number_format, alignment & 7, 0, is_filled, bool(borders & 7), bool(borders >> 16 & 7)


def _look_3(body: bytes) -> _Look:
    return _look_4(body, "<BB2xHHI")


def _look_2(body: bytes) -> _Look:
    font, number_format, look = struct.unpack_from("<BxBB", body)
    return font, number_format & 0x3F, look & 7, 0, bool(look & 0x80), bool(look & 0x20), bool(look & 0x40)


_READ_LOOK = {8: _look_8, 5: _look_5, 4: _look_4, 3: _look_3, 2: _look_2}
