"""Walks the records of an xls stream: how far each sheet reaches, where its errors are, whether it is encrypted."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from ade_engine.errors import InputError
from ade_engine.readers.compound import MAGIC as COMPOUND
from ade_engine.readers.compound import Compound, Stream
from ade_engine.readers.extents import SheetExtent
from ade_engine.readers.limits import ReadLimits

_BOF, _EOF, _FILEPASS, _BOUNDSHEET, _SST = 0x0809, 0x0A, 0x2F, 0x85, 0xFC
_DIMENSIONS, _ROW, _COLINFO, _FORMULA, _BOOLERR = 0x0200, 0x0208, 0x7D, 0x06, 0x0205
_SINGLE_CELLS = frozenset({0x0203, 0x0204, 0x00FD, 0x027E, 0x00D6, _FORMULA, _BOOLERR})
_SEVERAL_CELLS = 0x00BD  # MULRK

# What gives a password away in a container too damaged to be followed: the name of the stream that holds the encrypted
# workbook, or the record that comes second in an encrypted xls.
_ENCRYPTED = re.compile(
    re.escape("EncryptedPackage".encode("utf-16-le")) + rb"|\x09\x08\x10\x00\x00\x06.{14}(?:\x86\x00\x00\x00)?\x2f\x00",
    re.DOTALL,
)

Record = tuple[int, int, int]  # kind, offset of the body, length of the body


def prepare_xls(data: bytes, *, limits: ReadLimits) -> tuple[bytes, list[SheetExtent]]:
    """Return the file with true dimensions, and what its sheets span. Refuse what cannot be read."""
    if not data.startswith(COMPOUND):
        raise InputError(
            "The workbook was written by Excel 4 or older. Open it in a spreadsheet program and save it as xlsx.",
            cause="unsupported",
        )
    try:
        # A container that does not add up must not reach the library: a chain without end would take all memory.
        return _prepare_compound(data, Compound(data), limits=limits)
    except (ValueError, struct.error, IndexError) as error:
        if _ENCRYPTED.search(data):
            raise encrypted() from error
        raise InputError(
            "The workbook is damaged or was cut off. Get it again from where it came.", cause="truncated"
        ) from error


def _prepare_compound(data: bytes, compound: Compound, *, limits: ReadLimits) -> tuple[bytes, list[SheetExtent]]:
    if "EncryptedPackage" in compound.streams or "EncryptionInfo" in compound.streams:
        raise encrypted()
    name = next((name for name in ("Workbook", "Book", "WORKBOOK", "BOOK") if name in compound.streams), None)
    if name is None:
        raise _no_workbook(compound)
    compound.check()
    return _prepare_stream(data, compound.open(name), limits=limits)


def encrypted() -> InputError:
    """Return the error for a workbook behind a password."""
    return InputError(
        "The workbook is protected with a password. Remove the password and save it again.", cause="encrypted"
    )


def _no_workbook(compound: Compound) -> InputError:
    what = "an Office document without a workbook"
    for name, kind in (("WordDocument", "a text document"), ("PowerPoint Document", "a presentation")):
        if name in compound.streams:
            what = kind
    return InputError(f"The file is {what}. Save the table as xlsx.", cause="unsupported")


def _prepare_stream(data: bytes, stream: Stream, *, limits: ReadLimits) -> tuple[bytes, list[SheetExtent]]:
    patched = bytearray(data)
    extents = []
    # Sheets stand one behind the other. A file in which they overlap could be walked without end.
    bytes_left = 4 * len(stream.data)
    for offset in _sheet_offsets(stream.data):
        extent, dimensions, end = _scan_sheet(stream.data, offset)
        bytes_left -= end - offset
        if bytes_left < 0:
            raise ValueError("sheets overlap")
        extent.check(limits)
        extents.append(extent)
        for start, length in dimensions:
            _patch(patched, stream, start, length, extent)
    return bytes(patched), extents


def _records(data: bytes, offset: int) -> Iterator[Record]:
    end = len(data) - 4
    unpack = struct.Struct("<HH").unpack_from
    while offset <= end:
        kind, length = unpack(data, offset)
        yield kind, offset + 4, length
        offset += 4 + length


def _sheet_offsets(data: bytes) -> list[int]:
    offsets = []
    for kind, start, length in _records(data, 0):
        if kind == _FILEPASS:
            raise encrypted()
        if kind == _SST and int.from_bytes(data[start + 4 : start + 8], "little") > len(data):
            raise ValueError("more texts are declared than fit into the file")
        if kind == _BOUNDSHEET and length >= 6:
            offsets.append(int.from_bytes(data[start : start + 4], "little"))
        if kind == _EOF:
            break
    return offsets


def _scan_sheet(data: bytes, offset: int) -> tuple[SheetExtent, list[tuple[int, int]], int]:
    """Return what a sheet spans, where its DIMENSIONS records are, and where it ends."""
    extent = SheetExtent()
    dimensions = []
    depth = 0
    start = offset
    for kind, start, length in _records(data, offset):
        # Embedded charts bring their own records between BOF and EOF.
        depth += (kind == _BOF) - (kind == _EOF)
        if depth <= 0:
            break
        if depth > 1:
            continue
        if kind in _SINGLE_CELLS and length >= 8:
            row, column = struct.unpack_from("<HH", data, start)
            extent.add(row, column, column)
            if kind in (_FORMULA, _BOOLERR):
                _note_error(extent, data, kind, start)
        elif kind == _SEVERAL_CELLS and length >= 6:
            row, column = struct.unpack_from("<HH", data, start)
            extent.add(row, column, column + (length - 6) // 6 - 1)
        elif kind == _DIMENSIONS:
            dimensions.append((start, length))
        else:
            _note_hidden(extent, data, kind, start)
    return extent, dimensions, start


def _note_error(extent: SheetExtent, data: bytes, kind: int, start: int) -> None:
    row, column = struct.unpack_from("<HH", data, start)
    if kind == _BOOLERR and data[start + 7] == 1:
        extent.add_error(row, column, data[start + 6])
    if kind == _FORMULA and data[start + 12 : start + 14] == b"\xff\xff" and data[start + 6] == 2:
        extent.add_error(row, column, data[start + 8])


def _note_hidden(extent: SheetExtent, data: bytes, kind: int, start: int) -> None:
    if kind == _ROW and data[start + 12] & 0x20:
        extent.hidden_rows.add(int.from_bytes(data[start : start + 2], "little") + 1)
    elif kind == _COLINFO and data[start + 8] & 1:
        first, last = struct.unpack_from("<HH", data, start)
        extent.hidden_columns.update(range(first + 1, min(last, 255) + 2))


def _patch(patched: bytearray, stream: Stream, start: int, length: int, extent: SheetExtent) -> None:
    """Write the true rectangle into a DIMENSIONS record: the library reserves memory for what it says."""
    first_row, first_column = (
        min(extent.first_row, extent.last_row + 1),
        min(extent.first_column, extent.last_column + 1),
    )
    form = {14: "<IIHH", 10: "<HHHH"}.get(length)
    if form is None:
        return
    body = struct.pack(form, first_row, extent.last_row + 1, first_column, extent.last_column + 1)
    for index, byte in enumerate(body):
        patched[stream.file_offset(start + index)] = byte
