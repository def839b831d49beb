"""Writes csv: UTF-8, comma, CRLF, one file per table.

Text is written as it is, also when it looks like a formula: csv has no types, and a changed value would be worse. Open
such files as data (import), not by double click. Where people do that, `escape_formulas` puts an apostrophe before such
text and quotes every cell, so that none is split where another separator is usual. Dates are ISO 8601, booleans TRUE
and FALSE, elapsed times h:mm:ss.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Literal, TextIO

from ade_engine.cells import CellError, Value
from ade_engine.patterns import Pattern
from ade_engine.writers.files import TableFiles
from ade_engine.writers.look import NO_TEMPLATE, PLAIN, Look

# What spreadsheets take for the beginning of a formula, or skip before one; the last four are as wide as kanji.
_BEGINNINGS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_PLAIN_NUMBER = Pattern(r"[-+]?[0-9][0-9.,]*+(?:[eE][-+]?[0-9]+)?%?")


class DelimitedWriter:
    """Open csv files: a single table goes to the path given, several to files that carry the tables' names."""

    filled: Mapping[str, dict[str, Any]] = NO_TEMPLATE

    def __init__(self, path: Path, *, escape_formulas: bool = False) -> None:
        self._files = TableFiles(path)
        self._text = escaped_text if escape_formulas else plain_text
        self._quoting: Literal[0, 1] = csv.QUOTE_ALL if escape_formulas else csv.QUOTE_MINIMAL
        self._file: TextIO | None = None

    @property
    def paths(self) -> list[Path]:
        """The files written so far, in order."""
        return self._files.paths

    def begin_table(
        self,
        name: str,
        columns: Sequence[str],
        *,
        look: Look = PLAIN,  # noqa: ARG002
        is_issues: bool = False,
    ) -> str:
        """Start a file with a header line; return the table's name unchanged."""
        path = self._files.add_issues() if is_issues else self._files.add(name)
        self._file = path.open("w", encoding="utf-8", newline="")
        self._write = csv.writer(self._file, quoting=self._quoting).writerows
        self._write([[self._text(column) for column in columns]])
        return name

    def write_rows(self, rows: Sequence[Sequence[Value]], *, highlighted: Collection[tuple[int, int]] = ()) -> None:  # noqa: ARG002
        """Write rows; there is no highlight in csv."""
        if self._file is None:
            raise ValueError("begin_table comes before write_rows")
        self._write([[self._text(value) for value in row] for row in rows])

    def end_table(self) -> None:
        """Finish the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def close(self) -> None:
        """Finish; without tables, leave one empty file."""
        self.end_table()
        if not self._files.has_tables():
            self._files.add("").write_bytes(b"")  # a sandbox pretends to set times, so that touch makes no file

    def discard(self) -> None:
        """Give up: close and remove the files. What can't be written, on a full disk, is not missed."""
        with suppress(OSError):
            self.end_table()
        for path in self.paths:
            path.unlink(missing_ok=True)


def plain_text(value: Value) -> str | int:
    """Return a value as csv text."""
    if type(value) is str or type(value) is int:
        return value
    render = _RENDER.get(type(value))
    return render(value) if render else str(value)


def escaped_text(value: Value) -> str | int:
    """Return a value as csv text that no spreadsheet runs as a formula; numbers stay numbers."""
    if type(value) is str and value.startswith(_BEGINNINGS) and not _PLAIN_NUMBER.fullmatch(value):
        return f"'{value}"
    return plain_text(value)


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
