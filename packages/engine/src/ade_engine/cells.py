"""What a cell holds, and its place.

Rows and columns count from 1, as people see them in a spreadsheet; ranges include both ends.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

_A1 = re.compile(r"\$?([A-Za-z]{1,3})\$?([1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class CellError:
    """An error a formula left in a cell, such as #N/A: not text, and not nothing."""

    code: str

    def __str__(self) -> str:
        return self.code


# Values are what the file says, never a guess: text stays text ("007", "1e5"), a whole number without a fraction is an
# int of any length, dates come from number formats only.
Value = str | int | float | bool | datetime | date | time | timedelta | CellError | None


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """A rectangle of cells."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int

    @property
    def a1(self) -> str:
        """Return the range in A1 notation: "B3:F20"."""
        return f"{cell_name(self.first_row, self.first_column)}:{cell_name(self.last_row, self.last_column)}"

    def contains(self, row: int, column: int) -> bool:
        """Return whether a cell lies inside."""
        return self.first_row <= row <= self.last_row and self.first_column <= column <= self.last_column

    def overlaps(self, other: Range) -> bool:
        """Return whether a cell lies inside both."""
        are_rows_apart = self.last_row < other.first_row or other.last_row < self.first_row
        return not (are_rows_apart or self.last_column < other.first_column or other.last_column < self.first_column)


def cell_name(row: int, column: int) -> str:
    """Return "C7" for row 7, column 3."""
    return f"{column_letters(column)}{row}"


@lru_cache(maxsize=16384)
def column_letters(column: int) -> str:
    """Return "AB" for column 28."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def parse_cell(name: str) -> tuple[int, int]:
    """Return (row, column) of "C7"; raise ValueError when it is no cell name."""
    found = _A1.fullmatch(name)
    if not found:
        raise ValueError(f"{name!r} is not a cell name such as C7")
    column = 0
    for letter in found.group(1).upper():
        column = column * 26 + ord(letter) - 64
    return int(found.group(2)), column


def is_cell_of_sheet(name: str) -> bool:
    """Return whether a text names a cell as ADE writes it, of the largest sheet there is: C7."""
    try:
        row, column = parse_cell(name)
    except ValueError:
        return False
    return cell_name(row, column) == name and row <= _MOST_ROWS and column <= _MOST_COLUMNS


_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384


def parse_range(name: str) -> Range:
    """Return the range of "B3:F20" or of a single cell."""
    first, _, last = name.partition(":")
    row, column = parse_cell(first)
    last_row, last_column = parse_cell(last) if last else (row, column)
    return Range(min(row, last_row), min(column, last_column), max(row, last_row), max(column, last_column))
