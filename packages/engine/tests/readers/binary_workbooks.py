"""Builds small xls, xlsb and ods files byte by byte, for tests about what is in them."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

SECTOR = 512
END, FREE, FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD


def record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def number(row: int, column: int, value: float) -> bytes:
    return record(0x0203, struct.pack("<HHHd", row, column, 0, value))


def label(row: int, column: int, text: str) -> bytes:
    return record(0x0204, struct.pack("<HHHHB", row, column, 0, len(text), 1) + text.encode("utf-16-le"))


def error(row: int, column: int, code: int) -> bytes:
    return record(0x0205, struct.pack("<HHHBB", row, column, 0, code, 1))


def dimensions(rows: int, columns: int) -> bytes:
    return record(0x0200, struct.pack("<IIHHH", 0, rows, 0, columns, 0))


def biff(cells: bytes, *, before: bytes = b"") -> bytes:
    """Return a workbook stream with one sheet, "One"."""

    def bof(kind: int) -> bytes:
        return record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0, 0, 0, 0))

    name = b"\x03\x00One"
    head_bytes = len(bof(5)) + len(before) + 4 + 6 + len(name) + 4
    head = bof(5) + before + record(0x85, struct.pack("<IBB", head_bytes, 0, 0) + name) + record(0x0A)
    return head + bof(0x10) + cells + record(0x0A)


def compound(**streams: bytes) -> bytes:
    """Return a compound file that holds these streams, each long enough to stand in whole sectors."""
    sectors: list[bytes] = []
    fat: list[int] = []
    entries = [_entry("Root Entry", 5, END, 0)]
    for name, data in streams.items():
        padded = data.ljust(4096, b"\0")
        padded = padded.ljust(-(-len(padded) // SECTOR) * SECTOR, b"\0")
        count = len(padded) // SECTOR
        entries.append(_entry(name, 2, len(sectors), len(padded)))
        fat.extend([*range(len(sectors) + 1, len(sectors) + count), END])
        sectors.extend(padded[start : start + SECTOR] for start in range(0, len(padded), SECTOR))
    directory = b"".join(entries).ljust(SECTOR, b"\0")
    sectors.append(directory)
    fat.append(END)
    fat_sector = len(sectors)
    fat.append(FAT)
    sectors.append(struct.pack("<128I", *fat, *[FREE] * (128 - len(fat))))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIIII", 0, 1, fat_sector - 1, 0, 4096, END, 0, END, 0, fat_sector)
    return header + struct.pack("<108I", *[FREE] * 108) + b"".join(sectors)


def _entry(name: str, kind: int, start: int, size: int) -> bytes:
    spelled = name.encode("utf-16-le") + b"\0\0"
    child = 1 if kind == 5 else FREE
    tail = struct.pack("<BBIII", kind, 1, FREE, FREE, child) + bytes(16 + 4 + 16) + struct.pack("<IQ", start, size)
    return spelled.ljust(64, b"\0") + struct.pack("<H", len(spelled)) + tail


def xls(path: Path, cells: bytes, *, before: bytes = b"") -> Path:
    path.write_bytes(compound(Workbook=biff(cells, before=before)))
    return path


def ods(path: Path, table: str) -> Path:
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content {spaces}><office:body><office:spreadsheet>'
        f'<table:table table:name="One">{table}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    manifest = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return path


def xlsb(path: Path, cells: bytes) -> Path:
    """Write an xlsb with one sheet, "One"; cells are what `xlsb_row` and `xlsb_number` return."""

    def wide(text: str) -> bytes:
        return struct.pack("<I", len(text)) + text.encode("utf-16-le")

    bundle = xlsb_record(143) + xlsb_record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("One"))
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        f'<Relationship Id="rId1" Type="{office}/worksheet" Target="worksheets/sheet1.bin"/></Relationships>'
    )
    dimension = xlsb_record(148, struct.pack("<IIII", 0, 0, 0, 0))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.bin", xlsb_record(131) + bundle + xlsb_record(144) + xlsb_record(132))
        archive.writestr("xl/_rels/workbook.bin.rels", relation)
        archive.writestr(
            "xl/worksheets/sheet1.bin",
            xlsb_record(129) + dimension + xlsb_record(145) + cells + xlsb_record(146) + xlsb_record(130),
        )
    return path


def xlsb_record(kind: int, body: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    return head + bytes([len(body)]) + body


def xlsb_row(row: int) -> bytes:
    return xlsb_record(0, struct.pack("<IIHHBI", row, 0, 300, 0, 0, 0))


def xlsb_number(column: int, value: float) -> bytes:
    return xlsb_record(5, struct.pack("<IId", column, 0, value))


def xlsb_error(column: int, code: int) -> bytes:
    return xlsb_record(3, struct.pack("<IIB", column, 0, code))
