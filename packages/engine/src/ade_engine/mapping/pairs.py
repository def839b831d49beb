"""Describes every pair of a column and a field by whole numbers: names, values, places, and how near others come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ade_engine.configuration.learned import Entry
from ade_engine.configuration.model import Configuration
from ade_engine.fields import Field
from ade_engine.mapping.likeness import NAME_FEATURES, compare_names
from ade_engine.mapping.profile import Column
from ade_engine.mapping.reading import Name, read_names
from ade_engine.mapping.value_likeness import UNKNOWN, VALUE_FEATURES, compare_values
from ade_engine.mapping.value_profile import Seen, ValueProfile, from_json, profile_values
from ade_engine.records import record

Pair = tuple[int, int]  # numbers of a column and a field
_MOST_LEFT, _MOST_LEAD, _NO_LEAD = 30, 300, -999
_MOST_VALUES = 100  # of a column; fields are known by more, so that these are found among them
_PLACES = ("place", "before", "after", "columns_left", "fields_left")
_LEADS = ("name_sum", "name_lead_column", "name_lead_field", "value_sum", "value_lead_column", "value_lead_field")
_KIND_RIVALS = ("kind_rivals_column", "kind_rivals_field")
FEATURES = (*NAME_FEATURES, *VALUE_FEATURES, *_PLACES, *_LEADS, *_KIND_RIVALS)
_NOTHING_TO_COMPARE = {
    "skeleton": -1, "concepts": -1, "meaning": 0, "opposite": 0, "numbers": 0, "brackets": 0, "before": 1, "after": 1,
    "value_sum": -1, "value_lead_column": _NO_LEAD, "value_lead_field": _NO_LEAD,
    "kind_rivals_column": -1, "kind_rivals_field": -1,
}  # fmt: skip
_NAME = {name: number for number, name in enumerate(NAME_FEATURES)}
_VALUE = {name: number for number, name in enumerate(VALUE_FEATURES)}

_NAME_PARTS = tuple(_NAME[part] for part in ("letters", "shortened", "skeleton", "concepts"))
_NAME_COVERS = tuple(_NAME[part] for part in ("covers_header", "covers_field", "near_header", "near_field"))


@record
class KnownName:
    """A name of a field; `origin` is the document it was learned from, None where the configuration states it."""

    name: Name
    origin: str | None = None


@record
class KnownProfile:
    """What values of a field looked like, and where that was learned; None where it is from the examples."""

    profile: ValueProfile | None
    salt: bytes = b""
    origin: str | None = None


class FieldSide:
    """What a configuration knows about its fields for a document: names as read, profiles, and what was learned."""

    def __init__(self, configuration: Configuration, document: str = "") -> None:
        fields = configuration.fields
        learned = [entry for entry in configuration.learned.entries if entry.is_for(document)]
        self.names = [
            [KnownName(title), *map(KnownName, _other_names(field)), *_learned_names(field, learned)]
            for title, field in zip(read_names([field.title for field in fields]), fields, strict=True)
        ]
        known: Mapping[str, Any] = configuration.profiles.get("fields", {})
        salt = bytes.fromhex(configuration.profiles.get("salt", ""))
        other_salt = bytes.fromhex(configuration.learned.salt)
        self.profiles = [
            [KnownProfile(from_json(known.get(field.name)), salt), *_learned_profiles(field, learned, other_salt)]
            for field in fields
        ]


def _other_names(field: Field) -> list[Name]:
    """Return the names of a field other than its title, unless they have the same words."""
    title = read_names([field.title])[0].words
    others = [read_names([text])[0] for text in (field.name, *field.aliases)]
    return list({name.words: name for name in others if name.words and name.words != title}.values())


def _learned_names(field: Field, learned: Sequence[Entry]) -> Iterator[KnownName]:
    for entry in learned:
        headers = entry.fields[field.name].headers if field.name in entry.fields else ()
        yield from (KnownName(read_names([header])[0], entry.origin) for header in headers)


def _learned_profiles(field: Field, learned: Sequence[Entry], salt: bytes) -> Iterator[KnownProfile]:
    for entry in learned:
        column = entry.fields.get(field.name)
        if column is not None and column.profile is not None:
            yield KnownProfile(from_json(column.profile), salt, entry.origin)


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
            self.profiles[number] = profile_values(column.values, row_count=column.row_count, most=_MOST_VALUES)
        return self.profiles[number]

    @staticmethod
    def _names(column: Column, name: Name) -> tuple[Name, ...]:
        return (name, *read_names([column.lowest_header])) if column.lowest_header else (name,)


def unknown_value(feature: str) -> int | None:
    """Return the number for "not known" or "nothing to compare", None where there always is something."""
    return UNKNOWN.get(feature, _NOTHING_TO_COMPARE.get(feature))


def describe(
    columns: Sequence[Column], fields: FieldSide, *, open_columns: Sequence[int], open_fields: Sequence[int],
    settled: Mapping[int, int],
) -> dict[Pair, list[int]]:  # fmt: skip
    """Return the features of each pair that is still open; `settled` are the pairs that rules have decided."""
    side = ColumnSide(columns, open_columns)
    rows: dict[Pair, list[int]] = {}
    counts = [min(len(open_columns), _MOST_LEFT), min(len(open_fields), _MOST_LEFT)]
    for column in open_columns:
        for field in open_fields:
            name, _ = _best_name(side, column, fields.names[field])
            values, _ = _best_values(side, column, fields.profiles[field])
            places = _places(column, field, settled, len(columns), len(fields.names))
            rows[column, field] = [*name, *values, *places, *counts]
    _add_leads(rows)
    _add_kind_rivals(rows, side, fields)
    return rows


def learned_from(columns: Sequence[Column], fields: FieldSide, pairs: Sequence[Pair]) -> dict[Pair, str]:
    """Return the documents whose accepted columns are the best evidence for pairs; pairs without one are left out."""
    side = ColumnSide(columns, [column for column, _ in pairs])
    found = {}
    for column, field in pairs:
        origins = (
            _best_name(side, column, fields.names[field])[1],
            _best_values(side, column, fields.profiles[field])[1],
        )
        if origin := next((origin for origin in origins if origin is not None), None):
            found[column, field] = origin
    return found


def _best_name(side: ColumnSide, column: int, names: Sequence[KnownName]) -> tuple[tuple[int, ...], str | None]:
    """Return how alike the column is to the name of the field it is most like, and where that name was learned."""
    return max(
        ((compare_names(ours, known.name), known.origin) for ours in side.names[column] for known in names),
        key=lambda found: _name_sum(found[0]),
    )


def _best_values(side: ColumnSide, column: int, known: Sequence[KnownProfile]) -> tuple[tuple[int, ...], str | None]:
    """Return how alike the column is to the profile of the field it is most like, and where that was learned."""
    profile, seen = side.values(column)
    return max(
        ((compare_values(profile, seen, other.profile, other.salt), other.origin) for other in known),
        key=lambda found: _value_sum(found[0]) or -1,
    )


def _places(column: int, field: int, settled: Mapping[int, int], column_count: int, field_count: int) -> list[int]:
    """Return how far the places are apart, and whether the neighbours are neighbours: 2 yes, 0 no, 1 unknown."""
    apart = abs(100 * column // max(1, column_count - 1) - 100 * field // max(1, field_count - 1))
    near = [
        1 if column + step not in settled else 2 if settled[column + step] == field + step else 0 for step in (-1, 1)
    ]
    return [apart, *near]


def _name_sum(name: Sequence[int]) -> int:
    """Return one number for how alike two names are, which ranks pairs."""
    whole = sum(max(name[place], 0) for place in _NAME_PARTS)
    return whole + (sum(name[place] for place in _NAME_COVERS) >> 1)


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


def _add_kind_rivals(rows: dict[Pair, list[int]], side: ColumnSide, fields: FieldSide) -> None:
    """Add to each pair how many other open fields, and columns, have values of its kind; -1 where it has two kinds."""
    columns = {column: _kind(side.values(column)[0]) for column, _ in rows}
    known = {field: _kind(fields.profiles[field][0].profile) for _, field in rows}
    in_columns, in_fields = Counter(columns.values()), Counter(known.values())
    for (column, field), row in rows.items():
        kind = columns[column]
        is_same = kind is not None and kind == known[field]
        row += [min(in_fields[kind] - 1, 9), min(in_columns[kind] - 1, 9)] if is_same else [-1, -1]


def _kind(profile: ValueProfile | None) -> str | None:
    """Return the kind of most values; words and prose are one kind."""
    if profile is None or not profile.kinds:
        return None
    kind = max(profile.kinds, key=lambda kind: profile.kinds[kind])
    return {"words": "word", "prose": "word"}.get(kind, kind)
