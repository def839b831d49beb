"""What an xls workbook says about all of its sheets: their names, the shared texts, the styles, the date system."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cached_property

from ade_engine.readers.compound import Stream, encrypted
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.number_formats import Calendar
from ade_engine.readers.xls_records import CONTINUE, Beginning, records
from ade_engine.readers.xls_styles import StyleRecords
from ade_engine.readers.xls_text import TextDecoder, encoding_of, read_texts
from ade_engine.readers.xlsx_strings import SpilledStrings, kept_strings
from ade_engine.readers.xlsx_styles import Styles
from ade_engine.records import record

_FILE_PASS, _CODE_PAGE, _DATE_MODE, _WINDOW, _SHEET, _TEXTS = 0x002F, 0x0042, 0x0022, 0x003D, 0x0085, 0x00FC
_SHEETS_POSITION, _SHEET_HEADER = 0x008E, 0x008F


@record
class Listed:
    """A sheet as a BOUNDSHEET record lists it; `position` is where its substream begins."""

    name: str
    position: int
    visibility: int
    kind: int


class Globals:
    """The records of a substream about the whole workbook. Up to BIFF 4 every sheet has its own."""

    def __init__(self, stream: Stream, beginning: Beginning, *, limits: ReadLimits) -> None:
        self.version = beginning.version
        self.texts = TextDecoder(beginning.version)
        self.active = 0
        self.first_header = 0
        self.calendar = Calendar()
        self._stream = stream
        self._start = beginning.end
        self._limits = limits
        self._styles = StyleRecords(self.version, self.texts)
        self._sheet_bodies: list[bytes] = []
        for kind, data, start, length in records(stream, self._start):
            self._add(kind, data[start : start + length])

    @cached_property
    def sheets(self) -> list[Listed]:
        """The sheets of all kinds, in the order of the workbook."""
        return [Listed(self.texts.short(body, 6), *struct.unpack_from("<IBB", body)) for body in self._sheet_bodies]

    @cached_property
    def styles(self) -> Styles:
        """The cell formats by index."""
        return self._styles.styles()

    @property
    def has_cell_formats(self) -> bool:
        """Return whether cells name a format by its index."""
        return self._styles.has_cell_formats

    @cached_property
    def strings(self) -> list[str | None] | SpilledStrings:
        """The texts that cells refer to by index."""
        return kept_strings(read_texts(self._text_segments(), self.texts), limits=self._limits)

    def close(self) -> None:
        """Close the temporary file of the texts."""
        strings = self.__dict__.get("strings")
        if isinstance(strings, SpilledStrings):
            strings.close()

    def _add(self, kind: int, body: bytes) -> None:
        if kind == _FILE_PASS:
            raise encrypted()
        if kind == _CODE_PAGE:
            self.texts.encoding = encoding_of(int.from_bytes(body[:2], "little"))
        elif kind == _DATE_MODE:
            self.calendar = Calendar(is_1904=body[:1] == b"\x01")
        elif kind == _WINDOW:
            self.active = int.from_bytes(body[10:12], "little")
        elif kind == _SHEETS_POSITION:
            self.first_header = int.from_bytes(body[:4], "little")
        elif kind == _SHEET:
            # Read later: the code page may stand behind it.
            self._sheet_bodies.append(body)
        else:
            self._styles.add(kind, body)

    def _text_segments(self) -> Iterator[bytes]:
        is_inside = False
        for kind, data, start, length in records(self._stream, self._start):
            if kind == _TEXTS or (is_inside and kind == CONTINUE):
                is_inside = True
                yield data[start : start + length]
            elif is_inside:
                return


def sheets_of_excel_4(stream: Stream, beginning: Beginning, *, limits: ReadLimits) -> list[Listed]:
    """Return the sheets of a workbook of Excel 4: a header with length and name precedes each of them."""
    parts = Globals(stream, beginning, limits=limits)
    position = parts.first_header
    sheets: list[Listed] = []
    while position and len(head := stream.read(position, 4 + 4 + 256)) > 9:
        kind, length, size = struct.unpack_from("<HHI", head)
        if kind != _SHEET_HEADER:
            break
        sheets.append(Listed(parts.texts.short(head, 8), position + 4 + length, 0, 0))
        position += 4 + length + size
    return sheets
