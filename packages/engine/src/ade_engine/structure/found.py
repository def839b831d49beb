"""Makes the table that the first pass hands on from what was decided about the lines of a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row, Sheet
from ade_engine.records import record
from ade_engine.structure.assemble import Draft, may_be_data
from ade_engine.structure.confidence import doubts_of, header_confidence, table_confidence
from ade_engine.structure.doubt import doubtful_rows
from ade_engine.structure.grid import Block
from ade_engine.structure.judge import Judgement, weigh_headers, why_header
from ade_engine.structure.outline import groups_of, totals_of
from ade_engine.structure.proof import summed
from ade_engine.structure.tables import Candidate, DoubtfulRow, FoundTable, SideRow, TableColumn

WINDOW = 2048
SAMPLE = 1000


@record
class Weighed:
    """Why the header rows of a table are these, and how likely header and edges are right."""

    contributions: list[Contribution]
    runner_up: Candidate | None
    margin: float
    doubts: tuple[str, ...]
    confidence: float
    header_confidence: float
    in_doubt: Sequence[DoubtfulRow] = ()
    summed: frozenset[int] = frozenset()  # the numbers of totals that are sums of records above or below
    told: frozenset[int] = frozenset()  # the numbers of rows of which rules or people say what they are


def weighed(judged: Judgement, draft: Draft, span: tuple[int, int]) -> Weighed:
    """Weigh the header rows of a table that was found; `span` is that of its columns."""
    runner_up, margin = weigh_headers(judged, draft)
    doubts = doubts_of(judged, draft, lead=margin, span=span)
    likely = table_confidence(doubts), header_confidence(doubts)
    lines = judged.block.lines
    in_doubt = doubtful_rows(lines, draft, judged.told)
    told = frozenset(lines[i].number for i in judged.told)
    sums = frozenset(lines[i].number for i in summed(lines, draft)) if draft.data else frozenset()
    return Weighed(why_header(judged, draft), runner_up, margin, doubts, *likely, in_doubt, sums, told)


def found_table(
    sheet: Sheet,
    block: Block,
    draft: Draft,
    *,
    span: tuple[int, int],
    weighed: Weighed,
    rest: Callable[[FoundTable], Iterator[list[Row]]] | None,
) -> FoundTable:
    """Return a table; `rest` yields its rows after those of the block."""
    lines = block.lines
    data = [lines[i].row for i in draft.data]
    return FoundTable(
        sheet=sheet.info.name,
        columns=[_column(block, draft, c) for c in range(span[0], span[1] + 1)],
        header_rows=header_rows(block, draft),
        title_rows=[lines[i].number for i in draft.titles],
        first_row=lines[draft.first].number,
        score=round(sum(c.delta for c in weighed.contributions), 4),
        contributions=weighed.contributions,
        runner_up=weighed.runner_up,
        margin=weighed.margin,
        sample=data[:SAMPLE],
        last_row=lines[max(draft.data or draft.headers)].number,
        totals_rows=[lines[i].number for i in draft.totals],
        note_rows=[lines[i].number for i in draft.notes],
        lone_rows=[lines[i].number for i in draft.notes if may_be_data(lines[i])],
        group_rows=[lines[i].number for i in draft.groups],
        repeated_header_rows=[lines[i].number for i in draft.repeats],
        groups=groups_of(lines, draft),
        totals=totals_of(lines, draft),
        confidence=weighed.confidence,
        header_confidence=weighed.header_confidence,
        doubts=weighed.doubts,
        doubtful_rows=list(weighed.in_doubt),
        summed_rows=weighed.summed,
        told_rows=set(weighed.told),
        side_rows=_side_rows(block, draft),
        _known=data,
        _rest=rest,
    )


def header_rows(block: Block, draft: Draft) -> list[int]:
    """Return the header rows, with the blank rows between them: the header is one block."""
    lines = block.lines
    rows: list[int] = []
    for i in draft.headers:
        is_next = bool(rows) and i - 1 in draft.headers
        rows += range(lines[i].number - lines[i].gap if is_next else lines[i].number, lines[i].number + 1)
    return rows


def _column(block: Block, draft: Draft, position: int) -> TableColumn:
    cells = tuple(block.lines[i].values[position] for i in draft.headers)
    texts: list[str] = []
    for value in cells:
        text = " ".join(str(value).split()) if value is not None else ""
        # A cell merged over several header rows says its text once.
        if text and (not texts or texts[-1] != text):
            texts.append(text)
    return TableColumn(block.columns[position] + 1, " ".join(texts), cells)


def _side_rows(block: Block, draft: Draft) -> list[SideRow]:
    """Return the titles, group headings, totals and notes of a table, from top to bottom."""
    lines = block.lines
    labels = {
        **dict.fromkeys(draft.titles, "title"),
        **dict.fromkeys(draft.groups, "group"),
        **dict.fromkeys(draft.totals, "total"),
        **dict.fromkeys(draft.notes, "note"),
    }
    return [SideRow(labels[i], lines[i].row, lines[i].values) for i in sorted(labels)]
