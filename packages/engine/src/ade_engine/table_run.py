"""Runs the rows of one table through transform, validate and write, chunk by chunk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ade_engine.cells import Value, cell_name
from ade_engine.configuration.model import ColumnRules, Configuration, Context
from ade_engine.issues import Finding, Issue
from ade_engine.layout import OutputColumn
from ade_engine.mapping.table import SourceTable
from ade_engine.passes import PassTimes
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.transform import FieldTransform
from ade_engine.unique import UniqueCheck
from ade_engine.validate import FieldValidation

CHUNK_ROWS = 1024


@record
class Processed:
    """A chunk of output rows, its issues by row and then by column, and the cells they are about."""

    rows: list[tuple[Value, ...]]
    issues: list[Issue]
    flagged: set[tuple[int, int]]


class FieldRun:
    """One field of the output while its table streams by."""

    def __init__(
        self, column: OutputColumn, rules: ColumnRules, *, table: SourceTable, context: Context, is_watched: bool
    ) -> None:
        self.rules = rules
        self.sources = column.sources
        source = next((found for found in table.columns if found.position in column.sources), None)
        given: dict[str, Any] = {"field": rules.field, "table": table, "context": context, "column": source}
        self.transform = FieldTransform(rules, given)
        self.validation = FieldValidation(rules, given)
        self.unique = UniqueCheck(is_watched=is_watched) if rules.field.unique else None

    @property
    def name(self) -> str:
        """Return the field's name."""
        return self.rules.field.name


class TableRun:
    """Transforms and validates a table's rows, and hands them on as rows of the output."""

    def __init__(
        self,
        table: SourceTable,
        columns: Sequence[OutputColumn],
        configuration: Configuration,
        context: Context,
        *,
        dropped: Collection[str] = (),
        times: PassTimes | None = None,
    ) -> None:
        self._table = table
        self._times = times or PassTimes()
        self._kept = [column for column in columns if column.title not in dropped]
        self._first, self._last = table.columns[0].position, table.columns[-1].position
        self._field_names = [field.name for field in configuration.fields]
        self.fields = [
            FieldRun(column, column.rules, table=table, context=context, is_watched=configuration.settings.highlight)
            for column in columns
            if column.rules is not None and (column.sources or column.rules.is_computed)
        ]
        self._places = {
            column.rules.field.name: place for place, column in enumerate(self._kept) if column.rules is not None
        }
        self._transform_needs_rows = any(field.transform.needs_rows for field in self.fields)
        self._validation_needs_rows = any(field.validation.needs_rows for field in self.fields)
        self.row_count = 0

    def process(self, rows: Sequence[Row]) -> Processed:
        """Transform and validate a chunk of rows."""
        source = self._by_column(rows)
        empty: Sequence[Value] = [None] * len(rows)
        found: list[tuple[int, int, Finding]] = []
        with self._times.spent_on("transform"):
            values = self._transformed(source, empty, found)
        with self._times.spent_on("validate"):
            self._validate(values, rows, found)
            repeats = list(self._repeats(values, rows))
        self.row_count += len(rows)
        flagged = self._flagged((*((place, number) for place, number, _ in found), *repeats))
        return Processed(self._output(source, values, empty), self._issues(found, rows), flagged)

    def _transformed(
        self, source: Mapping[int, Sequence[Value]], empty: Sequence[Value], found: list[tuple[int, int, Finding]]
    ) -> dict[str, Sequence[Value]]:
        raw = {field.name: source.get(field.sources[0], empty) if field.sources else empty for field in self.fields}
        before = self._row_views(raw, len(empty)) if self._transform_needs_rows else []
        values: dict[str, Sequence[Value]] = {}
        for number, field in enumerate(self.fields):
            inputs = [source[position] for position in field.sources] or [empty]
            result = field.transform.apply(inputs, before)
            values[field.name] = result.values
            found += [(place, number, finding) for place, finding in result.findings]
        return values

    def _validate(
        self, values: Mapping[str, Sequence[Value]], rows: Sequence[Row], found: list[tuple[int, int, Finding]]
    ) -> None:
        after = self._row_views(values, len(rows)) if self._validation_needs_rows else []
        for number, field in enumerate(self.fields):
            findings = field.validation.apply(values[field.name], after)
            found += [(place, number, finding) for place, finding in findings]

    def _repeats(self, values: Mapping[str, Sequence[Value]], rows: Sequence[Row]) -> Iterator[tuple[int, int]]:
        """Yield the place and field of each value seen before: flagged at once, reported when all rows were seen."""
        numbers = [row.number for row in rows]
        for number, field in enumerate(self.fields):
            if field.unique is not None and (repeats := field.unique.add(values[field.name], numbers)):
                places = {row: place for place, row in enumerate(numbers)}
                yield from ((places[row], number) for row in repeats)

    def _by_column(self, rows: Sequence[Row]) -> dict[int, Sequence[Value]]:
        """Turn rows into columns; the work per cell is done in C."""
        first, last = self._first - 1, self._last
        width = last - first
        lines = [row.values for row in rows] if first == 0 else [row.values[first:last] for row in rows]
        if set(map(len, lines)) != {width}:
            lines = [line[:width] + [None] * (width - len(line)) for line in lines]
        return dict(zip(range(self._first, self._last + 1), zip(*lines, strict=True), strict=True))

    def _row_views(self, values: Mapping[str, Sequence[Value]], count: int) -> list[dict[str, Value]]:
        """Return each row as field → value; fields without a column are None, so that rules need not ask."""
        empty = [None] * count
        columns = [values.get(name, empty) for name in self._field_names]
        return [dict(zip(self._field_names, row, strict=True)) for row in zip(*columns, strict=True)]

    def _output(
        self, source: Mapping[int, Sequence[Value]], values: Mapping[str, Sequence[Value]], empty: Sequence[Value]
    ) -> list[tuple[Value, ...]]:
        columns = [
            values.get(column.rules.field.name, empty) if column.rules is not None else source[column.sources[0]]
            for column in self._kept
        ]
        return list(zip(*columns, strict=True))

    def _flagged(self, found: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        names = [field.name for field in self.fields]
        return {(place, self._places[names[n]]) for place, n in found if names[n] in self._places}

    def _issues(self, found: list[tuple[int, int, Finding]], rows: Sequence[Row]) -> list[Issue]:
        # By row first: otherwise the size of a chunk would show in the order of the issues.
        found.sort(key=lambda entry: entry[:2])
        return [self._issue(rows[place].number, self.fields[number], finding) for place, number, finding in found]

    def _issue(self, row: int, field: FieldRun, finding: Finding) -> Issue:
        position = field.sources[0] if field.sources else self._first
        cell = cell_name(row, position)
        return Issue(self._table.sheet, cell, field.name, finding.rule, finding.severity, finding.message)

    def closing_issues(self) -> Iterator[Issue]:
        """Yield what can only be said when all rows were seen: values that repeat."""
        for field in self.fields:
            if field.unique is not None:
                for row, first in field.unique.repeats():
                    message = f"must be unique, but row {first} holds the same value"
                    yield self._issue(row, field, Finding("unique", "error", message))

    @property
    def titles(self) -> list[str]:
        """Return the headers of the output."""
        return [column.title for column in self._kept]

    def changes(self) -> dict[str, dict[str, int]]:
        """Return how many values each rule altered, by field."""
        return {field.name: dict(sorted(field.transform.changes.items())) for field in self.fields}


def missing_issues(columns: Sequence[OutputColumn], configuration: Configuration, sheet: str | None) -> Iterator[Issue]:
    """Yield an issue for each required field that no column was found for."""
    present = {
        column.rules.field.name for column in columns if column.rules and (column.sources or column.rules.is_computed)
    }
    for field in configuration.fields:
        if field.required and field.name not in present:
            yield Issue(sheet, None, field.name, "required", "error", "is required, and no column was found for it")


def in_chunks(chunks: Iterable[Sequence[Row]], size: int = CHUNK_ROWS) -> Iterator[list[Row]]:
    """Yield rows in chunks of one size, whatever size they come in: a whole-column rule must not see the difference."""
    waiting: list[Row] = []
    for chunk in chunks:
        waiting.extend(chunk)
        while len(waiting) >= size:
            yield waiting[:size]
            del waiting[:size]
    if waiting:
        yield waiting
