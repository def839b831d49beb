"""Finds the streams of an OLE compound file, the container of xls and of encrypted workbooks.

Only the tables are held in memory; a stream is read piece by piece. What the tables say is not trusted: a chain that
runs in a circle or points outside of the file raises ValueError.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import BinaryIO

from ade_engine.errors import InputError
from ade_engine.readers.limits import MIB
from ade_engine.records import record

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_HEADER_BYTES = 512
_LAST_REGULAR = 0xFFFFFFFA
_ENTRY_BYTES = 128
_ROOT, _STREAM = 5, 2
# A workbook has a handful of streams, and one with macros or embedded objects some hundred.
_DIRECTORY_BYTES = 16 * MIB
_MINI_STREAM_SECTORS = 1_000_000


class Stream:
    """The bytes of a stream, wherever they stand in the file."""

    def __init__(self, file: BinaryIO, offsets: Sequence[int], *, sector_bytes: int, size: int) -> None:
        self.size = min(size, len(offsets) * sector_bytes)
        self._file = file
        self._offsets = offsets
        self._sector_bytes = sector_bytes

    def read(self, position: int, count: int) -> bytes:
        """Return up to `count` bytes from a position; fewer where the stream or the file ends."""
        end = min(position + count, self.size)
        pieces = []
        while position < end:
            start, stop = self._run(position, end)
            self._file.seek(start)
            piece = self._file.read(stop - position)
            pieces.append(piece)
            if len(piece) < stop - position:
                break
            position = stop
        return b"".join(pieces)

    def _run(self, position: int, end: int) -> tuple[int, int]:
        """Return the place of a position in the file, and up to which position the bytes are contiguous there."""
        offsets, sector_bytes = self._offsets, self._sector_bytes
        first, rest = divmod(position, sector_bytes)
        last = first
        while (last + 1) * sector_bytes < end and offsets[last + 1] == offsets[last] + sector_bytes:
            last += 1
        return offsets[first] + rest, min((last + 1) * sector_bytes, end)


@record
class _Entry:
    name: str
    kind: int
    left: int
    right: int
    child: int
    start: int
    size: int


class Compound:
    """An open OLE compound file. `names` are the streams of its root; those of embedded documents are left out."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._file_bytes = file.seek(0, 2)
        header = self._at(0, _HEADER_BYTES)
        if len(header) < _HEADER_BYTES:
            raise ValueError("too short")
        sector_shift, mini_shift = struct.unpack_from("<HH", header, 30)
        if not (7 <= sector_shift <= 16 and 3 <= mini_shift <= sector_shift):
            raise ValueError("sectors of an impossible size")
        self._sector_bytes: int = 1 << sector_shift
        self._mini_bytes: int = 1 << mini_shift
        directory, self._cutoff, mini_fat = struct.unpack_from("<I4xII", header, 48)
        self._fat = self._read_fat(header)
        self._mini_fat_start = mini_fat
        self._root, self._entries = self._read_directory(directory)
        self.names = frozenset(self._entries)

    def open(self, name: str) -> Stream:
        """Return a stream of the root by its name."""
        entry = self._entries[name]
        if entry.size < self._cutoff:
            return self._open_short(entry)
        chain = _chain(entry.start, self._fat, at_most=-(-entry.size // self._sector_bytes))
        offsets = array("Q", [self._offset(sector) for sector in chain])
        return Stream(self._file, offsets, sector_bytes=self._sector_bytes, size=entry.size)

    def _open_short(self, entry: _Entry) -> Stream:
        mini_fat = self._table(_chain(self._mini_fat_start, self._fat, at_most=_MINI_STREAM_SECTORS))
        container = _chain(self._root.start, self._fat, at_most=_MINI_STREAM_SECTORS)
        per_sector = self._sector_bytes // self._mini_bytes
        offsets = array("Q")
        for mini in _chain(entry.start, mini_fat, at_most=-(-entry.size // self._mini_bytes)):
            if mini // per_sector >= len(container):
                raise ValueError("a short stream points outside of its container")
            sector = self._offset(container[mini // per_sector])
            offsets.append(sector + mini % per_sector * self._mini_bytes)
        return Stream(self._file, offsets, sector_bytes=self._mini_bytes, size=entry.size)

    def _read_fat(self, header: bytes) -> array[int]:
        sectors = array("I", struct.unpack_from("<109I", header, 76))
        following = struct.unpack_from("<I", header, 68)[0]
        seen: set[int] = set()
        while following < _LAST_REGULAR:
            if following in seen:
                raise ValueError("the list of FAT sectors runs in a circle")
            seen.add(following)
            more = self._table([following])
            following = more.pop() if more else _LAST_REGULAR
            sectors.extend(more)
        return self._table([sector for sector in sectors if sector < _LAST_REGULAR])

    def _read_directory(self, start: int) -> tuple[_Entry, dict[str, _Entry]]:
        chain = _chain(start, self._fat, at_most=_DIRECTORY_BYTES // self._sector_bytes)
        data = b"".join([self._at(self._offset(sector), self._sector_bytes) for sector in chain])
        if len(data) < _ENTRY_BYTES:
            raise ValueError("there is no directory")
        root = _entry(data, 0)
        entries: dict[str, _Entry] = {}
        seen: set[int] = set()
        waiting = [root.child]
        while waiting:
            number = waiting.pop()
            if number in seen or number >= len(data) // _ENTRY_BYTES:
                continue
            seen.add(number)
            entry = _entry(data, number)
            waiting += (entry.left, entry.right)
            if entry.kind == _STREAM:
                entries.setdefault(entry.name, entry)
        return root, entries

    def _table(self, sectors: Sequence[int]) -> array[int]:
        table = array("I")
        for sector in sectors:
            data = self._at(self._offset(sector), self._sector_bytes)
            table.frombytes(data[: len(data) // 4 * 4])
        return table

    def _offset(self, sector: int) -> int:
        offset = (sector + 1) * self._sector_bytes
        if offset >= self._file_bytes:
            raise ValueError("a sector lies outside of the file")
        return offset

    def _at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count)


def encrypted() -> InputError:
    """Return the error for a workbook behind a password."""
    return InputError(
        "The workbook is protected with a password. Remove the password and save it again.", cause="encrypted"
    )


def _chain(sector: int, table: Sequence[int], *, at_most: int) -> array[int]:
    """Return the sectors of a chain, up to as many as are needed."""
    sectors = array("I")
    seen = bytearray(len(table))
    while sector < _LAST_REGULAR and len(sectors) < at_most:
        if sector >= len(table) or seen[sector]:
            raise ValueError("a chain of sectors has no end")
        seen[sector] = 1
        sectors.append(sector)
        sector = table[sector]
    return sectors


def _entry(data: bytes, number: int) -> _Entry:
    start = number * _ENTRY_BYTES
    length, kind, left, right, child = struct.unpack_from("<HBxIII", data, start + 64)
    name = data[start : start + min(length, 64)].decode("utf-16-le", "replace").rstrip("\0")
    first, size = struct.unpack_from("<II", data, start + 116)
    return _Entry(name, kind, left, right, child, first, size)
