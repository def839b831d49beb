"""Finds the tables of a sheet in one streaming pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row, Sheet
from ade_engine.structure.assemble import Draft, column_span
from ade_engine.structure.grid import GridRow, Merges, cut, grid_row
from ade_engine.structure.judge import Judgement, RowRule, judge, weigh_headers
from ade_engine.structure.regions import find_regions
from ade_engine.structure.tables import FoundTable, TableColumn

WINDOW = 4096
SAMPLE = 1000
CHUNK = 1024


def find_tables(sheet: Sheet, *, evidence: RowRule | None = None, window: int = WINDOW) -> Iterator[FoundTable]:
    """Yield the tables of a sheet, top to bottom and left to right."""
    merges = Merges(sheet.merged)
    rows = [found for row in sheet.rows() if (found := grid_row(row, merges))]
    for region in find_regions(rows):
        inside = rows[region.first : region.last + 1]
        last = region.last_column if region.last_column >= 0 else max(row.mask.bit_length() for row in inside) - 1
        block = cut(inside, sheet=sheet, first_column=region.first_column, last_column=last)
        if not block.lines:
            continue
        judged = judge(block, sheet=sheet.info.name, rule=evidence)
        for draft in judged.drafts:
            yield _table(sheet, judged, draft)


def _table(sheet: Sheet, judged: Judgement, draft: Draft) -> FoundTable:
    lines = judged.block.lines
    first, last = column_span(draft, lines)
    data = [lines[i].row for i in draft.data]
    runner_up, margin = weigh_headers(judged, draft)
    contributions = [c for i in draft.headers for c in judged.evidence[i]["header"]]
    return FoundTable(
        sheet=sheet.info.name,
        columns=[_column(judged, draft, c) for c in range(first, last + 1)],
        header_rows=[lines[i].number for i in draft.headers],
        title_rows=[lines[i].number for i in draft.titles],
        first_row=lines[draft.first].number,
        score=round(sum(c.delta for c in contributions), 4),
        contributions=contributions,
        runner_up=runner_up,
        margin=margin,
        sample=data[:SAMPLE],
        last_row=lines[max(draft.data or draft.headers)].number,
        totals_rows=[lines[i].number for i in draft.totals],
        note_rows=[lines[i].number for i in draft.notes],
        group_rows=[lines[i].number for i in draft.groups],
        repeated_header_rows=[lines[i].number for i in draft.repeats],
        _chunks=lambda _: (data[i : i + CHUNK] for i in range(0, len(data), CHUNK)),
    )


def _column(judged: Judgement, draft: Draft, position: int) -> TableColumn:
    cells = tuple(judged.block.lines[i].values[position] for i in draft.headers)
    texts: list[str] = []
    for value in cells:
        text = " ".join(str(value).split()) if value is not None else ""
        # A cell merged over several header rows says its text once.
        if text and (not texts or texts[-1] != text):
            texts.append(text)
    return TableColumn(judged.block.first_column + position + 1, " ".join(texts), cells)
