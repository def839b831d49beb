"""Which columns of a table hold numbers and which hold labels, as its first rows show, and what rows have in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from math import isfinite

from ade_engine.cells import Value
from ade_engine.convert import CannotConvert, Convert
from ade_engine.mapping.profile import is_empty
from ade_engine.readers.base import Row
from ade_engine.structure import FoundTable
from ade_engine.structure.kinds import DATE, EMPTY, NUMERIC, YEAR, kind_of
from ade_engine.structure.proof import number_with_comma, number_with_point
from ade_engine.structure.sums import number as as_number
from ade_engine.structure.words import any_hints_at_total

_MOSTLY = 0.6
_USUALLY = 0.7
_SAMPLE = 200
_PLAIN_NUMBERS = frozenset({int, float, type(None)})
_DATE = re.compile(r"(?:\d{1,2}\.){2}(?:\d{2}){1,2}")  # which may be read as a number, too
_ENDS_IN_DECIMALS = re.compile(r",\d{1,2}\D*$")
Read = Callable[[Value], float]


class RowShape:
    """The columns of a table, counted from 1: of `numbers`, and of `labels`, which are all others."""

    def __init__(self, found: FoundTable, converts: Mapping[int, Convert | None]) -> None:
        """`converts` are of the columns of fields that have a type; None where it is not that of numbers."""
        sample = [row.values for row in found.sample[:_SAMPLE]]
        columns = range(found.first_column, found.last_column + 1)
        cells = {position: [_cell(values, position) for values in sample] for position in columns}
        self.numbers: dict[int, Read] = {}
        for position, values in cells.items():
            convert = converts.get(position)
            if convert is not None:
                self.numbers[position] = _converted(convert)
            elif position not in converts and _is_numeric(values):
                self.numbers[position] = _read_of(values)
        self.labels = [position for position in columns if position not in self.numbers]
        records = [n for n, values in enumerate(sample) if self._is_record(values)]
        shares = {position: _share_filled([cells[position][n] for n in records]) for position in self.labels}
        self._names = [position for position, share in shares.items() if share >= _USUALLY]

    def is_full(self, row: Row) -> bool:
        """Return whether a row has all labels that records usually have, and more than one that is no number."""
        kinds = {position: _kind(_cell(row.values, position)) for position in self.labels}
        labels = sum(kind not in NUMERIC and kind != EMPTY for kind in kinds.values())
        return labels > 1 and all(kinds[position] != EMPTY for position in self._names)

    def labels_of(self, row: Row) -> dict[int, str]:
        """Return the texts of a row's labels by column."""
        cells = ((position, _cell(row.values, position)) for position in self.labels)
        return {
            position: " ".join(value.split()) for position, value in cells if isinstance(value, str) and value.strip()
        }

    def words_of(self, row: Row) -> list[str]:
        """Return the texts of a row's labels."""
        return self._texts(row.values)

    def _is_record(self, values: Sequence[Value]) -> bool:
        """Return whether a row has several cells and does not say that it is a total."""
        return sum(not is_empty(value) for value in values) > 1 and not any_hints_at_total(self._texts(values))

    def _texts(self, values: Sequence[Value]) -> list[str]:
        cells = (_cell(values, position) for position in self.labels)
        return [value for value in cells if isinstance(value, str)]

    def texts_of(self, rows: Sequence[Row], position: int) -> Iterator[str]:
        """Yield the texts of a column."""
        return (value for row in rows if isinstance(value := _cell(row.values, position), str))

    def last_text(self, rows: Sequence[Row], position: int) -> str | None:
        """Return the last text of a column, or None."""
        return next((" ".join(text.split()) for text in self.texts_of(rows[::-1], position) if text.strip()), None)

    def sum_of(self, rows: Sequence[Row], position: int) -> float:
        """Return the sum of a column."""
        values = [_cell(row.values, position) for row in rows]
        if set(map(type, values)) <= _PLAIN_NUMBERS:
            with suppress(OverflowError):
                if isfinite(found := float(sum(filter(None, values)))):  # type: ignore[arg-type]
                    return found
        return sum(map(self.numbers[position], values))

    def numbers_of(self, row: Row, *, key_end: int, above: Row | None) -> dict[int, float]:
        """Return the numbers of a row by column, without keys: those before a column that repeat the row above."""
        found = {}
        for position, read in self.numbers.items():
            value = _cell(row.values, position)
            is_key = above is not None and position < key_end and value == _cell(above.values, position)
            if not is_empty(value) and not is_key:
                found[position] = read(value)
        return found


def _cell(values: Sequence[Value], position: int) -> Value:
    return values[position - 1] if position <= len(values) else None


def _is_numeric(values: Sequence[Value]) -> bool:
    kinds = [kind for value in values if (kind := _kind(value)) != EMPTY]
    if not kinds or 2 * kinds.count(YEAR) > len(kinds):
        return False
    return sum(kind in NUMERIC for kind in kinds) >= _MOSTLY * len(kinds)


def _kind(value: Value) -> int:
    return DATE if isinstance(value, str) and _DATE.fullmatch(value.strip()) else kind_of(value)


def _share_filled(values: Sequence[Value]) -> float:
    return sum(not is_empty(value) for value in values) / max(1, len(values))


def _converted(convert: Convert) -> Read:
    def read(value: Value) -> float:
        try:
            number = None if is_empty(value) else convert(value)
        except CannotConvert:
            return 0.0
        return as_number(number) if isinstance(number, int | float) else 0.0

    return lru_cache(maxsize=4096, typed=True)(read)


def _read_of(values: Sequence[Value]) -> Read:
    texts = [value for value in values if isinstance(value, str) and "," in value]
    has_comma = 2 * sum(_ENDS_IN_DECIMALS.search(text) is not None for text in texts) > len(texts)
    return number_with_comma if has_comma else number_with_point
