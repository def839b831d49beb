"""A window of rows, ready to be judged: kinds of cells, merged ranges filled, and cut into blocks of columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import field
from typing import TypeVar

from ade_engine.cells import Range, Value
from ade_engine.readers.base import PLAIN, Row, Sheet, Style
from ade_engine.records import record
from ade_engine.structure.kinds import EMPTY, LONG, NUMERIC, TEXT, kind_of

_SPREAD_LENGTH = 3
_SURE_LENGTH = 6
_TALL = 64
_MERGES = 20_000
# A title merged over the whole width of a sheet is as plain when it fills fewer cells, and rows stay small.
_FILLED_COLUMNS = 256
_FILLED_CELLS = 16_384  # of one row: ranges that overlap could fill a row again and again
_WIDE = 64
_SPARSE = 4

T = TypeVar("T")


@record(frozen=False)
class GridRow:
    """A row of the sheet with the kinds of its cells; merged ranges hold their value in every cell.

    `mask` has bit c set where column c (counted from 0) is filled, `drawn` where it holds white space only.
    """

    row: Row
    values: list[Value]
    kinds: list[int]
    mask: int
    drawn: int
    solid: int = -1  # kept once it was asked for


@record(frozen=False)
class Line:
    """The cells of one row inside one block, and what can be told from them alone."""

    row: Row
    gap: int  # blank rows above, inside the block
    values: list[Value]
    kinds: list[int]
    styles: list[Style] | None
    filled: int
    first: int  # position of the first filled cell
    is_lone: bool  # one filled cell, or one text repeated over merged cells
    is_spread: bool
    numbers: int
    texts: int

    @property
    def number(self) -> int:
        """Return the row's number in the sheet."""
        return self.row.number

    @property
    def label(self) -> str:
        """Return the first filled cell as text."""
        return str(self.values[self.first])


@record(frozen=False)
class Block:
    """A part of the window that is judged on its own: the sheet's columns, counted from 0, that its lines hold."""

    columns: Sequence[int]
    lines: list[Line] = field(default_factory=list)
    is_styled: bool = True


class Merges:
    """Merged ranges by row, to fill their cells. Tall ranges are left alone: they name groups of data, not columns."""

    def __init__(self, merged: Sequence[Range]) -> None:
        self.ranges_by_row: dict[int, list[Range]] = {}
        self._values: dict[Range, Value] = {}
        filled: Counter[int] = Counter()
        for found in merged[:_MERGES]:
            if found.last_row - found.first_row < _TALL:
                for number in range(found.first_row, found.last_row + 1):
                    filled[number] += _filled_width(found)
                    if filled[number] <= _FILLED_CELLS:
                        self.ranges_by_row.setdefault(number, []).append(found)

    def fill(self, row: Row) -> list[Value]:
        """Return the row's values, with every cell of a merged range holding the range's value."""
        covering = self.ranges_by_row.get(row.number)
        if not covering:
            return row.values
        values = list(row.values)
        for merged in covering:
            if merged.first_row == row.number and merged.first_column <= len(values):
                self._values[merged] = values[merged.first_column - 1]
            self._spread(self._values.get(merged), merged, values)
        return values

    def _spread(self, value: Value, merged: Range, values: list[Value]) -> None:
        if kind_of(value) == EMPTY:
            return
        first = merged.first_column - 1
        last = first + _filled_width(merged)
        values.extend([None] * (last - len(values)))
        for column in range(first, last):
            values[column] = value


def _filled_width(merged: Range) -> int:
    return min(merged.last_column - merged.first_column + 1, _FILLED_COLUMNS)


def grid_row(row: Row, merges: Merges) -> GridRow | None:
    """Return the row with its kinds, or None when nothing in it can be seen."""
    values = merges.fill(row)
    kinds = [kind_of(value) for value in values]
    mask = drawn = 0
    for column, kind in enumerate(kinds):
        if kind:
            mask |= 1 << column
        elif values[column]:
            drawn |= 1 << column
    return GridRow(row, values, kinds, mask, drawn) if mask else None


def looks_of(rows: Sequence[GridRow], styles: Sequence[Style]) -> Sequence[Style]:
    """Return the styles, or none where no cell looks different from a plain one: then all formats are judged alike."""
    marked = {n for n, s in enumerate(styles) if s.bold or s.italic or s.filled or s.border_top or s.border_bottom}
    if any(row.row.styles is not None and not marked.isdisjoint(row.row.styles) for row in rows):
        return styles
    return ()


def cut(rows: Sequence[GridRow], *, sheet: Sheet, first_column: int, last_column: int) -> Block:
    """Return the block of the given columns."""
    inside = ((1 << (last_column - first_column + 1)) - 1) << first_column
    styles = looks_of(rows, sheet.styles)
    block = Block(_columns(rows, inside, first_column, last_column), is_styled=bool(styles))
    previous = None
    for row in rows:
        if row.mask & inside:
            gap = 0 if previous is None else row.row.number - previous - 1
            block.lines.append(line_of(row, styles, block, gap=gap))
            previous = row.row.number
    return block


def _columns(rows: Sequence[GridRow], inside: int, first: int, last: int) -> Sequence[int]:
    """Return all columns, or only those in use where a stray cell far out would make every row endlessly wide."""
    used = 0
    for row in rows:
        used |= row.mask & inside
    if last - first < _WIDE + _SPARSE * used.bit_count():
        return range(first, last + 1)
    return [column for column in range(first, last + 1) if used >> column & 1]


def line_of(row: GridRow, styles: Sequence[Style], block: Block, *, gap: int) -> Line:
    """Return the part of a row that lies inside a block."""
    values: list[Value] = _pick(row.values, block.columns, None)
    kinds = _pick(row.kinds, block.columns, EMPTY)
    filled = len(kinds) - kinds.count(EMPTY)
    first = next(position for position, kind in enumerate(kinds) if kind)
    spread = filled > 1 and _is_spread(values, kinds, first)
    return Line(
        row=row.row,
        gap=gap,
        values=values,
        kinds=kinds,
        styles=_styles(row.row, styles, block) if styles else None,
        filled=filled,
        first=first,
        is_lone=filled == 1 or spread,
        is_spread=spread,
        numbers=sum(kind in NUMERIC for kind in kinds),
        texts=kinds.count(TEXT) + kinds.count(LONG),
    )


def _pick(cells: list[T], columns: Sequence[int], blank: T) -> list[T]:
    if isinstance(columns, range):
        picked = cells[columns.start : columns.stop]
        picked.extend([blank] * (len(columns) - len(picked)))
        return picked
    width = len(cells)
    return [cells[column] if column < width else blank for column in columns]


def _is_spread(values: list[Value], kinds: list[int], first: int) -> bool:
    """Return whether one text fills all cells, as a merged title does once it is written to every cell it covers."""
    text = values[first]
    if not isinstance(text, str) or kinds[first] in NUMERIC or len(text) < _SPREAD_LENGTH:
        return False
    if len(text) < _SURE_LENGTH and len(kinds) - kinds.count(EMPTY) == 2:
        return False
    return all(value == text for value, kind in zip(values, kinds, strict=True) if kind)


def _styles(row: Row, styles: Sequence[Style], block: Block) -> list[Style] | None:
    if row.styles is None:
        return None
    return [styles[index] if index >= 0 else PLAIN for index in _pick(row.styles, block.columns, -1)]
