"""Puts right which rows of a table are totals, once all its columns are known and while its rows stream by.

A row that says "total" and is the sum of rows above it is one, wherever it says so. A record is none because of a word
in one of its texts, nor because its numbers are those of the row next to it. What neither words nor numbers settle is
in doubt.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import merge

from ade_engine.convert import Convert
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.row_shape import RowShape
from ade_engine.structure import FoundTable
from ade_engine.structure.tables import DoubtfulRow, SideRow
from ade_engine.structure.words import any_hints_at_total, is_total_alone, is_total_label, without_name
from ade_engine.total_starts import TotalStarts

_MOST_NAMES = 20
_REPEATED = 3  # so many totals that say so are no records
_SURE = 2  # so many rows or numbers do not add up by chance


@record(kw_only=True)
class _Claim:
    """What a row says of itself; `is_plain` where a text is a word for totals, alone or with the name of a group."""

    is_named: bool = False
    is_plain: bool = False
    is_full: bool = False  # it fills what records fill, which is more than one name
    labels: frozenset[int] = frozenset()  # the columns of its texts
    summed: int = 0  # of how many rows it is the sum
    numbers: int = 0


class TotalRows:
    """The totals of one table. With `keeps_all`, rows that were recognised as totals are records too."""

    def __init__(self, found: FoundTable, converts: Mapping[int, Convert | None], *, keeps_all: bool) -> None:
        """`converts` are of the columns of fields that have a type; None where it is not that of numbers."""
        self._found = found
        self._keeps_all = keeps_all
        self._shape = RowShape(found, converts)
        self._pending: deque[SideRow] = deque()
        self._passed = found.header_rows[-1] if found.header_rows else 0  # the number of the last row that went by
        self._judged = max(found.last_row, *found.totals_rows, 0)  # the last row of which the structure pass saw all
        self._sums = dict.fromkeys(self._shape.numbers, 0.0)
        self._count = 0
        self._first = 0  # the number of the first record
        self._starts = TotalStarts(self._shape.numbers)
        self._add_start()
        self._names: dict[int, str] = {}  # the last text of each column
        self._headings: deque[str] = deque(maxlen=_MOST_NAMES)
        self._last: Row | None = None
        self._together: list[int] = []  # totals without a row between them
        self._kept: dict[frozenset[int], list[int]] = {}  # records that may say they are totals, by columns of texts
        self._dropped: Counter[frozenset[int]] = Counter()  # totals that say so, by the columns of their texts

    def settled(self, chunks: Iterable[Sequence[Row]]) -> Iterator[list[Row]]:
        """Yield the rows of the chunks that are records, and give the totals to the table."""
        for chunk in chunks:
            self._take_side_rows()
            rows = self._records(chunk)
            self._passed = chunk[-1].number
            if rows:
                yield rows
        self._take_side_rows()
        rows = [row for side in list(self._pending) if (row := self._side(side)) is not None]
        self._pending.clear()
        if rows:
            yield rows
        self._doubt_kept()

    def _take_side_rows(self) -> None:
        """Hold back headings and totals until the rows above them went by."""
        found = self._found
        held = [side for side in found.side_rows if side.row.number > self._passed and side.label != "title"]
        if held:
            numbers = {side.row.number for side in held}
            found.side_rows[:] = [side for side in found.side_rows if side.row.number not in numbers]
            self._pending.extend(held)

    def _records(self, chunk: Sequence[Row]) -> list[Row]:
        if not (self._pending and self._pending[0].row.number < chunk[-1].number) and not self._may_have_totals(chunk):
            self._add(chunk)
            return list(chunk)
        sides = []
        while self._pending and self._pending[0].row.number < chunk[-1].number:
            sides.append(self._pending.popleft())
        by_number = {side.row.number: side for side in sides}
        kept = []
        for row in merge(chunk, (side.row for side in sides), key=lambda row: row.number):
            side = by_number.get(row.number)
            found = self._side(side) if side is not None else self._data(row)
            if found is not None:
                kept.append(found)
        return kept

    def _may_have_totals(self, chunk: Sequence[Row]) -> bool:
        if self._keeps_all or not self._shape.numbers:
            return False
        return any(any_hints_at_total(self._shape.texts_of(chunk, position)) for position in self._shape.labels)

    def _add(self, rows: Sequence[Row]) -> None:
        """Add records to the sums."""
        if not rows:
            return
        self._together.clear()
        self._first = self._first or rows[0].number
        self._count += len(rows)
        for position in self._sums:
            self._sums[position] += self._shape.sum_of(rows, position)
        for position in self._shape.labels:
            if (name := self._shape.last_text(rows, position)) is not None:
                self._names[position] = name
        self._last = rows[-1]

    def _add_start(self) -> None:
        """Note that the rows of a total may begin below the records so far."""
        self._starts.add(self._count, self._sums)

    def _side(self, side: SideRow) -> Row | None:
        """Pass a row that is no data on to the table, or return it as a record."""
        if side.label == "total" and side.row.number not in self._found.told_rows:
            claim = self._claim(side.row)
            is_total = side.row.number in self._found.summed_rows or _stays_total(claim)
            if self._keeps_all or not is_total:
                self._make_record(side.row, claim)
                return side.row
            self._judge_total(side.row.number, claim)
        elif side.label == "group":
            self._headings.extend(side.texts)
        if side.label in ("total", "group"):
            self._add_start()
        self._found.side_rows.append(side)
        return None

    def _data(self, row: Row) -> Row | None:
        """Return a row that is data, unless it is a total: that is passed on to the table."""
        if self._keeps_all or row.number in self._found.told_rows or not any_hints_at_total(self._shape.words_of(row)):
            self._add([row])
            return row
        claim = self._claim(row)
        if not _is_total(claim):
            self._keep(row, claim)
            return row
        self._judge_total(row.number, claim)
        found = self._found
        insort(found.totals_rows, row.number)
        self._add_start()
        found.side_rows.append(SideRow("total", row, row.values[found.first_column - 1 : found.last_column]))
        return None

    def _make_record(self, row: Row, claim: _Claim) -> None:
        found, number = self._found, row.number
        was_doubtful = any(doubt.row == number and doubt.label == "total" for doubt in found.doubtful_rows)
        found.totals_rows[:] = [other for other in found.totals_rows if other != number]
        found.totals[:] = [total for total in found.totals if total.row != number]
        self._forget_doubt({number})
        if was_doubtful and not claim.is_named and not self._keeps_all:
            found.doubtful_rows.append(DoubtfulRow(number, "data"))
        found.last_row = max(found.last_row, number)
        self._keep(row, claim)

    def _keep(self, row: Row, claim: _Claim) -> None:
        """Take a row that may say that it is a total for a record; later totals may cover the rows since it."""
        self._add([row])
        if claim.is_named and not self._keeps_all:
            self._keep_in_mind(row.number, claim)
            self._add_start()

    def _judge_total(self, number: int, claim: _Claim) -> None:
        """Note whether the numbers of a total prove it, and with it those that stand together with it."""
        self._together.append(number)
        if claim.is_named:
            self._dropped[claim.labels] += 1
        is_proved = claim.summed >= _SURE or (claim.summed and claim.is_plain)
        if is_proved:
            self._forget_doubt(set(self._together))
        elif number > self._judged and claim.is_named and not (claim.is_plain and self._dropped.total() >= _REPEATED):
            self._found.doubtful_rows.append(DoubtfulRow(number, "total"))

    def _forget_doubt(self, rows: set[int]) -> None:
        doubtful = self._found.doubtful_rows
        doubtful[:] = [doubt for doubt in doubtful if doubt.row not in rows or doubt.label != "total"]

    def _keep_in_mind(self, number: int, claim: _Claim) -> None:
        """Doubt a record that says nothing but that it is a total, or adds up; later totals may look like others."""
        if (claim.is_plain and number > self._first) or claim.summed >= _SURE:
            self._found.doubtful_rows.append(DoubtfulRow(number, "data"))
        else:
            self._kept.setdefault(claim.labels, []).append(number)

    def _doubt_kept(self) -> None:
        """Doubt the records that say they are totals and look like totals of the table."""
        for own, numbers in self._kept.items():
            if any(own <= labels for labels in self._dropped):
                self._found.doubtful_rows += [DoubtfulRow(number, "data") for number in numbers]

    def _claim(self, row: Row) -> _Claim:
        shape = self._shape
        labels = shape.labels_of(row)
        named = {place: text for place, text in labels.items() if self._is_named(text)}
        is_plain = any(is_total_alone(text) or self._rest(text) != text for text in named.values())
        numbers = shape.numbers_of(row, key_end=min(named, default=0), above=self._last)
        summed = 0
        if numbers and (is_plain or any(numbers.values())):
            summed = self._starts.count_of(numbers, count=self._count, sums=self._sums)
        return _Claim(
            is_named=bool(named),
            is_plain=is_plain,
            is_full=shape.is_full(row),
            labels=frozenset(labels),
            summed=summed,
            numbers=len(numbers),
        )

    def _is_named(self, text: str) -> bool:
        return any_hints_at_total([text]) and (is_total_label(text) or is_total_label(self._rest(text)))

    def _rest(self, text: str) -> str:
        """Return a text without the name of a group that it is in."""
        for name in (*self._headings, *self._names.values()):
            if (rest := without_name(text, name)) is not None:
                return rest
        return text


def _is_total(claim: _Claim) -> bool:
    """Return whether a row among the data is a total."""
    if claim.is_plain:
        return claim.summed > 0
    return claim.is_named and not claim.is_full and claim.summed > 0 and claim.summed + claim.numbers > _SURE


def _stays_total(claim: _Claim) -> bool:
    """Return whether a row that was recognised as a total remains one."""
    if claim.is_plain or not claim.is_full:
        return True
    return not claim.is_named and claim.summed >= _SURE
