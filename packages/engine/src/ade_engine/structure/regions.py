"""Cuts a window into blocks of columns, so that tables side by side are judged apart.

A gutter is a run of columns that are blank in a stretch of rows. Not every gutter parts two tables: many tables keep
blank columns for looks. Named evidence decides; in doubt the columns stay together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ade_engine.readers.base import Style
from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.grid import GridRow
from ade_engine.structure.gutters import (
    END_COLUMN,
    Columns,
    are_captions,
    differ,
    ends_apart,
    gutter_signs,
    gutters_of,
    has_key,
    is_drawn,
    repeats_header,
    rows_with,
    shares_top,
    solid,
)
from ade_engine.structure.kinds import EMPTY, NUMERIC, TEXT
from ade_engine.structure.learned import GUTTERS

MOST_BY_HAND = 4.0


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


def find_regions(rows: Sequence[GridRow], styles: Sequence[Style] = ()) -> list[Region]:
    """Return the blocks of a window, top to bottom, then left to right."""
    regions: list[Region] = []
    for stretch in _stretches(rows, styles):
        inside = rows[stretch.first : stretch.last + 1]
        cuts = _accepted_gutters(inside, styles)
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


def _stretches(rows: Sequence[GridRow], styles: Sequence[Style]) -> list[_Stretch]:
    """Group runs of rows as long as no wide-open gutter of the group is closed by the next run."""
    groups: list[_Stretch] = []
    for run in _runs(rows):
        if groups and _keeps_gutters(groups[-1], run) and not _opens_gutters(rows, groups[-1], run, styles):
            groups[-1] = _Stretch(groups[-1].first, run.last, groups[-1].mask | run.mask)
        else:
            groups.append(run)
    return groups


def _runs(rows: Sequence[GridRow]) -> list[_Stretch]:
    runs: list[_Stretch] = []
    previous = None
    for position, row in enumerate(rows):
        mask = solid(row)
        if previous is not None and row.row.number == previous + 1:
            runs[-1] = _Stretch(runs[-1].first, position, runs[-1].mask | mask)
        else:
            runs.append(_Stretch(position, position, mask))
        previous = row.row.number
    return runs


def _keeps_gutters(group: _Stretch, run: _Stretch) -> bool:
    before = gutters_of(group.mask)
    if not before or group.last == group.first:
        return True
    joined = group.mask | run.mask
    after = gutters_of(joined)
    kept = [gutter for gutter in before if any(a[0] <= gutter[1] and gutter[0] <= a[1] for a in after)]
    return len(kept) == len(before)


def _opens_gutters(rows: Sequence[GridRow], group: _Stretch, run: _Stretch, styles: Sequence[Style]) -> bool:
    """Return whether a run under a wider table begins tables side by side: it has a header over either side."""
    inside = rows[run.first : run.last + 1]
    if group.mask & run.mask == group.mask | run.mask or len(inside) < w.SPLIT_ROWS:
        return False
    if not _is_header_over(inside) or gutters_of(group.mask | run.mask):
        return False
    return bool(_accepted_gutters(inside, styles))


def _is_header_over(rows: Sequence[GridRow]) -> bool:
    """Return whether the first row holds texts only, and the second something else under them."""
    kinds = {kind for kind in rows[0].kinds if kind != EMPTY}
    return kinds == {TEXT} and any(kind in NUMERIC for kind in rows[1].kinds)


def _accepted_gutters(rows: Sequence[GridRow], styles: Sequence[Style]) -> list[Columns]:
    mask = 0
    for row in rows:
        mask |= solid(row)
    gutters = gutters_of(mask)
    if not gutters or len(rows) < w.SPLIT_ROWS:
        return []
    sides = _sides(mask, gutters)
    accepted = []
    for position, gutter in enumerate(gutters):
        left, right = sides[position], sides[position + 1]
        score = _split_score(rows, gutter, left, right, gutter_count=len(gutters)) - w.SPLIT_THRESHOLD
        if not styles:  # what was learned was learned from workbooks
            accepted += [gutter] if score >= 0 else []
            continue
        score = max(-MOST_BY_HAND, min(score, MOST_BY_HAND)) * GUTTERS.get("by_hand", 100) / 100
        score += GUTTERS.get("base", 0) / 100
        for sign in gutter_signs(rows, gutter, left, right, gutters, styles):
            score += GUTTERS.get(sign, 0) / 100
        if score >= 0:
            accepted.append(gutter)
    return accepted


def _sides(mask: int, gutters: Sequence[Columns]) -> list[Columns]:
    """Return the runs of columns between the gutters."""
    start = (mask & -mask).bit_length() - 1
    edges = [start - 1, *(column for gutter in gutters for column in gutter), mask.bit_length()]
    return [(edges[i] + 1, edges[i + 1] - 1) for i in range(0, len(edges), 2)]


def _split_score(
    rows: Sequence[GridRow],
    gutter: Columns,
    left: Columns,
    right: Columns,
    *,
    gutter_count: int,
) -> float:
    left_rows, right_rows = rows_with(rows, left), rows_with(rows, right)
    if are_captions([rows[position] for position in right_rows], right):
        return 0.0
    overlap = len(left_rows & right_rows) / len(left_rows | right_rows)
    score = w.SPLIT_GUTTER_WIDTH * (min(gutter[1] - gutter[0] + 1, 4) - 1)
    score += w.SPLIT_DRAWN if is_drawn([rows[position] for position in left_rows & right_rows], gutter) else 0.0
    score += w.SPLIT_SAME_ROWS if overlap > w.SAME_ROWS else 0.0
    score += w.SPLIT_OTHER_ROWS if overlap < w.OTHER_ROWS else 0.0
    is_wide = gutter[1] > gutter[0]
    score += w.SPLIT_KEY if has_key(rows, right) and (is_wide or has_key(rows, left)) else w.SPLIT_NO_KEY
    score += w.SPLIT_REPEATED_HEADER if repeats_header(rows, left, right) else 0.0
    is_apart = ends_apart(rows, left, right)
    if not is_apart and differ(left_rows, right_rows):
        # A table may have gutters of its own: then all that lies on either side is compared.
        is_apart = ends_apart(rows, (0, gutter[0] - 1), (gutter[1] + 1, END_COLUMN))
    if is_apart:
        return score + w.SPLIT_ENDS_APART
    score += w.SPLIT_MANY * (gutter_count - 1)
    if left[0] == left[1] or right[0] == right[1]:
        is_beside = overlap <= w.OTHER_ROWS and not shares_top(rows, left, right)
        score += w.SPLIT_SIDE_NOTE if is_beside else w.SPLIT_SINGLE_COLUMN
    return score
