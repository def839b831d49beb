"""How the rows and columns of a table lie in its document: as they are, or turned, when its fields are rows there."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.cells import Range, cell_name, column_letters
from ade_engine.records import record


@record
class Axes:
    """Names cells of a table as they are named in the document.

    A turned table has the numbers of the document's rows that are its columns; its rows count the document's columns.
    """

    rows: Sequence[int] = ()

    @property
    def are_turned(self) -> bool:
        """Return whether rows of the document are columns of the table."""
        return bool(self.rows)

    def cell(self, row: int, position: int) -> str:
        """Return the name of a cell: "C7"."""
        return cell_name(self.rows[position - 1], row) if self.rows else cell_name(row, position)

    def column(self, position: int) -> str:
        """Return what a column of the table is in the document: "C", or "7" when it is a row there."""
        return str(self.rows[position - 1]) if self.rows else column_letters(position)

    def row(self, number: int) -> str:
        """Return what a row of the table is in the document, in words: "row 7", or "column C"."""
        return self.in_words([number], most=1)

    def in_words(self, numbers: Sequence[int], *, most: int, count: int | None = None) -> str:
        """Return what rows of the table are in the document, in words; of `count`, these are the first."""
        kind = "column" if self.rows else "row"
        shown = [column_letters(number) if self.rows else str(number) for number in numbers[:most]]
        if (more := (len(numbers) if count is None else count) - most) > 0:
            return f"{kind}s {', '.join(shown)} and {more} more"
        return f"{kind} {shown[0]}" if len(numbers) == 1 else f"{kind}s {', '.join(shown[:-1])} and {shown[-1]}"

    def range_of(self, place: Range) -> Range:
        """Return a rectangle of the table's rows and columns as it is in the document."""
        if not self.rows:
            return place
        first, last = self.rows[place.first_column - 1], self.rows[place.last_column - 1]
        return Range(first, place.first_row, last, place.last_row)


UPRIGHT = Axes()
