"""Finds where headings and titles leave values of a field open: rows without a heading, titles inside the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from ade_engine.axes import Axes
from ade_engine.chunk import Chunk
from ade_engine.fields import Field
from ade_engine.headings import Test, pattern_test
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row


class SourceGaps:
    """What the rows of one table say about the fields that take their values from headings and titles."""

    def __init__(self, fields: Sequence[Field]) -> None:
        # Rows right below a heading of a higher level have none of the levels below it.
        self._grouped = [field.name for field in fields if field.from_group and (field.group_level or 1) == 1]
        self._titles: dict[str, Test] = {
            field.name: test for field in fields if field.from_title and (test := pattern_test([field.from_title]))
        }
        self._count = 0
        self._missing: Counter[str] = Counter()
        self._inside: dict[str, int] = {}  # the first row that is one of a field's titles, and not above the table
        self._last = 0

    def note(self, chunk: Chunk) -> None:
        """Take the rows that are written."""
        if not chunk.rows:
            return
        self._count += len(chunk.rows)
        self._last = chunk.rows[-1].number
        for name in self._grouped:
            self._missing[name] += sum(map(is_empty, chunk.values[name]))
        self.look_for_titles(chunk.rows)

    def look_for_titles(self, rows: Iterable[Row]) -> None:
        """Look for rows that a title's pattern matches: data, headings of groups and notes."""
        for row in rows if self._titles else ():
            for name, is_title in self._titles.items():
                if name not in self._inside and is_title(row.values):
                    self._inside[name] = row.number

    def findings(self, field: Field, axes: Axes) -> Iterator[Finding]:
        """Yield what to report about a field; nothing when it has no value at all, which is reported elsewhere."""
        missing = self._missing[field.name]
        if 0 < missing < self._count:
            rows = "1 row" if missing == 1 else f"{missing} rows"
            yield Finding("source", "warning", f"has no value in {rows}: no heading above gives one (from_group)")
        if (row := self._inside.get(field.name, self._last + 1)) <= self._last:
            message = f"may change at {axes.row(row)}, inside the table: its pattern matches there too (from_title)"
            yield Finding("source", "warning", message)
