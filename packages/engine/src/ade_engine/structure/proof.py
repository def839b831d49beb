"""Proves by arithmetic that rows called totals are no records: one of their numbers follows from the rows around."""

from __future__ import annotations

import re
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from ade_engine.structure.assemble import Draft
from ade_engine.structure.grid import Line
from ade_engine.structure.headers import stands_out
from ade_engine.structure.kinds import NUMERIC, YEAR
from ade_engine.structure.sums import number
from ade_engine.structure.totals import total_word
from ade_engine.structure.words import is_measure

_TOLERANCE, _EXACT = 0.006, 1e-6
_MOST_MARKS, _REACH, _COLUMNS = 20, 100, 4
_SEVERAL, _FEW = 2, 3
_REPEATED = 3  # so many totals that say so, each below rows of its own, are no records
_SAMPLE = 200
_TELLING_DIGITS = 5  # of all numbers of a total together: fewer come about by chance
_DIGIT = re.compile(r"\d")
_NO_NUMBER = re.compile(r"[^\d.,()\-]")
_SWAPPED = str.maketrans(",.", ".,")

Span = tuple[int, int]
Read = Callable[[object], float]


def unproved(lines: Sequence[Line], draft: Draft) -> list[int]:
    """Return the totals that no arithmetic proves, nor the proof of another that is the sum of rows without them."""
    known, proved = set(draft.totals), set[int]()
    columns: dict[tuple[int, Read], _Column] = {}
    for i in draft.totals:
        if i in proved or (span := _proof(lines, i, draft, columns)) is None:
            continue
        if _may_be_chance(lines, i, draft, columns):
            continue
        within = [j for j in draft.totals if span[0] <= j <= span[1] and j != i]
        proved.add(i)
        proved.update(j for j in within if not _may_be_chance(lines, j, draft, columns))
        for step in (-1, 1):
            j = i
            while j in known:  # those next to it: what is net, a tax, what is due
                proved.add(j)
                j += step
    named = [i for i in draft.totals if total_word(lines[i]) is not None]
    blocks = sum(i - 1 not in known for i in named)
    if blocks >= _REPEATED:
        proved.update(named)
    return [i for i in draft.totals if i not in proved]


def _may_be_chance(lines: Sequence[Line], i: int, draft: Draft, columns: dict[tuple[int, Read], _Column]) -> bool:
    """Return whether a line looks like a record, whose small numbers are those of its neighbours by chance."""
    return _is_like_a_record(lines, i, draft) and not _is_exact(lines, i, draft, columns)


def _is_like_a_record(lines: Sequence[Line], i: int, draft: Draft) -> bool:
    """Return whether a line has the cells that records have, and neither a word nor a look of its own."""
    filled = statistics.median(lines[j].filled for j in draft.data[:_SAMPLE])
    return lines[i].filled >= filled and total_word(lines[i]) is None and not stands_out(lines, i)


def _is_exact(lines: Sequence[Line], i: int, draft: Draft, columns: dict[tuple[int, Read], _Column]) -> bool:
    """Return whether all numbers of a line are exactly the sums of the same records, and not just one small number."""
    numeric = [c for c, kind in enumerate(lines[i].kinds) if kind in NUMERIC and number_with_point(lines[i].values[c])]
    ways = [[(read, read(lines[i].values[c])) for read in _ways_to_read(lines[i].values[c])] for c in numeric]
    digits = sum(len(_DIGIT.findall(str(lines[i].values[c]))) for c in numeric)
    if digits < _TELLING_DIGITS:
        return False
    return any(
        all(
            any(_column(lines, draft, c, read, columns).is_sum_of(target, span) for read, target in one)
            for c, one in zip(numeric, ways, strict=True)
        )
        for span in _spans(i, draft)
    )


def summed(lines: Sequence[Line], draft: Draft) -> list[int]:
    """Return the totals that are sums of several records on one side: in most of few numbers, in one of many."""
    columns: dict[tuple[int, Read], _Column] = {}
    return [i for i in draft.totals if any(_are_sums(lines, i, draft, span, columns) for span in _spans(i, draft))]


def _are_sums(
    lines: Sequence[Line], i: int, draft: Draft, span: Span, columns: dict[tuple[int, Read], _Column]
) -> bool:
    if bisect_right(draft.data, span[1]) - bisect_left(draft.data, span[0]) < _SEVERAL:
        return False
    found = wanted = 0
    for c, kind in enumerate(lines[i].kinds):
        reads = _ways_to_read(lines[i].values[c]) if kind in NUMERIC else ()
        numbers = [(read, target) for read in reads if (target := read(lines[i].values[c]))]
        wanted += bool(numbers)
        found += any(_column(lines, draft, c, read, columns).gives(n, span, is_sum=True) for read, n in numbers)
    return found > 0 and (wanted > _FEW or 3 * found >= 2 * wanted)


def _column(
    lines: Sequence[Line], draft: Draft, c: int, read: Read, columns: dict[tuple[int, Read], _Column]
) -> _Column:
    return columns.get((c, read)) or columns.setdefault((c, read), _Column(lines, draft.data, c, read))


class _Column:
    """The numbers of a column in the data rows, and their sums from the top."""

    def __init__(self, lines: Sequence[Line], data: Sequence[int], c: int, read: Read) -> None:
        self._places = [j for j in data if lines[j].kinds[c] in NUMERIC]
        self._numbers = [read(lines[j].values[c]) for j in self._places]
        self._sums = [0.0, *accumulate(self._numbers)]
        self._unit = 1.0 if all(map(float.is_integer, self._numbers)) else 0.01
        self._data = data
        self._is_numeric = 2 * len(self._places) > len(data)
        self.are_years = 2 * sum(lines[j].kinds[c] == YEAR for j in self._places) > len(self._places)

    def gives(self, target: float, span: Span, *, is_sum: bool) -> bool:
        """Return whether a number is the sum of those between two lines, or another measure of them, if rounded."""
        first, last = bisect_left(self._places, span[0]), bisect_right(self._places, span[1])
        if not self._is_numeric and target == bisect_right(self._data, span[1]) - bisect_left(self._data, span[0]):
            return True  # below texts, a total counts the rows
        if first == last:
            return False
        count, total = last - first, self._sums[last] - self._sums[first]
        if self._is_near(total, target, count):
            return True
        return not is_sum and any(self._is_near(found, target, 1) for found in _measures(self._numbers[first:last]))

    def is_sum_of(self, target: float, span: Span) -> bool:
        """Return whether a number is exactly the sum of two or more numbers between two lines."""
        first, last = bisect_left(self._places, span[0]), bisect_right(self._places, span[1])
        total = self._sums[last] - self._sums[first]
        return last - first >= _SEVERAL and abs(total - target) <= _EXACT * abs(target)

    def _is_near(self, found: float, target: float, count: int) -> bool:
        rounded = min(0.5 * self._unit * count, _TOLERANCE * abs(target))
        return abs(found - target) <= max(rounded, _EXACT * abs(target))


def _measures(numbers: Sequence[float]) -> tuple[float, ...]:
    return sum(numbers) / len(numbers), min(numbers), max(numbers), statistics.median(numbers)


def _proof(lines: Sequence[Line], i: int, draft: Draft, columns: dict[tuple[int, Read], _Column]) -> Span | None:
    """Return the first and last of the lines that a number of line i follows from; zeros count if there is no other."""
    line, is_sum = lines[i], not is_measure(lines[i].label)
    numeric = [c for c, kind in enumerate(line.kinds) if kind in NUMERIC]
    wanted = [(c, read) for c in numeric for read in _ways_to_read(line.values[c]) if read(line.values[c])]
    found: list[tuple[_Column, float]] = []
    for c, read in wanted or [(c, number_with_point) for c in numeric if _is_zero(line.values[c])]:
        column = _column(lines, draft, c, read, columns)
        if not column.are_years:
            found.append((column, read(line.values[c])))
    for column, target in found:
        spans = _spans(i, draft)
        if (span := next((span for span in spans if column.gives(target, span, is_sum=is_sum)), None)) is not None:
            return min(*span, i), max(*span, i)
    return _next_to(found[:_COLUMNS], i, draft)


def _next_to(found: Sequence[tuple[_Column, float]], i: int, draft: Draft) -> Span | None:
    """Return the rows right above or below line i that two of its numbers are the sum of: others may follow them."""
    place = bisect_left(draft.data, i)
    above, below = draft.data[max(0, place - _REACH) : place], draft.data[place : place + _REACH]
    for span in [*((j, i) for j in reversed(above)), *((i, j) for j in below)]:
        if sum(column.gives(target, span, is_sum=True) for column, target in found) > 1:
            return span
    return None


def _spans(i: int, draft: Draft) -> Iterator[Span]:
    """Yield the lines that a total may be of: since the top, or a heading or total before it; or those below it."""
    marks = sorted({*draft.totals, *draft.groups})
    yield draft.data[0], i
    yield from ((mark, i) for mark in reversed(marks[: bisect_left(marks, i)][-_MOST_MARKS:]))
    yield from ((i, mark) for mark in marks[bisect_right(marks, i) :][:_MOST_MARKS])
    yield i, draft.data[-1]


def _is_zero(value: object) -> bool:
    """Return whether a cell holds a zero, and not what is no number, such as 16.03.2024."""
    return not isinstance(value, str) or set(_DIGIT.findall(value)) == {"0"}


def _ways_to_read(value: object) -> Sequence[Read]:
    return (number_with_point, number_with_comma) if isinstance(value, str) and "," in value else (number_with_point,)


def number_with_point(value: object) -> float:
    """Return the number of a text with a point before its decimals, and commas between thousands."""
    return number(_NO_NUMBER.sub("", value)) if isinstance(value, str) else number(value)


def number_with_comma(value: object) -> float:
    """Return the number of a text with a comma before its decimals, and points between thousands."""
    return number_with_point(value.translate(_SWAPPED)) if isinstance(value, str) else number(value)
