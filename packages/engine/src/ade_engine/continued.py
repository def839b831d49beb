"""Rows that are no rows of their own: lines that continue the row above, and headings that stand alone in their row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge

from ade_engine.cells import Value
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.structure import FoundTable
from ade_engine.structure.tables import SideRow


@record(kw_only=True)
class SideRows:
    """Which rows among a table's data are none: headings by what they lack, and totals by their first or last words."""

    first: int
    last: int
    headings: str  # as in the settings
    values: frozenset[int]  # the columns that headings without values have no cell in
    total_names: tuple[str, ...]

    def taken_out(self, chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterator[list[Row]]:
        """Yield the rows of the chunks that are data, and give the others to the table."""
        for chunk in chunks:
            kept = []
            for row in chunk:
                cells = row.values[self.first - 1 : self.last]
                label = self._label(row.values, [value for value in cells if not is_empty(value)])
                if label is None:
                    kept.append(row)
                    continue
                found.side_rows.append(SideRow(label, row, cells))
                (found.group_rows if label == "group" else found.totals_rows).append(row.number)
            for rows in (found.group_rows, found.totals_rows):
                rows.sort()
            found.side_rows.sort(key=lambda side: side.row.number)
            if kept:
                yield kept

    def _label(self, cells: Sequence[Value], filled: Sequence[Value]) -> str | None:
        first = next((value for value in filled if isinstance(value, str)), "")
        label = first.strip().rstrip(":").casefold()
        if self.total_names and (label.startswith(self.total_names) or _ends_in(label, self.total_names)):
            return "total"
        if self.headings == "alone":
            return "group" if len(filled) == 1 and first else None
        has_values = any(not is_empty(_cell(cells, position)) for position in self.values)
        return "group" if self.headings == "without_values" and self.values and first and not has_values else None


def _ends_in(label: str, names: Sequence[str]) -> bool:
    """Return whether a label ends in one of some words: "sales net" in "net", but not "cabinet"."""
    return any(label.endswith(name) and not _has_case(label[: -len(name)][-1:]) for name in names if name)


def _has_case(letter: str) -> bool:
    """Return whether a letter is of a script that has spaces between words: those with capitals do."""
    return letter.lower() != letter.upper()


class Continued:
    """Rows of one table in which nothing but the given columns is filled go on with the row above.

    `columns` maps a column to the text that is put between its lines. `count` is the number of rows that were joined.
    """

    def __init__(self, columns: Mapping[int, str], *, first: int, last: int) -> None:
        self._columns = columns
        self._others = [position for position in range(first, last + 1) if position not in columns]
        self.count = 0

    def joined(self, chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterator[list[Row]]:
        """Yield the rows of the chunks with their further lines; a line that looks like a heading is taken, too."""
        last: Row | None = None
        for chunk in chunks:
            complete: list[Row] = []
            for row in merge(chunk, self._lines_taken(found, chunk), key=lambda row: row.number):
                if last is not None and self._continues(row):
                    last = self._appended(last, row)
                    continue
                if last is not None:
                    complete.append(last)
                last = row
            if complete:
                yield complete
        if last is not None:
            for row in self._lines_taken(found, [last]):
                last = self._appended(last, row)
            yield [last]

    def _lines_taken(self, found: FoundTable, chunk: Sequence[Row]) -> list[Row]:
        """Take the group headings out of a table that are lines of the rows in or above a chunk."""
        taken = [
            side.row
            for side in found.side_rows
            if side.label == "group" and side.row.number > found.header_rows[-1] and self._continues(side.row)
        ]
        numbers = {row.number for row in taken}
        if numbers and chunk:
            found.side_rows[:] = [side for side in found.side_rows if side.row.number not in numbers]
            found.group_rows[:] = [number for number in found.group_rows if number not in numbers]
            found.groups[:] = [group for group in found.groups if group.row not in numbers]
        return taken

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
