"""Reads a rectangle of a sheet as one table: its rows are judged, its edges and its header are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from ade_engine.cells import Range
from ade_engine.evidence import Contribution
from ade_engine.readers.base import Sheet
from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.assemble import Draft, add_line, put_end_right, same_texts
from ade_engine.structure.doubt import doubtful_rows
from ade_engine.structure.follow import Follower, Settled, Surroundings
from ade_engine.structure.found import WINDOW, Weighed, found_table
from ade_engine.structure.grid import Block, Line, Merges, cut, grid_row
from ade_engine.structure.judge import Judgement, RowRule, judge
from ade_engine.structure.names import HeaderNames
from ade_engine.structure.profile import profile_of
from ade_engine.structure.proof import summed
from ade_engine.structure.source import Source
from ade_engine.structure.tables import FoundTable
from ade_engine.structure.words import is_total_alone


@record
class FixedRange:
    """A rectangle that is one table, and what people said of its rows, by number; its header rows are among them.

    Where its fields are rows, it has columns of names instead of header rows.
    """

    place: Range
    labels: Mapping[int, str]
    header_columns: int | None = None
    is_turned: bool = False  # its rows were columns, among which there are no headings of groups and no notes
    is_of_document: bool = False  # it was drawn in this very document


def fixed_table(
    sheet: Sheet,
    fixed: FixedRange,
    evidence_with: Callable[[Mapping[int, str]], RowRule | None],
    names: HeaderNames,
    *,
    weigh: Callable[[Judgement, Draft, tuple[int, int]], Weighed] | None = None,
) -> Iterator[FoundTable]:
    """Yield the table in a rectangle, unless nothing is in it; `weigh` says how sure its header is."""
    rule = evidence_with(fixed.labels)
    merges, source = Merges(sheet.merged), Source(sheet, inside=fixed.place)
    around = Surroundings(sheet, merges, source, rule, names, is_beside=True)
    rows = source.take(WINDOW)
    grid = [line for row in rows if (line := grid_row(row, merges))]
    columns = fixed.place.first_column - 1, fixed.place.last_column - 1
    block = cut(grid, sheet=sheet, first_column=columns[0], last_column=columns[1])
    judged = judge(block, sheet=sheet.info.name, rule=rule, names=names)
    decide = _Decision(fixed.labels, block.lines, is_turned=fixed.is_turned)
    labels = [decide(*pair) for pair in zip(block.lines, judged.labels, strict=True)]
    count = len(block.lines)
    if not source.is_exhausted() and count > w.SIGHT:
        count -= w.SIGHT  # the last ones are judged once what follows them is in sight
        source.give_back([row for row in rows if row.number >= block.lines[count].number])
    draft = _draft(block.lines[:count], labels)
    if not draft.headers and not draft.data:
        return
    span = (0, len(block.columns) - 1)
    follower = None
    if count < len(block.lines) and draft.data:
        follower = _follower(around, block, draft, labels[:count], by_hand=judged.by_hand, decide=decide)
    rest = follower.chunks if follower else None
    sure = _by_a_person(block, judged, draft, fixed) if weigh is None else weigh(judged, draft, span)
    yield found_table(sheet, block, draft, span=span, weighed=sure, rest=rest)


def _by_a_person(block: Block, judged: Judgement, draft: Draft, fixed: FixedRange) -> Weighed:
    """Return that header and edges are certain, and what of the other rows is not."""
    in_doubt = [row for row in doubtful_rows(block.lines, draft, judged.told) if row.label not in ("header", "title")]
    sums = frozenset(block.lines[i].number for i in summed(block.lines, draft)) if draft.data else frozenset[int]()
    told = frozenset(fixed.labels)
    return Weighed([Contribution("correction", 50.0)], None, 0.0, (), 1.0, 1.0, in_doubt, sums, told)


class _Decision:
    """Says what a line of the rectangle is, by what people said and by what was judged."""

    def __init__(self, labels: Mapping[int, str], lines: Sequence[Line], *, is_turned: bool) -> None:
        self._labels = labels
        self._is_turned = is_turned
        self._headers = [line for line in lines if labels.get(line.number) == "header"]
        self._last_header = self._headers[-1].number if self._headers else 0

    def __call__(self, line: Line, judged: str) -> str:
        said = self._labels.get(line.number)
        if line.number <= self._last_header:
            return "header" if said == "header" else "title"
        if said is not None:
            return {"title": "note", "header": "data"}.get(said, said)
        if self._is_turned:
            return "total" if judged == "total" and _has_total_word(line) else "data"
        if judged == "header":
            return "header" if self._repeats_header(line) else "data"
        # Only what cannot be a row of the table is left out: it has one cell where rows have several.
        is_text = judged in ("title", "note")
        return ("note" if line.is_lone and len(line.kinds) > 1 else "data") if is_text else judged

    def _repeats_header(self, line: Line) -> bool:
        return not line.gap and any(same_texts(header, line) for header in self._headers)


def _has_total_word(line: Line) -> bool:
    return any(isinstance(value, str) and is_total_alone(value) for value in line.values)


def _draft(lines: Sequence[Line], labels: Sequence[str]) -> Draft:
    draft = Draft()
    for i in range(len(lines)):
        if labels[i] == "title":
            draft.titles.append(i)
        elif labels[i] != "blank":
            add_line(draft, labels[i], i, lines)
    put_end_right(draft)
    return draft


def _follower(
    around: Surroundings,
    block: Block,
    draft: Draft,
    labels: Sequence[str],
    *,
    by_hand: bool,
    decide: Callable[[Line, str], str],
) -> Follower:
    lines = block.lines
    header = [lines[i] for i in draft.headers]
    return Follower(
        around,
        block,
        profile_of([lines[i] for i in draft.data], block.columns, first=0, header=header),
        header=header,
        settled=[Settled(lines[i], labels[i]) for i in range(draft.headers[-1] + 1 if header else 0, len(labels))],
        by_hand=by_hand,
        decide=decide,
    )
