"""Collects what is doubtful about the rows of a delimited text file while they are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ade_engine.issues import Finding

# This many neighbours with the same number of cells are a table of their own, or its title lines.
_TABLE_ROWS = 3
# Up to this row, rows that a blank line parts from the first table are title lines too, such as labels with values.
_TITLE_ROWS = 20
_USUAL_SHARE = 0.8
_LEAST_CELLS = 2


class Doubts:
    """Counts rows with broken quotes, and single rows with another number of cells than the others.

    `width` is the number of cells of the rows since the last note; with `is_broken`, the next row has broken quotes.
    """

    def __init__(self) -> None:
        self.width = 0
        self.is_broken = False
        self._first_row = 0  # of those with this width
        self._broken_count = 0
        self._first_broken: int | None = None
        self._rows: Counter[int] = Counter()
        self._alone: Counter[int] = Counter()
        self._first_alone: dict[int, int] = {}
        self._has_table = False

    def note_broken_quotes(self) -> None:
        """Expect a row whose quotes do not match."""
        self.is_broken = True

    def note_row(self, number: int, width: int) -> None:
        """Take a row whose width differs from that of the row above, or whose quotes are broken."""
        if self.is_broken and width:
            self.is_broken = False
            self._broken_count += 1
            self._first_broken = self._first_broken or number
        if width != self.width:
            self._count(number - self._first_row)
            if not self.width and not self._has_table and number <= _TITLE_ROWS:
                self._forget()
            self.width, self._first_row = width, number

    def _count(self, rows: int) -> None:
        self._rows[self.width] += rows
        if rows < _TABLE_ROWS:
            self._alone[self.width] += rows
            self._first_alone.setdefault(self.width, self._first_row)
        elif self.width >= _LEAST_CELLS:
            self._has_table = True

    def _forget(self) -> None:
        """Take the rows read so far for title lines."""
        for counts in (self._rows, self._alone, self._first_alone):
            counts.clear()

    def findings(self) -> Iterator[Finding]:
        """Yield what was found in the rows read so far."""
        if self._broken_count:
            rows = "1 row has" if self._broken_count == 1 else f"{self._broken_count} rows have"
            message = f"{rows} quotes that do not match; the first one is row {self._first_broken}"
            yield Finding("csv.broken_quotes", "warning", message)
        yield from self._uneven()

    def _uneven(self) -> Iterator[Finding]:
        rows = {width: count for width, count in self._rows.items() if width >= _LEAST_CELLS}
        usual = max(rows, key=rows.__getitem__, default=0)
        uneven = [width for width in rows if width != usual and self._alone[width]]
        if not uneven or rows[usual] < _USUAL_SHARE * sum(rows.values()):
            return
        count = sum(self._alone[width] for width in uneven)
        first = min(self._first_alone[width] for width in uneven)
        which = "1 row has" if count == 1 else f"{count} rows have"
        message = f"{which} another number of cells than the others, which have {usual}; the first one is row {first}"
        yield Finding("csv.uneven_rows", "warning", message)
