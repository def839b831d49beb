"""Decodes the texts of xls records: with a code page up to BIFF 5, as Unicode in BIFF 8."""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterable, Iterator
from itertools import chain

_WIDE, _PHONETIC, _RICH = 0x01, 0x04, 0x08

# Code pages that Python names otherwise. Without a record of it, or with one it does not know, Windows-1252 is meant.
_CODE_PAGES = {367: "ascii", 10000: "mac-roman", 10006: "mac-greek", 10007: "mac-cyrillic", 10029: "mac-latin2",
               10079: "mac-iceland", 10081: "mac-turkish", 32768: "mac-roman", 32769: "cp1252"}  # fmt: skip
_DEFAULT_ENCODING = "cp1252"


def encoding_of(code_page: int) -> str:
    """Return the encoding a CODEPAGE record means."""
    name = _CODE_PAGES.get(code_page, f"cp{code_page}")
    try:
        codecs.lookup(name)  # to decode nothing asks for no codec
    except LookupError:
        return _DEFAULT_ENCODING
    return name


class TextDecoder:
    """Decodes texts of one workbook; `is_damaged` is set when a text held bytes that mean no character."""

    def __init__(self, version: int, encoding: str = _DEFAULT_ENCODING) -> None:
        self.is_damaged = False
        self.encoding = encoding
        self._has_unicode = version >= 8

    def short(self, data: bytes, start: int) -> str:
        """Return a text whose length takes one byte."""
        return self._counted(data, start + 1, data[start])

    def long(self, data: bytes, start: int) -> str:
        """Return a text whose length takes two bytes."""
        return self._counted(data, start + 2, data[start] | data[start + 1] << 8)

    def split(self, segments: Iterable[bytes]) -> str:
        """Return a text whose length takes two bytes, from a record and those that continue it."""
        return SegmentReader(segments, 0, self).text() if self._has_unicode else self.long(b"".join(segments), 0)

    def unicode(self, data: bytes, *, is_wide: bool) -> str:
        """Return characters of one or two bytes each."""
        return self._decoded(data, "utf-16-le") if is_wide else data.decode("latin-1")

    def _counted(self, data: bytes, start: int, count: int) -> str:
        if not self._has_unicode:
            return self._decoded(_exactly(data, start, count), self.encoding)
        if not count:
            return ""
        flags = data[start]
        start += 1 + (2 if flags & _RICH else 0) + (4 if flags & _PHONETIC else 0)
        is_wide = bool(flags & _WIDE)
        return self.unicode(_exactly(data, start, count << is_wide), is_wide=is_wide)

    def _decoded(self, data: bytes, encoding: str) -> str:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            self.is_damaged = True
            return data.decode(encoding, "replace")


class SegmentReader:
    """Reads Unicode texts out of a record and those that continue it, one after the other."""

    def __init__(self, segments: Iterable[bytes], start: int, decoder: TextDecoder) -> None:
        self._segments = iter(segments)
        self._data = next(self._segments, b"")
        self._position = start
        self._decoder = decoder

    def text(self) -> str:
        """Return the next text, without its formatting and its reading aid."""
        if self._position >= len(self._data):
            self._skip(0)
        data, start = self._data, self._position
        count, flags = struct.unpack_from("<HB", data, start)
        start += 3
        behind = 0
        if flags & _RICH:
            behind += 4 * struct.unpack_from("<H", data, start)[0]
            start += 2
        if flags & _PHONETIC:
            behind += struct.unpack_from("<I", data, start)[0]
            start += 4
        end = start + (count << (flags & _WIDE))
        if end <= len(data):
            self._position = end
            text = self._decoder.unicode(data[start:end], is_wide=bool(flags & _WIDE))
        else:
            self._position = start
            text = self._split_text(count, flags)
        if behind:
            self._skip(behind)
        return text

    def _split_text(self, count: int, flags: int) -> str:
        """Return a text that the next segment continues: its first byte tells again how wide characters are."""
        pieces = []
        while True:
            is_wide = flags & _WIDE
            taken = min(count, (len(self._data) - self._position) >> is_wide)
            piece = self._data[self._position : self._position + (taken << is_wide)]
            pieces.append(piece if is_wide else piece.decode("latin-1").encode("utf-16-le"))
            self._position += taken << is_wide
            count -= taken
            if not count:
                return self._decoder.unicode(b"".join(pieces), is_wide=True)
            self._next_segment()
            flags = self._data[0]
            self._position = 1

    def _skip(self, count: int) -> None:
        position = self._position + count
        while position >= len(self._data):
            position -= len(self._data)
            following = next(self._segments, None)
            if following is None:
                if position:
                    raise ValueError("texts were cut off")
                self._data = b""
                break
            self._data = following
        self._position = position

    def _next_segment(self) -> None:
        following = next(self._segments, b"")
        if not following:
            raise ValueError("a text was cut off")
        self._data = following


def read_texts(segments: Iterable[bytes], decoder: TextDecoder) -> Iterator[list[str]]:
    """Yield the shared texts of a workbook in batches, from an SST record and those that continue it."""
    remaining = iter(segments)
    first = next(remaining, bytes(8))
    count = struct.unpack_from("<I", first, 4)[0]
    reader = SegmentReader(chain([first], remaining), 8, decoder)
    while count > 0:
        batch = [reader.text() for _ in range(min(count, 1024))]
        count -= len(batch)
        yield batch


def _exactly(data: bytes, start: int, count: int) -> bytes:
    piece = data[start : start + count]
    if len(piece) < count:
        raise ValueError("a text was cut off")
    return piece
