"""Rows that are no records: headers once more, headings that stand alone, and lines that continue the row above."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge

from ade_engine.cells import Value
from ade_engine.headings import Test
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.structure import FoundTable
from ade_engine.structure.tables import SideRow


def without_headers(chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterator[Sequence[Row]]:
    """Yield the rows of the chunks without those that are a row of the header once more, below rows that are not."""
    rows = zip(*(column.header_cells for column in found.columns), strict=True)
    headers = [list(cells) for cells in rows if sum(isinstance(cell, str) for cell in cells) > 1]
    first, above = found.first_column - 1, 0
    for chunk in chunks if headers else ():
        again = set()
        for row in chunk:
            if any(_says(row.values, first, header) for header in headers) and row.number not in found.told_rows:
                if above and above < row.number:
                    again.add(row.number)
                above = 0
            else:
                above = row.number
        for number in sorted(again):
            insort(found.repeated_header_rows, number)
        if kept := [row for row in chunk if row.number not in again] if again else chunk:
            yield kept
    yield from () if headers else chunks


def _says(cells: Sequence[Value], first: int, header: Sequence[Value]) -> bool:
    inside = cells[first : first + len(header)]
    return inside[:1] == header[:1] and [*inside, *[None] * (len(header) - len(inside))] == header


@record(kw_only=True)
class SideRows:
    """Which rows among a table's data are none: headings by what they lack, and totals by how a text begins or ends."""

    first: int
    last: int
    headings: str  # as in the settings
    values: frozenset[int]  # the columns that headings without values have no cell in
    total_names: tuple[str, ...]
    is_heading: Test | None  # what patterns and settings say of a row's cells

    def taken_out(self, chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterator[list[Row]]:
        """Yield the rows of the chunks that are data, and give the others to the table."""
        for chunk in chunks:
            self._tell_totals(found)
            kept = []
            for row in chunk:
                cells = row.values[self.first - 1 : self.last]
                label = self._label(row.values, cells)
                if label is None:
                    kept.append(row)
                    continue
                found.side_rows.append(SideRow(label, row, cells))
                found.told_rows.add(row.number)
                (found.group_rows if label == "group" else found.totals_rows).append(row.number)
            for rows in (found.group_rows, found.totals_rows):
                rows.sort()
            found.side_rows.sort(key=lambda side: side.row.number)
            if kept:
                yield kept
        self._tell_totals(found)

    def _tell_totals(self, found: FoundTable) -> None:
        """Note that rows which were taken for totals are some, where a text of them has one of the names."""
        totals = (side for side in found.side_rows if side.label == "total") if self.total_names else ()
        told = {side.row.number for side in totals if self._is_named_total(side.cells)} - found.told_rows
        if told:
            found.told_rows |= told
            found.doubtful_rows[:] = [one for one in found.doubtful_rows if one.row not in told]

    def _is_named_total(self, cells: Sequence[Value]) -> bool:
        names = self.total_names
        texts = (_comparable(text) for value in cells if isinstance(value, str) and (text := value.strip()))
        return any(text.startswith(names) or _ends_in(text, names) for text in texts)

    def _label(self, values: Sequence[Value], cells: Sequence[Value]) -> str | None:
        """Return what a row is: `values` are its cells in the sheet, `cells` those in the table."""
        if self.total_names and self._is_named_total(cells):
            return "total"
        if self.is_heading is not None and self.is_heading(cells):
            return "group"
        has_text = any(isinstance(value, str) and value.strip() for value in cells)
        if self.headings != "without_values" or not self.values or not has_text:
            return None
        has_values = any(not is_empty(_cell(values, position)) for position in self.values)
        return None if has_values else "group"


def _comparable(text: str) -> str:
    return text.rstrip(":").casefold()


def _ends_in(label: str, names: Sequence[str]) -> bool:
    """Return whether a label ends in one of some words: "sales net" in "net", but not "cabinet"."""
    return any(label.endswith(name) and not _has_case(label[: -len(name)][-1:]) for name in names if name)


def _has_case(letter: str) -> bool:
    """Return whether a letter is of a script that has spaces between words: those with capitals do."""
    return letter.lower() != letter.upper()


class Continued:
    """Rows of one table in which only the given columns are filled continue the row above.

    `columns` maps a column to the text that is put between its lines. `count` is the number of rows that were joined.
    """

    def __init__(self, columns: Mapping[int, str], *, first: int, last: int) -> None:
        self._columns = columns
        self._others = [position for position in range(first, last + 1) if position not in columns]
        self.count = 0
        self._number = 0  # of the last row or line

    def joined(self, chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterator[list[Row]]:
        """Yield the rows of the chunks with their further lines; one that looks like no data is taken, too."""
        last: Row | None = None
        for chunk in chunks:
            complete: list[Row] = []
            for row in merge(chunk, self._lines_taken(found, chunk), key=lambda row: row.number):
                self._number = row.number
                if last is not None and self._continues(row):
                    last = self._appended(last, row)
                    continue
                if last is not None:
                    complete.append(last)
                last = row
            if complete:
                yield complete
        if last is not None:
            for row in self._lines_taken(found, []):
                last = self._appended(last, row)
            yield [last]

    def _lines_taken(self, found: FoundTable, chunk: Sequence[Row]) -> list[Row]:
        """Take the rows out of a table's headings, notes and totals that are lines of the rows in or above a chunk."""
        above = {self._number, *(row.number for row in chunk)}
        header = found.header_rows[-1] if found.header_rows else 0
        taken = []
        for side in found.side_rows:
            number = side.row.number
            is_next = side.label == "group" or number - 1 in above  # a note or a total below a gap is one
            if side.label != "title" and is_next and number > header and self._continues(side.row):
                taken.append(side.row)
                above.add(number)
        if taken:
            self._take({row.number for row in taken}, found)
        return taken

    @staticmethod
    def _take(numbers: set[int], found: FoundTable) -> None:
        found.side_rows[:] = [side for side in found.side_rows if side.row.number not in numbers]
        found.groups[:] = [group for group in found.groups if group.row not in numbers]
        found.totals[:] = [total for total in found.totals if total.row not in numbers]
        found.doubtful_rows[:] = [doubt for doubt in found.doubtful_rows if doubt.row not in numbers]
        for rows in (found.group_rows, found.totals_rows, found.note_rows, found.lone_rows):
            rows[:] = [number for number in rows if number not in numbers]
        found.last_row = max(found.last_row, *numbers)

    def _continues(self, row: Row) -> bool:
        cells = row.values
        return all(is_empty(_cell(cells, position)) for position in self._others) and any(
            not is_empty(_cell(cells, position)) for position in self._columns
        )

    def _appended(self, row: Row, line: Row) -> Row:
        self.count += 1
        cells = row.values + [None] * (max(self._columns) - len(row.values))
        for position, between in self._columns.items():
            if not is_empty(more := _cell(line.values, position)):
                before = cells[position - 1]
                cells[position - 1] = more if is_empty(before) else f"{_text(before)}{between}{_text(more)}"
        return Row(row.number, cells, row.styles, row.is_hidden)


def _cell(cells: Sequence[Value], position: int) -> Value:
    return cells[position - 1] if position <= len(cells) else None


def _text(value: Value) -> str:
    return value.strip() if isinstance(value, str) else str(value)
