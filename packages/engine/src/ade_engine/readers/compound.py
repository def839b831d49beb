"""Finds the streams of an OLE compound file, the container of xls and of encrypted workbooks."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from ade_engine.records import record

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_LAST_REGULAR = 0xFFFFFFFA
_ENTRY_BYTES = 128
_SECTOR_COUNTS = (40, 44, 64, 72)  # of the directory, the FAT, the FAT of short streams, and of the list of FAT sectors
_FILLED_ENTRIES = (2, 5)


@record
class Stream:
    """The bytes of a stream, and where each sector of it stands in the file."""

    data: bytes
    sectors: Sequence[int]
    sector_bytes: int

    def file_offset(self, offset: int) -> int:
        """Return where a byte of the stream stands in the file."""
        index, rest = divmod(offset, self.sector_bytes)
        return self.sectors[index] + rest


class Compound:
    """An OLE compound file in memory. Raises ValueError when its tables contradict each other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        if len(data) < 512:
            raise ValueError("too short")
        self._sector_bytes = 1 << min(_u16(data, 30), 16)
        self._mini_bytes = 1 << min(_u16(data, 32), 16)
        self._cutoff = _u32(data, 56)
        # Readers reserve memory for as many sectors as the header declares.
        if max(_u32(data, offset) for offset in _SECTOR_COUNTS) > len(data) // self._sector_bytes:
            raise ValueError("more sectors are declared than the file has")
        self._fat = self._read_fat()
        self.streams = self._read_directory()
        root = self.streams.get("Root Entry") or next(iter(self.streams.values()), (0, 0))
        self._mini_sectors = self._chain(root[0], self._fat)
        mini_fat = self._join(self._chain(_u32(data, 60), self._fat))
        self._mini_fat = struct.unpack(f"<{len(mini_fat) // 4}I", mini_fat[: len(mini_fat) // 4 * 4])

    def open(self, name: str) -> Stream:
        """Return a stream by name."""
        start, size = self.streams[name]
        if size >= self._cutoff:
            offsets = [self._offset(sector) for sector in self._chain(start, self._fat)]
            return self._stream(offsets, size, self._sector_bytes)
        per_sector = self._sector_bytes // self._mini_bytes
        offsets = []
        for mini in self._chain(start, self._mini_fat):
            if mini // per_sector >= len(self._mini_sectors):
                raise ValueError("a short stream points outside of its container")
            sector = self._offset(self._mini_sectors[mini // per_sector])
            offsets.append(sector + mini % per_sector * self._mini_bytes)
        return self._stream(offsets, size, self._mini_bytes)

    def check(self) -> None:
        """Raise ValueError when a chain of sectors runs in a circle: a reader that follows it would never end."""
        for table in (self._fat, self._mini_fat):
            ending: set[int] = set()
            for sector, _ in self.streams.values():
                ending |= _path_to_end(sector, table, ending)

    def _stream(self, offsets: list[int], size: int, sector_bytes: int) -> Stream:
        data = b"".join([self._data[offset : offset + sector_bytes] for offset in offsets])
        return Stream(data[:size], offsets, sector_bytes)

    def _read_fat(self) -> Sequence[int]:
        sectors = list(struct.unpack_from("<109I", self._data, 76))
        following = _u32(self._data, 68)
        count = self._sector_bytes // 4
        seen: set[int] = set()
        while following < _LAST_REGULAR and following not in seen:
            seen.add(following)
            *more, following = struct.unpack_from(
                f"<{count}I", self._sector(following).ljust(self._sector_bytes, b"\xff")
            )
            sectors.extend(more)
        fat = self._join([sector for sector in sectors if sector < _LAST_REGULAR])
        return struct.unpack(f"<{len(fat) // 4}I", fat[: len(fat) // 4 * 4])

    def _read_directory(self) -> dict[str, tuple[int, int]]:
        directory = self._join(self._chain(_u32(self._data, 48), self._fat))
        streams: dict[str, tuple[int, int]] = {}
        for start in range(0, len(directory) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            length = min(_u16(directory, start + 64), 64)
            if length >= 2:
                name = directory[start : start + length - 2].decode("utf-16-le", "replace")
                size = _u32(directory, start + 120)
                if directory[start + 66] in _FILLED_ENTRIES and size > len(self._data):
                    raise ValueError("a stream is longer than the file")
                streams.setdefault(name, (_u32(directory, start + 116), size))
        return streams

    def _chain(self, sector: int, table: Sequence[int]) -> list[int]:
        sectors: list[int] = []
        while sector < _LAST_REGULAR:
            if sector >= len(table) or len(sectors) > len(table):
                raise ValueError("a chain of sectors has no end")
            sectors.append(sector)
            sector = table[sector]
        return sectors

    def _offset(self, sector: int) -> int:
        return (sector + 1) * self._sector_bytes

    def _sector(self, sector: int) -> bytes:
        return self._data[self._offset(sector) : self._offset(sector) + self._sector_bytes]

    def _join(self, sectors: Sequence[int]) -> bytes:
        return b"".join([self._sector(sector) for sector in sectors])


def _path_to_end(sector: int, table: Sequence[int], ending: set[int]) -> set[int]:
    path: set[int] = set()
    while sector < len(table) and sector not in ending:
        if sector in path:
            raise ValueError("a chain of sectors has no end")
        path.add(sector)
        sector = table[sector]
    return path


def _u16(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 2], "little")


def _u32(data: bytes, offset: int) -> int:
    return int.from_bytes(data[offset : offset + 4], "little")
