"""A column as rules see it: its header and a sample of its values, with shares that are counted once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from ade_engine.cells import Value, column_letters
from ade_engine.mapping.headers import normalise
from ade_engine.mapping.kinds import KINDS


class Column:
    """A source column: `header`, `position` (1 is column A) and shares over a sample of values that are not empty.

    `lowest_header` is the text of the lowest row of a header that has several.
    """

    def __init__(
        self,
        position: int,
        header: str,
        values: Iterable[Value],
        *,
        lowest_header: str = "",
        letters: str | None = None,
    ) -> None:
        self.position = position
        self._letters = letters
        self.header = header
        self.lowest_header = lowest_header
        sample = list(values)
        self.row_count = len(sample)
        self.values: Sequence[Value] = [value for value in sample if not is_empty(value)]
        self._shares: dict[str, float] = {}

    @property
    def letters(self) -> str:
        """Return "C" for the third column; where the table was turned, the number of its row in the document."""
        return self._letters or column_letters(self.position)

    @property
    def words(self) -> str:
        """Return the header's words, without case, accents and punctuation."""
        return normalise(self.header)

    def share(self, test: Callable[[Value], bool]) -> float:
        """Return the share of values that pass a test, from 0 to 1."""
        if not self.values:
            return 0.0
        return sum(count for (_, value), count in self._counts.items() if test(value)) / len(self.values)

    def share_matching(self, pattern: str) -> float:
        """Return the share of values whose whole text matches a regular expression."""
        compiled = re.compile(pattern)
        return self.share(lambda value: compiled.fullmatch(str(value).strip()) is not None)

    def share_of_type(self, *types: type) -> float:
        """Return the share of values of these Python types."""
        return self.share(lambda value: type(value) in types)

    def share_of_kind(self, kind: str) -> float:
        """Return the share of values of a built-in kind: email, phone, date, ..."""
        if kind not in self._shares:
            self._shares[kind] = self.share(KINDS[kind].matches)
        return self._shares[kind]

    @cached_property
    def distinct_share(self) -> float:
        """Return 1 when no value repeats."""
        return len(self._counts) / len(self.values) if self.values else 0.0

    @cached_property
    def _counts(self) -> Counter[tuple[type, Value]]:
        # By type too: 1, 1.0 and True are equal to Python and different in a cell.
        return Counter((type(value), value) for value in self.values)


def is_empty(value: Value) -> bool:
    """Return whether a cell holds nothing that a person would see."""
    return value is None or (isinstance(value, str) and not value.strip())
