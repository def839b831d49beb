"""Finds the lines above a table that say what it is about, label by label: "Account: | 12-34", "Printed | today"."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.structure import weights as w
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import EMPTY, NUMERIC, TEXTUAL, VALUES

_COLONS = (":", "：")  # noqa: RUF001


def is_caption(line: Line) -> bool:
    """Return whether a line is labels with a colon and what they label: "Date: | 2024-01-02 | Page: | 1"."""
    if not any(type(value) is str and value.rstrip()[-1:] in _COLONS for value in line.values):
        return False  # nearly all lines, so it must be quick
    cells = _cells(line)
    if len(cells) < 2 or len(cells) > w.CAPTION_CELLS:
        return False
    if any(text in _COLONS for text in cells):
        return True
    labels = [text.endswith(_COLONS) for text in cells]
    # Where most cells end in a colon, they are headers that somebody wrote so.
    if not any(labels) or 2 * sum(labels) > len(cells):
        return False
    return (labels[0] and len(cells) == 2) or any(labels[1:-1])


def preamble(lines: Sequence[Line]) -> list[bool]:
    """Return for each line whether it is one of the labelled values at the top, above the first full row of a table."""
    found = [False] * len(lines)
    end = _first_full(lines)
    if not _heads_table(lines, end):
        return found
    pairs = [i for i in range(end) if not lines[i].is_lone]
    if not pairs or len(pairs) > w.PREAMBLE_LINES or _is_column([lines[i] for i in pairs]):
        return found
    for i in pairs:
        is_alone = i - 1 not in pairs or lines[i].gap > 0
        found[i] = is_caption(lines[i]) or not _is_part_of_header(lines, i, end, is_alone=is_alone)
    return found


def _first_full(lines: Sequence[Line]) -> int:
    """Return the first full row, or what stands right above it and leaves the corner blank: a header does so."""
    end = next((i for i, line in enumerate(lines) if not _is_narrow(line)), len(lines))
    corner = min((line.first for line in lines[: end + 1]), default=0)
    while 0 < end < len(lines) and not lines[end].gap and lines[end - 1].first > corner:
        end -= 1
    return end


def _cells(line: Line) -> list[str]:
    """Return the filled cells as texts; a text repeated over merged cells comes once."""
    found: list[str] = []
    previous: object = None
    for value, kind in zip(line.values, line.kinds, strict=True):
        if kind != EMPTY and (value != previous or kind in NUMERIC):
            found.append(str(value).strip())
        previous = value
    return found


def _is_narrow(line: Line) -> bool:
    return line.is_lone or len(_cells(line)) <= 2 or is_caption(line)


def _heads_table(lines: Sequence[Line], i: int) -> bool:
    """Return whether full rows follow, or a very full one: otherwise two columns are all there is."""
    if not 0 < i < len(lines) or _is_like_next(lines, i):
        return False
    return len(_cells(lines[i])) >= w.FULL_CELLS or any(not _is_narrow(line) for line in lines[i + 1 : i + 4])


def _is_like_next(lines: Sequence[Line], i: int) -> bool:
    """Return whether a row holds values like the next one: then it is data, and the narrow rows above it may be too."""
    if i + 1 >= len(lines) or not VALUES.intersection(lines[i].kinds):
        return False
    pairs = [(a, b) for a, b in zip(lines[i].kinds, lines[i + 1].kinds, strict=True) if a != EMPTY]
    return sum(a == b for a, b in pairs) >= w.PLAIN * len(pairs)


def _is_column(pairs: Sequence[Line]) -> bool:
    """Return whether the second cells are of one kind throughout, as in a small table of its own."""
    lasts = [[kind for kind in line.kinds if kind != EMPTY][-1] for line in pairs if not is_caption(line)][1:]
    if lasts and all(kind in NUMERIC for kind in lasts):
        return len(lasts) >= w.PREAMBLE_NUMBERS
    return len(lasts) >= w.PREAMBLE_ALIKE and len(set(lasts)) == 1


def _is_part_of_header(lines: Sequence[Line], i: int, end: int, *, is_alone: bool) -> bool:
    """Return whether two texts may head the columns of the full row below, instead of being a label and its value."""
    line, full = lines[i], lines[end]
    if line.kinds[line.first] not in TEXTUAL or line.first > full.first:
        return True
    if i < end - 1 or full.gap or VALUES.intersection(line.kinds):
        return False
    return is_alone or full.kinds[line.first] == EMPTY
