"""Splits the lines of a delimited text file into records, and repairs the lines whose quotes are broken."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from ade_engine.patterns import sound
from ade_engine.readers.limits import DEFAULT_LIMITS

# A cell over more lines, or of more characters, than this is a quote that was not closed. The csv module has
# a limit of its own, which whole documents in a cell exceed: they would be cut at their line ends.
_RECORD_LINES = 2000
_CELL_CHARACTERS = DEFAULT_LIMITS.line_characters
csv.field_size_limit(_CELL_CHARACTERS)

# Stands for a delimiter of several characters, which the csv module does not know.
_STAND_IN = "\ue0de"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How cells are separated and quoted.

    With `has_escapes`, a backslash before a quote makes it text. With `skips_space`, spaces behind a delimiter belong
    to it. `width` is the usual number of cells, 0 if unknown.
    """

    delimiter: str = ","
    quote: str = '"'
    has_escapes: bool = False
    skips_space: bool = False
    width: int = 0


def records(lines: Iterator[str], dialect: Dialect, *, report: Callable[[], None] | None = None) -> Iterator[list[str]]:
    """Yield the cells of each record; call `report` before a record whose quotes were broken."""
    if len(dialect.delimiter) == 1:
        return _Records(_with_doubled_quotes(lines, dialect), dialect, report or _ignore).all()
    return _by_long_delimiter(lines, dialect, report)


def _ignore() -> None:
    """Do nothing."""


class _Records:
    """Reads strictly, and where the quotes of a record break, reads its first line by itself."""

    def __init__(self, lines: Iterator[str], dialect: Dialect, report: Callable[[], None]) -> None:
        self._lines = lines
        self._dialect = dialect
        self._report = report
        self._taken: list[str] = []
        self._again: deque[str] = deque()

    def all(self) -> Iterator[list[str]]:
        reader = self._reader()
        taken = self._taken
        while True:
            taken.clear()
            try:
                yield next(reader)
            except StopIteration:
                return
            except csv.Error:
                broken, *others = taken
                self._again.extendleft(reversed(others))
                reader = self._reader()
                self._report()
                yield repaired(broken, self._dialect)

    def _reader(self) -> Iterator[list[str]]:
        return csv.reader(
            self._feed(),
            delimiter=self._dialect.delimiter,
            quotechar=self._dialect.quote,
            doublequote=True,
            skipinitialspace=self._dialect.skips_space,
            strict=True,
        )

    def _feed(self) -> Iterator[str]:
        taken, again = self._taken, self._again
        while True:
            line = again.popleft() if again else next(self._lines, None)
            if line is None:
                return
            taken.append(line)
            if len(taken) > _RECORD_LINES:
                raise csv.Error("a quote is not closed")
            yield line


def repaired(line: str, dialect: Dialect) -> list[str]:
    """Split one line whose quotes are broken, in the way that comes closer to the usual number of cells."""
    delimiter, quote = re.escape(dialect.delimiter), re.escape(dialect.quote)
    text = line.rstrip("\r\n")
    # Either quotes inside of a quoted cell are text unless a delimiter follows, or such a cell was never quoted. Spaces
    # may separate the closing quote from the delimiter.
    end = rf" *(?={delimiter}|$)"
    loose = rf"{quote}((?:[^{quote}]|{quote}{quote}(?!{end})|{quote}(?!{end}))*+){quote}{end}"
    tight = rf"{quote}((?:[^{quote}]|{quote}{quote})*+){quote}{end}"
    readings = [
        _split(text, re.compile(sound(loose)), dialect, gives_up=True),
        _split(text, re.compile(sound(tight)), dialect, gives_up=False),
    ]
    return min(readings, key=lambda cells: abs(len(cells) - dialect.width))


def _split(line: str, quoted: re.Pattern[str], dialect: Dialect, *, gives_up: bool) -> list[str]:
    """Split a line; with `gives_up`, a quote without an end means that no later one has an end either."""
    cells: list[str] = []
    position = 0
    has_quotes = True
    while True:
        found = quoted.match(line, position) if has_quotes and line.startswith(dialect.quote, position) else None
        if found is None and gives_up and line.startswith(dialect.quote, position):
            has_quotes = False
        if found:
            cells.append(found.group(1).replace(dialect.quote * 2, dialect.quote))
            end = found.end()
        else:
            end = line.find(dialect.delimiter, position)
            end = len(line) if end < 0 else end
            cells.append(line[position:end])
        if end >= len(line):
            return cells
        position = end + len(dialect.delimiter)
        while dialect.skips_space and line.startswith(" ", position):
            position += 1


def _with_doubled_quotes(lines: Iterator[str], dialect: Dialect) -> Iterator[str]:
    if not dialect.has_escapes:
        return lines
    escaped = "\\" + dialect.quote
    doubled = dialect.quote * 2
    return (line.replace(escaped, doubled) if escaped in line else line for line in lines)


def _by_long_delimiter(
    lines: Iterator[str], dialect: Dialect, report: Callable[[], None] | None
) -> Iterator[list[str]]:
    short = replace(dialect, delimiter=_STAND_IN)
    for cells in records((line.replace(dialect.delimiter, _STAND_IN) for line in lines), short, report=report):
        yield [cell.replace(_STAND_IN, dialect.delimiter) for cell in cells]
