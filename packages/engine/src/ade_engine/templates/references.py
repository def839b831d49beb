"""Moves the references of formulas when rows are put into a sheet, as spreadsheet programs do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ade_engine.patterns import sound
from ade_engine.records import record

_SHEET = r"(?:(?P<{0}>'(?:[^']|'')*+'|[^\W\d][\w.]*+)!)?"
_CELL = r"(?P<column>\$?[A-Za-z]{1,3})(?P<row>\$?[0-9]{1,7})(?::(?P<column2>\$?[A-Za-z]{1,3})(?P<row2>\$?[0-9]{1,7}))?"
_ROWS = r"(?P<top>\$?[0-9]{1,7}):(?P<bottom>\$?[0-9]{1,7})"
# What may look like a reference and is none comes first: texts, columns of Excel tables, names of sheets.
_TOKENS = re.compile(
    sound(
        r'"(?:[^"]|"")*+"'
        r"|\[[^\[\]]*+\]"
        rf"|{_SHEET.format('sheet')}{_CELL}(?![\w.(!\[])"
        rf"|{_SHEET.format('sheet2')}{_ROWS}(?![\w.])"
        r"|'(?:[^']|'')*+'"
        r"|[\w.\\]+"
    )
)
_LONGEST_FORMULA = 16_384  # twice what Excel allows


@record
class Shift:
    """What happens to a sheet: the rows from `first` to `last` become `count` rows, and those below them move."""

    first: int
    last: int
    count: int

    @property
    def delta(self) -> int:
        """Return how far the rows below move."""
        return self.count - (self.last - self.first + 1)

    @property
    def end(self) -> int:
        """Return the last row of the new ones."""
        return self.last + self.delta

    def row(self, row: int) -> int:
        """Return where a row is now."""
        return row + self.delta if row > self.last else min(row, self.end) if row >= self.first else row

    def span(self, top: int, bottom: int) -> tuple[int, int]:
        """Return where a range of rows is now: one that reaches the last of the old rows reaches the last new one."""
        return self.row(top), self.end if bottom == self.last and top <= bottom else self.row(bottom)


Shifts = Mapping[str, Shift]  # by the name of the sheet in small letters


def moved(formula: str, shifts: Shifts, own: str, *, grows: bool = False) -> str:
    """Return a formula of the sheet `own` after the shifts; `grows` takes a single cell for a range of one row."""
    return _replaced(formula, lambda found: _moved_reference(found, shifts, own, grows=grows))


def moved_area(area: str, shift: Shift, *, grows: bool = True) -> str:
    """Return areas of the shifted sheet itself, separated by blanks, such as "A5:C5 E5"."""
    return moved(area, {"": shift}, "", grows=grows)


def area_of(ref: str) -> tuple[int, int, int, int] | None:
    """Return the left column, top row, right column and bottom row of "A5:C7"; None when it is no such range."""
    found = _TOKENS.fullmatch(ref)
    if found is None or found["row"] is None:
        return None
    right, bottom = found["column2"] or found["column"], found["row2"] or found["row"]
    return _number(found["column"]), _plain(found["row"]), _number(right), _plain(bottom)


def copied(formula: str, *, rows: int, columns: int, letters: Callable[[int], str]) -> str:
    """Return a formula as it is when copied this many rows down and columns to the right."""

    def reference(found: re.Match[str]) -> str:
        def cell(column: str, row: str) -> str:
            if not column.startswith("$"):
                column = letters(_number(column) + columns)
            return f"{column}{row if row.startswith('$') else int(row) + rows}"

        if found["column"] is None:
            return found.group()
        second = f":{cell(found['column2'], found['row2'])}" if found["row2"] else ""
        return f"{_prefix(found)}{cell(found['column'], found['row'])}{second}"

    return _replaced(formula, reference)


def by_row(formula: str, row: int, shifts: Shifts, own: str) -> tuple[str, Sequence[int]]:
    """Return a formula of a row for any row: a text with %d for each row that goes along, and their distances."""
    distances: list[int] = []

    def number(text: str, absolute: int) -> str:
        if text.startswith("$"):
            return f"${absolute}"
        distances.append(int(text) - row)
        return "\0"

    def reference(found: re.Match[str]) -> str:
        shift = shifts.get(_sheet_of(found, own))
        tops, bottoms = _row_texts(found)
        top, bottom = _rows_now(tops, bottoms or tops, shift)
        first = number(tops, top)
        second = number(bottoms, bottom) if bottoms else None
        if found["column"] is None:
            return f"{_prefix(found)}{first}:{second}"
        return f"{_prefix(found)}{found['column']}{first}" + (f":{found['column2']}{second}" if second else "")

    text = _replaced(formula.replace("\0", ""), reference)
    return text.replace("%", "%%").replace("\0", "%d"), distances


def _replaced(formula: str, reference: Callable[[re.Match[str]], str]) -> str:
    if len(formula) > _LONGEST_FORMULA:
        return formula
    return _TOKENS.sub(lambda found: reference(found) if found["row"] or found["top"] else found.group(), formula)


def _moved_reference(found: re.Match[str], shifts: Shifts, own: str, *, grows: bool) -> str:
    shift = shifts.get(_sheet_of(found, own))
    if shift is None:
        return found.group()
    tops, bottoms = _row_texts(found)
    single = _plain(tops)
    if bottoms is None and grows and shift.first == shift.last == single and shift.count > 1:
        bottoms = tops
    top, bottom = _rows_now(tops, bottoms, shift) if bottoms else (shift.row(single), 0)
    first = f"{'$' * tops.startswith('$')}{top}"
    second = f"{'$' * bottoms.startswith('$')}{bottom}" if bottoms else None
    if found["column"] is None:
        return f"{_prefix(found)}{first}:{second}"
    column2 = found["column2"] or found["column"]
    return f"{_prefix(found)}{found['column']}{first}" + (f":{column2}{second}" if second else "")


def _rows_now(tops: str, bottoms: str, shift: Shift | None) -> tuple[int, int]:
    top, bottom = _plain(tops), _plain(bottoms)
    if shift is None or top > bottom:
        return top, bottom
    return shift.span(top, bottom)


def _plain(row: str) -> int:
    return int(row.removeprefix("$"))


def _row_texts(found: re.Match[str]) -> tuple[str, str | None]:
    return (found["row"], found["row2"]) if found["column"] is not None else (found["top"], found["bottom"])


def _prefix(found: re.Match[str]) -> str:
    name = found["sheet"] or found["sheet2"]
    return f"{name}!" if name else ""


def _sheet_of(found: re.Match[str], own: str) -> str:
    name = found["sheet"] or found["sheet2"]
    if not name:
        return own.casefold()
    return (name[1:-1].replace("''", "'") if name.startswith("'") else name).casefold()


def _number(column: str) -> int:
    number = 0
    for letter in column.removeprefix("$").upper():
        number = number * 26 + ord(letter) - 64
    return number
