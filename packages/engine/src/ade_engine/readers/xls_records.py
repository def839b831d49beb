"""Walks the records of an xls stream (BIFF), and names those that matter."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager

from ade_engine.errors import InputError
from ade_engine.readers.compound import Stream
from ade_engine.readers.limits import MIB
from ade_engine.records import record

BOF_KINDS = {0x0009: 2, 0x0209: 3, 0x0409: 4, 0x0809: 5}
EOF, CONTINUE = 0x000A, 0x003C

GLOBALS, WORKSHEET, WORKSPACE = 0x0005, 0x0010, 0x0100

_MARKS = frozenset({*BOF_KINDS, EOF})
_BLOCK_BYTES = MIB
_LARGEST_RECORD = 4 + 0xFFFF
_VERSIONS = {0x0600: 8, 0x0500: 5, 0x0400: 4, 0x0300: 3, 0x0200: 2, 0x0007: 2, 0x0000: 2}

Record = tuple[int, bytes, int, int]
"""Kind, the bytes that contain it, where its body begins there, and how long the body is."""


@record
class Beginning:
    """What the first record of a substream tells: the version of BIFF, the kind, and where the next record begins."""

    version: int
    kind: int
    end: int


def read_beginning(stream: Stream, position: int) -> Beginning:
    """Return the beginning of a substream; raise ValueError when there is none."""
    head = stream.read(position, 8)
    if len(head) < 8:
        raise ValueError("a substream lies outside of the stream")
    number, length, version, kind = struct.unpack("<HHHH", head)
    if number not in BOF_KINDS:
        raise ValueError("a substream does not begin where it should")
    if BOF_KINDS[number] == 5:
        return Beginning(_VERSIONS.get(version, 8), kind, position + 4 + length)
    return Beginning(BOF_KINDS[number], kind, position + 4 + length)


def records(stream: Stream, position: int, end: int | None = None) -> Iterator[Record]:
    """Yield the records of a substream behind its BOF up to its EOF, without those of substreams inside it.

    An embedded chart is such a substream: it has cells of its own, the numbers it was drawn from.
    """
    end = stream.size if end is None else end
    unpack = struct.Struct("<HH").unpack_from
    depth = safe = 1
    while safe > 0:
        data = stream.read(position, min(_BLOCK_BYTES, end - position))
        # Below `safe`, even the longest record is in what was read.
        safe = len(data) - (_LARGEST_RECORD if position + len(data) < end else 3)
        start = 0
        while start < safe:
            kind, length = unpack(data, start)
            body = start + 4
            start = body + length
            if kind in _MARKS:
                depth += -1 if kind == EOF else 1
                if not depth:
                    return
            elif depth == 1:
                if start > len(data):
                    break
                yield kind, data, body, length
        position += start
    raise ValueError("a substream was cut off")


@contextmanager
def damage_as_input_error() -> Iterator[None]:
    """Turn what reading damaged records and tables raises into an InputError."""
    try:
        yield
    except (ValueError, struct.error, IndexError) as error:
        raise InputError(
            "The workbook is damaged or incomplete. Get it again from its source.", cause="truncated"
        ) from error
