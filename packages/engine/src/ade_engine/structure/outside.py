"""Finds rows that are in no table and are written like the records of one above: it may have ended too early."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator, Sequence

from ade_engine.structure.assemble import Draft
from ade_engine.structure.grid import Line
from ade_engine.structure.judge import Judgement
from ade_engine.structure.kinds import CODE, DATE, EMPTY, NUMERIC, TEXTUAL

_TABLES = 8  # how many of the last tables a row is compared with
_SAMPLE = 200
_MOSTLY = 0.6
_KEPT = 1000
_ALIKE = {kind: kinds for kinds in (NUMERIC, TEXTUAL) for kind in kinds}


class RowsOutside:
    """The rows of a sheet that are in none of its tables and may be records."""

    def __init__(self) -> None:
        self.numbers: list[int] = []  # the first of them
        self.count = 0
        self._above: deque[_Records] = deque(maxlen=_TABLES)

    def look(self, judged: Judgement, end: int | None = None) -> None:
        """Look at the lines of a block up to `end`; blocks come from the top of the sheet to its bottom."""
        lines, columns = judged.block.lines[:end], judged.block.columns
        owners = {i: draft for draft in judged.drafts for i in _lines_of(draft) if i < len(lines)}
        lasts = {id(draft): i for i, draft in sorted(owners.items())}
        for i, line in enumerate(lines):
            draft = owners.get(i)
            if draft is None:
                if i not in judged.told and any(above.may_have(line, columns) for above in self._above):
                    self.add([line.number])
            elif i == lasts[id(draft)] and (records := [lines[place] for place in draft.data[:_SAMPLE] if place <= i]):
                self._above.append(_Records(records, columns))

    def add(self, numbers: Sequence[int]) -> None:
        """Take rows; only the first are named."""
        self.count += len(numbers)
        self.numbers += numbers[: max(0, _KEPT - len(self.numbers))]


def _lines_of(draft: Draft) -> Iterator[int]:
    yield from draft.titles
    for lines in draft.shape:
        yield from lines
    yield from draft.notes


class _Records:
    """What the records of a table have in each column of the sheet; counted once a row is compared with them."""

    def __init__(self, records: Sequence[Line], columns: Sequence[int]) -> None:
        self._first = Counter(columns[line.first] for line in records).most_common(1)[0][0]
        self._records = records
        self._places = {column: c for c, column in enumerate(columns)}
        self._known: dict[int, _Cells] = {}

    def _cells(self, column: int) -> _Cells | None:
        if column not in self._known and (c := self._places.get(column)) is not None:
            self._known[column] = _Cells([line for line in self._records if line.kinds[c] != EMPTY], c)
        return self._known.get(column)

    def may_have(self, line: Line, columns: Sequence[int]) -> bool:
        """Return whether a line begins where they do and each of its cells is written as those of its column."""
        if columns[line.first] != self._first:
            return False
        filled = [c for c, kind in enumerate(line.kinds) if kind != EMPTY]
        known = [self._cells(columns[c]) for c in filled]
        if not all(cells is not None and cells.are_like(line.kinds[c]) for c, cells in zip(filled, known, strict=True)):
            return False
        return any(cells is not None and cells.tell(line, c) for c, cells in zip(filled, known, strict=True))


class _Cells:
    """The filled cells of one column."""

    def __init__(self, lines: Sequence[Line], c: int) -> None:
        self._kinds = Counter(line.kinds[c] for line in lines)
        self._texts = Counter(_text(line, c) for line in lines)
        self._shapes = Counter(_shape(line, c) for line in lines)
        self._count = len(lines)

    def are_like(self, kind: int) -> bool:
        """Return whether most of them are of a kind."""
        alike = _ALIKE.get(kind, {kind})
        return bool(self._count) and sum(self._kinds[one] for one in alike) >= _MOSTLY * self._count

    def tell(self, line: Line, c: int) -> bool:
        """Return whether a cell is more than one text among others: a number, a date, a code or text like theirs."""
        kind = line.kinds[c]
        if kind in TEXTUAL:
            return self._texts[_text(line, c)] > 0
        return (
            kind in NUMERIC or kind == DATE or (kind == CODE and self._shapes[_shape(line, c)] >= _MOSTLY * self._count)
        )


def _text(line: Line, c: int) -> str:
    return str(line.values[c]).strip().casefold()


def _shape(line: Line, c: int) -> str:
    return re.sub(r"[^\W\d_]", "a", re.sub(r"\d", "0", str(line.values[c]).strip()))
