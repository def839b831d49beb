"""Follows a table beyond the window it was found in, row by row, to its last row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field

from ade_engine.readers.base import Row, Sheet
from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import may_be_data, same_texts
from ade_engine.structure.doubt import may_be_record
from ade_engine.structure.features import is_marked_group
from ade_engine.structure.grid import Block, GridRow, Line, Merges, grid_row, line_of
from ade_engine.structure.judge import RowContext, RowRule, judge
from ade_engine.structure.names import NO_NAMES, HeaderNames
from ade_engine.structure.outside import RowsOutside
from ade_engine.structure.profile import Profile, regular_rows_test, regular_test
from ade_engine.structure.source import Source
from ade_engine.structure.tables import CHUNK, SIDE_LABELS, DoubtfulRow, FoundTable, SideRow
from ade_engine.structure.totals import total_word
from ade_engine.structure.turned import REPORT, Turning

AHEAD, MOST_AHEAD = 64, 512
CONTEXT = 12


@record(frozen=False)
class Settled:
    """A line whose label is certain."""

    line: Line
    label: str


@record(frozen=False)
class Surroundings:
    """What following needs to know of sheet and search."""

    sheet: Sheet
    merges: Merges
    source: Source
    rule: RowRule | None
    names: HeaderNames = NO_NAMES  # of the columns that are looked for
    is_beside: bool = False  # other tables stand in the same rows
    turning: Turning = REPORT
    outside: RowsOutside = field(default_factory=RowsOutside)


class Follower:
    """Yields the rest of an open table and gives back to the source what comes after it."""

    def __init__(
        self,
        around: Surroundings,
        block: Block,
        profile: Profile,
        *,
        header: list[Line],
        settled: list[Settled],
        by_hand: bool = False,
        decide: Callable[[Line, str], str] | None = None,
    ) -> None:
        """`decide` has the last word about the label of a line: people said what the table is."""
        self._by_hand = by_hand
        self._decide = decide
        self._around = around
        self._block = block
        self._profile = profile
        self._header = header
        self._settled = settled[-CONTEXT:]
        self._is_over = False
        self._is_beside = around.is_beside
        self._are_regular = regular_rows_test(profile)
        self._reach = CHUNK
        self._ahead_count = AHEAD
        self._told: set[int] = set()
        self._mask = sum(1 << column for column in block.columns)

    def chunks(self, table: FoundTable) -> Iterator[list[Row]]:
        """Yield the data rows in chunks; the table's other rows are listed as they are met."""
        while not self._is_over:
            while rows := self._regular_rows():
                table.last_row = rows[-1].number
                table.wider_row_count += self._wider(rows)
                if len(rows) >= AHEAD:
                    self._ahead_count = AHEAD
                yield rows
            rows = self._judged_rows(table)
            if rows:
                table.wider_row_count += self._wider(rows)
                yield rows
        _close(table)

    def _wider(self, rows: list[Row]) -> int:
        width = self._block.columns[-1] + 1
        return 0 if self._is_beside else sum([len(row.values) > width for row in rows])

    def _regular_rows(self) -> list[Row]:
        """Return the next rows as long as each is surely data."""
        rows = self._around.source.take(self._reach)
        # Where rows are irregular, taking many of them only to give them back costs more than it saves.
        if self._is_plain_block(rows):
            self._reach = min(2 * self._reach, CHUNK)
        else:
            self._reach = max(self._reach // 2, AHEAD)
            count = self._regular_count(rows)
            self._around.source.give_back(rows[count:])
            del rows[count:]
        self._remember(rows[-CONTEXT:])
        return rows

    def _is_plain_block(self, rows: list[Row]) -> bool:
        """Return whether all rows follow without a gap, are data at a glance, and no rule wants to see them."""
        if not rows or self._around.rule is not None:
            return False
        expected = range(self._settled[-1].line.number + 1, rows[-1].number + 1)
        return len(rows) == len(expected) and self._are_regular(rows)

    def _regular_count(self, rows: list[Row]) -> int:
        is_regular, rule = regular_test(self._profile), self._around.rule
        previous = self._settled[-1].line.row
        usual = self._usual_gap()
        for count, row in enumerate(rows):
            gap = row.number - previous.number - 1
            is_plain = (not gap or gap == usual or self._bridges(gap)) and is_regular(row)
            if not is_plain:
                return count
            if rule is not None and self._is_ruled(rule, rows, count, above=previous):
                return count
            previous = row
        return len(rows)

    def _usual_gap(self) -> int:
        """Return the gap between the last rows, if it is always the same."""
        gaps = {found.line.gap for found in self._settled[-3:]}
        return gaps.pop() if len(gaps) == 1 else 0

    def _is_ruled(self, rule: RowRule, rows: list[Row], place: int, *, above: Row) -> bool:
        """Return whether a user's rule gives evidence about a row."""
        row = rows[place]
        below = rows[place + 1] if place + 1 < len(rows) else self._around.source.peek()
        gap = row.number - above.number - 1
        return any(rule(RowContext(self._around.sheet.info.name, row, above, below, gap)).values())

    def _bridges(self, gap: int) -> bool:
        """Return whether a row after a small gap carries on: its numbers say it is no header."""
        return gap <= w.BRIDGED_GAP and bool(self._profile.anchors)

    def _remember(self, rows: list[Row]) -> None:
        for row in rows:
            found = self._line(row)
            if found is not None:
                self._settled.append(Settled(found, "data"))
        del self._settled[:-CONTEXT]

    def _line(self, row: Row) -> Line | None:
        found = grid_row(row, self._around.merges)
        if found is None or not found.mask & self._mask:
            return None
        return self._cut(found)

    def _cut(self, found: GridRow) -> Line:
        previous = self._settled[-1].line.number if self._settled else found.row.number - 1
        styles = self._around.sheet.styles if self._block.is_styled else ()
        return line_of(found, styles, self._block, gap=max(0, found.row.number - previous - 1))

    def _judged_rows(self, table: FoundTable) -> list[Row]:
        """Judge the rows ahead among those before, and return the data among those that are settled."""
        rows = self._around.source.take(self._ahead_count)
        is_end = len(rows) < self._ahead_count
        # What is close to the end is judged again: where rows are irregular throughout, more at a time cost less.
        self._ahead_count = min(2 * self._ahead_count, MOST_AHEAD)
        lines = self._ahead(rows)
        if not lines:
            self._is_over = is_end
            return []
        labels = self._labels(lines)
        count = len(lines) if is_end else max(len(lines) - w.SIGHT, 1)
        end = self._end(lines, labels)
        if end is not None and end < count:
            count, self._is_over = end, True
        elif is_end:
            self._is_over = True
        self._around.source.give_back([row for row in rows if row.number > _last(lines, count)])
        return self._settle(table, lines[:count], labels[:count])

    def _ahead(self, rows: list[Row]) -> list[Line]:
        lines: list[Line] = []
        previous = self._settled[-1].line.number if self._settled else 0
        for row in rows:
            line = self._line(row)
            if line is not None:
                line.gap = row.number - previous - 1
                previous = row.number
                lines.append(line)
        return lines

    def _labels(self, lines: list[Line]) -> list[str]:
        known = [Settled(line, "header") for line in self._header] + self._settled
        block = Block(self._block.columns, [s.line for s in known] + lines)
        judged = judge(
            block,
            sheet=self._around.sheet.info.name,
            rule=self._around.rule,
            names=self._around.names,
            known={s.line.number: s.label for s in known},
            by_hand=self._by_hand,
        )
        self._told = {judged.block.lines[i].number for i in judged.told}
        by_number = dict(zip((line.number for line in judged.block.lines), judged.labels, strict=True))
        labels = [by_number.get(line.number, "blank") for line in lines]
        decide = self._decide
        return labels if decide is None else [decide(*pair) for pair in zip(lines, labels, strict=True)]

    def _end(self, lines: list[Line], labels: list[str]) -> int | None:
        """Return the position of the first line of what comes after the table, if that is in sight."""
        for i, label in enumerate(labels):
            if label == "title" or (label == "header" and not self._is_repeated(lines[i])):
                return i
        return None

    def _is_repeated(self, line: Line) -> bool:
        return not line.gap and any(same_texts(header, line) for header in self._header)

    def _settle(self, table: FoundTable, lines: list[Line], labels: list[str]) -> list[Row]:
        data: list[Row] = []
        for i, (line, label) in enumerate(zip(lines, labels, strict=True)):
            if label == "blank":
                continue
            self._settled.append(Settled(line, label))
            if line.number in self._told:
                table.told_rows.add(line.number)
            if label == "data" or (label == "group" and not (table.group_rows or is_marked_group(lines, i))):
                table.last_row = line.number
                data.append(line.row)
            else:
                _rows_of(table, label).append(line.number)
                if label == "note" and may_be_data(line):
                    table.lone_rows.append(line.number)
                if label == "note" and may_be_record(line, [s.line for s in self._settled if s.label == "data"]):
                    table.doubtful_rows.append(DoubtfulRow(line.number, label))
                if label == "total" and line.texts and total_word(line) is None:
                    table.doubtful_rows.append(DoubtfulRow(line.number, label))
                if label in SIDE_LABELS:
                    table.side_rows.append(SideRow(label, line.row, line.values))
        del self._settled[:-CONTEXT]
        return data


def _last(lines: list[Line], count: int) -> int:
    """Return the number of the last line settled; without one, all rows come again."""
    return lines[count - 1].number if count else lines[0].number - 1


def _close(table: FoundTable) -> None:
    """A label with no data after it closes the table: it heads no group."""
    trailing = [number for number in table.group_rows if number > table.last_row]
    table.group_rows[:] = [number for number in table.group_rows if number < table.last_row]
    table.note_rows[:] = sorted(table.note_rows + trailing)


def _rows_of(table: FoundTable, label: str) -> list[int]:
    if label == "total":
        return table.totals_rows
    if label == "group":
        return table.group_rows
    return table.repeated_header_rows if label == "header" else table.note_rows
