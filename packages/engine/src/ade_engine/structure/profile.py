"""The usual shape of a table's rows, tested in a fraction of a microsecond per cell.

A long table is followed by this test alone; only a row that fails it is judged with its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    heading: object = None  # what the header says above the key: such a row is the header once more

    def is_regular(self, row: Row) -> bool:
        """Tell whether a row that follows without a gap is surely one more row of data."""
        return regular_test(self)(row)


def regular_test(profile: Profile) -> Callable[[Row], bool]:
    """Return the test for a regular row, with everything it needs at hand: it runs once per row."""
    first, end, key, heading, anchors = (
        profile.first, profile.last + 1, profile.key, profile.heading, profile.anchors
    )  # fmt: skip
    is_list = first + 1 == end

    def is_regular(row: Row) -> bool:
        values = row.values
        width = len(values)
        if width <= key:
            return False
        name = values[key]
        if (
            name is None
            or name == ""
            or name == heading
            or (type(name) is str and not name.isdigit() and hints_at_total(name))
        ):
            return False
        for column in anchors:
            # A name and a number in its column: no header, title or note looks like that.
            if column < width and _is_value(values[column]):
                return True
        if anchors:
            return False
        inside = values[first:end]
        return is_list or len(inside) - inside.count(None) - inside.count("") >= _FEW

    return is_regular


def profile_of(lines: Sequence[Line], *, offset: int, first: int, last: int, header: Sequence[Line] = ()) -> Profile:
    """Return the profile of data lines; `first` and `last` are positions in the block that begins at `offset`."""
    size = len(lines)
    columns = range(first, last + 1)
    filled = {c: sum(line.kinds[c] != EMPTY for line in lines) for c in columns}
    key = next((c for c in columns if filled[c] >= _USUAL * size), first)
    anchors = [
        c for c in columns if c != key and filled[c] >= _USUAL * size and _numeric(lines, c) >= _USUAL * filled[c]
    ]
    return Profile(
        offset + first,
        offset + last,
        offset + key,
        tuple(offset + c for c in anchors[:_ANCHORS]),
        header[-1].values[key] if header else None,
    )


def _numeric(lines: Sequence[Line], column: int) -> int:
    return sum(line.kinds[column] in NUMERIC or line.kinds[column] == DATE for line in lines)


def _is_value(value: object) -> bool:
    if type(value) is not str:
        return value is not None
    if value[:1].isdigit() or value[-1:].isdigit():
        return True
    kind = kind_of(value)
    return kind not in TEXTUAL and kind not in (EMPTY, MARK)
