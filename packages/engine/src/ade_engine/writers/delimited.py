"""Writes csv: UTF-8, comma, CRLF, one file per table.

Text is written as it is, also when it looks like a formula: csv has no types, and a changed value would be worse. Open
such files as data (import), not by double click. Dates are ISO 8601, booleans TRUE and FALSE, elapsed times h:mm:ss.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import TextIO

from ade_engine.cells import CellError, Value


class DelimitedWriter:
    """Open csv files: the first table goes to the path given, the next ones to "name-2.csv", "name-3.csv"."""

    def __init__(self, path: Path) -> None:
        self.paths: list[Path] = []
        self._path = path
        self._file: TextIO | None = None

    def begin_table(self, name: str, columns: Sequence[str], *, has_filter: bool = False) -> str:  # noqa: ARG002
        """Start a file with a header line; return the table's name unchanged."""
        self._file = self._next_file()
        self._write = csv.writer(self._file).writerows
        self._write([columns])
        return name

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:  # noqa: ARG002
        """Write rows; there is no highlight in csv."""
        if self._file is None:
            raise ValueError("begin_table comes before write_rows")
        self._write([[plain_text(value) for value in row] for row in rows])

    def end_table(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Finish; without tables, leave one empty file."""
        if not self.paths:
            self._file = self._next_file()
        self.end_table()

    def discard(self) -> None:
        """Give up: close and remove the files. What can't be written, on a full disk, is not missed."""
        with suppress(OSError):
            self.end_table()
        for path in self.paths:
            path.unlink(missing_ok=True)

    def _next_file(self) -> TextIO:
        count = len(self.paths) + 1
        path = self._path if count == 1 else self._path.with_stem(f"{self._path.stem}-{count}")
        self.paths.append(path)
        return path.open("w", encoding="utf-8", newline="")


def plain_text(value: Value) -> str | int:
    """Return a value as csv text."""
    if type(value) is str or type(value) is int:
        return value
    render = _RENDER.get(type(value))
    return render(value) if render else str(value)


def _nothing(_value: None) -> str:
    return ""


def _boolean(value: bool) -> str:
    return "TRUE" if value else "FALSE"


def _moment(value: datetime | date | time) -> str:
    return value.isoformat()


def _elapsed(value: timedelta) -> str:
    sign = "-" if value < timedelta(0) else ""
    value = abs(value)
    seconds = value.days * 86_400 + value.seconds
    fraction = f".{value.microseconds:06d}" if value.microseconds else ""
    return f"{sign}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}{fraction}"


def _error(value: CellError) -> str:
    return value.code


_RENDER: dict[type, Callable[..., str]] = {
    type(None): _nothing,
    bool: _boolean,
    float: repr,
    datetime: _moment,
    date: _moment,
    time: _moment,
    timedelta: _elapsed,
    CellError: _error,
}
