"""A chunk of rows on its way through the passes, while rows may be left out or become several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from ade_engine.cells import Value
from ade_engine.issues import Finding
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.row_view import Rows, Views

ROW = -1  # in place of a field's number, for what is found about a whole row
Found = list[tuple[int, int, Finding]]  # place in the chunk, number of the field, what is wrong


@record(frozen=False)
class Chunk:
    """Rows with their cells by column. `positions` are the columns of the cells that unpivoting made rows of.

    `values` are the clean values by field, `unknown` says which of them could not be converted or computed, and `views`
    are the rows that rules see.
    """

    rows: Sequence[Row]
    source: Mapping[int, Sequence[Value]]
    positions: Sequence[int] | None = None
    joined: dict[str, Sequence[Value]] = field(default_factory=dict)  # of fields that several columns feed
    values: dict[str, Sequence[Value]] = field(default_factory=dict)
    unknown: dict[str, Sequence[bool]] = field(default_factory=dict)  # of fields whose values choose rows
    views: Views = field(default_factory=dict)
    found: Found = field(default_factory=list)

    def take(self, places: Sequence[int]) -> None:
        """Go on with the rows at these places, in this order; a place that comes twice makes two rows."""
        self.rows = [self.rows[place] for place in places]
        self.source = {position: [values[place] for place in places] for position, values in self.source.items()}
        self.joined = {name: [values[place] for place in places] for name, values in self.joined.items()}
        self.values = {name: [values[place] for place in places] for name, values in self.values.items()}
        self.unknown = {name: [unknown[place] for place in places] for name, unknown in self.unknown.items()}
        if self.positions is not None:
            self.positions = [self.positions[place] for place in places]
        self.views = {
            name: Rows({field: [values[place] for place in places] for field, values in rows.columns.items()})
            for name, rows in self.views.items()
        }
        first: dict[int, int] = {}
        for new, place in enumerate(places):
            first.setdefault(place, new)
        self.found = [(first[place], number, finding) for place, number, finding in self.found if place in first]


def in_chunks(chunks: Iterable[Sequence[Row]], size: int) -> Iterator[list[Row]]:
    """Yield rows in chunks of one size, whatever size they come in: a whole-column rule must not see the difference."""
    waiting: list[Row] = []
    for chunk in chunks:
        waiting.extend(chunk)
        while len(waiting) >= size:
            yield waiting[:size]
            del waiting[:size]
    if waiting:
        yield waiting
