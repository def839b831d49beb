"""The signs of a gutter: named observations that say whether blank columns part two tables or lie inside one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ade_engine.readers.base import PLAIN, Style
from ade_engine.structure import weights as w
from ade_engine.structure.grid import GridRow
from ade_engine.structure.kinds import CODE, DATE, EMPTY, LONG, NUMBER, NUMERIC, TEXT

END_COLUMN = 20_000
_ID_WORDS = frozenset({"id", "no", "no.", "nr", "nr.", "#", "number", "code", "key"})
_BLANK = re.compile("0+")
_LOOK = 40
_TOP, _FEW = 12, 3
_LOOKS = ("bold", "filled", "border_top", "border_bottom")

Columns = tuple[int, int]


def gutters_of(mask: int) -> list[Columns]:
    """Return the runs of blank columns between filled ones."""
    columns = f"{mask:b}"[::-1]
    start = columns.find("1")
    return [(found.start(), found.end() - 1) for found in _BLANK.finditer(columns, max(start, 0))]


def solid(row: GridRow) -> int:
    """Return the row's mask, or only its first cell when one text was spread over merged cells."""
    if row.solid < 0:
        row.solid = _solid(row)
    return row.solid


def _solid(row: GridRow) -> int:
    if row.mask.bit_count() < w.SPREAD_CELLS:
        return row.mask
    first = (row.mask & -row.mask).bit_length() - 1
    text = row.values[first]
    if row.kinds[first] not in (TEXT, LONG):
        return row.mask
    is_spread = all(value == text for value, kind in zip(row.values, row.kinds, strict=True) if kind)
    return 1 << first if is_spread else row.mask


def gutter_signs(
    rows: Sequence[GridRow],
    gutter: Columns,
    left: Columns,
    right: Columns,
    gutters: Sequence[Columns],
    styles: Sequence[Style],
) -> list[str]:
    """Return the signs of a gutter between two sides, which are runs of columns without a gutter of their own."""
    on_left, on_right = rows_with(rows, left), rows_with(rows, right)
    both = [rows[position] for position in on_left & on_right]
    width = gutter[1] - gutter[0] + 1
    found = ["one_column" if width == 1 else "two_columns" if width == 2 else "three_columns" if width == 3 else "wide"]
    found += _shapes(rows, left, right, gutters, gutter)
    found += _rows_signs(on_left, on_right)
    found += _keys(rows, left, right)
    found += _headers(rows, left, right)
    found += _again(rows, gutter, left, right)
    found += _first_full(rows, gutter, right)
    found += _parts(on_left, on_right)
    if is_drawn(both, gutter):
        found.append("drawn")
    if are_captions([rows[position] for position in on_right], right):
        found.append("captions_right")
    if ends_apart(rows, left, right):
        found.append("ends_apart")
    if ends_apart(rows, (0, gutter[0] - 1), (gutter[1] + 1, END_COLUMN)):
        found.append("all_ends_apart")
    if styles:
        found += _looks(rows, gutter, styles)
        found += _header_looks(rows, gutter, styles)
    return found


def _shapes(
    rows: Sequence[GridRow], left: Columns, right: Columns, gutters: Sequence[Columns], gutter: Columns
) -> list[str]:
    found = [f"{name}_{min(side[1] - side[0] + 1, 4)}" for name, side in (("left", left), ("right", right))]
    count = len(gutters)
    found.append(
        "only_gutter" if count == 1 else "two_gutters" if count == 2 else "few_gutters" if count < 6 else "many_gutters"
    )
    own = gutter[1] - gutter[0]
    others = [other[1] - other[0] for other in gutters if other != gutter]
    if others and own > max(others):
        found.append("widest")
    if len(others) > 1 and others.count(own) == len(others):
        found.append("all_as_wide")
    if left[1] - left[0] == right[1] - right[0]:
        found.append("equal_sides")
    size = len(rows)
    found.append("few_rows" if size < 8 else "some_rows" if size < 30 else "many_rows")
    return found


def _rows_signs(left: set[int], right: set[int]) -> list[str]:
    overlap = len(left & right) / len(left | right)
    found = ["same_rows" if overlap > w.SAME_ROWS else "other_rows" if overlap < w.OTHER_ROWS else "similar_rows"]
    if not left & right:
        found.append("no_common_row")
    if len(right) < 0.25 * len(left):
        found.append("sparse_right")
    if len(left) < 0.25 * len(right):
        found.append("sparse_left")
    found.append("same_top" if min(left) == min(right) else "left_above" if min(left) < min(right) else "right_above")
    found.append("same_end" if max(left) == max(right) else "left_longer" if max(left) > max(right) else "right_longer")
    return found


def _keys(rows: Sequence[GridRow], left: Columns, right: Columns) -> list[str]:
    is_left, is_right = has_key(rows, left), has_key(rows, right)
    found = ["both_keys" if is_left and is_right else "right_key" if is_right else "left_key" if is_left else "no_key"]
    cells = [row.kinds[right[0]] for row in rows if len(row.kinds) > right[0] and row.kinds[right[0]]]
    if cells:
        numbers = sum(kind in NUMERIC for kind in cells) / len(cells)
        found.append("right_starts_with_numbers" if numbers >= 0.6 else "right_starts_with_text")
    pairs = [
        (row.values[left[0]], row.values[right[0]])
        for row in rows[:_LOOK]
        if len(row.kinds) > right[0] and row.kinds[left[0]] and row.kinds[right[0]]
    ]
    if len(pairs) > 2 and 2 * sum(a == b for a, b in pairs) > len(pairs):
        found.append("same_key")
    return found


def _headers(rows: Sequence[GridRow], left: Columns, right: Columns) -> list[str]:
    found = ["repeated_header"] if repeats_header(rows, left, right) else []
    found.append("shared_top" if shares_top(rows, left, right) else "own_top")
    first = next((row for row in rows if _count(row, right)), None)
    if first is not None:
        kinds = [kind for kind in first.kinds[right[0] : right[1] + 1] if kind]
        if all(kind == TEXT for kind in kinds):
            found.append("right_headed" if len(kinds) > 1 else "right_labelled")
        if _count(first, left) == 0:
            found.append("right_begins_alone")
    return found


def _again(rows: Sequence[GridRow], gutter: Columns, left: Columns, right: Columns) -> list[str]:
    """Return whether the right side repeats what names the rows of the whole, and whether a text is above both."""
    key = min((row.mask & -row.mask).bit_length() - 1 for row in rows)
    found = []
    pairs = [row for row in rows[:_LOOK] if len(row.kinds) > right[0] and row.kinds[key] and row.kinds[right[0]]]
    equal = [row for row in pairs if row.values[key] == row.values[right[0]]]
    last = rows[min(_TOP, len(rows)) - 1].row.number
    names = [row for row in equal if row.kinds[key] == TEXT and row.row.number <= last]
    if any(min(_count(row, left), _count(row, right)) > 1 for row in names):
        found.append("key_header_again")
    if len(pairs) > _FEW and 3 * len(equal) > 2 * len(pairs) and len({row.values[key] for row in equal}) > 2:
        found.append("key_again")
    if any(solid(row) != row.mask and row.mask >> gutter[0] & 1 for row in rows):
        found.append("spread_over")
    return found


def _first_full(rows: Sequence[GridRow], gutter: Columns, right: Columns) -> list[str]:
    """Return on which side the first row of several cells is."""
    row = next((row for row in rows if solid(row) == row.mask and row.mask.bit_count() > 2), None)
    if row is None:
        return []
    before, after = row.mask & ((1 << gutter[0]) - 1), row.mask >> gutter[1]
    if not (before and after):
        return ["top_left" if before else "top_right"]
    return ["top_over"] if _count(row, right) else ["top_over", "top_skips_right"]


def _parts(left: set[int], right: set[int]) -> list[str]:
    """Return whether rows that one side leaves blank are blank on the other side as well."""
    lefts, rights = ({n for n in side if n - 1 not in side} for side in (left, right))
    if min(len(lefts), len(rights)) < 2:
        return []
    is_alike = 3 * len(lefts & rights) >= 2 * max(len(lefts), len(rights))
    return ["parts_alike" if is_alike else "parts_differ"]


def _looks(rows: Sequence[GridRow], gutter: Columns, styles: Sequence[Style]) -> list[str]:
    """Compare the looks of the blank cells with those of the filled ones beside them."""
    painted = ruled = seen = 0
    for found in rows[:_LOOK]:
        indexes = found.row.styles
        column = gutter[0]
        if indexes is None or len(indexes) <= gutter[1] + 1 or not column:
            continue
        sides = [indexes[column - 1], indexes[gutter[1] + 1]]
        if min(sides) < 0:
            continue
        blank = styles[indexes[column]] if indexes[column] >= 0 else None
        looks = [styles[index] for index in sides]
        if any(look.filled for look in looks):
            seen += 1
            painted += blank is not None and blank.filled
        if all(look.border_bottom or look.border_top for look in looks):
            seen += 1
            ruled += blank is not None and (blank.border_bottom or blank.border_top)
    if not seen:
        return ["unpainted"]
    return ["joined_by_looks" if 2 * (painted + ruled) >= seen else "parted_by_looks"]


def _header_looks(rows: Sequence[GridRow], gutter: Columns, styles: Sequence[Style]) -> list[str]:
    """Return which looks of a row of texts beside the gutter go on in its blank cells, and which do not."""
    for row in rows[:_TOP]:
        indexes, kinds = row.row.styles, row.kinds
        if indexes is None or min(len(indexes), len(kinds)) <= gutter[1] + 1 or not gutter[0]:
            continue
        sides = [gutter[0] - 1, gutter[1] + 1]
        if any(kinds[side] != TEXT or indexes[side] < 0 for side in sides):
            continue
        blank = styles[indexes[gutter[0]]] if indexes[gutter[0]] >= 0 else PLAIN
        return [
            f"{look}_header_{'across' if getattr(blank, look) else 'parted'}"
            for look in _LOOKS
            if all(getattr(styles[indexes[side]], look) for side in sides)
        ]
    return []


def rows_with(rows: Sequence[GridRow], columns: Columns) -> set[int]:
    """Return the positions of the rows that have a cell in some columns."""
    inside = ((1 << (columns[1] - columns[0] + 1)) - 1) << columns[0]
    return {position for position, row in enumerate(rows) if solid(row) & inside}


def are_captions(rows: Sequence[GridRow], columns: Columns) -> bool:
    """Return whether a side holds nothing but labels with a colon and one value each: they belong to the left side."""
    return all(
        _count(row, columns) <= 2 and str(row.values[_first(row, columns)]).rstrip().endswith((":", "："))  # noqa: RUF001
        for row in rows
    )


def _first(row: GridRow, columns: Columns) -> int:
    inside = row.mask >> columns[0]
    return columns[0] + (inside & -inside).bit_length() - 1


def ends_apart(rows: Sequence[GridRow], left: Columns, right: Columns) -> bool:
    """Return whether rows of several cells continue under one side or begin above it: no table is left half blank."""
    for side, other in ((left, right), (right, left)):
        inside = rows_with(rows, other)
        if other[0] == other[1] or len(inside) < w.APART_ROWS:
            continue
        below, above = range(max(inside) + 1, len(rows)), range(min(inside) - 1, -1, -1)
        if max(_count_on(rows, below, side), _rows_above(rows, above, side)) >= w.APART_ROWS:
            return True
    return False


def _rows_above(rows: Sequence[GridRow], positions: range, columns: Columns) -> int:
    """Count the rows above: a few of two cells are labels and values, which say nothing about a wider table."""
    count = _count_on(rows, positions, columns)
    return count if count > w.PREAMBLE_LINES else _count_on(rows, positions, columns, least=3)


def differ(left: set[int], right: set[int]) -> bool:
    """Return whether two sides begin or end in rows that lie apart."""
    return max(abs(max(left) - max(right)), abs(min(left) - min(right))) >= w.APART_ROWS


def _count_on(rows: Sequence[GridRow], positions: range, columns: Columns, *, least: int = 2) -> int:
    """Count the rows with several cells in some columns, at most all of these, up to the first blank row."""
    count, needed = 0, max(2, min(least, columns[1] - columns[0] + 1))
    for position in positions:
        row, before = rows[position], rows[position - positions.step]
        if abs(row.row.number - before.row.number) != 1:
            break
        count += solid(row) == row.mask and _count(row, columns) >= needed
    return count


def shares_top(rows: Sequence[GridRow], left: Columns, right: Columns) -> bool:
    """Return whether the first row with several cells on one side has a cell on the other: one header over both."""
    for row in rows:
        counts = [_count(row, side) for side in (left, right)]
        if max(counts) > 1 and solid(row) == row.mask:
            return min(counts) > 0
    return True


def _count(row: GridRow, columns: Columns) -> int:
    return (row.mask >> columns[0] & ((1 << (columns[1] - columns[0] + 1)) - 1)).bit_count()


def is_drawn(rows: Sequence[GridRow], gutter: Columns) -> bool:
    """Return whether someone filled the gutter with white space, row by row: a drawn line between two tables."""
    drawn = sum(row.drawn >> gutter[0] & 1 for row in rows)
    return drawn >= max(w.DRAWN_SHARE * len(rows), 1)


def has_key(rows: Sequence[GridRow], columns: Columns) -> bool:
    """Return whether the first of a side's columns names its rows: text, codes or dates, nearly all different."""
    column = columns[0]
    if column == columns[1]:
        return False
    cells = [(row.values[column], row.kinds[column]) for row in rows if len(row.kinds) > column and row.kinds[column]]
    if len(cells) < w.KEY_CELLS:
        return False
    kinds = (TEXT, CODE, DATE, LONG, NUMBER) if _is_id(cells[0][0]) else (TEXT, CODE, DATE, LONG)
    named = sum(kind in kinds for _, kind in cells)
    return named >= w.KEY_SHARE * len(cells) and len({value for value, _ in cells}) >= w.KEY_DISTINCT * len(cells)


def _is_id(header: object) -> bool:
    return isinstance(header, str) and not _ID_WORDS.isdisjoint(header.casefold().replace("_", " ").split())


def repeats_header(rows: Sequence[GridRow], left: Columns, right: Columns) -> bool:
    """Return whether both sides have nearly the same texts in one of the first rows."""
    for row in rows[: w.HEADER_LOOK]:
        texts_left, texts_right = _texts(row, left), _texts(row, right)
        longer = max(len(texts_left), len(texts_right))
        if longer > 1 and len(texts_right & texts_left) >= w.REPEATED_SHARE * longer:
            return True
    return False


def _texts(row: GridRow, columns: Columns) -> set[object]:
    inside = slice(columns[0], columns[1] + 1)
    kinds = row.kinds[inside]
    if any(kind in NUMERIC for kind in kinds):
        return set()
    return {value for value, kind in zip(row.values[inside], kinds, strict=True) if kind != EMPTY}
