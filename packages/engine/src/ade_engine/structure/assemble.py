"""Turns the labels of a block's rows into tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.features import is_marked_group
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import CODE, EMPTY, LONG, TEXTUAL, VALUES
from ade_engine.structure.preamble import is_caption
from ade_engine.structure.words import is_note_text, is_page_footer


@record(frozen=False)
class Draft:
    """A table in the making: positions of its lines in the block, by label."""

    titles: list[int] = field(default_factory=list)
    headers: list[int] = field(default_factory=list)
    data: list[int] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    repeats: list[int] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Return the position of the first header or data line."""
        return self.headers[0] if self.headers else self.data[0]

    @property
    def shape(self) -> tuple[list[int], ...]:
        """Return all that makes a table another one: two drafts that differ in titles and notes alone are alike."""
        return self.headers, self.data, self.groups, self.totals, self.repeats

    @property
    def last(self) -> int:
        """Return the position of the last line, notes included."""
        return max(self.headers + self.data + self.groups + self.totals + self.notes + self.repeats)


def assemble(lines: Sequence[Line], labels: Sequence[str]) -> list[Draft]:
    """Return the tables of a block, top to bottom."""
    drafts: list[Draft] = []
    titles: list[int] = []
    current: Draft | None = None
    for i, label in enumerate(labels):
        if _opens(label, current, lines, i):
            current = Draft(titles=titles if current is None else _captions(current))
            drafts.append(current)
            titles = []
        if label == "title":
            current = None
        if current is None:
            titles.append(i)
        else:
            add_line(current, label, i, lines)
    found = [settled for draft in drafts if (settled := _settle(draft, lines)) is not None]
    return _without_prose([draft for draft in found if draft.data] or found[:1], lines)


def _captions(above: Draft) -> list[int]:
    """Take the headings of groups without rows out of the table above: they are titles of the one that begins."""
    end = max(above.headers + above.data + above.totals + above.notes)
    found = [i for i in above.groups if i > end]
    above.groups = [i for i in above.groups if i < end]
    return found


def _without_prose(drafts: list[Draft], lines: Sequence[Line]) -> list[Draft]:
    """Leave out a few lines of text, or of labels, beside real tables: a preamble in two cells is no table."""
    if not any(draft.headers for draft in drafts):
        return drafts
    return [draft for draft in drafts if draft.headers or not _is_prose(draft, lines)]


def _is_prose(draft: Draft, lines: Sequence[Line]) -> bool:
    if all(is_caption(lines[i]) for i in draft.data):
        return True
    return len(draft.data) < w.PROSE_ROWS and not _has_values(draft, lines)


def _has_values(draft: Draft, lines: Sequence[Line]) -> bool:
    return any(VALUES.intersection(lines[i].kinds) - {CODE} for i in draft.data)


def _opens(label: str, current: Draft | None, lines: Sequence[Line], i: int) -> bool:
    if label == "header":
        return current is None or (bool(current.data or current.totals) and not _repeats(current, lines, i))
    if label != "data" or current is None:
        return label == "data"
    return _resumes_apart(current, lines, i)


def _resumes_apart(current: Draft, lines: Sequence[Line], i: int) -> bool:
    """Return whether data after a note is of another make than the table's: another table, without a header."""
    if current.notes[-1:] != [i - 1] or not lines[i].gap or len(current.data) < w.RESUME_ROWS:
        return False
    shape = _usual(lines, current.data)
    usual = [c for c, share in enumerate(shape) if share >= w.RESUME_SHARE]
    return sum(lines[i].kinds[c] != EMPTY for c in usual) < w.RESUME_SHARE * len(usual)


def _usual(lines: Sequence[Line], data: Sequence[int]) -> list[float]:
    """Return how often each column is filled."""
    return [sum(lines[i].kinds[c] != EMPTY for i in data) / len(data) for c in range(len(lines[data[0]].kinds))]


def _repeats(current: Draft, lines: Sequence[Line], i: int) -> bool:
    """Return whether line i is the table's header once more, as on a new page: right after data, without a title."""
    if lines[i].gap or i - 1 not in (*current.data[-1:], *current.groups[-1:]):
        return False
    return any(same_texts(lines[header], lines[i]) for header in current.headers)


def same_texts(a: Line, b: Line) -> bool:
    """Return whether a line says nearly the same as another, column by column."""
    pairs = [(x, y) for x, y, k in zip(a.values, b.values, a.kinds, strict=True) if k != EMPTY]
    return sum(x == y for x, y in pairs) >= w.REPEATED_SHARE * len(pairs)


def add_line(current: Draft, label: str, i: int, lines: Sequence[Line]) -> None:
    """Add a line to a table by its label."""
    if label == "header":
        (current.repeats if current.data or current.totals else current.headers).append(i)
    elif label == "group" and (current.groups or not (current.data or current.totals) or is_marked_group(lines, i)):
        current.groups.append(i)
    elif label == "total":
        current.totals.append(i)
    elif label == "note":
        current.notes.append(i)
    else:
        # A lone name that nothing marks as a heading may be a record without values: it is kept as data.
        current.data.append(i)


def _settle(draft: Draft, lines: Sequence[Line]) -> Draft | None:
    """Return the draft when it is a table, put right where its end was misread."""
    if _is_headed_by_one_cell(draft, lines):
        # One cell names no columns.
        draft.titles, draft.headers = sorted(draft.titles + draft.headers), []
    if _is_headed_by_a_group(draft, lines):
        draft.groups.insert(0, draft.headers.pop())
    put_end_right(draft)
    return draft if _is_table(draft, lines) else None


def put_end_right(draft: Draft) -> None:
    """Call totals data where there is no other, and the heading of a group without rows a note."""
    if not draft.data and draft.totals:
        draft.data, draft.totals = draft.totals, []
    if draft.data:
        trailing = [i for i in draft.groups if i > draft.data[-1]]
        draft.groups = [i for i in draft.groups if i < draft.data[-1]]
        draft.notes = sorted(draft.notes + trailing)


def _is_headed_by_one_cell(draft: Draft, lines: Sequence[Line]) -> bool:
    """Return whether one cell stands above several columns, other than the second of two."""
    if not draft.headers or not draft.data or not all(lines[i].is_lone for i in draft.headers):
        return False
    columns = sorted({c for i in draft.data for c, kind in enumerate(lines[i].kinds) if kind != EMPTY})
    head = draft.headers[0]
    is_second = len(columns) == 2 and lines[head].first == columns[1] and (head == 0 or lines[head].gap > 0)
    return len(columns) > 1 and not is_second


def _is_headed_by_a_group(draft: Draft, lines: Sequence[Line]) -> bool:
    """Return whether the last header row is the first heading of groups: one cell below a name, like later ones."""
    if len(draft.headers) < 2 or not draft.groups:
        return False
    above, line = (lines[i] for i in draft.headers[-2:])
    is_below_a_name = line.is_lone and not line.gap and not above.is_lone and above.kinds[line.first] != EMPTY
    return is_below_a_name and any(lines[i].is_lone and lines[i].first == line.first for i in draft.groups)


def may_be_data(line: Line) -> bool:
    """Return whether a line taken for a note has one short cell that does not begin as notes and footers do."""
    if not line.is_lone or line.kinds[line.first] == LONG or _is_sentence(line.label):
        return False
    return not is_note_text(line.label) and not is_page_footer(line.label)


def _is_sentence(text: str) -> bool:
    return text.rstrip().endswith(".") and len(text.split()) >= w.PHRASE_WORDS


def _is_table(draft: Draft, lines: Sequence[Line]) -> bool:
    columns = {c for i in draft.headers + draft.data for c, kind in enumerate(lines[i].kinds) if kind != EMPTY}
    if len(columns) == 1:
        return _is_list(draft, lines)
    if _is_stray(draft, lines):
        return False
    if not draft.data:
        return len(columns) >= w.HEADER_ONLY_CELLS
    return bool(draft.headers) or len(draft.data) >= w.HEADERLESS_ROWS or len(lines) == 1


def _is_stray(draft: Draft, lines: Sequence[Line]) -> bool:
    """Return whether just one or two lone cells follow a wide row: no header, and no data."""
    if not draft.data or len(draft.data) >= w.LIST_ROWS or not all(lines[i].is_lone for i in draft.data):
        return False
    return max((lines[i].filled for i in draft.headers), default=0) != 2


def _is_list(draft: Draft, lines: Sequence[Line]) -> bool:
    """Return whether a single column is a list: entries close together, and nothing else around."""
    gaps = sum(lines[i].gap > 0 for i in draft.data)
    is_close = gaps <= w.LIST_GAPS * len(draft.data)
    return len(draft.data) >= w.LIST_ROWS and is_close and all(line.is_lone for line in lines)


def column_span(draft: Draft, lines: Sequence[Line], columns: Sequence[int]) -> tuple[int, int]:
    """Return the first and last position in the block's columns that belong to the table.

    What stands beyond a blank column without a header and in few rows is a remark beside the table.
    """
    count = [0] * len(lines[0].kinds)
    headed = [False] * len(count)
    for i in draft.headers:
        for c, kind in enumerate(lines[i].kinds):
            headed[c] = headed[c] or kind != EMPTY
    inside = [i for i in draft.groups + draft.totals if i > draft.first]
    for i in draft.data + inside:
        for c, kind in enumerate(lines[i].kinds):
            count[c] += kind != EMPTY
    first = next(c for c in range(len(count)) if headed[c] or count[c])
    last = max(c for c in range(len(count)) if headed[c] or count[c])
    if not any(headed):
        return first, last
    # Columns left out of the block are blank: they part what they lie between.
    enough = w.UNHEADED_SHARE * len(draft.data)
    few = w.BESIDE_SHARE * len(draft.data)
    belongs = [2 if filled >= enough else int(filled > few) for filled in count]
    left = next(c for c in range(first, last + 1) if headed[c])
    right = max(c for c in range(first, last + 1) if headed[c])
    if left > first and _names_rows(draft, lines, range(first, left)):
        return first, _reach(range(right, last + 1), columns, belongs)
    return _reach(range(left, first - 1, -1), columns, belongs), _reach(range(right, last + 1), columns, belongs)


def _names_rows(draft: Draft, lines: Sequence[Line], positions: range) -> bool:
    """Return whether most rows have a label left of all headers, be it indented over several columns."""
    if len(positions) > w.LABEL_COLUMNS:
        return False
    named = sum(any(lines[i].kinds[c] in TEXTUAL for c in positions) for i in draft.data)
    return named >= w.UNHEADED_SHARE * len(draft.data)


def _reach(positions: range, columns: Sequence[int], belongs: list[int]) -> int:
    """Step outwards from the last headed column: over neighbours with any data, and further over well filled ones."""
    reached = positions[0]
    for c in positions[1:]:
        is_near = abs(columns[c] - columns[reached]) == 1
        if belongs[c] == 2 or (belongs[c] and is_near):
            reached = c
        elif not is_near:
            break
    return reached
