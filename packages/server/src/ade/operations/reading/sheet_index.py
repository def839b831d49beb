"""The index of one sheet, as its readers wrote it: each continues in a folder of its own where the last one stopped."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ade.errors import Invalid
from ade.sandbox.collector import open_output
from ade.sandbox.removal import remove_folder
from ade_engine.cells import Range, parse_range
from ade_engine.protocol import MOST_ANSWER_BYTES, MOST_INDEX_BYTES

MOST_LINE_BYTES = 16 * 1024 * 1024
MOST_BLOCKS_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Start:
    """Where a block of rows begins."""

    row: int
    part: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of a sheet before its first row."""

    values: dict[str, Any]
    merged: list[Range]


@dataclass(slots=True, eq=False)
class SheetIndex:
    """What there is of an index. One reader at a time writes it; `parts` are the folders they wrote."""

    folder: Path
    parts: list[Path] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)  # how many bytes of each part hold whole blocks
    starts: list[Start] = field(default_factory=list)
    resume_row: int = 1  # what comes before is in earlier parts
    blocks_read: int = 0
    is_written: bool = False
    about: About | None = None
    last_row: int | None = None  # once nothing more will be read
    is_whole: bool = True

    @property
    def known_to(self) -> int:
        """Return the first row that may be missing."""
        return max(self.resume_row, self.starts[-1].row if self.starts else 1)

    @property
    def row_bytes(self) -> int:
        """Return how many bytes of rows there are."""
        return sum(self.ends)

    def has(self, row: int) -> bool:
        """Return whether everything up to a row is there."""
        return self.last_row is not None or row < self.known_to

    def as_it_is(self) -> SheetIndex:
        """Return what there is now: it can be read while this one grows."""
        return replace(self, parts=[*self.parts], ends=[*self.ends], starts=[*self.starts])

    def begin_part(self) -> Path:
        """Return the folder of the next reader, which continues at `resume_row`: the last block may not be whole."""
        if self.starts and self.starts[-1].position == self.ends[self.starts[-1].part]:
            self.resume_row = self.starts.pop().row
        part = self.folder / str(len(self.parts))
        part.mkdir(mode=0o700)
        self.parts.append(part)
        self.ends.append(0)
        self.blocks_read = 0
        self.is_written = True
        return part

    def end_part(self) -> None:
        """Take in the last of what the reader wrote; a part without a whole block is removed."""
        self.catch_up()
        self.is_written = False
        if self.last_row is None and self.ends[-1] == 0:
            self.starts = [start for start in self.starts if start.part != len(self.parts) - 1]
            self.ends.pop()
            remove_folder(self.parts.pop())

    def catch_up(self) -> None:
        """Take in the blocks that the present reader has written since."""
        if self.last_row is not None or not self.is_written:
            return  # the blocks of an earlier part are known
        number = len(self.parts) - 1
        try:
            with open_output(self.parts[number], "blocks.txt", max_bytes=MOST_BLOCKS_BYTES) as blocks:
                blocks.seek(self.blocks_read)
                whole = blocks.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            return
        self.about = self.about or _about(self.parts[number])
        if not whole:
            return
        self.blocks_read += len(whole) + 1
        for line in whole.splitlines():
            row, position = map(int, line.split())
            self.starts.append(Start(row, number, position))
            self.ends[number] = position

    def finish(self) -> None:
        """Take in where the rows end, after a reader came to the end."""
        self.catch_up()
        with open_output(self.parts[-1], "end.json", max_bytes=1000) as file:
            end = json.loads(file.read())
        self.ends[-1] = int(end["bytes"])
        self.is_whole = bool(end["is_whole"])
        self.last_row = int(end["last_row"]) or self.known_to - 1

    def give_up(self) -> None:
        """Be content with the rows there are."""
        self.last_row, self.is_whole = self.known_to - 1, False

    def lines(self, first_row: int, *, column_count: int, most_bytes: int | None = None) -> Iterator[list[bytes]]:
        """Yield the rows from the block of a row on: number, whether it is hidden, the cells of the first columns.

        Raise Invalid when a row is asked for after `most_bytes` were read.
        """
        read_bytes = 0
        place = max(bisect_right(self.starts, first_row, key=lambda start: start.row) - 1, 0)
        first = self.starts[place] if self.starts else Start(1, 0, 0)
        for number in range(first.part, len(self.parts)):
            position, end = (first.position if number == first.part else 0), self.ends[number]
            if position >= end:
                continue
            with open_output(self.parts[number], "rows.txt", max_bytes=2 * MOST_INDEX_BYTES) as rows:
                rows.seek(position)
                while position < end and (line := rows.readline(MOST_LINE_BYTES)):
                    if most_bytes is not None and read_bytes > most_bytes:
                        raise Invalid("These rows are too wide to be shown together. Ask for fewer rows.")
                    position += len(line)
                    read_bytes += len(line)
                    yield line.rstrip(b"\n").split(b"\t", column_count + 2)[: column_count + 2]


def _about(part: Path) -> About:
    with open_output(part, "sheet.json", max_bytes=MOST_ANSWER_BYTES) as file:
        values = json.loads(file.read())
    return About(values=values, merged=[parse_range(span) for span in values.pop("merged")])
