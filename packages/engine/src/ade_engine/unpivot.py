"""Turns columns into rows: one row for each column that the settings select, with its header and its cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from datetime import date
from itertools import chain, compress, groupby, repeat
from typing import TypeVar
from unicodedata import combining, normalize

from ade_engine.cells import Value, column_letters, parse_cell
from ade_engine.chunk import Chunk
from ade_engine.configuration.settings_shape import POSITIONS, Unpivot
from ade_engine.issues import Finding
from ade_engine.mapping.outcome import MappedColumn, TableMapping
from ade_engine.mapping.profile import Column, is_empty
from ade_engine.records import record
from ade_engine.structure import TableColumn

# Names of months, which may lack accents and be shortened to three letters, and ways in which they are misspelt. A word
# that only begins like one, such as Margin or Decision, is none.
_MONTHS = """
    january february march april may june july august september october november december
    januar jänner februar feber märz maerz mrz mai juni juli oktober dezember
    janvier février mars avril juin juillet août septembre octobre novembre décembre
    enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre
    gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
    janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
    januari februari maart mrt mei augustus maj marts augusti desember
    január február március április május június július augusztus szeptember október marec apríl
    ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie
    gener febrer maig juny juliol agost setembre desembre maret agustus junij julij avgust marzec
"""
_MISSPELT = r"(?:jan|feb)[^\W\d]*ry|(?:sep|oct|okt|nov|dec|dez)[^\W\d]*ber"
_DECIDED = ("unpivoted", "ignored", "kept", "hook")  # reasons why a column without a field is as it is wanted
_MOST_NAMED = 3
T = TypeVar("T")
_LETTER = r"[^\W\d_]"
_YEAR = r"(?:19|20)\d\d"


def _shortened(names: str) -> str:
    """Return what matches the names and their beginnings, with and without accents."""
    bare = "".join(letter for letter in normalize("NFD", names) if not combining(letter))
    found = {name[:length] for name in (*names.split(), *bare.split()) for length in range(3, len(name) + 1)}
    return "|".join(sorted(found, key=lambda name: (-len(name), name)))


_NAMED = rf"(?:{_shortened(_MONTHS)}|{_MISSPELT})\.?(?:[ ._/'-]*(?:{_YEAR}|\d\d))?"
_KINDS = {
    "month": re.compile(rf"{_NAMED}|{_YEAR}[-./](?:0?[1-9]|1[0-2])|(?:0?[1-9]|1[0-2])[-./]{_YEAR}", re.IGNORECASE),
    "quarter": re.compile(rf"[QT][1-4](?:[ ./'-]*(?:{_YEAR}|\d\d))?|[1-4]\. ?quart\w*", re.IGNORECASE),
    "year": re.compile(rf"(?:FY ?)?{_YEAR}", re.IGNORECASE),
    "date": re.compile(rf"{_YEAR}-\d\d-\d\d|\d\d?[./]\d\d?[./](?:{_YEAR}|\d\d)"),
}


@record
class _Group:
    """The columns that make one row: their header, the levels above it, and the column of each value field."""

    name: Value
    levels: dict[str, Value]
    cells: dict[str, int] = field(default_factory=dict)


class Unpivoting:
    """The columns of one table that become rows. `sources` are stand-ins for the columns of the fields they fill."""

    def __init__(self, wanted: Unpivot, columns: Sequence[TableColumn]) -> None:
        self._wanted = wanted
        self._groups = list(_groups(wanted, _spread(_centred(columns))))
        self.taken = frozenset(position for group in self._groups for position in group.cells.values())
        self.sources = {name: -number for number, name in enumerate(dict.fromkeys(wanted.fields), start=1)}
        self.counts: Counter[str] = Counter()
        self.width = len(self._groups)

    def findings(self) -> Iterator[Finding]:
        """Yield what makes rows of a table doubtful: names that several columns have, and what may be missing."""
        names = Counter((group.name, *group.levels.values()) for group in self._groups)
        repeated = next((_text(name) for (name, *_), count in names.items() if count > 1), None)
        if repeated is not None:
            yield _doubt(f"columns that become rows have the same name, such as {repeated}: levels tell them apart")
        for level in self._wanted.levels:
            bare = [group for group in self._groups if is_empty(group.levels[level])]
            if bare and len(bare) < len(self._groups):
                yield _doubt(
                    f"{_text(bare[0].name)} has no label for {level} above it: labels hold from their column on"
                )
        yield from self._incomplete()

    def _incomplete(self) -> Iterator[Finding]:
        """Yield the headers of the list that no column has, and the fields that have no column under some labels."""
        if isinstance(self._wanted.columns, tuple):
            found = {_text(group.name).casefold() for group in self._groups}
            absent = [name for name in self._wanted.columns if _text(name).casefold() not in found]
            if absent:
                yield _doubt(f"no column is called {_some(absent)}, which unpivot lists")
        for name in dict.fromkeys(self._wanted.values.values()):
            bare = [_text(group.name) for group in self._groups if name not in group.cells]
            if bare and len(bare) < len(self._groups):
                have = "has" if len(bare) == 1 else "have"
                yield _doubt(f"{_some(bare)} {have} no column for {name}, which others have")

    def left_out(self, mapping: TableMapping, columns: Sequence[Column]) -> Iterator[Finding]:
        """Yield the columns among those that become rows which are left out without being named."""
        blank = {column.position for column in columns if not column.header and all(map(is_empty, column.values))}
        passed = [
            column.header or column_letters(column.position)
            for column in mapping.columns
            if column.field is None and column.reason not in _DECIDED and column.position not in blank
            if min(self.taken) < column.position < max(self.taken)
        ]
        if passed:
            are = "is" if len(passed) == 1 else "are"
            message = f"{_some(passed)} {are} between columns that become rows, and not in the output; name columns"
            yield _doubt(f"{message} that are not needed in mapping.ignore")

    def columns_of(self, name: str) -> list[int]:
        """Return the columns whose cells a value field gets."""
        return [group.cells[name] for group in self._groups if name in group.cells]

    def claim(self, mapping: TableMapping) -> None:
        """Take the columns out of the mapping: they feed no field of their own."""
        for number, column in enumerate(mapping.columns):
            if column.position in self.taken:
                mapping.columns[number] = MappedColumn(
                    position=column.position, header=column.header, field=None, reason="unpivoted"
                )

    def apply(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk in their long form; the work per cell is done in C."""
        width, count = self.width, len(chunk.rows)
        columns = {
            position: _each_repeated(values, width)
            for position, values in chunk.source.items()
            if position not in self.taken
        }
        rows = _each_repeated(chunk.rows, width)
        columns |= self._names(count)
        cells = {name: self._interleaved(name, chunk) for name in dict.fromkeys(self._wanted.values.values())}
        columns |= {self.sources[name]: values for name, values in cells.items()}
        positions = [next(iter(group.cells.values())) for group in self._groups] * count
        self.counts["added"] += count * (width - 1)
        kept = None if self._wanted.keeps_empty else _filled(list(cells.values()))
        if kept is None:
            return Chunk(rows, columns, positions)
        self.counts["empty"] += len(kept) - sum(kept)
        selected = {position: list(compress(values, kept)) for position, values in columns.items()}
        return Chunk(list(compress(rows, kept)), selected, list(compress(positions, kept)))

    def _names(self, count: int) -> dict[int, list[Value]]:
        columns = {
            self.sources[name]: [group.levels.get(name) for group in self._groups] * count
            for name in self._wanted.levels
        }
        if self._wanted.name is not None:
            columns[self.sources[self._wanted.name]] = [group.name for group in self._groups] * count
        return columns

    def _interleaved(self, name: str, chunk: Chunk) -> list[Value]:
        empty: Sequence[Value] = [None] * len(chunk.rows)
        parts = [chunk.source[group.cells[name]] if name in group.cells else empty for group in self._groups]
        return list(chain.from_iterable(zip(*parts, strict=True)))


def nothing_selected(wanted: Unpivot) -> Finding:
    """Return what to report of a table none of whose columns become rows; it may be one of another kind."""
    fits = "matches unpivot.pattern" if wanted.pattern is not None else "is one that unpivot.columns selects"
    words = " or ".join(word for word in wanted.values if word)
    header = f"has the word {words} and without it {fits}" if words else fits
    return Finding("unpivot", "info", f"no column of this table becomes rows: no header {header}")


def _doubt(message: str) -> Finding:
    return Finding("unpivot", "warning", message)


def _some(names: Sequence[str]) -> str:
    """Return names in words; only the first few of many."""
    shown = names if len(names) <= _MOST_NAMED else [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _each_repeated(values: Sequence[T], width: int) -> list[T]:
    return list(chain.from_iterable(map(repeat, values, repeat(width))))


def _filled(columns: Sequence[Sequence[Value]]) -> list[bool] | None:
    """Return which rows have a cell, or None when all do."""
    suspects = [values for values in columns if not {type(None), str}.isdisjoint(set(map(type, values)))]
    if len(suspects) < len(columns):
        return None
    if len(columns) == 1:
        kept = [not is_empty(value) for value in columns[0]]
    else:
        kept = [not all(map(is_empty, cells)) for cells in zip(*columns, strict=True)]
    return None if all(kept) else kept


def _centred(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Move labels to the first of their columns where they stand in the middle: above each turn of the names below.

    The names below must come in turns, as Jan, Feb, Mar twice, with one label in each turn.
    """
    height = max((len(column.header_cells) for column in columns), default=0)
    if height < 2:
        return list(columns)
    rows = [[_cell(column, level) for column in columns] for level in range(height)]
    for level in range(len(rows) - 1):
        for turns in _turns(rows[-1]):
            labels = [[cell for cell in rows[level][start:end] if not is_empty(cell)] for start, end in turns]
            if all(len(found) == 1 for found in labels):
                for (start, end), [label] in zip(turns, labels, strict=True):
                    rows[level][start:end] = [label, *[None] * (end - start - 1)]
    cells = list(zip(*rows, strict=True))
    return [TableColumn(column.position, column.header, own) for column, own in zip(columns, cells, strict=True)]


def _cell(column: TableColumn, level: int) -> Value:
    return column.header_cells[level] if level < len(column.header_cells) else None


def _turns(names: Sequence[Value]) -> Iterator[list[tuple[int, int]]]:
    """Yield where the same names follow each other again: from and to of each turn."""
    keys = [None if is_empty(name) else _text(name).casefold() for name in names]
    following: dict[str | None, int] = {}
    after = [0] * len(keys)  # where each name comes next
    for place in range(len(keys) - 1, -1, -1):
        after[place] = following.get(keys[place], 0)
        following[keys[place]] = place
    start = 0
    while start < len(keys):
        again = after[start]
        if not again or keys[start] is None:
            start += 1
            continue
        width, end = again - start, again
        while keys[end : end + width] == keys[start:again]:
            end += width
        if end > again and width > 1:
            yield [(place, place + width) for place in range(start, end, width)]
            start = end
        else:
            start += 1


def _spread(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Repeat the labels above other headers in the empty cells right of them: csv and many sheets merge no cells."""
    above: list[Value] = []
    spread = []
    for column in columns:
        cells = list(column.header_cells)
        above += [None] * (len(cells) - len(above))
        for level, cell in enumerate(cells):
            has_more_below = not all(map(is_empty, cells[level + 1 :]))
            if is_empty(cell) and has_more_below:
                cells[level] = above[level]
            above[level] = cells[level] if has_more_below else None
        texts = [text for text, _ in groupby(_text(cell) for cell in cells if not is_empty(cell))]
        spread.append(TableColumn(column.position, " ".join(texts), tuple(cells)))
    return spread


def _groups(wanted: Unpivot, columns: Sequence[TableColumn]) -> Iterator[_Group]:
    """Yield what becomes a row, in the order of the columns; columns of one name make one row, if they fit into it."""
    found: list[_Group] = []
    by_name: dict[object, list[_Group]] = {}
    for column in columns:
        for word, target in wanted.values.items():
            if (name := _name(wanted, column, word)) is not None:
                levels = {field: _level(column, level) for field, level in wanted.levels.items()}
                alike = by_name.setdefault((name, *levels.values()), [])
                group = next((group for group in alike if target not in group.cells), None)
                if group is None:
                    group = _Group(name, levels)
                    alike.append(group)
                    found.append(group)
                group.cells[target] = column.position
                break
    yield from found


def _name(wanted: Unpivot, column: TableColumn, word: str) -> Value:
    """Return what a selected column is called apart from its word, or None when it is not selected."""
    cells = [cell for cell, _ in groupby(cell for cell in column.header_cells if not is_empty(cell))]
    if word:
        cells = [rest for cell in cells if not is_empty(rest := _without(cell, word))]
        if _text(column.header) == " ".join(map(_text, cells)):
            return None  # its header does not have the word
    header = " ".join(map(_text, cells))
    if wanted.pattern is not None:
        found = re.search(wanted.pattern, header)
        return (found.group(1) if found.re.groups else found.group()) if found else None
    if isinstance(wanted.columns, tuple):
        listed = {_text(name).casefold() for name in wanted.columns}
        return next((text for text in (header, *map(_text, cells)) if text.casefold() in listed), None)
    if between := POSITIONS.fullmatch(str(wanted.columns)):
        first, last = (parse_cell(f"{letters}1")[1] for letters in between.groups())
        return header if first <= column.position <= last else None
    return next((cell for cell in cells if _is_of_kind(cell, str(wanted.columns))), None)


def header_test(selections: Sequence[Unpivot]) -> Callable[[Value], bool]:
    """Return what tells whether a cell, as the header of a column, is one that a selection makes rows of."""
    by_header = [wanted for wanted in selections if not POSITIONS.fullmatch(str(wanted.columns))]

    def is_selected(cell: Value) -> bool:
        if is_empty(cell):
            return False
        column = TableColumn(1, _text(cell), (cell,))
        return any(_name(wanted, column, word) is not None for wanted in by_header for word in wanted.values)

    return is_selected


def _without(cell: Value, word: str) -> Value:
    if not isinstance(cell, str):
        return cell
    rest = re.sub(rf"(?<!{_LETTER}){re.escape(word)}(?!{_LETTER})", " ", cell, flags=re.IGNORECASE)
    return " ".join(rest.split()).strip("_")


def _text(value: Value) -> str:
    return " ".join(str(value).split())


def _is_of_kind(cell: Value, kind: str) -> bool:
    if isinstance(cell, date):
        return kind in {"month", "date"}
    return _KINDS[kind].fullmatch(_text(cell)) is not None


def _level(column: TableColumn, level: int) -> Value:
    return column.header_cells[level - 1] if level <= len(column.header_cells) else None
