"""Reads xls workbooks of Excel 2 to 2003 (BIFF 2 to 8) as a stream, in bounded memory."""

from __future__ import annotations

import re
from pathlib import Path

from ade_engine.errors import InputError
from ade_engine.readers.base import SheetInfo
from ade_engine.readers.compound import MAGIC, Compound, Stream, encrypted
from ade_engine.readers.limits import DEFAULT_LIMITS, MIB, ReadLimits
from ade_engine.readers.xls_globals import Globals, Listed, sheets_of_excel_4
from ade_engine.readers.xls_records import GLOBALS, WORKSHEET, WORKSPACE, damage_as_input_error, read_beginning
from ade_engine.readers.xls_sheet import XlsSheet

_STREAM_NAMES = ("Workbook", "Book", "WORKBOOK", "BOOK")
_VISIBILITY = {1: "hidden", 2: "very_hidden"}
# A file of one sheet, and nothing about a workbook, has no name for it.
_ONLY_NAME = "Sheet 1"

# What gives a password away in a container too damaged to be followed: the name of the stream that holds the encrypted
# workbook, or the record that comes second in an encrypted xls.
_ENCRYPTED = re.compile(
    re.escape("EncryptedPackage".encode("utf-16-le")) + rb"|\x09\x08\x10\x00\x00\x06.{14}(?:\x86\x00\x00\x00)?\x2f\x00",
    re.DOTALL,
)


class XlsWorkbook:
    """An open xls document. Charts, macro sheets and modules are not listed: they have no cells."""

    format = "xls"

    def __init__(self, path: Path, *, limits: ReadLimits = DEFAULT_LIMITS) -> None:
        self._limits = limits
        self._file = path.open("rb")
        try:
            with damage_as_input_error():
                self._read_parts()
        except InputError as error:
            with self._file:
                if error.cause == "truncated" and self._has_encrypted_parts():
                    raise encrypted() from error
            raise
        if not self.sheets:
            self.close()
            raise InputError("The workbook has no sheet with cells. Check that it is the right file.", cause="empty")

    def open_sheet(self, info: SheetInfo) -> XlsSheet:
        """Open one of the sheets listed."""
        start = self._positions[info.index]
        end = min([position for position in self._positions if position > start], default=self._stream.size)
        with damage_as_input_error():
            beginning = read_beginning(self._stream, start)
            parts = self._globals or Globals(self._stream, beginning, limits=self._limits)
        return XlsSheet(self._stream, beginning.end, end, info, parts, limits=self._limits)

    def close(self) -> None:
        """Close the file, and the temporary one of its texts."""
        if self._globals:
            self._globals.close()
        self._file.close()

    def _read_parts(self) -> None:
        self._globals: Globals | None = None
        self._stream = self._open_stream()
        listed, active = self._listed()
        if len(listed) > self._limits.entries:
            raise InputError(f"The workbook has {len(listed)} sheets. Split it into several files.", cause="too_large")
        self._positions = [sheet.position for sheet in listed]
        self.sheets = [
            SheetInfo(
                index=index,
                name=sheet.name,
                visibility=_VISIBILITY.get(sheet.visibility & 3, "visible"),
                is_active=index == active,
            )
            for index, sheet in enumerate(listed)
            if sheet.kind == 0
        ]

    def _open_stream(self) -> Stream:
        if self._file.read(len(MAGIC)) != MAGIC:
            # Up to Excel 4 there is no container, and some programs leave it out later, too.
            size = self._file.seek(0, 2)
            return Stream(self._file, [0], sector_bytes=size, size=size)
        compound = Compound(self._file)
        if "EncryptedPackage" in compound.names or "EncryptionInfo" in compound.names:
            raise encrypted()
        name = next((name for name in _STREAM_NAMES if name in compound.names), None)
        if name is None:
            raise _no_workbook(compound)
        return compound.open(name)

    def _listed(self) -> tuple[list[Listed], int]:
        """Return the sheets of all kinds, and which of them is active."""
        beginning = read_beginning(self._stream, 0)
        if beginning.kind == WORKSHEET:
            return [Listed(_ONLY_NAME, 0, 0, 0)], 0
        if beginning.kind == WORKSPACE and beginning.version == 4:
            return sheets_of_excel_4(self._stream, beginning, limits=self._limits), 0
        if beginning.kind != GLOBALS:
            return [], 0
        self._globals = Globals(self._stream, beginning, limits=self._limits)
        return self._globals.sheets, self._globals.active

    def _has_encrypted_parts(self) -> bool:
        self._file.seek(0)
        return bool(_ENCRYPTED.search(self._file.read(64 * MIB)))


def _no_workbook(compound: Compound) -> InputError:
    what = "an Office document without a workbook"
    for name, kind in (("WordDocument", "a text document"), ("PowerPoint Document", "a presentation")):
        if name in compound.names:
            what = kind
    return InputError(f"The file is {what}. Save the table as xlsx.", cause="unsupported")
