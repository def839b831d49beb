"""Reads the rows of a sheet out of its markup: by the sheet's pattern where it fits, else cell by cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ade_engine.cells import Value, parse_cell
from ade_engine.errors import InputError
from ade_engine.patterns import sound
from ade_engine.readers.base import Row
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.xlsx_pattern import Groups, RowPattern
from ade_engine.readers.xlsx_strings import joined_text
from ade_engine.readers.xlsx_values import Values, is_hidden

# A pattern costs milliseconds to build: not for a small sheet, not for endless columns, not again and again.
_PATTERN_ROWS = 64
_PATTERN_COLUMNS = 256
_PATTERN_COUNT = 8

_ROW = re.compile(r"<row(\s[^<>]*?)?(/?)>")
_ROW_NUMBER = re.compile(r"""\sr\s*=\s*["']\s*([0-9]{1,9})\s*["']""")
_CELL = re.compile(sound(r"<c(\s[^<>]*?)?(?:/>|>([^<]*+(?:<(?!/?c[\s/>])[^<]*+)*+)</c>)"))
_REFERENCE = re.compile(r"""\sr\s*=\s*["']\s*\$?([A-Za-z]{1,3})\$?[0-9]{1,9}\s*["']""")
_FORMULA = re.compile(r"<f(?:\s[^<>]*)?(?:/>|>[^<]*</f>)")
_CONTENT = re.compile(r"<v(?:\s[^<>]*)?>([^<]*)</v>")
_FIRST_LETTERS = re.compile(r'<c r="([A-Z]{1,3})[0-9]')


class RowReader:
    """Reads the rows of one sheet, piece by piece."""

    def __init__(self, values: Values, *, limits: ReadLimits) -> None:
        self._values = values
        self._limits = limits
        self._pattern: RowPattern | None = None
        self._pattern_count = 0
        self._last_number = 0
        self._cell_count = 0
        self.formulas_without_value = 0

    def read(self, pieces: Sequence[str]) -> list[Row]:
        """Return the rows that hold something; each piece is the markup up to a row's end tag."""
        if self._pattern is None:
            self._learn(pieces)
        match = self._pattern.match if self._pattern else _never
        odd: dict[int, Row | None] = {}
        groups: list[Groups] = []
        for index, piece in enumerate(pieces):
            found = match(piece)
            if found:
                groups.append(found.groups())
            else:
                self._last_number = int(groups[-1][0] or 0) if index and index - 1 not in odd else self._last_number
                odd[index] = self._read_cell_by_cell(piece)
        rows = self._merged(groups, odd)
        if rows:
            self._last_number = rows[-1].number
        if len(odd) > len(pieces) * 0.1:
            self._learn(pieces)
        self._count(rows)
        return rows

    def _merged(self, groups: list[Groups], odd: dict[int, Row | None]) -> list[Row]:
        """Return the rows read in either way, in the order of the sheet."""
        if self._pattern is None or not groups:
            return [row for row in odd.values() if row is not None]
        fitting = self._pattern.rows(groups, self._values)
        self.formulas_without_value += self._pattern.formulas_without_value
        if not odd:
            return [row for row in fitting if row.values]
        merged = (odd[index] if index in odd else next(fitting) for index in range(len(groups) + len(odd)))
        return [row for row in merged if row is not None and row.values]

    def _read_cell_by_cell(self, piece: str) -> Row | None:
        found = None
        for found in _ROW.finditer(piece):
            number = _ROW_NUMBER.search(found.group(1) or "")
            self._last_number = int(number.group(1)) if number else self._last_number + 1
            if not found.group(2):
                break
        if found is None or found.group(2):
            return None
        cells = self._cells(piece[found.end() :])
        if not cells:
            return None
        return _row(self._last_number, cells, plain=self._values.plain, is_hidden=is_hidden(found.group(1) or ""))

    def _cells(self, markup: str) -> dict[int, tuple[Value, int]]:
        """Return value and style by column, with the last word where a column comes twice."""
        cells: dict[int, tuple[Value, int]] = {}
        column = 0
        for attributes, content in _CELL.findall(markup):
            reference = _REFERENCE.search(attributes)
            if reference:
                column = _column_number(reference.group(1))
                attributes = attributes[: reference.start()] + attributes[reference.end() :]
            else:
                column += 1
            if column > self._limits.columns:
                raise _too_wide(self._limits)
            cells[column] = self._cell(attributes, content)
        return cells

    def _cell(self, attributes: str, content: str) -> tuple[Value, int]:
        if "<is" in content:
            kind = self._values.kinds[attributes + "><is>"]
            return joined_text(content) or None, kind.style
        kind = self._values.kinds[attributes + ">"]
        without_formula = _FORMULA.sub("", content) if "<f" in content else content
        found = _CONTENT.search(without_formula)
        if found:
            return kind.column((found.group(1),))[0], kind.style
        if without_formula != content:
            self.formulas_without_value += 1
        return None, kind.style

    def _learn(self, pieces: Sequence[str]) -> None:
        if len(pieces) < _PATTERN_ROWS or self._pattern_count >= _PATTERN_COUNT:
            return
        known = set(self._pattern.columns) if self._pattern else set()
        step = len(pieces) // _PATTERN_ROWS
        letters = {found for piece in pieces[::step] for found in _FIRST_LETTERS.findall(piece)}
        columns = known | {_column_number(name) for name in letters}
        if columns == known or len(columns) > _PATTERN_COLUMNS:
            self._pattern_count += 1
            return
        self._pattern = RowPattern(sorted(columns))
        self._pattern_count += 1

    def _count(self, rows: list[Row]) -> None:
        if rows and max([row.number for row in rows]) > self._limits.rows:
            raise InputError(
                f"The sheet has a row below number {self._limits.rows}. Save it again as xlsx.",
                cause="too_large",
            )
        self._cell_count += sum([len(row.values) for row in rows])
        if self._cell_count > self._limits.cells:
            raise InputError(
                f"The sheet spans more than {self._limits.cells} cells. Split it into several files.", cause="too_large"
            )


def _never(_piece: str) -> re.Match[str] | None:
    return None


def _row(number: int, cells: dict[int, tuple[Value, int]], *, plain: int, is_hidden: bool) -> Row | None:
    width = max([column for column, (value, _style) in cells.items() if value is not None], default=0)
    if not width:
        return None
    values: list[Value] = [None] * width
    styles = [plain] * width
    for column, (value, style) in cells.items():
        if column <= width:
            values[column - 1] = value
            styles[column - 1] = style
    return Row(number, values, styles, is_hidden)


@lru_cache(maxsize=20_000)
def _column_number(letters: str) -> int:
    return parse_cell(letters + "1")[1]


def _too_wide(limits: ReadLimits) -> InputError:
    return InputError(
        f"The sheet has a cell beyond column {limits.columns}. Open it in a spreadsheet program and save it again.",
        cause="too_large",
    )
