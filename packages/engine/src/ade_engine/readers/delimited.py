"""Reads csv, tsv and their relatives as a stream. Values are always text, exactly as written; an empty cell is None."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TextIO

from ade_engine.cells import Range
from ade_engine.encoding_names import public_name
from ade_engine.errors import InputError
from ade_engine.issues import Finding
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.readers.delimited_doubts import Doubts
from ade_engine.readers.delimited_records import records
from ade_engine.readers.dialect import find_dialect
from ade_engine.readers.encodings import find_decoding
from ade_engine.readers.limits import DEFAULT_LIMITS, MIB, ReadLimits

_SAMPLE_LINES = 1000
_SAMPLE_CHARACTERS = 200_000


class DelimitedWorkbook:
    """An open delimited text file: one sheet without a name."""

    def __init__(
        self,
        path: Path,
        *,
        limits: ReadLimits = DEFAULT_LIMITS,
        encoding: str | None = None,
        delimiter: str | None = None,
    ) -> None:
        self._path = path
        self._limits = limits
        self.decoding = find_decoding(path, encoding=encoding)
        self.encoding: str | None = public_name(self.decoding.encoding)
        self.other_encoding = public_name(self.decoding.second) if self.decoding.second else None
        found = find_dialect(self._sample(), delimiter=delimiter)
        self.dialect = found.dialect
        self._first_line = found.first_line
        self.format = "tsv" if self.dialect.delimiter == "\t" else "csv"
        self.sheets = [SheetInfo(index=0, name=None, is_active=True)]

    def open_sheet(self, info: SheetInfo) -> DelimitedSheet:
        """Open the only sheet."""
        return DelimitedSheet(self, info)

    def close(self) -> None:
        """Do nothing: the file is open only while rows are read."""

    def records(self, report: Callable[[], None]) -> Iterator[tuple[int, list[str]]]:
        """Yield (row number, cells) of each record; call `report` before one whose quotes were broken."""
        with self._open() as file:
            lines = self._lines(file)
            for _ in islice(lines, self._first_line):
                pass
            yield from enumerate(records(lines, self.dialect, report=report), start=self._first_line + 1)

    def check(self, number: int, width: int) -> None:
        """Refuse a record beyond the limits."""
        if width > self._limits.columns:
            raise InputError(
                f"A row has more than {self._limits.columns} columns. Check the separator of the file.",
                cause="too_large",
            )
        if number > self._limits.rows:
            raise InputError(f"The file has more than {self._limits.rows} rows. Split it.", cause="too_large")

    def _open(self) -> TextIO:
        # Line ends inside of quoted cells are part of the value, so they must come through untouched.
        return self._path.open(encoding=self.decoding.encoding, errors=self.decoding.errors, newline="")

    def _sample(self) -> list[str]:
        lines: list[str] = []
        left = _SAMPLE_CHARACTERS
        with self._open() as file:
            for line in self._lines(file):
                # The beginning of an endless line tells as much as the whole.
                lines.append(line[:_SAMPLE_CHARACTERS])
                left -= len(line)
                if left < 0 or len(lines) >= _SAMPLE_LINES:
                    break
        return lines

    def _lines(self, file: TextIO) -> Iterator[str]:
        longest = self._limits.line_characters
        while line := file.readline(longest):
            if len(line) >= longest:
                raise InputError(
                    f"A line of the file has more than {longest // MIB} million characters. "
                    "Check that it is a csv file with one row per line.",
                    cause="too_large",
                )
            yield line


class DelimitedSheet:
    """The rows of a delimited text file."""

    merged: tuple[Range, ...] = ()
    hidden_columns: frozenset[int] = frozenset()
    styles: tuple[Style, ...] = ()
    formulas_without_value = 0

    def __init__(self, workbook: DelimitedWorkbook, info: SheetInfo) -> None:
        self.info = info
        self._workbook = workbook
        self._doubts = Doubts()

    @property
    def findings(self) -> list[Finding]:
        """What is doubtful about the encoding, the quotes and the number of cells."""
        return [*self._workbook.decoding.findings(), *self._doubts.findings()]

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something."""
        check = self._workbook.check
        doubts = self._doubts = Doubts()
        number = 0
        for number, cells in self._workbook.records(doubts.note_broken_quotes):
            values = [cell or None for cell in cells]
            while values and values[-1] is None:
                values.pop()
            if values:
                check(number, len(values))
                if len(cells) != doubts.width or doubts.is_broken:
                    doubts.note_row(number, len(cells))
                yield Row(number, values)  # type: ignore[arg-type]
            elif doubts.width:
                doubts.note_row(number, 0)
        doubts.note_row(number + 1, 0)
