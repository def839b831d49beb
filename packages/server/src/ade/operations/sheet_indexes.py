"""Shows any part of a sheet at once, however long it is: each sheet somebody looks at is indexed once, by a child.

Rows are told as soon as the index has come as far as them. Indexes live in a temporary folder of this process; those
nobody looked at for longest make room for others.
"""

import json
import time
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore, Event, Lock, Thread
from typing import Any

from ade.errors import Invalid, Unavailable
from ade.files import FileStore, save
from ade_engine.cells import Range, parse_range

MOST_CELLS = 20_000
MOST_BYTES = 2 * 1024 * 1024 * 1024
MOST_INDEXES = 200
AT_ONCE = 2
PATIENCE_SECONDS = 25.0
LOOK_AGAIN_SECONDS = 0.02
Ask = Callable[..., dict[str, Any]]


@dataclass(slots=True)
class _Index:
    """The index of one sheet, while it grows and afterwards."""

    folder: Path
    error: Exception | None = None
    over: Event = field(default_factory=Event)
    size_bytes: int = 0
    starts: list[tuple[int, int]] = field(default_factory=list)  # (row, where its line begins)
    blocks_read: int = 0
    last_row: int | None = None

    def catch_up(self) -> None:
        """Take in what the child has told since."""
        is_over = self.over.is_set()  # before reading: what is written later is for the next time
        blocks = self.folder / "blocks.txt"
        if self.last_row is None and blocks.exists():
            with blocks.open("rb") as told:
                told.seek(self.blocks_read)
                whole = told.read().rpartition(b"\n")[0]
            if whole:
                self.blocks_read += len(whole) + 1
                self.starts += [(int(row), int(at)) for row, at in map(bytes.split, whole.splitlines())]
        if is_over and self.error is None and self.last_row is None:
            self.last_row = int(json.loads((self.folder / "end.json").read_text("utf-8"))["last_row"])

    def has(self, row: int) -> bool:
        """Tell whether everything up to a row is there."""
        return self.last_row is not None or (bool(self.starts) and self.starts[-1][0] > row)


class SheetIndexes:
    """The indexes of a process."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._home: TemporaryDirectory[str] | None = None
        self._known: OrderedDict[tuple[str, int], _Index] = OrderedDict()
        self._lock = Lock()
        self._turns = BoundedSemaphore(AT_ONCE)
        self._count = 0

    def cells(self, files: FileStore, key: str, *, suffix: str, sheet: int, wanted: str) -> dict[str, Any]:
        """Return the cells of a range of a stored document, and the last row of the sheet once it is known."""
        area = area_of(wanted)
        index = self._index(files, key, suffix, sheet)
        self._wait(index, area.last_row, key=(key, sheet))
        about = json.loads((index.folder / "sheet.json").read_text("utf-8"))
        spans = [span for span in about["merged"] if _overlap(parse_range(span), area)]
        hidden = [column for column in about["hidden_columns"] if area.first_column <= column <= area.last_column]
        rows, has_more = _rows(index, area)
        return {
            "sheet": about["sheet"],
            "range": area.a1,
            "rows": rows,
            "merged": spans,
            "hidden_columns": hidden,
            "has_more_rows": has_more,
            "last_row": index.last_row,
        }

    def _index(self, files: FileStore, key: str, suffix: str, sheet: int) -> _Index:
        with self._lock:
            known = self._known.get((key, sheet))
            if known is not None:
                self._known.move_to_end((key, sheet))
                return known
            self._home = self._home or TemporaryDirectory(prefix="ade-sheets-", ignore_cleanup_errors=True)
            self._count += 1
            index = _Index(Path(self._home.name) / str(self._count))
            index.folder.mkdir(parents=True)
            self._known[key, sheet] = index
            self._make_room()
        Thread(target=self._write, args=(index, files, key, suffix, sheet), daemon=True, name="sheet index").start()
        return index

    def _write(self, index: _Index, files: FileStore, key: str, suffix: str, sheet: int) -> None:
        document = index.folder / f"document{suffix}"
        try:
            with self._turns:
                save(files.read(key), document)
                self._ask("index", str(document), str(sheet), str(index.folder))
            index.size_bytes = (index.folder / "rows.ndjson").stat().st_size
        except Exception as error:  # noqa: BLE001 - told to whoever waits for it
            index.error = error
        finally:
            document.unlink(missing_ok=True)
            index.over.set()

    def _wait(self, index: _Index, row: int, *, key: tuple[str, int]) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            with self._lock:
                if index.error is None:
                    index.catch_up()
            if index.error is not None:
                self._forget(index, key)  # the next one to look may have more luck
                raise index.error
            if index.has(row):
                return
            if time.monotonic() > until:
                raise Unavailable("The sheet is still being read. Ask again in a moment.")
            index.over.wait(LOOK_AGAIN_SECONDS)

    def _forget(self, index: _Index, key: tuple[str, int]) -> None:
        with self._lock:
            if self._known.get(key) is index:  # and not one that was begun since
                del self._known[key]
            rmtree(index.folder, ignore_errors=True)

    def _make_room(self) -> None:
        """Forget what nobody looked at for longest; what is being written stays."""
        while len(self._known) > MOST_INDEXES or sum(one.size_bytes for one in self._known.values()) > MOST_BYTES:
            oldest = next((key for key, index in self._known.items() if index.over.is_set()), None)
            if oldest is None:
                return
            rmtree(self._known.pop(oldest).folder, ignore_errors=True)


def area_of(wanted: str) -> Range:
    """Read a range, or say what is wrong with it."""
    try:
        area = parse_range(wanted)
    except ValueError as error:
        raise Invalid(f"{error}. Give a range such as A1:H50.") from None
    count = (area.last_row - area.first_row + 1) * (area.last_column - area.first_column + 1)
    if count > MOST_CELLS:
        raise Invalid(f"The range has {count} cells; ask for {MOST_CELLS} at most.")
    return area


def _rows(index: _Index, area: Range) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows of an area, and whether more follow."""
    found: list[dict[str, Any]] = []
    for row in _lines(index, area.first_row):
        if row["row"] > area.last_row:
            return found, True
        if row["row"] >= area.first_row:
            found.append({**row, "cells": row["cells"][area.first_column - 1 : area.last_column]})
    return found, False


def _lines(index: _Index, first_row: int) -> Iterator[dict[str, Any]]:
    place = bisect_right(index.starts, first_row, key=lambda start: start[0]) - 1
    with (index.folder / "rows.ndjson").open("rb") as lines:
        lines.seek(index.starts[place][1] if place >= 0 else 0)
        for line in lines:
            yield json.loads(line)


def _overlap(one: Range, other: Range) -> bool:
    is_beside = one.last_column < other.first_column or one.first_column > other.last_column
    return not is_beside and one.first_row <= other.last_row and one.last_row >= other.first_row
