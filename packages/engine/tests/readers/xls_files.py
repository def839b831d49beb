"""Builds small xls files record by record, for tests about what is in them."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

SECTOR = 512
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
BIFF_5, BIFF_8 = 0x0500, 0x0600
EOF = struct.pack("<HH", 0x0A, 0)


def record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    return record(0x0203, struct.pack("<HHHd", row, column, style, value))


def label(row: int, column: int, text: str, style: int = 0) -> bytes:
    return record(0x0204, struct.pack("<HHHHB", row, column, style, len(text), 1) + text.encode("utf-16-le"))


def label_5(row: int, column: int, text: bytes, style: int = 0) -> bytes:
    return record(0x0204, struct.pack("<HHHH", row, column, style, len(text)) + text)


def blank(row: int, column: int, style: int) -> bytes:
    return record(0x0201, struct.pack("<HHH", row, column, style))


def blanks(row: int, column: int, *styles: int) -> bytes:
    return record(0x00BE, struct.pack(f"<{len(styles) + 3}H", row, column, *styles, column + len(styles) - 1))


def short_number(row: int, column: int, packed: int, style: int = 0) -> bytes:
    return record(0x027E, struct.pack("<HHHi", row, column, style, packed))


def short_numbers(row: int, column: int, *packed: int, style: int = 0) -> bytes:
    pairs = b"".join(struct.pack("<Hi", style, one) for one in packed)
    return record(0x00BD, struct.pack("<HH", row, column) + pairs + struct.pack("<H", column + len(packed) - 1))


def boolean(row: int, column: int, value: int) -> bytes:
    return record(0x0205, struct.pack("<HHHBB", row, column, 0, value, 0))


def error(row: int, column: int, code: int) -> bytes:
    return record(0x0205, struct.pack("<HHHBB", row, column, 0, code, 1))


def formula(row: int, column: int, result: float | bytes, style: int = 0) -> bytes:
    """Return a formula with a number, or with the eight bytes that stand for another result."""
    stored = result if isinstance(result, bytes) else struct.pack("<d", result)
    return record(0x0006, struct.pack("<HHH", row, column, style) + stored + bytes(8))


TEXT_FOLLOWS = b"\x00\x00\x00\x00\x00\x00\xff\xff"


def special(kind: int, value: int = 0) -> bytes:
    """Return the result of a formula that is a boolean (1), an error (2) or a text without characters (3)."""
    return bytes((kind, 0, value, 0, 0, 0, 0xFF, 0xFF))


def formula_text(text: str) -> bytes:
    return record(0x0207, unicode_text(text))


def unicode_text(text: str) -> bytes:
    return struct.pack("<HB", len(text.encode("utf-16-le")) // 2, 1) + text.encode("utf-16-le")


def label_sst(row: int, column: int, index: int, style: int = 0) -> bytes:
    return record(0x00FD, struct.pack("<HHHI", row, column, style, index))


def sst(count: int, first: bytes, *continued: bytes) -> bytes:
    """Return the shared texts: a record, and those that continue it."""
    return record(0x00FC, struct.pack("<II", count, count) + first) + b"".join(record(0x3C, one) for one in continued)


def texts(*strings: str) -> bytes:
    return sst(len(strings), b"".join(map(unicode_text, strings)))


def font(*, bold: bool = False, italic: bool = False) -> bytes:
    weight = 700 if bold else 400
    return record(0x31, struct.pack("<HHHHHBBBBBB", 200, 2 * italic, 0x7FFF, weight, 0, 0, 0, 0, 0, 1, 0) + b"A")


def number_format(index: int, code: str) -> bytes:
    return record(0x041E, struct.pack("<H", index) + unicode_text(code))


def cell_format(
    *, font: int = 0, number_format: int = 0, align: int = 0, indent: int = 0, borders: int = 0, fill: int = 0
) -> bytes:
    body = struct.pack("<HHHBBBBIIH", font, number_format, 0, align, 0, indent, 0, borders, fill << 26, 0)
    return record(0xE0, body)


def dimensions(rows: int, columns: int) -> bytes:
    return record(0x0200, struct.pack("<IIHHH", 0, rows, 0, columns, 0))


def hidden_row(row: int) -> bytes:
    return record(0x0208, struct.pack("<HHHHHHHH", row, 0, 1, 0, 0, 0, 0x20, 0))


def hidden_columns(first: int, last: int) -> bytes:
    return record(0x7D, struct.pack("<HHHHHH", first, last, 0, 0, 1, 0))


def merged(*ranges: tuple[int, int, int, int]) -> bytes:
    """Return merged ranges, each as first row, last row, first column, last column."""
    return record(0xE5, struct.pack("<H", len(ranges)) + b"".join(struct.pack("<HHHH", *one) for one in ranges))


def bof(kind: int, *, version: int = BIFF_8) -> bytes:
    return record(0x0809, struct.pack("<HHHHII", version, kind, 0, 0, 0, 0))


def chart(cells: bytes) -> bytes:
    """Return an embedded chart, which holds the numbers it was drawn from as cells."""
    return bof(0x20) + cells + EOF


def biff(cells: bytes, *, before: bytes = b"", version: int = BIFF_8, name: str = "One") -> bytes:
    """Return a workbook stream with one sheet."""
    return book([(name, cells)], before=before, version=version)


def book(sheets: Iterable[tuple[str, bytes]], *, before: bytes = b"", version: int = BIFF_8) -> bytes:
    """Return a workbook stream with these sheets."""
    parts = [(name.encode("latin-1"), bof(0x10, version=version) + cells + EOF) for name, cells in sheets]
    flags = b"\x00" if version == BIFF_8 else b""
    entries = [bytes((len(name),)) + flags + name for name, _ in parts]
    position = len(bof(5)) + len(before) + sum(4 + 6 + len(entry) for entry in entries) + len(EOF)
    listed = b""
    for entry, (_, part) in zip(entries, parts, strict=True):
        listed += record(0x85, struct.pack("<IBB", position, 0, 0) + entry)
        position += len(part)
    return bof(5, version=version) + before + listed + EOF + b"".join(part for _, part in parts)


def compound(**streams: bytes) -> bytes:
    """Return a compound file that holds these streams, each long enough to stand in whole sectors."""
    sectors: list[bytes] = []
    fat: list[int] = []
    entries = [_entry("Root Entry", 5, END, 0, 1, FREE)]
    for index, (name, data) in enumerate(streams.items(), start=1):
        padded = data.ljust(4096, b"\0")
        padded = padded.ljust(-(-len(padded) // SECTOR) * SECTOR, b"\0")
        count = len(padded) // SECTOR
        following = index + 1 if index < len(streams) else FREE
        entries.append(_entry(name, 2, len(sectors), len(padded), FREE, following))
        fat.extend([*range(len(sectors) + 1, len(sectors) + count), END])
        sectors.extend(padded[start : start + SECTOR] for start in range(0, len(padded), SECTOR))
    directory = len(sectors)
    sectors.append(b"".join(entries).ljust(SECTOR, b"\0"))
    fat.append(END)
    tables = -(-(len(fat) + 109) // 128)
    first = len(sectors)
    fat += [FAT] * tables
    fat += [FREE] * (128 * tables - len(fat))
    sectors += [struct.pack("<128I", *fat[start : start + 128]) for start in range(0, len(fat), 128)]
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, tables, directory, 0, 4096, END, 0, END, 0)
    places = [*range(first, first + tables), *[FREE] * (109 - tables)]
    return header + struct.pack("<109I", *places) + b"".join(sectors)


def _entry(name: str, kind: int, start: int, size: int, child: int, right: int) -> bytes:
    spelled = name.encode("utf-16-le") + b"\0\0"
    tail = struct.pack("<BBIII", kind, 1, FREE, right, child if kind == 5 else FREE)
    tail += bytes(16 + 4 + 16) + struct.pack("<IQ", start, size)
    return spelled.ljust(64, b"\0") + struct.pack("<H", len(spelled)) + tail


def xls(path: Path, cells: bytes, *, before: bytes = b"", version: int = BIFF_8) -> Path:
    path.write_bytes(compound(Workbook=biff(cells, before=before, version=version)))
    return path
