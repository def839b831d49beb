"""Finds rows that a table leaves out, or takes for a part of its header, and that may as well be records.

A row is sure where something beside its blank cells says what it is: its looks, a rule of the configuration, headings
that repeat, names that would be the same without it, or numbers that add up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ade_engine.structure.assemble import Draft, same_texts
from ade_engine.structure.grid import Line
from ade_engine.structure.headers import stands_out
from ade_engine.structure.kinds import CODE, DATE, EMPTY, NUMERIC, TEXT, TEXTUAL
from ade_engine.structure.proof import summed, unproved
from ade_engine.structure.tables import DoubtfulRow
from ade_engine.structure.words import is_note_text

_MOSTLY = 0.6
_SAMPLE = 200


def doubtful_rows(lines: Sequence[Line], draft: Draft, told: frozenset[int]) -> list[DoubtfulRow]:
    """Return the rows of a table that may be records; `told` are the lines of which a rule says what they are."""
    if not draft.data:
        return []
    found = [*_headers(lines, draft), *_groups(lines, draft), *_lone_cells(lines, draft)]
    records = [lines[i] for i in draft.data[:_SAMPLE]]
    notes = [i for i in draft.notes if may_be_record(lines[i], records) or _is_between_records(lines, i, draft)]
    found += [(i, DoubtfulRow(lines[i].number, "note")) for i in notes]
    found += [(i, DoubtfulRow(lines[i].number, "total")) for i in unproved(lines, draft)]
    return [doubtful for i, doubtful in found if i not in told]


def may_be_record(line: Line, records: Sequence[Line]) -> bool:
    """Return whether several cells of a note are written as those of records: a code first, or a text and a date."""
    if line.is_lone or is_note_text(line.label) or line.label.rstrip().endswith((":", "\uff1a")):
        return False
    if any(line.first != record.first for record in records[:1]) or not records:
        return False
    if not all(_is_as_above(line, c, records) for c, kind in enumerate(line.kinds) if kind != EMPTY):
        return False
    return DATE in line.kinds or "0" in _shape(line.label)


def _is_between_records(lines: Sequence[Line], i: int, draft: Draft) -> bool:
    """Return whether one short text stands where records begin, with a record right above and right below it."""
    line, last = lines[i], i + 1
    while last in draft.notes and not lines[last].gap:
        last += 1
    if line.gap or not line.is_lone or line.kinds[line.first] != TEXT or last not in draft.data or lines[last].gap:
        return False
    return line.first == min(lines[j].first for j in draft.data[:_SAMPLE])


def _is_as_above(line: Line, c: int, records: Sequence[Line]) -> bool:
    """Return whether a cell is of the kind of most cells in its column, and a code written as they are."""
    column = [record for record in records if record.kinds[c] != EMPTY]
    if c == line.first and "0" in (shape := _shape(line.values[c])):
        return sum(_shape(record.values[c]) == shape for record in column) >= _MOSTLY * max(len(column), 1)
    alike = next((kinds for kinds in (NUMERIC, TEXTUAL) if line.kinds[c] in kinds), {line.kinds[c]})
    return sum(record.kinds[c] in alike for record in column) >= _MOSTLY * max(len(column), 1)


def _headers(lines: Sequence[Line], draft: Draft) -> Iterator[tuple[int, DoubtfulRow]]:
    """Yield the last rows of a header that names its columns without them, as far as they could be data."""
    for place in range(len(draft.headers) - 1, 0, -1):
        above, i = draft.headers[:place], draft.headers[place]
        if any(same_texts(lines[j], lines[i]) for j in above):
            continue  # the header once more, below a single record
        if not _are_names(lines, above, i) or stands_out(lines, i) or not _fits(lines, i, draft.data):
            return
        yield i, DoubtfulRow(lines[i].number, "header")


def _are_names(lines: Sequence[Line], above: Sequence[int], i: int) -> bool:
    """Return whether the header rows above line i name all columns that it fills, each differently."""
    filled = [c for c, kind in enumerate(lines[i].kinds) if kind != EMPTY]
    names = [tuple(str(lines[j].values[c]) for j in above if lines[j].kinds[c] != EMPTY) for c in filled]
    return all(names) and len(set(names)) == len(names) and not any(lines[j].is_spread for j in above[-1:])


def _fits(lines: Sequence[Line], i: int, data: Sequence[int]) -> bool:
    """Return whether no cell of line i is a text or a date above numbers, which only headers have."""
    sample = [lines[j] for j in data[:_SAMPLE]]
    for c, kind in enumerate(lines[i].kinds):
        column = [line.kinds[c] for line in sample if line.kinds[c] != EMPTY]
        is_numeric = bool(column) and sum(other in NUMERIC for other in column) >= _MOSTLY * len(column)
        if is_numeric and kind in TEXTUAL | {DATE, CODE}:
            return False
    return True


def _groups(lines: Sequence[Line], draft: Draft) -> Iterator[tuple[int, DoubtfulRow]]:
    """Yield the headings of groups that neither looks nor a merged cell mark, with whether each is like the data.

    Without a mark, one where most records have a text too is like a record whose other cells are empty, unless a total
    sums the rows below it.
    """
    sums = summed(lines, draft)
    for i, end in pairwise([*draft.groups, len(lines)]):
        has_total = any(i < total < end for total in sums)
        is_marked = has_total or _is_merged(lines[i]) or stands_out(lines, i) or _is_set_off(lines, i, draft)
        is_like = _is_like_data(lines, i, draft.data) or (not is_marked and _is_where_records_begin(lines, i, draft))
        if is_like or not is_marked:
            yield i, DoubtfulRow(lines[i].number, "group", looks_like_data=is_like)


def _is_where_records_begin(lines: Sequence[Line], i: int, draft: Draft) -> bool:
    """Return whether most records have a text in the column of a heading."""
    records = [lines[j] for j in draft.data[:_SAMPLE]]
    return sum(record.kinds[lines[i].first] in TEXTUAL for record in records) >= _MOSTLY * len(records)


def _lone_cells(lines: Sequence[Line], draft: Draft) -> Iterator[tuple[int, DoubtfulRow]]:
    """Yield the title right below another table, and the notes, whose only cell is written as those of records are."""
    below_another = [i for i in draft.titles if i > 0 and not lines[i].gap and i - 1 not in draft.titles]
    for label, places in (("title", below_another), ("note", draft.notes)):
        for i in places:
            if lines[i].is_lone and _is_like_data(lines, i, draft.data):
                yield i, DoubtfulRow(lines[i].number, label)


def _is_merged(line: Line) -> bool:
    """Return whether a cell is merged over others, and not just repeated in them."""
    return line.is_spread and sum(value is not None and value != "" for value in line.row.values) < line.filled


def _is_set_off(lines: Sequence[Line], i: int, draft: Draft) -> bool:
    """Return whether a blank row parts a heading from the rows above it; below the header, that parts all rows."""
    return lines[i].gap > 0 and i > draft.data[0]


def _is_like_data(lines: Sequence[Line], i: int, data: Sequence[int]) -> bool:
    """Return whether the only cell of a line is written as most of its column are, or says what one of them says.

    MB000001 among MB000002, a number among numbers, Oslo above a record of Oslo.
    """
    line, c = lines[i], lines[i].first
    column = [lines[j] for j in data[:_SAMPLE] if lines[j].kinds[c] != EMPTY]
    if line.is_spread or not column:
        return False
    if any(other.values[c] == line.values[c] for other in column):
        return True
    for alike in (NUMERIC, {CODE}, {DATE}):
        if line.kinds[c] in alike:
            return sum(other.kinds[c] in alike for other in column) >= _MOSTLY * len(column)
    shape = _shape(line.values[c])
    return "0" in shape and sum(_shape(other.values[c]) == shape for other in column) >= _MOSTLY * len(column)


def _shape(value: object) -> str:
    """Return a text with every digit and every letter replaced by one of each."""
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", str(value).strip()))
