"""The evidence that a row is a header: it differs from the columns below it, names them all, and is not one of them."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.cells import Value
from ade_engine.evidence import Contribution
from ade_engine.readers.base import Style
from ade_engine.structure import weights as w
from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import CODE, DATE, EMPTY, FLAG, LONG, MARK, NUMBER, NUMERIC, TEXT, YEAR
from ade_engine.structure.preamble import is_caption
from ade_engine.structure.series import is_series
from ade_engine.structure.words import is_header_word, is_total_label

_ALIKE = 0.75


def header_evidence(
    lines: Sequence[Line], i: int, alike: Sequence[float], *, key: int, is_first: bool
) -> list[Contribution]:
    """Return the contributions for line i being a header; `alike[i]` compares it with the line above."""
    line = lines[i]
    numbers = line.kinds.count(NUMBER) / line.filled
    # A row of numbers, or one amid its equals, needs no closer look: this keeps long tables cheap.
    is_amid = i > 0 and not lines[i - 1].is_lone and is_evenly_spaced(lines, i) and not precedes_numbers(lines, i)
    is_midst = is_amid and min(alike[i], alike[i + 1]) > _ALIKE and not stands_out(lines, i)
    if fills_corner(lines, i):
        return [Contribution("header.fills_corner", w.HEADER_CORNER)]
    if _is_inside_list(lines, i):
        return [Contribution("header.inside_list", w.HEADER_MIDST)]
    if is_midst and not is_first_again(lines, i):
        return [Contribution("header.midst", w.HEADER_MIDST)]
    if _counts(lines, i):
        return [Contribution("header.counts", w.HEADER_COUNTS), *_position(lines, i, key, is_first=is_first)]
    if numbers > 0.5 and alike[i + 1] >= 0.5:
        return [Contribution("header.numbers", w.HEADER_MIDST)]
    found = [Contribution("header.base", w.HEADER_BASE)]
    found += _own(line)
    if not line.is_lone or not any(not other.is_lone for other in lines[i + 1 : i + 4]):
        found += _against_below(line, _below(lines, i))
    found += _position(lines, i, key, is_first=is_first)
    differs = any(c.rule == "header.type_change" and c.delta > w.STACK_CHANGE for c in found)
    if i > 0 and not differs and _is_full_text(lines[i - 1], line):
        found.append(Contribution("header.second_row", w.HEADER_SECOND))
    return [c for c in found if c.delta]


def is_evenly_spaced(lines: Sequence[Line], i: int) -> bool:
    """Return whether a line follows without a gap, or with the one usual here: some leave every other row blank."""
    gap = lines[i].gap
    return gap == 0 or (i + 1 < len(lines) and lines[i - 1].gap == gap == lines[i + 1].gap)


def precedes_numbers(lines: Sequence[Line], i: int) -> bool:
    """Return whether a row without numbers stands close above rows of them: it may be one of several header rows."""
    if lines[i].numbers:
        return False
    return any(line.numbers > w.STACK_NUMBERS * line.filled for line in lines[i + 1 : i + 4])


def fills_corner(lines: Sequence[Line], i: int) -> bool:
    """Tell whether a lone text ends rows of names that all leave its column blank: it names that column.

    It is close to them and apart from what follows, other than the heading of a group.
    """
    line, has_names = lines[i], False
    if not line.is_lone or line.is_spread or line.kinds[line.first] != TEXT:
        return False
    if line.gap or i + 1 == len(lines) or not lines[i + 1].gap:
        return False
    for other in lines[max(0, i - w.CORNER_LOOK) : i][::-1]:
        if other.is_lone:
            break
        if other.first <= line.first or NUMBER in other.kinds:
            return False
        has_names = True
    return has_names


def _is_inside_list(lines: Sequence[Line], i: int) -> bool:
    """Return whether a lone cell has only lone cells around it and one above: a list has its header on top."""
    around = lines[max(0, i - w.LOOK_WIDTH) : i + w.LOOK_WIDTH + 1]
    return i > 0 and all(line.is_lone and line.first == lines[i].first for line in around)


def _counts(lines: Sequence[Line], i: int) -> bool:
    """Return whether a row on top, or right under the names, counts columns from 0 or 1, and none below does so."""
    if _count_from(lines[i]) not in (0, 1) or not (is_top(lines, i) or _numbers_names(lines, i)):
        return False
    return all(_count_from(line) is None for line in lines[i + 1 : i + 3])


def is_top(lines: Sequence[Line], i: int) -> bool:
    """Return whether no line with several cells stands right above."""
    return i == 0 or lines[i].gap > 0 or lines[i - 1].is_lone


def _numbers_names(lines: Sequence[Line], i: int) -> bool:
    """Return whether each number of line i stands right under a name of the first row."""
    line, above = lines[i], lines[i - 1]
    is_full = above.texts == above.filled == line.filled == line.numbers and len(lines) > i + 2
    return is_full and not line.gap and is_top(lines, i - 1)


def _count_from(line: Line) -> int | None:
    """Return the first of a line's numbers when each is one more than the last, but for a text in front."""
    cells = [(value, kind) for value, kind in zip(line.values, line.kinds, strict=True) if kind != EMPTY]
    if cells[0][1] == TEXT:
        del cells[0]
    if len(cells) < w.COUNT_CELLS or any(kind != NUMBER for _, kind in cells):
        return None
    texts = [str(value).strip(" ()").removesuffix(".0") for value, _ in cells]
    first = int(texts[0]) if texts[0].isdecimal() and len(texts[0]) < w.COUNT_DIGITS else None
    return first if first is not None and texts == [str(first + n) for n in range(len(texts))] else None


def _own(line: Line) -> list[Contribution]:
    """Judge the cells by themselves."""
    filled = line.filled
    count = line.kinds.count
    found = [Contribution("header.numbers", w.HEADER_NUMBERS * count(NUMBER) / filled)]
    if line.texts >= w.HEADER_TEXT_SHARE * filled:
        found.append(Contribution("header.text", w.HEADER_TEXT))
    found.append(Contribution("header.long", w.HEADER_LONG * count(LONG) / filled))
    found.append(Contribution("header.marks", w.HEADER_MARKS * (count(MARK) + count(FLAG)) / filled))
    texts = [value for value in line.values if isinstance(value, str) and value.strip()]
    if line.is_lone:
        found.append(Contribution("header.lone", w.HEADER_LONE))
    elif len(set(texts)) == len(texts):
        found.append(Contribution("header.unique", w.HEADER_UNIQUE))
    if texts:
        found.append(Contribution("header.words", w.HEADER_WORDS * sum(map(is_header_word, texts)) / len(texts)))
    if is_caption(line):
        found.append(Contribution("header.caption", w.HEADER_CAPTION))
    if is_total_label(line.label) and line.numbers:
        found.append(Contribution("header.total_word", w.HEADER_TOTAL))
    return found


def _below(lines: Sequence[Line], i: int) -> list[Line]:
    """Return the next lines that have several cells, up to a wide gap."""
    found: list[Line] = []
    for line in lines[i + 1 : i + 1 + 2 * w.LOOK_BELOW]:
        if len(found) >= w.BREAK_ROWS.get(min(line.gap, w.BREAK_GAP), w.LOOK_BELOW):
            break
        if not line.is_lone or lines[i].filled == 1:
            found.append(line)
        if len(found) == w.LOOK_BELOW:
            break
    return found


def _against_below(line: Line, below: list[Line]) -> list[Contribution]:
    """Compare each cell with the column under it."""
    if not below:
        return []
    changes, seen, live, covered, named = 0.0, 0, 0, 0, 0
    for c, kind in enumerate(line.kinds):
        column = [other.kinds[c] for other in below if other.kinds[c] != EMPTY]
        if not column:
            continue
        live += 1
        if kind == EMPTY:
            continue
        covered += 1
        changes += _change(kind, column)
        if kind in (TEXT, LONG, CODE, DATE):
            values = [other.values[c] for other in below if not _same(line, other)]
            seen += line.values[c] in values
            named += _is_repeating(values) and line.values[c] not in values
    if not live:
        return []
    return [
        Contribution("header.type_change", w.HEADER_TYPE_CHANGE * changes / live),
        Contribution("header.value_below", w.HEADER_SEEN * seen / max(covered, 1)),
        Contribution("header.names_repeated_values", w.HEADER_ALIKE * named / live),
        Contribution("header.coverage", w.HEADER_COVERAGE * (covered / live - 0.5)),
    ]


def _change(kind: int, column: list[int]) -> float:
    """Return how much a cell differs in kind from the column under it: 1 fully, -1 when it could be part of it."""
    size = len(column)
    numeric = sum(other in NUMERIC for other in column) / size
    years = column.count(YEAR) / size
    coded = sum(other in (CODE, DATE, FLAG) for other in column) / size
    if kind in (TEXT, LONG):
        return min(1.0, numeric + coded) if numeric + coded >= w.MOSTLY else 0.0
    if kind == FLAG and numeric >= w.MOSTLY:
        return numeric
    if kind == YEAR:
        return -1.0 if years >= w.MOSTLY else 0.8 * numeric
    if kind == NUMBER:
        return -1.0 if numeric >= w.MOSTLY else 0.7 * (numeric == 0.0)
    if kind in (CODE, DATE):
        return numeric if numeric >= w.MOSTLY else -0.5 * (column.count(kind) / size)
    return 0.0


def _is_repeating(values: Sequence[Value]) -> bool:
    texts = [value for value in values if value is not None and value != ""]
    return len(texts) > 2 and len(set(texts)) <= w.REPEATING * len(texts)


def _position(lines: Sequence[Line], i: int, key: int, *, is_first: bool) -> list[Contribution]:
    found = []
    if is_first:
        found.append(Contribution("header.first", w.HEADER_TOP))
    elif 2 * lines[i - 1].kinds.count(NUMBER) >= lines[i - 1].filled:
        found.append(Contribution("header.under_numbers", w.HEADER_UNDER_NUMBERS))
    if stands_out(lines, i):
        found.append(Contribution("header.style", w.HEADER_STYLE))
    if is_part_of_stack(lines, i, key):
        found.append(Contribution("header.part_of_stack", w.HEADER_PART))
    if is_first_again(lines, i):
        found.append(Contribution("header.again", w.HEADER_AGAIN))
    return found


def _is_full_text(above: Line, line: Line) -> bool:
    """Return whether the row above is as full of differing texts as this one, so that it alone may be the header."""
    if line.gap or above.is_lone or above.texts < above.filled or line.first > above.first:
        return False
    return len({value for value, kind in zip(above.values, above.kinds, strict=True) if kind}) == above.filled


def is_part_of_stack(lines: Sequence[Line], i: int, key: int) -> bool:
    """Return whether a lone text sits close above or below a row of texts, beside the column that names the rows."""
    line = lines[i]
    above = lines[i - 1] if i and not line.gap else None
    below = lines[i + 1] if i + 1 < len(lines) and not lines[i + 1].gap else None
    if above is not None and line.texts == line.filled and _continues(line, above):
        return True
    if not line.is_lone or line.first <= key or line.kinds[line.first] in (LONG, NUMBER):
        return False
    if _heads(above):
        return True
    if line.is_spread and below is not None and line.filled >= w.TITLE_SPAN * below.filled and not is_series(below):
        return False  # a title; over years or dates, beside the column that names the rows, it says what they are
    if _names_the_second(line, below):
        return True
    is_continued = above is not None and above.kinds[line.first] != EMPTY
    return not is_continued and (_heads(below) or _heads(_next(lines, i + 1)))


def _names_the_second(line: Line, below: Line | None) -> bool:
    """Return whether a lone text stands right above the numbers of a table of two columns."""
    return below is not None and below.filled == 2 and below.kinds[line.first] in NUMERIC


def _heads(line: Line | None) -> bool:
    """Return whether a line could head columns: several cells, none of them a number."""
    return line is not None and not line.is_lone and line.filled > 2 and line.kinds.count(NUMBER) == 0


def _next(lines: Sequence[Line], i: int) -> Line | None:
    """Return the line right below line i, if there is no gap between and above them."""
    if i + 1 >= len(lines) or lines[i].gap or lines[i + 1].gap or lines[i].kinds.count(NUMBER):
        return None
    return lines[i + 1]


def _continues(line: Line, above: Line) -> bool:
    """Return whether every filled cell repeats the one above it: a cell merged downwards."""
    pairs = zip(line.values, above.values, line.kinds, strict=True)
    return above.filled > line.filled and all(a == b for a, b, kind in pairs if kind)


def is_first_again(lines: Sequence[Line], i: int) -> bool:
    """Return whether a row says the same as the first full row far above it: a header repeated on a new page."""
    if i < w.AGAIN_DISTANCE or lines[i].filled < w.AGAIN_CELLS or lines[i].texts < lines[i].filled:
        return False
    above = lines[i - 1]
    if lines[i].gap or (above.is_lone and above.first <= lines[i].first) or is_total_label(above.label):
        return False
    first = next((line for line in lines[: w.AGAIN_LOOK] if not line.is_lone), None)
    return first is not None and first.row.number < lines[i].row.number - w.AGAIN_DISTANCE and _same(first, lines[i])


def _same(a: Line, b: Line) -> bool:
    return a.filled == b.filled > 1 and a.values == b.values and b.number - a.number > 1


def stands_out(lines: Sequence[Line], i: int) -> bool:
    """Return whether a row is bold, filled or underlined while the rows a little below it are not."""
    own = lines[i].styles
    if own is None or (i + 1 < len(lines) and lines[i].row.styles == lines[i + 1].row.styles):
        return False
    below = [line.styles for line in lines[i + 1 : i + 4] if not line.is_lone and line.styles is not None]
    if not below:
        return False
    return _emphasis(lines[i], own) > w.EMPHASIS and _emphasis(lines[i], below[-1]) < w.EMPHASIS


def _emphasis(line: Line, styles: Sequence[Style]) -> float:
    """Return the share of cells that are set off, among those the line fills."""
    cells = [style for style, kind in zip(styles, line.kinds, strict=True) if kind]
    return sum(style.bold or style.filled or style.border_bottom for style in cells) / len(cells)
