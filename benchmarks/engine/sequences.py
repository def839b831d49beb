"""What the weights are learned from: the lines of each block with their signs, and the gutters between blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from labelled import ALL, OUTSIDE, Labelled, Labels

from ade_engine.cells import Range
from ade_engine.structure import weights as w
from ade_engine.structure.features import LABELS, Neighbourhood, row_evidence
from ade_engine.structure.found import WINDOW
from ade_engine.structure.grid import Block, GridRow, Line, Merges, cut, grid_row
from ade_engine.structure.gutters import gutter_signs, gutters_of, solid
from ade_engine.structure.headers import is_first_again
from ade_engine.structure.judge import _worth_judging
from ade_engine.structure.regions import Region, _sides, _split_score, _stretches, find_regions
from ade_engine.structure.signs import signs_of_lines, steps_of

MOST_LINES = 100
Rules = dict[str, float]


@dataclass
class Sequence:
    """The lines of a block, as the chain sees them."""

    families: tuple[str, ...]
    weight: float
    gaps: list[int]
    alike: list[float]
    again: list[bool]
    rules: list[list[Rules]]  # by line and label
    signs: list[list[str]]
    steps: list[list[str]]
    allowed: list[Labels]


@dataclass
class Gutter:
    """Blank columns between two sides, the score they have by hand, and whether they part tables."""

    families: tuple[str, ...]
    weight: float
    score: float
    signs: list[str]
    parts: bool


class Blocks:
    """Makes the sequences of sheets. Other weights of gutters cut most sheets the same way, so blocks are kept."""

    def __init__(self) -> None:
        self._grids: dict[int, list[GridRow]] = {}
        self._known: dict[tuple[int, int, int, int, int], Sequence | None] = {}
        self._gutters: dict[int, list[Gutter]] = {}

    def gutters(self, sheet: Labelled) -> list[Gutter]:
        """Return the gutters to learn from; the engine must judge without learned weights."""
        if id(sheet) not in self._gutters:
            self._gutters[id(sheet)] = list(_gutters_in(sheet, self._grid(sheet)))
        return self._gutters[id(sheet)]

    def sequences(self, sheet: Labelled) -> Iterator[Sequence]:
        """Yield the blocks of a sheet whose columns fit its tables."""
        grid = self._grid(sheet)
        for region in find_regions(grid, sheet.sheet.styles):
            key = (id(sheet), region.first, region.last, region.first_column, region.last_column)
            if key not in self._known:
                self._known[key] = _block_sequence(sheet, grid, region)
            found = self._known[key]
            if found is not None:
                yield found

    def _grid(self, sheet: Labelled) -> list[GridRow]:
        if id(sheet) not in self._grids:
            merges = Merges(sheet.sheet.merged)
            self._grids[id(sheet)] = [g for row in sheet.sheet.table[:WINDOW] if (g := grid_row(row, merges))]
        return self._grids[id(sheet)]


def _block_sequence(sheet: Labelled, grid: list[GridRow], region: Region) -> Sequence | None:
    inside = grid[region.first : region.last + 1]
    last = region.last_column if region.last_column >= 0 else max(row.mask.bit_length() for row in inside) - 1
    block = cut(inside, sheet=sheet.sheet, first_column=region.first_column, last_column=last)
    allowed = _allowed(sheet, block)
    return _sequence(sheet, block, allowed) if block.lines and allowed is not None else None


def _sequence(sheet: Labelled, block: Block, allowed: Callable[[Line], Labels]) -> Sequence:
    kept = _worth_judging(block.lines, [{}] * len(block.lines))[:MOST_LINES]
    near = Neighbourhood([block.lines[i] for i in kept])
    lines = near.lines
    places = range(len(lines))
    signs = signs_of_lines(lines, near.keys, [near.width(i) for i in places])
    return Sequence(
        sheet.families,
        sheet.weight,
        [line.gap for line in lines],
        near.alike[: len(lines)],
        [is_first_again(lines, i) for i in places],
        [_rules(near, i) for i in places],
        signs,
        [steps_of(lines, i, signs[i]) for i in places],
        [allowed(line) for line in lines],
    )


def _rules(near: Neighbourhood, i: int) -> list[Rules]:
    evidence = row_evidence(near, i)
    found: list[Rules] = []
    for label in LABELS:
        sums: Rules = {}
        for contribution in evidence[label]:
            sums[contribution.rule] = sums.get(contribution.rule, 0.0) + contribution.delta
        found.append(sums)
    return found


def _allowed(sheet: Labelled, block: Block) -> Callable[[Line], Labels] | None:
    """Return what each line may be called, or None where the block cuts a table or holds two in one row."""
    first, last = block.columns[0] + 1, block.columns[-1] + 1
    numbers = {line.number for line in block.lines}
    here = []
    for table in sheet.tables:
        area = table.whole
        if area.last_column < first or area.first_column > last or numbers.isdisjoint(_rows(area)):
            continue
        if sheet.lines is None and (area.first_column < first or area.last_column > last):
            return None
        here.append(table)
    here.sort(key=lambda table: table.whole)
    if any(b.whole.first_row <= a.whole.last_row for a, b in pairwise(here)):
        return None

    def allowed(line: Line) -> Labels:
        for table in here:
            if table.whole.first_row <= line.number <= table.whole.last_row:
                return table.labels.get(line.number, OUTSIDE)
        return ALL if any(area.first_row <= line.number <= area.last_row for area in sheet.optional) else OUTSIDE

    return allowed


def _rows(area: Range) -> range:
    return range(area.first_row, area.last_row + 1)


def _gutters_in(sheet: Labelled, grid: list[GridRow]) -> Iterator[Gutter]:
    """Yield the gutters of which the tables say whether they part something."""
    styles = sheet.sheet.styles
    areas = [table.whole for table in sheet.tables]
    for stretch in _stretches(grid, styles) if sheet.lines is None else ():
        rows = grid[stretch.first : stretch.last + 1]
        mask = 0
        for row in rows:
            mask |= solid(row)
        gutters = gutters_of(mask)
        if not gutters or len(rows) < w.SPLIT_ROWS:
            continue
        sides = _sides(mask, gutters)
        over = [a for a in areas if a.first_row <= rows[-1].row.number and a.last_row >= rows[0].row.number]
        for place, gutter in enumerate(gutters):
            parts = _parts(gutter, over, sheet.optional)
            if parts is not None:
                left, right = sides[place], sides[place + 1]
                score = _split_score(rows, gutter, left, right, gutter_count=len(gutters)) - w.SPLIT_THRESHOLD
                signs = gutter_signs(rows, gutter, left, right, gutters, styles)
                yield Gutter(
                    sheet.families, sheet.weight * (1.0 if parts != "beside" else 0.6), score, signs, parts != "no"
                )


def _parts(gutter: tuple[int, int], areas: list[Range], optional: list[Range]) -> str | None:
    first, last = gutter[0] + 1, gutter[1] + 1
    within = any(a.first_column < first and a.last_column > last for a in areas)
    left = any(a.first_column <= last and a.last_column <= last for a in areas)
    right = any(a.first_column >= first for a in areas)
    if within:
        return None if left or right else "no"
    if left and right:
        return "yes"
    if any(a.first_column < first and a.last_column > last for a in optional):
        return None
    return "beside" if left or right else None
