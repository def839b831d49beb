"""Reads the parts of an xlsb workbook other than its sheets: records, shared texts, styles."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from ade_engine.errors import InputError
from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.limits import MIB
from ade_engine.readers.number_formats import BUILT_IN_FORMATS, meaning
from ade_engine.readers.xlsx_styles import Styles

Record = tuple[int, bytes, int, int]
"""Kind, the bytes that contain it, where its body begins there, and how long the body is."""

_HEAD_BYTES = 6
_LARGEST_RECORD = 64 * MIB
_SHARED_TEXT = 19
_FONT, _NUMBER_FORMAT, _FILL, _BORDER, _CELL_FORMAT = 43, 44, 45, 46, 47
_CELL_FORMATS_BEGIN, _CELL_FORMATS_END = 617, 618
_BOLD_WEIGHT = 600
_CENTERED = (2, 6)
_NO_FILL = (0, 17)
_BATCH = 1024


def records(chunks: Iterable[bytes]) -> Iterator[Record]:
    """Yield the records of a part; raise ValueError when it was cut off."""
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        start = 0
        while start + _HEAD_BYTES <= len(data):
            kind, length, body = _head(data, start)
            if body + length > len(data):
                break
            yield kind, data, body, length
            start = body + length
        rest = data[start:]
        if len(rest) > _LARGEST_RECORD:
            raise InputError("A part of the workbook has a record too long to be read.", cause="too_large")
    start = 0
    while start < len(rest):
        kind, length, body = _head(rest, start)
        if body + length > len(rest):
            raise ValueError("a record was cut off")
        yield kind, rest, body, length
        start = body + length


def _head(data: bytes, start: int) -> tuple[int, int, int]:
    """Return kind and length of a record, and where its body begins; both are numbers of seven bits a byte."""
    kind = data[start]
    start += 1
    if kind >= 0x80:
        kind = kind & 0x7F | data[start] << 7
        start += 1
    length = shift = 0
    while shift < 28:
        byte = data[start]
        start += 1
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return kind, length, start


def wide_text(data: bytes, start: int) -> str:
    """Return the text that begins with the count of its code units."""
    count = struct.unpack_from("<I", data, start)[0]
    end = start + 4 + 2 * count
    if end > len(data):
        raise ValueError("a text was cut off")
    return data[start + 4 : end].decode("utf-16-le", "replace")


def read_texts(chunks: Iterable[bytes]) -> Iterator[list[str]]:
    """Yield the shared texts in batches, without formatting and reading aids."""
    batch: list[str] = []
    for kind, data, start, _ in records(chunks):
        if kind == _SHARED_TEXT:
            batch.append(wide_text(data, start + 1))
            if len(batch) == _BATCH:
                yield batch
                batch = []
    yield batch


def read_styles(chunks: Iterable[bytes]) -> Styles:
    """Return the cell formats by index."""
    found: dict[int, list[bytes]] = {kind: [] for kind in (_FONT, _NUMBER_FORMAT, _FILL, _BORDER, _CELL_FORMAT)}
    is_inside = False
    for kind, data, start, length in records(chunks):
        if kind in (_CELL_FORMATS_BEGIN, _CELL_FORMATS_END):
            is_inside = kind == _CELL_FORMATS_BEGIN
        elif kind in found and (kind != _CELL_FORMAT or is_inside):
            found[kind].append(data[start : start + length])
    styles = _styles(found) or [PLAIN]
    plain = len(styles) if styles[0] != PLAIN else 0
    styles += [PLAIN] if plain else []
    memo = {code: meaning(code) for code in {style.number_format for style in styles}}
    return Styles(tuple(styles), tuple(memo[style.number_format] for style in styles), plain)


def _styles(found: dict[int, list[bytes]]) -> list[Style]:
    formats = BUILT_IN_FORMATS | {_u16(body, 0): wide_text(body, 2) for body in found[_NUMBER_FORMAT]}
    fonts = [(_u16(body, 4) >= _BOLD_WEIGHT, bool(body[2] & 2)) for body in found[_FONT]]
    fills = [_u16(body, 0) not in _NO_FILL for body in found[_FILL]]
    borders = [(bool(body[1]), bool(body[11])) for body in found[_BORDER]]
    styles = []
    for body in found[_CELL_FORMAT]:
        number_format, font, fill, border = struct.unpack_from("<2xHHHH", body)
        bold, italic = fonts[font] if font < len(fonts) else (False, False)
        top, bottom = borders[border] if border < len(borders) else (False, False)
        styles.append(
            Style(
                bold=bold,
                italic=italic,
                filled=fill < len(fills) and fills[fill],
                border_top=top,
                border_bottom=bottom,
                centered=body[12] & 7 in _CENTERED,
                indent=body[11],
                number_format=formats.get(number_format, "General"),
            )
        )
    return styles


def _u16(body: bytes, start: int) -> int:
    return body[start] | body[start + 1] << 8
