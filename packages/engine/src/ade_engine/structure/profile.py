"""The usual shape of a table's rows, tested in a fraction of a microsecond per cell.

A long table is followed by this test alone; only a row that fails it is judged with its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ade_engine.readers.base import Row
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import DATE, EMPTY, MARK, NUMERIC, TEXTUAL, kind_of
from ade_engine.structure.words import hints_at_total

_ANCHORS = 3
_USUAL = 0.95
_FEW = 2


@dataclass(frozen=True, slots=True)
class Profile:
    """Columns count from 0 in the sheet. `anchors` are columns that always hold numbers or dates."""

    first: int
    last: int
    key: int
    anchors: tuple[int, ...]

    def is_regular(self, row: Row) -> bool:
        """Tell whether a row that follows without a gap is surely one more row of data."""
        values = row.values
        try:
            name = values[self.key]
        except IndexError:
            return False
        if name is None or name == "":
            return False
        if type(name) is str and hints_at_total(name):
            return False
        inside = values[self.first : self.last + 1]
        if len(inside) - inside.count(None) - inside.count("") < _FEW and self.last > self.first:
            return False
        return self.has_anchors(values)

    def has_anchors(self, values: Sequence[object]) -> bool:
        """Tell whether not every column of numbers holds something else, as it would in a header or a title."""
        if not self.anchors:
            return True
        width = len(values)
        return any(column < width and _is_value(values[column]) for column in self.anchors)


def profile_of(lines: Sequence[Line], *, offset: int, first: int, last: int) -> Profile:
    """Return the profile of data lines; `first` and `last` are positions in the block that begins at `offset`."""
    size = len(lines)
    columns = range(first, last + 1)
    filled = {c: sum(line.kinds[c] != EMPTY for line in lines) for c in columns}
    key = next((c for c in columns if filled[c] >= _USUAL * size), first)
    anchors = [c for c in columns if filled[c] >= _USUAL * size and _numeric(lines, c) >= _USUAL * filled[c]]
    return Profile(offset + first, offset + last, offset + key, tuple(offset + c for c in anchors[:_ANCHORS]))


def _numeric(lines: Sequence[Line], column: int) -> int:
    return sum(line.kinds[column] in NUMERIC or line.kinds[column] == DATE for line in lines)


def _is_value(value: object) -> bool:
    if type(value) is not str:
        return value is not None
    if value[:1].isdigit() or value[-1:].isdigit():
        return True
    kind = kind_of(value)
    return kind not in TEXTUAL and kind not in (EMPTY, MARK)
