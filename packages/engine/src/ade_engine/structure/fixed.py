"""Tables whose rectangle a person decided, in place of every found table that it overlaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ade_engine.cells import Range
from ade_engine.readers.base import Sheet
from ade_engine.structure.find import find_tables
from ade_engine.structure.judge import RowRule
from ade_engine.structure.names import HeaderNames
from ade_engine.structure.outside import RowsOutside
from ade_engine.structure.rectangle import FixedRange, fixed_table
from ade_engine.structure.tables import FoundTable
from ade_engine.structure.turned import REPORT, Turning

EvidenceWith = Callable[[Mapping[int, str]], RowRule | None]


def tables_with_fixed(
    sheet: Sheet,
    fixed: Sequence[FixedRange],
    *,
    evidence: RowRule | None,
    evidence_with: EvidenceWith,
    names: HeaderNames,
    turning: Turning = REPORT,
    outside: RowsOutside | None = None,
) -> Iterator[FoundTable]:
    """Yield the tables of a sheet, those in fixed rectangles in place of all that overlap them.

    `evidence_with` returns the evidence for rows of which people said what they are. `outside` takes the rows of tables
    that a rectangle drawn in another document is too short for.
    """
    found = list(_places(find_tables(sheet, evidence=evidence, names=names, turning=turning)))
    if outside is not None:
        outside.add(sorted(row for one in fixed for row in _rows_below(one, found)))
    waiting = sorted(fixed, key=lambda one: one.place)
    tables = find_tables(sheet, evidence=evidence, names=names, turning=turning)
    for place, table in zip(found, tables, strict=True):
        while waiting and waiting[0].place < place:
            yield from _decided_table(sheet, waiting.pop(0), evidence_with, names)
        if not any(one.place.overlaps(place) for one in fixed):
            yield table
    for one in waiting:
        yield from _decided_table(sheet, one, evidence_with, names)


def _rows_below(fixed: FixedRange, found: Sequence[Range]) -> Iterator[int]:
    """Yield the rows below a rectangle of a table that was found in it and goes on."""
    if not fixed.is_of_document and fixed.header_columns is None:
        last = max((place.last_row for place in found if place.overlaps(fixed.place)), default=0)
        yield from range(fixed.place.last_row + 1, last + 1)


def _places(tables: Iterator[FoundTable]) -> Iterator[Range]:
    for table in tables:
        table.skip()  # only then it is known how far it reaches
        yield table.range


def _decided_table(
    sheet: Sheet, fixed: FixedRange, evidence_with: EvidenceWith, names: HeaderNames
) -> Iterator[FoundTable]:
    """Yield the table in a rectangle, turned where people said that its fields are rows."""
    if fixed.header_columns is None:
        yield from fixed_table(sheet, fixed, evidence_with, names)
        return
    from ade_engine.structure.turning import turned_by_a_person  # few tables are

    yield from turned_by_a_person(sheet, fixed, evidence_with({}), names)
