"""Cuts a window into blocks of columns, so that tables side by side are judged apart.

A gutter is a run of columns that are blank in a stretch of rows. Not every gutter parts two tables: many tables keep
blank columns for looks. Named evidence decides; in doubt the columns stay together.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.grid import GridRow
from ade_engine.structure.kinds import CODE, DATE, EMPTY, LONG, NUMBER, NUMERIC, TEXT

_BLANK = re.compile("0+")
_END = 20_000
_ID_WORDS = frozenset({"id", "no", "no.", "nr", "nr.", "#", "number", "code", "key"})


@record
class Region:
    """Rows first..last (positions in the window) and columns of one block, all counted from 0."""

    first: int
    last: int
    first_column: int
    last_column: int


@record(frozen=False)
class _Stretch:
    """Consecutive rows without a blank row among them, or several such runs that share their gutters."""

    first: int
    last: int
    mask: int


def find_regions(rows: Sequence[GridRow]) -> list[Region]:
    """Return the blocks of a window, top to bottom, then left to right."""
    regions: list[Region] = []
    for stretch in _stretches(rows):
        inside = rows[stretch.first : stretch.last + 1]
        cuts = _accepted_gutters(inside)
        if not cuts and regions and _covers_full_width(regions[-1], stretch.first):
            regions[-1] = _extended(regions[-1], stretch)
        else:
            regions.extend(_between(cuts, stretch))
    return regions


def _covers_full_width(region: Region, next_row: int) -> bool:
    return region.last == next_row - 1 and region.first_column == 0 and region.last_column < 0


def _extended(region: Region, stretch: _Stretch) -> Region:
    return Region(region.first, stretch.last, 0, -1)


def _between(cuts: list[tuple[int, int]], stretch: _Stretch) -> Iterable[Region]:
    if not cuts:
        return [Region(stretch.first, stretch.last, 0, -1)]
    edges = [0]
    for first, last in cuts:
        edges += [first - 1, last + 1]
    edges.append(max(stretch.mask.bit_length() - 1, edges[-1]))
    return [
        Region(stretch.first, stretch.last, left, right) for left, right in zip(edges[::2], edges[1::2], strict=True)
    ]


def _stretches(rows: Sequence[GridRow]) -> list[_Stretch]:
    """Group runs of rows as long as no wide-open gutter of the group is closed by the next run."""
    groups: list[_Stretch] = []
    for run in _runs(rows):
        if groups and _keeps_gutters(groups[-1], run) and not _opens_gutters(rows, groups[-1], run):
            groups[-1] = _Stretch(groups[-1].first, run.last, groups[-1].mask | run.mask)
        else:
            groups.append(run)
    return groups


def _runs(rows: Sequence[GridRow]) -> list[_Stretch]:
    runs: list[_Stretch] = []
    previous = None
    for position, row in enumerate(rows):
        mask = _solid(row)
        if previous is not None and row.row.number == previous + 1:
            runs[-1] = _Stretch(runs[-1].first, position, runs[-1].mask | mask)
        else:
            runs.append(_Stretch(position, position, mask))
        previous = row.row.number
    return runs


def _solid(row: GridRow) -> int:
    """Return the row's mask, or only its first cell when one text was spread over merged cells."""
    if row.mask.bit_count() < w.SPREAD_CELLS:
        return row.mask
    first = (row.mask & -row.mask).bit_length() - 1
    text = row.values[first]
    if row.kinds[first] not in (TEXT, LONG):
        return row.mask
    is_spread = all(value == text for value, kind in zip(row.values, row.kinds, strict=True) if kind)
    return 1 << first if is_spread else row.mask


def _keeps_gutters(group: _Stretch, run: _Stretch) -> bool:
    before = _gutters(group.mask)
    if not before or group.last == group.first:
        return True
    joined = group.mask | run.mask
    after = _gutters(joined)
    kept = [gutter for gutter in before if any(a[0] <= gutter[1] and gutter[0] <= a[1] for a in after)]
    return len(kept) == len(before)


def _opens_gutters(rows: Sequence[GridRow], group: _Stretch, run: _Stretch) -> bool:
    """Tell whether a run under a wider table begins tables side by side: it has a header over either side."""
    inside = rows[run.first : run.last + 1]
    if group.mask & run.mask == group.mask | run.mask or len(inside) < w.SPLIT_ROWS:
        return False
    if not _is_header_over(inside) or _gutters(group.mask | run.mask):
        return False
    return bool(_accepted_gutters(inside))


def _is_header_over(rows: Sequence[GridRow]) -> bool:
    """Tell whether the first row holds texts only, and the second something else under them."""
    kinds = {kind for kind in rows[0].kinds if kind != EMPTY}
    return kinds == {TEXT} and any(kind in NUMERIC for kind in rows[1].kinds)


def _gutters(mask: int) -> list[tuple[int, int]]:
    """Return the runs of blank columns between filled ones."""
    columns = f"{mask:b}"[::-1]
    start = columns.find("1")
    return [(found.start(), found.end() - 1) for found in _BLANK.finditer(columns, max(start, 0))]


def _accepted_gutters(rows: Sequence[GridRow]) -> list[tuple[int, int]]:
    mask = 0
    for row in rows:
        mask |= _solid(row)
    gutters = _gutters(mask)
    if not gutters or len(rows) < w.SPLIT_ROWS:
        return []
    start = (mask & -mask).bit_length() - 1
    edges = [start - 1, *(column for gutter in gutters for column in gutter), mask.bit_length()]
    sides = [(edges[i] + 1, edges[i + 1] - 1) for i in range(0, len(edges), 2)]
    accepted = []
    for position, gutter in enumerate(gutters):
        score = _split_score(rows, gutter, sides[position], sides[position + 1], gutter_count=len(gutters))
        if score >= w.SPLIT_THRESHOLD:
            accepted.append(gutter)
    return accepted


def _split_score(
    rows: Sequence[GridRow],
    gutter: tuple[int, int],
    left: tuple[int, int],
    right: tuple[int, int],
    *,
    gutter_count: int,
) -> float:
    left_rows, right_rows = _rows_with(rows, left), _rows_with(rows, right)
    if _are_captions([rows[position] for position in right_rows], right):
        return 0.0
    overlap = len(left_rows & right_rows) / len(left_rows | right_rows)
    score = w.SPLIT_GUTTER_WIDTH * (min(gutter[1] - gutter[0] + 1, 4) - 1)
    score += w.SPLIT_DRAWN if _is_drawn([rows[position] for position in left_rows & right_rows], gutter) else 0.0
    score += w.SPLIT_SAME_ROWS if overlap > w.SAME_ROWS else 0.0
    score += w.SPLIT_OTHER_ROWS if overlap < w.OTHER_ROWS else 0.0
    is_wide = gutter[1] > gutter[0]
    score += w.SPLIT_KEY if _has_key(rows, right) and (is_wide or _has_key(rows, left)) else w.SPLIT_NO_KEY
    score += w.SPLIT_REPEATED_HEADER if _repeats_header(rows, left, right) else 0.0
    is_apart = _ends_apart(rows, left, right)
    if not is_apart and _differ(left_rows, right_rows):
        # A table may have gutters of its own: then all that lies on either side is compared.
        is_apart = _ends_apart(rows, (0, gutter[0] - 1), (gutter[1] + 1, _END))
    if is_apart:
        return score + w.SPLIT_ENDS_APART
    score += w.SPLIT_MANY * (gutter_count - 1)
    if left[0] == left[1] or right[0] == right[1]:
        is_beside = overlap <= w.OTHER_ROWS and not _shares_top(rows, left, right)
        score += w.SPLIT_SIDE_NOTE if is_beside else w.SPLIT_SINGLE_COLUMN
    return score


def _rows_with(rows: Sequence[GridRow], columns: tuple[int, int]) -> set[int]:
    inside = ((1 << (columns[1] - columns[0] + 1)) - 1) << columns[0]
    return {position for position, row in enumerate(rows) if _solid(row) & inside}


def _are_captions(rows: Sequence[GridRow], columns: tuple[int, int]) -> bool:
    """Tell whether a side holds nothing but labels with a colon and one value each: they belong to the left side."""
    return all(
        _count(row, columns) <= 2 and str(row.values[_first(row, columns)]).rstrip().endswith((":", "："))  # noqa: RUF001
        for row in rows
    )


def _first(row: GridRow, columns: tuple[int, int]) -> int:
    inside = row.mask >> columns[0]
    return columns[0] + (inside & -inside).bit_length() - 1


def _ends_apart(rows: Sequence[GridRow], left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Tell whether rows of several cells go on under one side, or begin above it: no table is left half blank there."""
    for side, other in ((left, right), (right, left)):
        inside = _rows_with(rows, other)
        if other[0] == other[1] or len(inside) < w.APART_ROWS:
            continue
        below, above = range(max(inside) + 1, len(rows)), range(min(inside) - 1, -1, -1)
        if max(_count_on(rows, below, side), _rows_above(rows, above, side)) >= w.APART_ROWS:
            return True
    return False


def _rows_above(rows: Sequence[GridRow], positions: range, columns: tuple[int, int]) -> int:
    """Count the rows above: a few of two cells are labels and values, which say nothing about a wider table."""
    count = _count_on(rows, positions, columns)
    return count if count > w.PREAMBLE_LINES else _count_on(rows, positions, columns, least=3)


def _differ(left: set[int], right: set[int]) -> bool:
    """Tell whether two sides begin or end in rows that lie apart."""
    return max(abs(max(left) - max(right)), abs(min(left) - min(right))) >= w.APART_ROWS


def _count_on(rows: Sequence[GridRow], positions: range, columns: tuple[int, int], *, least: int = 2) -> int:
    """Count the rows with several cells in some columns, at most all of these, up to the first blank row."""
    count, needed = 0, max(2, min(least, columns[1] - columns[0] + 1))
    for position in positions:
        row, before = rows[position], rows[position - positions.step]
        if abs(row.row.number - before.row.number) != 1:
            break
        count += _solid(row) == row.mask and _count(row, columns) >= needed
    return count


def _shares_top(rows: Sequence[GridRow], left: tuple[int, int], right: tuple[int, int]) -> bool:
    """Tell whether the first row with several cells on one side has a cell on the other: one header over both."""
    for row in rows:
        counts = [_count(row, side) for side in (left, right)]
        if max(counts) > 1 and _solid(row) == row.mask:
            return min(counts) > 0
    return True


def _count(row: GridRow, columns: tuple[int, int]) -> int:
    return (row.mask >> columns[0] & ((1 << (columns[1] - columns[0] + 1)) - 1)).bit_count()


def _is_drawn(rows: Sequence[GridRow], gutter: tuple[int, int]) -> bool:
    """Tell whether someone filled the gutter with white space, row by row: a drawn line between two tables."""
    drawn = sum(row.drawn >> gutter[0] & 1 for row in rows)
    return drawn >= max(w.DRAWN_SHARE * len(rows), 1)


def _has_key(rows: Sequence[GridRow], columns: tuple[int, int]) -> bool:
    """Tell whether the first of a side's columns names its rows: text, codes or dates, nearly all different."""
    column = columns[0]
    if column == columns[1]:
        return False
    cells = [(row.values[column], row.kinds[column]) for row in rows if len(row.kinds) > column and row.kinds[column]]
    if len(cells) < w.KEY_CELLS:
        return False
    kinds = (TEXT, CODE, DATE, LONG, NUMBER) if _is_id(cells[0][0]) else (TEXT, CODE, DATE, LONG)
    named = sum(kind in kinds for _, kind in cells)
    return named >= w.KEY_SHARE * len(cells) and len({value for value, _ in cells}) >= w.KEY_DISTINCT * len(cells)


def _is_id(header: object) -> bool:
    return isinstance(header, str) and not _ID_WORDS.isdisjoint(header.casefold().replace("_", " ").split())


def _repeats_header(rows: Sequence[GridRow], left: tuple[int, int], right: tuple[int, int]) -> bool:
    for row in rows[: w.HEADER_LOOK]:
        texts_left, texts_right = _texts(row, left), _texts(row, right)
        longer = max(len(texts_left), len(texts_right))
        if longer > 1 and len(texts_right & texts_left) >= w.REPEATED_SHARE * longer:
            return True
    return False


def _texts(row: GridRow, columns: tuple[int, int]) -> set[object]:
    inside = slice(columns[0], columns[1] + 1)
    kinds = row.kinds[inside]
    if any(kind in NUMERIC for kind in kinds):
        return set()
    return {value for value, kind in zip(row.values[inside], kinds, strict=True) if kind != EMPTY}
