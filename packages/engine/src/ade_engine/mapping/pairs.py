"""Describes every pair of a column and a field by whole numbers: names, values, places, and how near others come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ade_engine.configuration.model import Configuration
from ade_engine.fields import Field
from ade_engine.mapping.likeness import NAME_FEATURES, compare_names
from ade_engine.mapping.profile import Column
from ade_engine.mapping.reading import Name, read_names
from ade_engine.mapping.value_likeness import VALUE_FEATURES, compare_values
from ade_engine.mapping.value_profile import Seen, ValueProfile, from_json, profile_values

Pair = tuple[int, int]  # numbers of a column and a field
_PLACES = ("place", "before", "after", "columns_left", "fields_left")
_LEADS = ("name_sum", "name_lead_column", "name_lead_field", "value_sum", "value_lead_column", "value_lead_field")
FEATURES = (*NAME_FEATURES, *VALUE_FEATURES, *_PLACES, *_LEADS)
_NAME = {name: number for number, name in enumerate(NAME_FEATURES)}
_VALUE = {name: number for number, name in enumerate(VALUE_FEATURES)}
_MOST_LEFT, _MOST_LEAD, _NO_LEAD = 30, 300, -999


class FieldSide:
    """What a configuration knows about its fields: their names as read, and profiles of their values."""

    def __init__(self, configuration: Configuration) -> None:
        fields = configuration.fields
        self.names = [
            (title, *others)
            for title, others in zip(
                read_names([field.title for field in fields]), map(_other_names, fields), strict=True
            )
        ]
        known: Mapping[str, Any] = configuration.profiles.get("fields", {})
        self.salt = bytes.fromhex(configuration.profiles.get("salt", ""))
        self.profiles = [from_json(known.get(field.name)) for field in fields]


def _other_names(field: Field) -> list[Name]:
    """Return the names of a field beside its title, unless they have the same words."""
    title = read_names([field.title])[0].words
    others = [read_names([text])[0] for text in (field.name, *field.aliases)]
    return list({name.words: name for name in others if name.words and name.words != title}.values())


class ColumnSide:
    """What a table shows of its columns."""

    def __init__(self, columns: Sequence[Column], wanted: Sequence[int]) -> None:
        names = read_names([column.header for column in columns])
        self.names = {number: self._names(columns[number], names[number]) for number in wanted}
        self.profiles: dict[int, tuple[ValueProfile | None, Seen]] = {}
        self._columns = columns

    def values(self, number: int) -> tuple[ValueProfile | None, Seen]:
        """Return what the values of a column look like."""
        if number not in self.profiles:
            column = self._columns[number]
            self.profiles[number] = profile_values(column.values, row_count=column.row_count)
        return self.profiles[number]

    @staticmethod
    def _names(column: Column, name: Name) -> tuple[Name, ...]:
        return (name, *read_names([column.lowest_header])) if column.lowest_header else (name,)


def describe(
    columns: Sequence[Column], fields: FieldSide, *, open_columns: Sequence[int], open_fields: Sequence[int],
    settled: Mapping[int, int],
) -> dict[Pair, list[int]]:  # fmt: skip
    """Return the features of each pair that is still open; `settled` are the pairs that rules have decided."""
    side = ColumnSide(columns, open_columns)
    rows: dict[Pair, list[int]] = {}
    counts = [min(len(open_columns), _MOST_LEFT), min(len(open_fields), _MOST_LEFT)]
    for column in open_columns:
        profile, seen = side.values(column)
        for field in open_fields:
            name = max(
                (compare_names(ours, theirs) for ours in side.names[column] for theirs in fields.names[field]),
                key=_name_sum,
            )
            values = compare_values(profile, seen, fields.profiles[field], fields.salt)
            places = _places(column, field, settled, len(columns), len(fields.names))
            rows[column, field] = [*name, *values, *places, *counts]
    _add_leads(rows)
    return rows


def _places(column: int, field: int, settled: Mapping[int, int], column_count: int, field_count: int) -> list[int]:
    """Return how far the places are apart, and whether the neighbours are neighbours: 2 yes, 0 no, 1 unknown."""
    apart = abs(100 * column // max(1, column_count - 1) - 100 * field // max(1, field_count - 1))
    near = [
        1 if column + step not in settled else 2 if settled[column + step] == field + step else 0 for step in (-1, 1)
    ]
    return [apart, *near]


def _name_sum(name: Sequence[int]) -> int:
    """Return one number for how alike two names are, which ranks pairs."""
    parts = ("covers_header", "covers_field", "letters", "shortened", "skeleton", "concepts")
    return sum(max(name[_NAME[part]], 0) for part in parts)


def _value_sum(values: Sequence[int]) -> int | None:
    """Return one number for how alike the values are, or None where they are not known."""
    if values[_VALUE["kinds"]] < 0:
        return None
    less = 2 * values[_VALUE["kinds"]] + values[_VALUE["lengths"]] // 2 + values[_VALUE["distinct"]] // 2
    less += 8 * max(values[_VALUE["sizes"]], 0)
    more = max(values[_VALUE["shapes"]], 0) // 2 + max(values[_VALUE["same_words"]], 0)
    return 300 - less + more + 2 * max(values[_VALUE["same_values"]], 0)


def _add_leads(rows: dict[Pair, list[int]]) -> None:
    """Add to each pair how far it is ahead of the next best pair of its column, and of its field."""
    first, last = len(NAME_FEATURES), len(NAME_FEATURES) + len(VALUE_FEATURES)
    _add_lead(rows, {pair: _name_sum(row) for pair, row in rows.items()})
    _add_lead(rows, {pair: _value_sum(row[first:last]) for pair, row in rows.items()})


def _add_lead(rows: dict[Pair, list[int]], sums: Mapping[Pair, int | None]) -> None:
    best: dict[tuple[str, int], list[tuple[int, Pair]]] = {}
    for pair, found in sums.items():
        if found is not None:
            for key in (("column", pair[0]), ("field", pair[1])):
                best[key] = sorted([*best.get(key, ()), (found, pair)], reverse=True)[:2]
    for pair, row in rows.items():
        found = sums[pair]
        row.append(-1 if found is None else found)
        for key in (("column", pair[0]), ("field", pair[1])):
            rival = next((other for other, its in best.get(key, ()) if its != pair), 0)
            row.append(_NO_LEAD if found is None else max(-_MOST_LEAD, min(_MOST_LEAD, found - rival)))
