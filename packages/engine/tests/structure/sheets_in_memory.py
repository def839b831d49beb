"""Sheets made of Python lists, for tests of structure alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ade_engine.cells import Range, Value, parse_range
from ade_engine.readers.base import PLAIN, Row, SheetInfo, Style
from ade_engine.structure import FoundTable, find_tables

BOLD = Style(bold=True)


@dataclass
class ListSheet:
    """A sheet in memory; `rows()` starts again each time, as a reader does."""

    cells: Sequence[Sequence[Value]]
    info: SheetInfo = field(default_factory=lambda: SheetInfo(index=0, name="Sheet1"))
    merged: Sequence[Range] = ()
    hidden_columns: frozenset[int] = frozenset()
    styles: Sequence[Style] = ()
    bold_rows: frozenset[int] = frozenset()
    unstyled_rows: frozenset[int] = frozenset()

    def rows(self) -> Iterator[Row]:
        for number, cells in enumerate(self.cells, start=1):
            values = list(cells)
            while values and values[-1] is None:
                values.pop()
            if values:
                yield Row(number, values, self._styles(number, len(values)))

    def _styles(self, number: int, width: int) -> list[int] | None:
        if not self.styles or number in self.unstyled_rows:
            return None
        return [int(number in self.bold_rows)] * width


def sheet(
    *cells: Sequence[Value], merged: Sequence[str] = (), bold: Sequence[int] = (), name: str | None = "Sheet1"
) -> ListSheet:
    return ListSheet(
        cells,
        SheetInfo(index=0, name=name),
        merged=[parse_range(a1) for a1 in merged],
        styles=(PLAIN, BOLD) if bold else (),
        bold_rows=frozenset(bold),
    )


@dataclass(frozen=True)
class Seen:
    """What a test asks about a table."""

    range: str
    header_rows: tuple[int, ...]
    headers: tuple[str, ...]
    data_rows: tuple[int, ...]
    title_rows: tuple[int, ...] = ()
    totals_rows: tuple[int, ...] = ()
    note_rows: tuple[int, ...] = ()
    group_rows: tuple[int, ...] = ()


def read(table: FoundTable) -> Seen:
    data = tuple(row.number for chunk in table.data() for row in chunk)
    return Seen(
        table.range.a1,
        tuple(table.header_rows),
        tuple(column.header for column in table.columns),
        data,
        tuple(table.title_rows),
        tuple(table.totals_rows),
        tuple(table.note_rows),
        tuple(table.group_rows),
    )


def tables(*cells: Sequence[Value], **options: object) -> list[Seen]:
    return [read(table) for table in find_tables(sheet(*cells, **options))]


def table(*cells: Sequence[Value], **options: object) -> Seen:
    (found,) = tables(*cells, **options)
    return found


PEOPLE = (
    ["Name", "City", "Age"],
    ["Ada Byron", "London", 36],
    ["Alan Mathison", "Wilmslow", 41],
    ["Grace Brewster", "Arlington", 85],
    ["Edsger Wybe", "Nuenen", 72],
)


def invoices(count: int, *, first: int = 1) -> list[list[Value]]:
    cities = ("Oslo", "Lima", "Quito", "Rome", "Cairo")
    return [[f"INV-{n:05}", cities[n % 5], n * 3, n * 12.5] for n in range(first, first + count)]


INVOICE_HEADER = ["Invoice", "City", "Items", "Amount"]
