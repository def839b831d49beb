"""What a look at a file's raw records tells about its sheets before a library loads them whole."""

from __future__ import annotations

from dataclasses import dataclass, field

from ade_engine.cells import CellError
from ade_engine.errors import InputError
from ade_engine.readers.limits import ReadLimits

ERROR_CODES = {
    0x00: "#NULL!",
    0x07: "#DIV/0!",
    0x0F: "#VALUE!",
    0x17: "#REF!",
    0x1D: "#NAME?",
    0x24: "#NUM!",
    0x2A: "#N/A",
    0x2B: "#GETTING_DATA",
}


@dataclass(slots=True)
class SheetExtent:
    """The rectangle a sheet's cells span (0-based), its error cells, and what it hides."""

    first_row: int = 1 << 30
    first_column: int = 1 << 30
    last_row: int = -1
    last_column: int = -1
    errors: dict[tuple[int, int], CellError] = field(default_factory=dict)
    hidden_rows: set[int] = field(default_factory=set)
    hidden_columns: set[int] = field(default_factory=set)

    def add(self, row: int, first: int, last: int) -> None:
        """Stretch to the cells of a row between two columns."""
        if row < self.first_row:
            self.first_row = row
        if row > self.last_row:
            self.last_row = row
        if first < self.first_column:
            self.first_column = first
        if last > self.last_column:
            self.last_column = last

    def add_error(self, row: int, column: int, code: int) -> None:
        """Remember an error cell by its binary code."""
        if code in ERROR_CODES:
            self.errors[row, column] = CellError(ERROR_CODES[code])

    def check(self, limits: ReadLimits) -> None:
        """Refuse a sheet that a library could not hold."""
        rows = self.last_row - self.first_row + 1
        columns = self.last_column - self.first_column + 1
        is_outside = self.last_row >= limits.rows or self.last_column >= limits.columns
        if rows > 0 and (is_outside or rows * columns > limits.buffered_cells):
            raise InputError(
                f"A sheet spans {rows} rows and {columns} columns, too many to read in this format. Save it as xlsx.",
                cause="too_large",
            )
