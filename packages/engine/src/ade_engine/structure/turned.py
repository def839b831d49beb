"""Shows rows of a sheet as columns, so that a table whose fields are rows is read as any other table."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from ade_engine.axes import Axes
from ade_engine.cells import Range
from ade_engine.evidence import Contribution
from ade_engine.issues import Finding
from ade_engine.readers.base import Row, Sheet, SheetInfo, Style
from ade_engine.records import record
from ade_engine.structure.judge import RowRule
from ade_engine.structure.kinds import kind_of

MOST_CELLS = 400_000  # of a table that is turned: it is held in memory


@record
class Turning:
    """What becomes of tables whose fields are rows: report, turn, always (all tables are such) or never.

    `mode_of` may tell the modes of tables apart by the texts in and above them; without it, there is one mode.
    """

    mode: str = "report"
    mode_of: Callable[[Sequence[str]], str] | None = None
    evidence: RowRule | None = None  # for the rows of a table that was turned

    def of(self, texts: Sequence[str]) -> str:
        """Return the mode of a table."""
        return self.mode if self.mode_of is None else self.mode_of(texts)


REPORT = Turning()


@record
class Transposed:
    """What makes a table look transposed, where, and what became of it."""

    place: Range
    contributions: Sequence[Contribution]
    decided_by: str  # evidence, settings, correction
    is_turned: bool = False
    is_too_large: bool = False
    header_columns: Sequence[int] = ()
    title_rows: Sequence[int] = ()  # of the document, like those that head groups of fields
    group_rows: Sequence[int] = ()

    @property
    def score(self) -> float:
        """Return what the evidence sums to."""
        return round(sum(found.delta for found in self.contributions), 4)


class TurnedSheet:
    """Rows of a sheet as the columns of another one, whose rows are the sheet's columns of the given range."""

    def __init__(self, sheet: Sheet, fields: Sequence[Row], columns: range) -> None:
        """Take the rows that become columns, in order, and the columns that become rows, counted from 1."""
        self._sheet = sheet
        self._fields = fields
        self._columns = columns
        self.axes = Axes([row.number for row in fields])
        self.place = Range(columns[0], 1, columns[-1], len(fields))

    @property
    def info(self) -> SheetInfo:
        """Return how the workbook lists the sheet."""
        return self._sheet.info

    @property
    def styles(self) -> Sequence[Style]:
        """Return the looks that rows refer to."""
        return self._sheet.styles

    @property
    def formulas_without_value(self) -> int:
        """Return none: those of the sheet are counted there."""
        return 0

    @property
    def findings(self) -> Sequence[Finding]:
        """Return none: those of the sheet are reported there."""
        return ()

    @property
    def hidden_columns(self) -> frozenset[int]:
        """Return the columns that are hidden rows of the sheet."""
        return frozenset(position for position, row in enumerate(self._fields, start=1) if row.is_hidden)

    @property
    def merged(self) -> Sequence[Range]:
        """Return the merged ranges, turned, as far as they are inside."""
        return [turned for merged in self._sheet.merged if (turned := self._turned(merged)) is not None]

    def _turned(self, merged: Range) -> Range | None:
        upper = bisect_left(self.axes.rows, merged.first_row) + 1
        lower = bisect_right(self.axes.rows, merged.last_row)
        first = max(merged.first_column, self._columns[0])
        last = min(merged.last_column, self._columns[-1])
        is_inside = upper <= lower and first <= last and (upper, first) != (lower, last)
        return Range(first, upper, last, lower) if is_inside else None

    def rows(self) -> Iterator[Row]:
        """Yield the columns that hold something as rows."""
        has_styles = any(row.styles is not None for row in self._fields)
        hidden = self._sheet.hidden_columns
        for column in self._columns:
            values = [row.values[column - 1] if column <= len(row.values) else None for row in self._fields]
            while values and values[-1] is None:
                values.pop()
            if values:
                styles = [_style(row, column) for row in self._fields[: len(values)]] if has_styles else None
                yield Row(column, values, styles, is_hidden=column in hidden)


def _style(row: Row, column: int) -> int:
    return row.styles[column - 1] if row.styles is not None and column <= len(row.styles) else -1


def rows_inside(sheet: Sheet, place: Range) -> list[Row] | None:
    """Return the rows that hold something inside a rectangle; None when they are too large to be turned."""
    found: list[Row] = []
    cells = 0
    for row in sheet.rows():
        if row.number > place.last_row:
            break
        if row.number < place.first_row or not any(
            map(kind_of, row.values[place.first_column - 1 : place.last_column])
        ):
            continue
        found.append(row)
        cells += len(row.values)
        if cells > MOST_CELLS:
            return None
    return found
