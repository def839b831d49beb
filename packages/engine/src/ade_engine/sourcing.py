"""Where the values of a field come from when its column does not say, and how its words are replaced.

Each step takes the values of a chunk and returns them changed, with what to report by place. A field that asks for none
of this has no steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ade_engine.cells import CellError, Value
from ade_engine.configuration.model import ColumnRules
from ade_engine.convert import converter
from ade_engine.distinct import PerDistinctValue
from ade_engine.fields import Field
from ade_engine.issues import Finding
from ade_engine.mapping.profile import is_empty
from ade_engine.table_facts import ChunkFacts, Path, TableFacts, part_of
from ade_engine.words import as_key, word_map

Work = Callable[[Sequence[Value]], tuple[list[Value], list[tuple[int, Finding]]]]
_OF_TABLE = frozenset({"from_title", "from_label", "from_sheet", "from_document", "constant"})


def first_steps(rules: ColumnRules, table: TableFacts, chunk: ChunkFacts) -> Iterator[tuple[str, Work]]:
    """Yield what is done before the conversion to the field's type, with the names it is counted under."""
    field = rules.field
    if field.source is not None:
        yield field.source, _from_source(rules, table, chunk)
    if field.extract is not None or field.split is not None:
        yield "extract" if field.extract is not None else "split", PerDistinctValue(_part(field), _no_finding)
    if field.fill_down:
        yield "fill_down", _FillDown()
    words = word_map(field, rules.replacements or {})
    if words:
        yield "replace", PerDistinctValue(_replaced(words, field), _no_finding)


def last_steps(rules: ColumnRules) -> Iterator[tuple[str, Work]]:
    """Yield what is done after everything else."""
    if rules.field.default is None:
        return
    convert = converter(rules.field)
    default = convert(rules.field.default) if convert else rules.field.default

    def filled(values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        return [default if is_empty(value) else value for value in values], []

    yield "default", filled


def nothing_found(field: Field) -> Finding | None:
    """Return what to report when a source had no value for a whole table; None when that is nothing to report."""
    if field.default is not None or (told := _NOT_FOUND.get(str(field.source))) is None:
        return None
    return Finding("source", "warning", f"has no value in this table: {told} ({field.source})")


# A row in which nothing but a city stands is a heading, and no row that its city could be repeated from.
HEADINGS_PASSED = Finding(
    "fill_down", "warning", "is not filled from rows that are headings of groups: from_group=True fills it from them"
)
_NOT_FOUND = {
    "from_group": "no heading above its rows gives one",
    "from_title": "no line above the table matches",
    "from_label": "there is no such label above the table, or no cell after it",
    "from_sheet": "the name of the sheet does not match",
    "from_document": "the name of the document does not match",
}


def _no_finding(error: Exception) -> None:
    raise error


def _from_source(rules: ColumnRules, table: TableFacts, chunk: ChunkFacts) -> Work:
    field = rules.field
    if field.source in _OF_TABLE:
        common = table.value_of(field)
        return lambda values: ([common if is_empty(value) else value for value in values], [])
    if field.source == "from_group":
        return _from_groups(field, table, chunk)
    return _looked_up(rules, chunk) if field.lookup is not None else _from_field(str(field.from_field), chunk)


def _from_groups(field: Field, table: TableFacts, chunk: ChunkFacts) -> Work:
    pattern = field.from_group if isinstance(field.from_group, str) and field.group_level is None else None
    caption = None if pattern is None else table.caption(pattern)  # until a heading in the table matches
    known: dict[Path, Value] = {}

    def of_groups(values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        nonlocal caption
        known.clear()
        known.update({path: _heading(path, field) for path in set(chunk.headings)})
        filled = []
        for value, path in zip(values, chunk.headings, strict=True):
            heading = known[path]
            if heading is not None:
                caption = None
            filled.append((heading if caption is None else caption) if is_empty(value) else value)
        return filled, []

    return of_groups


def _heading(path: Path, field: Field) -> Value:
    """Return the nearest heading, or the one of a level, or the nearest that matches the pattern."""
    if field.group_level is not None:
        path = path[field.group_level - 1 : field.group_level]
    return next((found for text in reversed(path) if (found := part_of(text, field.from_group)) is not None), None)


def _from_field(name: str, chunk: ChunkFacts) -> Work:
    def of_field(values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        others = chunk.clean.get(name) or [None] * len(values)
        return [other if is_empty(value) else value for value, other in zip(values, others, strict=True)], []

    return of_field


def _looked_up(rules: ColumnRules, chunk: ChunkFacts) -> Work:
    field, known = rules.field, rules.lookup or {}
    unmatched = Finding("lookup", "error", f"was not found: {field.lookup_by} is not in {field.lookup}")

    def of_file(values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        others = chunk.clean.get(str(field.lookup_by)) or [None] * len(values)
        keys = [as_key(other, ignores_case=field.ignore_case) or "" for other in others]
        findings = [
            (place, unmatched)
            for place, (value, key) in enumerate(zip(values, keys, strict=True))
            if key and key not in known and is_empty(value)
        ]
        filled = [known.get(key) if is_empty(value) else value for value, key in zip(values, keys, strict=True)]
        return filled, findings

    return of_file


def _part(field: Field) -> Callable[[Value], Value]:
    if field.extract is not None:
        pattern = field.extract
        return lambda value: (part_of(_text(value), pattern) or "").strip() or None
    between, part = str(field.split), int(field.part or 1)

    def of_split(value: Value) -> Value:
        parts = [found.strip() for found in _text(value).split(between)]
        place = part - 1 if part > 0 else len(parts) + part
        return (parts[place] or None) if 0 <= place < len(parts) else None

    return of_split


def _text(value: Value) -> str:
    return value if isinstance(value, str) else str(value)


class _FillDown:
    """Repeats the last filled cell in the empty cells below it."""

    def __init__(self) -> None:
        self._last: Value = None

    def __call__(self, values: Sequence[Value]) -> tuple[list[Value], list[tuple[int, Finding]]]:
        filled = []
        for value in values:
            if not is_empty(value):
                self._last = value
            filled.append(self._last)
        return filled, []


def _replaced(words: Mapping[str, Any], field: Field) -> Callable[[Value], Value]:
    def replaced(value: Value) -> Value:
        key = None if isinstance(value, CellError) else as_key(value, ignores_case=field.ignore_case)
        return value if key is None else words.get(key, value)

    return replaced
