"""Finds the tables of a sheet in one streaming pass.

The first window of rows is judged as a whole. A table still open at its end is handed out at once and followed to its
last row while its data is read; the next window begins after it. Tables side by side that outgrow the window are each
followed on a stream of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from ade_engine.readers.base import Row, Sheet, Style
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import Draft, assemble, column_span
from ade_engine.structure.follow import Follower, Settled, Surroundings
from ade_engine.structure.found import WINDOW, found_table, weighed
from ade_engine.structure.grid import Block, GridRow, Merges, cut, grid_row, looks_of
from ade_engine.structure.judge import Judgement, RowRule, judge
from ade_engine.structure.names import NO_NAMES, HeaderNames
from ade_engine.structure.outside import RowsOutside
from ade_engine.structure.profile import profile_of
from ade_engine.structure.regions import Region, find_regions
from ade_engine.structure.source import Source
from ade_engine.structure.tables import FoundTable
from ade_engine.structure.turned import REPORT, Turning
from ade_engine.structure.turning import marked, with_transposed


def find_tables(
    sheet: Sheet,
    *,
    evidence: RowRule | None = None,
    names: HeaderNames = NO_NAMES,
    turning: Turning = REPORT,
    outside: RowsOutside | None = None,
    window: int = WINDOW,
) -> Iterator[FoundTable]:
    """Yield the tables of a sheet, top to bottom and left to right; `names` are those of columns.

    `turning` says what becomes of tables whose fields are rows; `outside` takes the rows that are in none of them.
    A table's data must be read before the next table is asked for; what was not read by then is skipped.
    """
    around = Surroundings(
        sheet, Merges(sheet.merged), Source(sheet), evidence, names, turning=turning, outside=outside or RowsOutside()
    )
    return _search(around, window=window, columns=None)


def _search(around: Surroundings, *, window: int, columns: tuple[int, int] | None) -> Iterator[FoundTable]:
    is_first = True
    while rows := around.source.take(window):
        is_end = around.source.is_exhausted()
        grid = [line for row in rows if (line := grid_row(row, around.merges))]
        regions = _regions(grid, columns, around.sheet.styles)
        open_regions = [] if is_end else [region for region in regions if region.last == len(grid) - 1]
        closed = [region for region in regions if region not in open_regions]
        judged = [_judged(around, _block(around, grid, region)) for region in closed]
        if is_end and is_first and not any(found.drafts for found in judged):
            # Nothing in the whole sheet: the rules set by hand know small lists and forms. Several would be guesses.
            again = [_judged(around, _block(around, grid, region), by_hand=True) for region in closed]
            judged = again if sum(len(found.drafts) for found in again) == 1 else judged
        is_first = False
        for found in judged:
            around.outside.look(found)
            yield from with_transposed(around, found, _closed, partial(_judged, around, by_hand=found.by_hand))
        if len(open_regions) == 1:
            judged_open = _judged(around, _block(around, grid, open_regions[0]))
            yield from marked(around, judged_open, _open_tables(around, judged_open, rows))
        elif open_regions:
            yield from _side_by_side(around, grid, open_regions, window=window)
            return


def _regions(grid: Sequence[GridRow], columns: tuple[int, int] | None, styles: Sequence[Style]) -> list[Region]:
    if columns is None:
        return find_regions(grid, looks_of(grid, styles))
    return [Region(0, len(grid) - 1, *columns)] if grid else []


def _block(around: Surroundings, grid: Sequence[GridRow], region: Region) -> Block:
    inside = grid[region.first : region.last + 1]
    last = region.last_column if region.last_column >= 0 else max(row.mask.bit_length() for row in inside) - 1
    return cut(inside, sheet=around.sheet, first_column=region.first_column, last_column=last)


def _judged(around: Surroundings, block: Block, *, by_hand: bool = False) -> Judgement:
    return judge(block, sheet=around.sheet.info.name, rule=around.rule, names=around.names, by_hand=by_hand)


def _closed(around: Surroundings, judged: Judgement) -> Iterator[FoundTable]:
    """Yield the tables of a block that lies inside the window."""
    yield from (_table(around.sheet, judged, draft) for draft in judged.drafts)


def _open_tables(around: Surroundings, judged: Judgement, rows: Sequence[Row]) -> Iterator[FoundTable]:
    """Yield the tables of a block that continues after the window; the last of them may still be open."""
    lines = judged.block.lines
    for draft in judged.drafts[:-1]:
        yield _table(around.sheet, judged, draft)
    last = judged.drafts[-1] if judged.drafts else None
    if last is None:
        # Prose so far: only what is close to the end can still belong to a table.
        again = rows[max(len(rows) - w.SIGHT, len(rows) // 2 + 1) :]
        around.outside.look(judged, sum(line.number < again[0].number for line in lines) if again else None)
        around.source.give_back(again)
    elif last.last < len(lines) - 1 - w.SIGHT:
        around.outside.look(judged, last.last + 1)
        yield _table(around.sheet, judged, last)
        around.source.give_back(_rows_from(rows, lines[last.last + 1].number))
    elif (settled := _settled_count(judged, last)) is not None:
        around.outside.look(judged, settled)
        yield from _followed(around, judged, settled, rows)
    elif (start := (last.titles or [last.first])[0]) > 0:
        around.outside.look(judged, start)
        around.source.give_back(_rows_from(rows, lines[start].number))
    else:
        around.outside.look(judged)
        yield _table(around.sheet, judged, last)


def _rows_from(rows: Sequence[Row], number: int) -> list[Row]:
    return [row for row in rows if row.number >= number]


def _settled_count(judged: Judgement, draft: Draft) -> int | None:
    """Return how many lines are certain: all but those whose judgement would look past the window, ending in data."""
    for count in range(len(judged.labels) - w.SIGHT, draft.first + w.OPEN_ROWS, -1):
        if judged.labels[count - 1] == "data":
            return count
    return None


def _followed(around: Surroundings, judged: Judgement, count: int, rows: Sequence[Row]) -> Iterator[FoundTable]:
    lines, labels = judged.block.lines[:count], judged.labels[:count]
    around.source.give_back(_rows_from(rows, judged.block.lines[count].number))
    draft = assemble(lines, labels)[-1]
    first, last = column_span(draft, lines, judged.block.columns)
    data = [lines[i] for i in draft.data]
    header = [lines[i] for i in draft.headers]
    follower = Follower(
        around,
        judged.block,
        profile_of(data, judged.block.columns[first : last + 1], first=first, header=header),
        header=header,
        settled=[Settled(lines[i], labels[i]) for i in range(draft.first + len(draft.headers), count)],
        by_hand=judged.by_hand,
    )
    table = _table(around.sheet, judged, draft, follower)
    yield table
    table.skip()


def _side_by_side(
    around: Surroundings, grid: Sequence[GridRow], regions: Sequence[Region], *, window: int
) -> Iterator[FoundTable]:
    """Follow each block to the end of the sheet on a stream of its own."""
    for region in regions:
        source = Source(around.sheet, first_row=grid[region.first].row.number)
        merges = Merges(around.sheet.merged)
        apart = Surroundings(
            around.sheet,
            merges,
            source,
            around.rule,
            around.names,
            is_beside=True,
            turning=around.turning,
            outside=around.outside,
        )
        yield from _search(apart, window=window, columns=(region.first_column, region.last_column))


def _table(sheet: Sheet, judged: Judgement, draft: Draft, follower: Follower | None = None) -> FoundTable:
    span = column_span(draft, judged.block.lines, judged.block.columns)
    weights = weighed(judged, draft, span)
    return found_table(
        sheet, judged.block, draft, span=span, weighed=weights, rest=follower.chunks if follower else None
    )
