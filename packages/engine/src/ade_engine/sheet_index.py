"""A sheet as lines of text and where they begin, so that any row is found without reading those before it.

    sheet.json    the sheet, what is merged and hidden
    rows.txt      one row per line: its number, 1 if it is hidden, then its cells as JSON; separated by tabs
    blocks.txt    for the first row of every block: its number, and where its line begins
    end.json      where the rows end and whether they are all there; written last

Each file grows from its beginning, so that a reader can use what there is while the rest is being written. JSON never
contains a tab, so the cells of a range are found without parsing those beside it. An empty cell takes one byte; texts
and numbers, which nearly all cells are, stand there without their type, so that a million rows fit into an index.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from ade_engine.cells import Value
from ade_engine.protocol import MOST_INDEX_BYTES
from ade_engine.shown import LONGEST_TEXT, SAFE_INTEGER, shown_cell

BLOCK_ROWS = 200
BLOCK_BYTES = 256 * 1024
# A line is read as a whole: the texts of a row share this many characters, however many columns it has.
ROW_CHARACTERS = 400_000
FEWEST_CHARACTERS = 20
_quoted = json.encoder.encode_basestring
Line = tuple[int, bytes]  # the number of a row, and all of the line


def write_index(
    lines_of: Iterable[Line],
    folder: Path,
    *,
    about: dict[str, Any],
    first_row: int = 1,
    most_bytes: int = MOST_INDEX_BYTES,
) -> dict[str, Any]:
    """Write the index of lines from a row on, up to this many bytes; return what end.json says."""
    (folder / "sheet.json").write_text(json.dumps(about, ensure_ascii=False), "utf-8", "replace")
    end = {"last_row": 0, "bytes": 0, "is_whole": True}
    block = _Block()
    with (folder / "rows.txt").open("wb") as lines, (folder / "blocks.txt").open("w") as blocks:
        for number, line in lines_of:
            if number < first_row:
                continue
            if end["bytes"] + len(line) > most_bytes:
                end["is_whole"] = False
                break
            if block.ends_before(end["bytes"]):
                lines.flush()  # before the place is reported
                blocks.write(f"{number} {end['bytes']}\n")
                blocks.flush()
            lines.write(line)
            end |= {"last_row": number, "bytes": end["bytes"] + len(line)}
    (folder / "end.json").write_text(json.dumps(end), "utf-8")
    return end


@dataclass(slots=True)
class _Block:
    """The block that is being written; the first line begins one."""

    start: int = -BLOCK_BYTES
    row_count: int = 0

    def ends_before(self, position: int) -> bool:
        """Count the row whose line begins here; return whether a new block begins with it."""
        if self.row_count < BLOCK_ROWS and position - self.start < BLOCK_BYTES:
            self.row_count += 1
            return False
        self.start, self.row_count = position, 1
        return True


def lines_of(sheet: Any, first_row: int) -> Iterator[Line]:
    """Yield the rows of a sheet from one on, with their numbers, as lines of an index."""
    for row in sheet.rows():
        if row.number >= first_row:
            yield row.number, line_of(row.number, row.is_hidden, cells_of(row))


def line_of(number: int, is_hidden: bool, cells: bytes) -> bytes:
    """Return a line of an index."""
    return b"%d\t%d\t%b\n" % (number, is_hidden, cells)


def cells_of(row: Any) -> bytes:
    """Return the cells of a row as a line has them."""
    longest = min(LONGEST_TEXT, max(FEWEST_CHARACTERS, ROW_CHARACTERS // max(len(row.values), 1)))
    return "\t".join([_cell(value, longest) for value in row.values]).encode("utf-8", "replace")


def _cell(value: Value, longest: int) -> str:
    if value is None:
        return ""
    if type(value) is str and len(value) <= longest:  # by far the most
        return _quoted(value)
    if type(value) is int and -SAFE_INTEGER <= value <= SAFE_INTEGER:
        return str(value)
    if type(value) is float and isfinite(value):
        return repr(value)
    return json.dumps(shown_cell(value, longest=longest), ensure_ascii=False)
