"""Compares totals of a document with the sums of its rows, and keeps them for a table of their own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from ade_engine.cells import Value
from ade_engine.convert import CannotConvert, Convert
from ade_engine.errors import ResourceLimitExceeded
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.structure.tables import SideRow

WRONG_SUM = Finding("totals", "error", "is not the sum of the rows it totals")
_MOST_STARTS = 1000
_MOST_ROWS = 100_000
_MOST_TOGETHER = 20
_MOST_ABOVE = 200
_TOLERANCE = Decimal("0.005")


class TotalsCheck:
    """Adds up columns while rows stream by.

    A total may cover the rows since any heading or total before it, or since the top: documents do not say which. Or it
    adds up the totals right above it, as net and tax, or covers the rows below it, to a heading, a total or the end. It
    is wrong when it is none of these sums.
    """

    def __init__(self, columns: Mapping[int, Convert]) -> None:
        self._columns = columns
        self._waiting: deque[SideRow] = deque()
        self._sums = dict.fromkeys(columns, Decimal(0))
        self._starts: deque[Mapping[int, Decimal]] = deque([dict(self._sums)], maxlen=_MOST_STARTS)
        self._top = dict(self._sums)
        self._together: list[tuple[int, Mapping[int, Decimal]]] = []  # totals without a row between them
        self._above: deque[tuple[int, int, Decimal]] = deque(maxlen=_MOST_ABOVE)  # row, column, sum when rows below end
        self.checked = 0
        self.wrong: list[tuple[int, int]] = []  # row, column

    def note(self, rows: Iterable[SideRow]) -> None:
        """Take totals and headings that were read, in order."""
        self._waiting.extend(row for row in rows if row.label in ("total", "group"))

    def add(self, rows: Sequence[Row]) -> None:
        """Add the rows of a chunk."""
        first = 0
        for place, row in enumerate(rows):
            if self._waiting and self._waiting[0].row.number < row.number:
                self._sum(rows[first:place])
                first = place
                self._pass(row.number)
        self._sum(rows[first:])

    def finish(self) -> None:
        """Compare the totals below the last row."""
        self._compare_above()
        self._pass(None)

    def _sum(self, rows: Sequence[Row]) -> None:
        if rows:
            self._together.clear()
        for position, convert in self._columns.items():
            for row in rows:
                if (number := _number(row.values, position, convert)) is not None:
                    self._sums[position] += number

    def _pass(self, before: int | None) -> None:
        while self._waiting and (before is None or self._waiting[0].row.number < before):
            side = self._waiting.popleft()
            self._compare_above()
            if side.label == "total":
                self._compare(side.row)
            self._starts.append(dict(self._sums))

    def _compare(self, row: Row) -> None:
        numbers = {
            position: number
            for position, convert in self._columns.items()
            if (number := _number(row.values, position, convert)) is not None
        }
        for position, number in numbers.items():
            self.checked += 1
            sums = (self._sums[position] - start[position] for start in (self._top, *self._starts))
            if any(_is_near(found, number) for found in sums):
                continue
            added = self._added(position, number)
            if added and not added <= set(self.wrong):  # one of them at least is the sum of rows
                self.wrong = [found for found in self.wrong if found not in added]
            else:
                self.wrong.append((row.number, position))
                self._above.append((row.number, position, self._sums[position] + number))
        self._together.append((row.number, numbers))

    def _compare_above(self) -> None:
        """Take back what was found wrong of totals that are the sums of the rows below them so far."""
        if not self._above:
            return
        right = {(row, position) for row, position, end in self._above if _is_near(self._sums[position], end)}
        if right:
            self.wrong = [cell for cell in self.wrong if cell not in right]
            self._above = deque((one for one in self._above if one[:2] not in right), maxlen=_MOST_ABOVE)

    def _added(self, position: int, number: Decimal) -> set[tuple[int, int]]:
        """Return the cells of the totals right above that add up to a number; those before may belong to others."""
        found = Decimal(0)
        cells: set[tuple[int, int]] = set()
        for row, numbers in reversed(self._together[-_MOST_TOGETHER:]):
            if position in numbers:
                found += numbers[position]
                cells.add((row, position))
            if len(cells) > 1 and _is_near(found, number):
                return cells
        return set()


def _is_near(found: Decimal, number: Decimal) -> bool:
    return abs(found - number) <= _TOLERANCE + abs(number) * Decimal("1e-9")


def _number(values: Sequence[Value], position: int, convert: Convert) -> Decimal | None:
    value = values[position - 1] if position <= len(values) else None
    if is_empty(value):
        return None
    try:
        number = convert(value)
    except CannotConvert:
        return None
    return Decimal(str(number)) if isinstance(number, int | float) else None


class TotalsKept:
    """The totals of a table, converted as its rows are, for a table of their own."""

    def __init__(self, columns: Sequence[tuple[int | None, Convert | None]]) -> None:
        self._columns = columns
        self.rows: list[list[Value]] = []

    def note(self, rows: Iterable[SideRow]) -> None:
        """Take the totals among rows that are no data."""
        for side in rows:
            if side.label == "total":
                if len(self.rows) == _MOST_ROWS:
                    message = f"Only {_MOST_ROWS:,} totals can be kept. Set [rows] totals to drop."
                    raise ResourceLimitExceeded(message, resource="memory")
                self.rows.append(list(self._cells(side.row.values)))

    def padded(self, width: int) -> list[list[Value]]:
        """Return the rows with as many cells as the table's own."""
        return [row + [None] * (width - len(row)) for row in self.rows]

    def _cells(self, values: Sequence[Value]) -> Iterator[Value]:
        for position, convert in self._columns:
            value = values[position - 1] if position is not None and position <= len(values) else None
            try:
                yield value if convert is None or is_empty(value) else convert(value)
            except CannotConvert:
                yield value
