r"""Reads many rows of the same columns at once: one pattern per sheet finds the cells, each column is converted whole.

A row's markup `<row r="7"><c r="A7" t="s"><v>3</v></c>...` is matched by one regular expression made from the sheet's
columns, every cell of which may be absent. A row that is spelled otherwise does not match, and is read cell by cell.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from typing import cast

from ade_engine.cells import Value, column_letters
from ade_engine.patterns import sound
from ade_engine.readers.base import Row
from ade_engine.readers.xlsx_values import Values, is_hidden

Groups = tuple[str | None, ...]

# Groups of a row: its number, its attributes; then per cell the text between the reference and the content (which
# tells the kind of cell), and the content. All quantifiers are possessive: a row that does not fit fails without
# backtracking.
_HEAD = r'\s*+(?:<row[^>]*+(?<=/)>)*+<row r="([0-9]{1,9}+)"([^>]*+)>'
_CELL = (
    r'(?:<c r="{letters}\1"([^>]*+>(?:<f(?=[ />])|<is>)?+)'
    r"(?:(?<=<f)[^>]*+>(?:[^<]*+</f>)?+)?+"
    r'(?:(?:<v(?: xml:space="preserve")?+>|(?<=<is>)<t(?: xml:space="preserve")?+>)([^<]*+)(?:</v>|</t></is>)</c>'
    r"|</c>|(?<=/>)))?+"
)


class RowPattern:
    """Reads rows whose cells stand in these columns, each of which may be absent."""

    def __init__(self, columns: list[int]) -> None:
        self.columns = columns
        cells = [_CELL.replace("{letters}", column_letters(column)) for column in columns]
        self.match = re.compile(sound(_HEAD + "".join(cells))).fullmatch
        self.formulas_without_value = 0

    def rows(self, groups: Sequence[Groups], values: Values) -> Iterator[Row]:
        """Convert the groups of matched rows; a row may come out without values."""
        self.formulas_without_value = 0
        numbers, attributes, *cells = zip(*groups, strict=True)
        columns: list[Iterable[Value]] = [repeat(None)] * self.columns[-1]
        styles: list[int | list[int]] = [values.plain] * self.columns[-1]
        for position, column in enumerate(self.columns):
            markups, contents = cells[2 * position], cells[2 * position + 1]
            kinds = set(markups)
            columns[column - 1] = self._values(kinds, markups, contents, values)
            styles[column - 1] = _styles(kinds, markups, values)
        filled = _without_tail(columns)
        hidden = map(is_hidden, attributes) if any("hidden" in text for text in set(attributes)) else repeat(False)
        return map(Row, map(int, numbers), filled, _styles_of_rows(styles, filled), hidden)

    def _values(
        self,
        kinds: set[str | None],
        markups: Sequence[str | None],
        contents: Sequence[str | None],
        values: Values,
    ) -> list[Value]:
        if len(kinds) == 1 and None not in contents:
            return values.kinds[markups[0]].column(cast("Sequence[str]", contents))
        self._count_formulas(markups, contents, values)
        converted: dict[str | None, Iterator[Value]] = {}
        for markup in kinds:
            texts = [text for kind, text in zip(markups, contents, strict=True) if kind == markup and text is not None]
            converted[markup] = iter(values.kinds[markup].column(texts) if texts else ())
        return [
            None if text is None else next(converted[markup]) for markup, text in zip(markups, contents, strict=True)
        ]

    def _count_formulas(self, markups: Sequence[str | None], contents: Sequence[str | None], values: Values) -> None:
        with_formula = {markup for markup in set(markups) if markup is not None and values.kinds[markup].has_formula}
        if with_formula:
            self.formulas_without_value += sum(
                text is None and markup in with_formula for markup, text in zip(markups, contents, strict=True)
            )


def _styles(kinds: set[str | None], markups: Sequence[str | None], values: Values) -> int | list[int]:
    """Return the styles of a column: one number when all are the same."""
    styles = {markup: values.kinds[markup].style if markup is not None else values.plain for markup in kinds}
    distinct = set(styles.values())
    return distinct.pop() if len(distinct) == 1 else [styles[markup] for markup in markups]


def _without_tail(columns: list[Iterable[Value]]) -> list[list[Value]]:
    rows = list(map(list, zip(*columns, strict=False)))
    last = columns[-1]
    if isinstance(last, list) and None in last:
        for row in rows:
            while row and row[-1] is None:
                row.pop()
    return rows


def _styles_of_rows(styles: list[int | list[int]], rows: list[list[Value]]) -> Iterable[list[int]]:
    if any(isinstance(column, list) for column in styles):
        columns = [column if isinstance(column, list) else repeat(column) for column in styles]
        return [list(row[: len(values)]) for values, row in zip(rows, zip(*columns, strict=False), strict=True)]
    # Rows that look alike share one list: most sheets have one look per column.
    uniform = {length: styles[:length] for length in set(map(len, rows))}
    return [uniform[len(values)] for values in rows]  # type: ignore[misc]
