"""The rows of a sheet as a stream that takes rows back."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import dropwhile, islice, takewhile

from ade_engine.cells import Range
from ade_engine.readers.base import Row, Sheet
from ade_engine.structure.kinds import kind_of

_CELLS = 400_000
_ROWS = 128


class Source:
    """Rows from a given one on. What was taken too far is given back and comes again."""

    def __init__(self, sheet: Sheet, *, first_row: int = 1, inside: Range | None = None) -> None:
        """With `inside`, only the rows that hold something in a rectangle come; their cells beside it come along."""
        self._rows = (
            dropwhile(lambda row: row.number < first_row, sheet.rows()) if inside is None else _rows_in(sheet, inside)
        )
        self._returned: deque[Row] = deque()

    def __iter__(self) -> Iterator[Row]:
        return self

    def __next__(self) -> Row:
        return self._returned.popleft() if self._returned else next(self._rows)

    def take(self, count: int) -> list[Row]:
        """Return up to `count` rows, fewer when they are very wide: memory is bounded by cells."""
        taken: list[Row] = []
        cells = 0
        while len(taken) < count and (len(taken) < _ROWS or cells <= _CELLS):
            part = self._some(min(_ROWS, count - len(taken)))
            if not part:
                break
            taken += part
            cells += sum([len(row.values) for row in part])
        return taken

    def _some(self, count: int) -> list[Row]:
        if self._returned:
            return [self._returned.popleft() for _ in range(min(count, len(self._returned)))]
        return list(islice(self._rows, count))

    def give_back(self, rows: Iterable[Row]) -> None:
        """Let rows, in order, come again before all others."""
        self._returned.extendleft(reversed(list(rows)))

    def peek(self) -> Row | None:
        """Return the next row, which still comes."""
        row = next(self, None)
        if row is not None:
            self._returned.appendleft(row)
        return row

    def is_exhausted(self) -> bool:
        """Return whether no row is left."""
        return self.peek() is None


def _rows_in(sheet: Sheet, place: Range) -> Iterator[Row]:
    from_first = dropwhile(lambda row: row.number < place.first_row, sheet.rows())
    for row in takewhile(lambda row: row.number <= place.last_row, from_first):
        if any(kind_of(value) for value in row.values[place.first_column - 1 : place.last_column]):
            yield row
