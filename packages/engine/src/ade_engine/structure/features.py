"""The evidence for what each row of a block is: named, signed contributions per label.

A row is judged by itself, by its neighbours and by the columns below it. Every contribution is named label.rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ade_engine.evidence import Contribution
from ade_engine.structure import weights as w
from ade_engine.structure.grid import Line
from ade_engine.structure.headers import (
    header_evidence,
    is_evenly_spaced,
    is_first_again,
    is_part_of_stack,
    is_top,
    precedes_numbers,
    stands_out,
)
from ade_engine.structure.kinds import CODE, DATE, EMPTY, FLAG, LONG, MARK, NUMBER, TEXT, VALUES, YEAR
from ade_engine.structure.preamble import is_caption, preamble
from ade_engine.structure.totals import total_evidence, total_word
from ade_engine.structure.words import is_footnote_sign, is_note_text, is_total_label

LABELS = ("title", "header", "group", "data", "total", "note")

Evidence = dict[str, list[Contribution]]


class Neighbourhood:
    """The lines of a block, and how each compares with those around it."""

    def __init__(self, lines: Sequence[Line], *, is_top: bool = True) -> None:
        self.lines = lines
        self.alike = [0.0] + [alike(a, b) for a, b in pairwise(lines)] + [0.0]
        self.width_below = [_typical(self._near(i, 1)) for i in range(len(lines))]
        self.width_above = [_typical(self._near(i, -1)) for i in range(len(lines))]
        self.dense_ahead = self._dense_ahead()
        self.is_apart = self._is_apart()
        self.is_list = all(line.is_lone and line.first == lines[0].first for line in lines)
        self.keys = [self._key_column(i) for i in range(len(lines))]
        self.is_preamble = preamble(lines) if is_top else [False] * len(lines)

    def width(self, i: int) -> int:
        """Return how many filled cells a full row has around here."""
        return max(self.width_below[i], self.width_above[i])

    def alike_either(self, i: int) -> float:
        """Return how much a line resembles the one above or the one below, whichever is more alike."""
        return max(self.alike[i], self.alike[i + 1])

    def _is_apart(self) -> list[bool]:
        """Return for each line whether a blank row parts it from the last line with several cells.

        Captions under a table do not count as such lines.
        """
        apart, has_rows, found = True, False, []
        for line in self.lines:
            apart = apart or line.gap > 0
            found.append(apart)
            is_row = not line.is_lone and not is_caption(line)
            has_rows = has_rows or is_row
            apart = apart and not is_row and (line.is_lone or has_rows)
        return found

    def is_first(self, i: int) -> bool:
        """Return whether nothing of a table stands right above a line."""
        return is_top(self.lines, i) or self.is_preamble[i - 1]

    def continues_above(self, i: int) -> bool:
        """Return whether a lone cell stands right under a filled one, away from the column that names the rows."""
        line = self.lines[i]
        if not i or line.gap or line.first <= self.keys[i] or line.is_spread:
            return False
        return _GROUPS[self.lines[i - 1].kinds[line.first]] == _GROUPS[line.kinds[line.first]]

    def _key_column(self, i: int) -> int:
        """Return the leftmost column that lines with several cells fill around here."""
        around = self.lines[max(0, i - w.LOOK_WIDTH) : i + w.LOOK_WIDTH + 1]
        return min((line.first for line in around if not line.is_lone), default=self.lines[i].first)

    def _near(self, i: int, step: int) -> list[int]:
        end = i + step * (w.LOOK_WIDTH + 1)
        return [self.lines[j].filled for j in range(i + step, end, step) if 0 <= j < len(self.lines)
                and not self.lines[j].is_spread]  # fmt: skip

    def _dense_ahead(self) -> list[bool]:
        """Return for each line whether a line with several cells follows within sight."""
        distance, ahead = w.SIGHT, [False] * len(self.lines)
        for i in range(len(self.lines) - 1, -1, -1):
            ahead[i] = distance < w.SIGHT
            distance = 0 if not self.lines[i].is_lone else distance + 1
        return ahead


def row_evidence(near: Neighbourhood, i: int) -> Evidence:
    """Return the contributions for every label of line i."""
    return {
        "title": _title(near, i),
        "header": header_evidence(near.lines, i, near.alike, key=near.keys[i], is_first=near.is_first(i)),
        "group": _group(near, i),
        "data": _data(near, i),
        "total": total_evidence(near.lines, i, near.alike, width=near.width(i)),
        "note": _note(near, i),
    }


def is_marked_group(lines: Sequence[Line], i: int) -> bool:
    """Return whether more than its blank cells says that a lone label heads a group: a gap, a merged cell, a style."""
    return lines[i].gap > 0 or lines[i].is_spread or stands_out(lines, i)


def is_plain(lines: Sequence[Line], i: int) -> bool:
    """Return whether a line stands amid its equals without anything that could make it more than data."""
    line = lines[i]
    if line.is_lone or not 0 < i < len(lines) - 1 or not is_evenly_spaced(lines, i) or lines[i + 1].gap > line.gap:
        return False
    if line.kinds != lines[i - 1].kinds and alike(lines[i - 1], line) < w.PLAIN:
        return False
    if line.kinds != lines[i + 1].kinds and alike(line, lines[i + 1]) < w.PLAIN:
        return False
    if total_word(line) is not None or stands_out(lines, i) or is_first_again(lines, i):
        return False
    return not precedes_numbers(lines, i)


def _title(near: Neighbourhood, i: int) -> list[Contribution]:
    line = near.lines[i]
    lone = w.LIST_LONE if near.is_list else w.TITLE_LONE
    found = [_lone_or_wide(line, "title", lone=lone, few=w.TITLE_FEW, wide=w.TITLE_WIDE)]
    if line.is_spread:
        found.append(Contribution("title.spread", w.TITLE_SPREAD))
    if line.numbers:
        found.append(Contribution("title.numbers", w.TITLE_NUMBERS * min(line.numbers, 3)))
    if is_caption(line):
        found.append(Contribution("title.caption", w.TITLE_CAPTION))
    if near.is_preamble[i]:
        found.append(Contribution("title.preamble", w.TITLE_PREAMBLE))
    if i == 0:
        found.append(Contribution("title.top", w.TITLE_TOP))
    if near.width_below[i] > max(2, line.filled):
        found.append(Contribution("title.wider_below", w.TITLE_WIDER_BELOW))
    if near.continues_above(i) or is_part_of_stack(near.lines, i, near.keys[i]):
        found.append(Contribution("title.inside", w.TITLE_INSIDE))
    return found


def _group(near: Neighbourhood, i: int) -> list[Contribution]:
    line = near.lines[i]
    if not line.is_lone:
        return [Contribution("group.several_cells", w.GROUP_NOT_LONE)]
    found = [Contribution("group.lone", w.GROUP_LONE)]
    follows = i + 1 < len(near.lines) and not near.lines[i + 1].is_lone
    rule, delta = ("group.data_ahead", w.GROUP_AHEAD) if follows else ("group.nothing_ahead", w.GROUP_NOTHING_AHEAD)
    found.append(Contribution(rule, delta))
    if line.kinds[line.first] == LONG:
        found.append(Contribution("group.long", w.GROUP_LONG))
    elif line.kinds[line.first] in VALUES - {YEAR, CODE}:
        found.append(Contribution("group.value", w.GROUP_NUMBER))
    if line.first > near.keys[i]:
        found.append(Contribution("group.inside", w.GROUP_INSIDE))
    if is_note_text(line.label):
        found.append(Contribution("group.note_word", w.GROUP_NOTE))
    return found


def _data(near: Neighbourhood, i: int) -> list[Contribution]:
    line = near.lines[i]
    values = sum(kind in VALUES for kind in line.kinds)
    found = [Contribution("data.values", w.DATA_VALUES * min(1.0, 2 * values / line.filled))] if values else []
    if line.texts > 1:
        found.append(Contribution("data.text", w.DATA_TEXT))
    if line.is_lone:
        found.extend(_lone_data(near, i))
    elif len(near.lines) > 1:
        found.append(Contribution("data.alike", w.DATA_ALIKE * (near.alike_either(i) - 0.5)))
    if is_total_label(line.label):
        found.append(Contribution("data.total_word", w.DATA_TOTAL))
    if line.is_spread:
        found.append(Contribution("data.spread", w.DATA_SPREAD))
    return found


def _lone_data(near: Neighbourhood, i: int) -> list[Contribution]:
    line = near.lines[i]
    if not near.is_list:
        found = [Contribution("data.lone", w.DATA_LONE)]
        if near.continues_above(i) and not is_note_text(line.label):
            found.append(Contribution("data.continued", w.DATA_CONTINUED))
        if _is_named_only(near, i):
            found.append(Contribution("data.named_only", w.DATA_NAMED_ONLY))
        return found
    if line.kinds[line.first] == LONG:
        return [Contribution("data.prose", w.DATA_PROSE)]
    touches = line.gap == 0 or (i + 1 < len(near.lines) and near.lines[i + 1].gap == 0)
    return [Contribution("data.list", w.DATA_LIST * (0.5 + 0.5 * near.alike_either(i)))] if touches else []


def _is_named_only(near: Neighbourhood, i: int) -> bool:
    """Return whether a short name stands under another in the column that names the rows: a record without values."""
    line = near.lines[i]
    if not i or line.gap or line.first != near.keys[i] or line.kinds[line.first] == LONG or is_note_text(line.label):
        return False
    above = near.lines[i - 1]
    below = near.lines[i + 1] if i + 1 < len(near.lines) else None
    opens_group = below is not None and not below.is_lone and not below.gap
    return above.kinds[line.first] == line.kinds[line.first] and not opens_group


def _note(near: Neighbourhood, i: int) -> list[Contribution]:
    line = near.lines[i]
    lone = w.LIST_LONE if near.is_list else w.NOTE_LONE
    found = [_lone_or_wide(line, "note", lone=lone, few=w.NOTE_FEW, wide=w.NOTE_WIDE)]
    if line.numbers:
        found.append(Contribution("note.numbers", w.NOTE_NUMBERS * min(line.numbers, 3)))
    if is_note_text(line.label):
        found.append(Contribution("note.word", w.NOTE_WORD))
    if line.kinds[line.first] == LONG:
        found.append(Contribution("note.long", w.NOTE_LONG))
    if is_caption(line) and near.is_apart[i]:
        found.append(Contribution("note.caption", w.NOTE_CAPTION))
    if _is_numbered_note(near.lines, i):
        found.append(Contribution("note.numbered", w.NOTE_NUMBERED))
    if near.continues_above(i):
        found.append(Contribution("note.continued", w.NOTE_CONTINUED))
    if not near.dense_ahead[i] and near.is_apart[i] and not near.is_list:
        found.append(Contribution("note.nothing_ahead", w.NOTE_NOTHING_AHEAD))
    return found


def _is_numbered_note(lines: Sequence[Line], i: int) -> bool:
    """Return whether a sign and a sentence stand below a wider table, apart from it and unlike its rows."""
    first = i
    while first and not lines[first].gap and _is_sign_and_words(lines[first - 1]):
        first -= 1
    if not first or not lines[first].gap or not _is_sign_and_words(lines[i]):
        return False
    return lines[first - 1].filled > 2 and alike(lines[first - 1], lines[i]) < w.NOTE_UNLIKE


def _is_sign_and_words(line: Line) -> bool:
    if line.filled != 2 or not is_footnote_sign(line.label):
        return False
    text, kind = next((v, k) for v, k in zip(line.values[::-1], line.kinds[::-1], strict=True) if k != EMPTY)
    return kind in (TEXT, LONG) and " " in str(text).strip()


def _lone_or_wide(line: Line, label: str, *, lone: float, few: float, wide: float) -> Contribution:
    if line.is_lone:
        return Contribution(f"{label}.lone", lone)
    if line.filled == 2 or is_caption(line):
        return Contribution(f"{label}.few_cells", few)
    return Contribution(f"{label}.several_cells", wide)


def _typical(widths: list[int]) -> int:
    """Return the second largest width, so that one odd row does not set the measure."""
    if not widths:
        return 0
    return sorted(widths)[-2] if len(widths) > 1 else widths[0]


_GROUPS = {EMPTY: 0, TEXT: 1, LONG: 1, CODE: 2, NUMBER: 3, YEAR: 3, DATE: 4, MARK: 5, FLAG: 6}
_HALF = {frozenset(pair) for pair in ((1, 2), (2, 3), (1, 6), (3, 4), (2, 4))}


def _likeness(a: int, b: int) -> float:
    first, second = _GROUPS[a], _GROUPS[b]
    if first == second:
        return 1.0
    if {first, second} & {0, 5}:
        return 0.5
    return 0.5 if frozenset((first, second)) in _HALF else 0.0


_LIKENESS = [[_likeness(a, b) for b in range(9)] for a in range(9)]


def alike(above: Line, below: Line) -> float:
    """Return how far two lines hold the same kinds in the same columns: 0 to 1."""
    total, count = 0.0, 0
    for a, b in zip(above.kinds, below.kinds, strict=True):
        if a or b:
            total += _LIKENESS[a][b]
            count += 1
    return total / count
