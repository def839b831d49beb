"""What the first pass hands on: a table with its columns, its header and the reasons, and its rows as a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from ade_engine.axes import UPRIGHT, Axes
from ade_engine.cells import Range, Value
from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row, Sheet
from ade_engine.records import record
from ade_engine.structure.outline import Group, Total

if TYPE_CHECKING:
    from ade_engine.structure.turned import Transposed

CHUNK = 1024
SIDE_LABELS = frozenset({"title", "group", "total", "note"})


@record
class TableColumn:
    """A column of a table. `position` is the sheet's column; stacked header texts are joined by a space."""

    position: int
    header: str
    header_cells: tuple[Value, ...] = ()


@record
class Candidate:
    """A choice of header rows that was weighed and not taken; no rows means "no header at all"."""

    header_rows: tuple[int, ...]
    score: float


@record
class SideRow:
    """A row of a table that is no data: a title, the heading of a group, a total or a note, as it was read.

    `cells` are those of the table's part of the sheet, where a merged range holds its value in every cell.
    """

    label: str
    row: Row
    cells: Sequence[Value]

    @property
    def texts(self) -> list[str]:
        """Return the filled cells as texts; one that is repeated over merged cells comes once."""
        texts = [" ".join(str(cell).split()) for cell in self.cells if cell is not None]
        return [text for place, text in enumerate(texts) if text and text not in texts[max(0, place - 1) : place]]


@record
class DoubtfulRow:
    """A row that is left out, or taken for a part of the header, and may be a record.

    One that `looks_like_data` is in doubt even where other rows of the table are left out for the same reason.
    """

    row: int
    label: str
    looks_like_data: bool = False


@record(frozen=False, kw_only=True)
class FoundTable:
    """A table. Its header is known at once; how far it reaches, only after `data()` is exhausted.

    `score` is what the header rows earned by `contributions`; `margin` is the lead of this choice of header rows over
    the `runner_up`. Rows and columns count from 1.
    """

    sheet: str | None
    columns: list[TableColumn]
    header_rows: list[int]
    title_rows: list[int]
    first_row: int
    score: float
    contributions: list[Contribution]
    runner_up: Candidate | None
    margin: float
    sample: Sequence[Row]
    last_row: int
    totals_rows: list[int] = field(default_factory=list)
    note_rows: list[int] = field(default_factory=list)
    group_rows: list[int] = field(default_factory=list)
    repeated_header_rows: list[int] = field(default_factory=list)
    groups: list[Group] = field(default_factory=list)  # of the first window, with levels
    totals: list[Total] = field(default_factory=list)  # of the first window, with the rows they sum
    confidence: float = 0.0  # the probability that the range is exactly right
    header_confidence: float = 0.0  # the probability that the header rows are exactly right
    doubts: tuple[str, ...] = ()  # what both were judged by
    side_rows: list[SideRow] = field(default_factory=list)  # taken out by the reader of the data
    lone_rows: list[int] = field(default_factory=list)  # notes of one short cell, which may be data
    doubtful_rows: list[DoubtfulRow] = field(default_factory=list)  # which may be records
    summed_rows: frozenset[int] = frozenset()  # totals of the first window that are sums of records above or below
    told_rows: set[int] = field(default_factory=set)  # of which rules or people say what they are
    axes: Axes = UPRIGHT
    transposed: Transposed | None = None  # where the table looks as if its fields were rows, or was turned
    view: Sheet | None = None  # the sheet as the table's rows lie in it, where that is not the document's
    wider_row_count: int = 0  # rows with cells right of all columns seen in the window
    _known: list[Row] = field(repr=False)
    _rest: Callable[[FoundTable], Iterator[list[Row]]] | None = field(default=None, repr=False)
    _reading: Iterator[list[Row]] | None = field(default=None, repr=False)

    @property
    def first_column(self) -> int:
        """Return the first column."""
        return self.columns[0].position

    @property
    def last_column(self) -> int:
        """Return the last column."""
        return self.columns[-1].position

    @property
    def range(self) -> Range:
        """Return the document's rectangle from the first header row to the last data row, once the data is read."""
        return self.axes.range_of(Range(self.first_row, self.first_column, self.last_row, self.last_column))

    def data(self) -> Iterator[list[Row]]:
        """Yield the data rows in order, in chunks. A table that continues past its window can be read once."""
        if self._rest is None:
            return self._chunks()
        if self._reading is None:
            self._reading = self._chunks()
        return self._reading

    def skip(self) -> None:
        """Read past what is left of the data."""
        for _ in self.data():
            pass

    def _chunks(self) -> Iterator[list[Row]]:
        for start in range(0, len(self._known), CHUNK):
            yield self._known[start : start + CHUNK]
        if self._rest is not None:
            self._known = []
            yield from self._rest(self)
