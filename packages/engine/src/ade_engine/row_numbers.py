"""Which rows of a sheet the rows of an output are from, in stretches."""

from __future__ import annotations

from collections.abc import Sequence

MOST_STRETCHES = 1000


class RowNumbers:
    """Collects the numbers of rows as they are written. Rows that are scattered too much are given up."""

    def __init__(self) -> None:
        self._stretches: list[list[int]] | None = []  # first row, and how many

    def add(self, numbers: Sequence[int]) -> None:
        """Note the next rows."""
        if not numbers:
            return
        follow = list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))
        parts = [(numbers[0], len(numbers))] if follow else [(number, 1) for number in numbers]
        for first, count in parts:
            if self._stretches is None:
                return
            last = self._stretches[-1] if self._stretches else None
            if last is not None and last[0] + last[1] == first:
                last[1] += count
            else:
                self._stretches.append([first, count])
            if len(self._stretches) > MOST_STRETCHES:
                self._stretches = None

    def may_have(self, number: int) -> bool:
        """Return whether a row was written; of rows that were given up, any may have been."""
        if self._stretches is None:
            return True
        return any(first <= number < first + count for first, count in self._stretches)

    @property
    def stretches(self) -> list[list[int]] | None:
        """Return the first row and the number of rows of each stretch; None when there are too many."""
        return self._stretches
