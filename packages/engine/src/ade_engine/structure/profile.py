"""The usual shape of a table's rows, tested in a fraction of a microsecond per cell.

A long table is followed by this test alone; only a row that fails it is judged with its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta

from ade_engine.patterns import sound
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import DATE, EMPTY, NUMERIC, TEXTUAL, kind_of
from ade_engine.structure.words import any_hints_at_total, hints_at_total

_ANCHORS = 3
_USUAL = 0.95
_FEW = 2
_NUMBER_LINES = re.compile(sound(r"(?:\d(?:[^\n]*\d)?\n)++"))
_SURE_TYPES = frozenset({int, float, bool, date, datetime, time, timedelta})


@record
class Profile:
    """Columns count from 0 in the sheet. `anchors` are columns that always hold numbers or dates."""

    first: int
    last: int
    key: int | None  # the first column that is always filled
    anchors: tuple[int, ...]
    heading: object = None  # what the header says above the key: such a row is the header once more


def regular_rows_test(profile: Profile) -> Callable[[Sequence[Row]], bool]:
    """Return the same test for many rows at once; where it says no, `regular_test` finds the row.

    It needs a key and an anchor, and makes no call per row.
    """
    if profile.key is None or not profile.anchors:
        return lambda _: False
    key, anchors, heading = profile.key, profile.anchors, profile.heading
    width = max(key, *anchors) + 1

    def are_regular(rows: Sequence[Row]) -> bool:
        lines = [row.values for row in rows]
        if min(map(len, lines)) < width:
            return False
        if not any(_are_values([line[anchor] for line in lines]) for anchor in anchors):
            return False
        names = [line[key] for line in lines]
        kinds = set(map(type, names))
        if heading in names or "" in names or type(None) in kinds:
            return False
        return str not in kinds or (len(kinds) == 1 and not any_hints_at_total(names))  # type: ignore[arg-type]

    return are_regular


def _are_values(column: Sequence[object]) -> bool:
    kinds = set(map(type, column))
    if kinds == {str}:
        return _NUMBER_LINES.fullmatch("\n".join((*column, ""))) is not None  # type: ignore[arg-type]
    return kinds <= _SURE_TYPES


def regular_test(profile: Profile) -> Callable[[Row], bool]:
    """Return the test whether a row that follows without a gap is surely one more row of data.

    It runs once per row, so it holds everything it needs.
    """
    if profile.key is None:
        return _sparse_test(profile)
    key, heading, anchors = profile.key, profile.heading, profile.anchors
    has_several = _count_test(profile)

    def is_regular(row: Row) -> bool:
        values = row.values
        width = len(values)
        if width <= key:
            return False
        name = values[key]
        if name is None or name == "" or name == heading:
            return False
        if type(name) is str and not name.isdigit() and hints_at_total(name):
            return False
        for column in anchors:
            # A name and a number in its column: no header, title or note looks like that.
            if column < width and _is_value(values[column]):
                return True
        return not anchors and has_several(row)

    return is_regular


def _sparse_test(profile: Profile) -> Callable[[Row], bool]:
    """Return a test for tables without an always filled column: several cells, and no total among the first."""
    has_several, first, end = _count_test(profile), profile.first, profile.last + 1

    def is_regular(row: Row) -> bool:
        name = next((value for value in row.values[first:end] if value is not None and value != ""), None)
        return has_several(row) and not (type(name) is str and hints_at_total(name))

    return is_regular


def _count_test(profile: Profile) -> Callable[[Row], bool]:
    first, end = profile.first, profile.last + 1
    least = min(_FEW, end - first)

    def has_several(row: Row) -> bool:
        inside = row.values[first:end]
        return len(inside) - inside.count(None) - inside.count("") >= least

    return has_several


def profile_of(lines: Sequence[Line], columns: Sequence[int], *, first: int, header: Sequence[Line] = ()) -> Profile:
    """Return the profile of data lines; `first` is the position in them of the first of the table's columns."""
    size = len(lines)
    positions = range(first, first + len(columns))
    filled = {p: sum(line.kinds[p] != EMPTY for line in lines) for p in positions}
    usual = [p for p in positions if filled[p] >= _USUAL * size]
    anchors = [p for p in usual[1:] if _numeric(lines, p) >= _USUAL * filled[p]]
    return Profile(
        columns[0],
        columns[-1],
        columns[usual[0] - first] if usual else None,
        tuple(columns[p - first] for p in anchors[:_ANCHORS]),
        header[-1].values[usual[0]] if header and usual else None,
    )


def _numeric(lines: Sequence[Line], position: int) -> int:
    return sum(line.kinds[position] in NUMERIC or line.kinds[position] == DATE for line in lines)


def _is_value(value: object) -> bool:
    if type(value) is not str:
        return value is not None
    if value[:1].isdigit() and value[-1:].isdigit():
        return True
    kind = kind_of(value)
    return kind not in TEXTUAL and kind != EMPTY
