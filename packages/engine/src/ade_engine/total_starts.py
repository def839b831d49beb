"""Where the rows of a total may begin, found by the sums that stood above them.

A table may have as many starts as rows, and each row that says "total" is compared with them. They are kept in the
order of their sums, so that only those that fit are looked at.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Mapping
from math import inf, isfinite, isnan

_MOST = 1000
_Sums = Mapping[int, float]  # by column


class TotalStarts:
    """The last starts of a table: how many records stood above each, and their sums."""

    def __init__(self, positions: Iterable[int]) -> None:
        self._by_sum: dict[int, list[tuple[float, int]]] = {position: [] for position in positions}  # with the number
        self._known: dict[int, tuple[int, _Sums]] = {}  # by number
        self._order: deque[int] = deque()
        self._next = 0

    def add(self, count: int, sums: _Sums) -> None:
        """Note a start below this many records with these sums, and forget the first one when there are too many."""
        number, self._next = self._next, self._next + 1
        if len(self._order) == _MOST:
            self._forget(self._order.popleft())
        self._order.append(number)
        self._known[number] = count, dict(sums)
        for position, found in self._by_sum.items():
            insort(found, (_sortable(sums[position]), number))

    def _forget(self, number: int) -> None:
        _, sums = self._known.pop(number)
        for position, found in self._by_sum.items():
            del found[bisect_left(found, (_sortable(sums[position]), number))]

    def count_of(self, numbers: _Sums, *, count: int, sums: _Sums) -> int:
        """Return of how many records above, the last ones of `count` with `sums`, some numbers are the sums; or 0."""
        fitting: list[tuple[float, int]] | None = None
        for position, number in numbers.items():
            before = sums[position] - number
            if not isfinite(before):
                return 0
            found, size = self._by_sum[position], abs(number)
            reach = _tolerance(size) + 1e-9 * max(1.0, abs(before), size)  # what is in it is compared again
            first, last = bisect_left(found, (before - reach, -1)), bisect_right(found, (before + reach, inf))
            if fitting is None or last - first < len(fitting):
                fitting = found[first:last]
        for start in sorted((start for _, start in fitting or ()), reverse=True):
            above, before_it = self._known[start]
            if above < count and all(_is_near(sums[at] - before_it[at], number) for at, number in numbers.items()):
                return count - above
        return 0


def _sortable(value: float) -> float:
    return inf if isnan(value) else value


def _is_near(found: float, number: float) -> bool:
    return abs(found - number) <= _tolerance(abs(number))


def _tolerance(size: float) -> float:
    return min(0.005, 0.0005 * size) + 1e-9 * max(1.0, size)
