"""Builds small xlsb and ods files, for tests about what is in them."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

_NAMES = ("office", "table", "text", "style", "number")
_SPACES = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in _NAMES)
_SPACES += ' xmlns:look="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
_SPACES += ' xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MANIFEST = '<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'


def ods(path: Path, *tables: str, automatic: str = "", **parts: str) -> Path:
    """Write an ods whose sheets are "One", "Two" and so on; a table that begins with its tag is taken as it is."""
    whole = [
        table if table.startswith("<table:table ") else f'<table:table table:name="{name}">{table}</table:table>'
        for name, table in zip(("One", "Two", "Three"), tables, strict=False)
    ]
    content = (
        f'<?xml version="1.0"?><office:document-content {_SPACES}>'
        f"<office:automatic-styles>{automatic}</office:automatic-styles><office:body><office:spreadsheet>"
        f"{''.join(whole)}</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", parts.pop("manifest", _MANIFEST))
        for name, text in parts.items():
            archive.writestr(f"{name}.xml", text.replace("XMLNS", _SPACES))
    return path


def xlsb(path: Path, cells: bytes, *, styles: bytes = b"", texts: bytes = b"", before: bytes = b"") -> Path:
    """Write an xlsb with one sheet, "One"; cells are what `xlsb_row`, `xlsb_number` and the like return."""
    bundle = xlsb_record(143) + xlsb_record(156, struct.pack("<II", 0, 1) + wide("rId1") + wide("One"))
    entries = [("rId1", "worksheet", "worksheets/sheet1.bin")]
    entries += [("rId2", "styles", "styles.bin")] if styles else []
    entries += [("rId3", "sharedStrings", "sharedStrings.bin")] if texts else []
    relations = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target}"/>' for key, kind, target in entries
    )
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    sheet = cells if cells.startswith(b"\x81\x01") else xlsb_sheet(cells)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.bin", xlsb_record(131) + before + bundle + xlsb_record(144) + xlsb_record(132))
        archive.writestr("xl/_rels/workbook.bin.rels", f'<Relationships xmlns="{space}">{relations}</Relationships>')
        archive.writestr("xl/styles.bin", styles)
        archive.writestr("xl/sharedStrings.bin", texts)
        archive.writestr("xl/worksheets/sheet1.bin", sheet)
    return path


def xlsb_sheet(cells: bytes, *, before: bytes = b"", behind: bytes = b"") -> bytes:
    return xlsb_record(129) + before + xlsb_record(145) + cells + xlsb_record(146) + behind + xlsb_record(130)


def xlsb_record(kind: int, body: bytes = b"") -> bytes:
    head = bytes([kind]) if kind < 128 else bytes([kind & 0x7F | 0x80, kind >> 7])
    length = bytes([len(body)]) if len(body) < 128 else bytes([len(body) & 0x7F | 0x80, len(body) >> 7])
    return head + length + body


def wide(text: str) -> bytes:
    encoded = text.encode("utf-16-le")
    return struct.pack("<I", len(encoded) // 2) + encoded


def xlsb_row(row: int, *, is_hidden: bool = False) -> bytes:
    return xlsb_record(0, struct.pack("<IIHBBBI", row, 0, 300, 0, 0x10 * is_hidden, 0, 0))


def xlsb_cell(kind: int, column: int, content: bytes = b"", style: int = 0) -> bytes:
    return xlsb_record(kind, struct.pack("<II", column, style) + content)


def xlsb_number(column: int, value: float, style: int = 0) -> bytes:
    return xlsb_cell(5, column, struct.pack("<d", value), style)


def xlsb_error(column: int, code: int) -> bytes:
    return xlsb_cell(3, column, bytes([code]))
