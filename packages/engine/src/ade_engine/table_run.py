"""Runs the rows of one table through transform, validate and write, chunk by chunk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ade_engine.cells import Value, cell_name
from ade_engine.companions import Currencies
from ade_engine.configuration.model import ColumnRules, Configuration, Context
from ade_engine.issues import Finding, Issue
from ade_engine.layout import OutputColumn
from ade_engine.mapping.table import SourceTable
from ade_engine.marks import MarkCheck
from ade_engine.passes import PassTimes
from ade_engine.readers.base import Row
from ade_engine.records import record
from ade_engine.row_view import NOT_COMPUTED, Rows, Views, clean_only
from ade_engine.transform import FieldTransform, Transformed
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
        self.marks = MarkCheck(rules.field)
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
            if column.rules is not None and column.is_filled
        ]
        self._places = {
            column.rules.field.name: place for place, column in enumerate(self._kept) if column.rules is not None
        }
        place = {name: number for number, name in enumerate(configuration.computation_order)}
        self._order = sorted(range(len(self.fields)), key=lambda number: place[self.fields[number].name])
        self._needs_rows = any(field.transform.needs_rows or field.validation.needs_rows for field in self.fields)
        self.row_count = 0

    def process(self, rows: Sequence[Row]) -> Processed:
        """Transform and validate a chunk of rows."""
        source = self._by_column(rows)
        empty: Sequence[Value] = [None] * len(rows)
        found: list[tuple[int, int, Finding]] = []
        with self._times.spent_on("transform"):
            values, views = self._transformed(source, empty, found)
        with self._times.spent_on("validate"):
            self._validate(values, views, found)
            repeats = list(self._repeats(values, rows))
        self.row_count += len(rows)
        flagged = self._flagged((*((place, number) for place, number, _ in found), *repeats))
        return Processed(self._output(source, values, empty), self._issues(found, rows), flagged)

    def _transformed(
        self, source: Mapping[int, Sequence[Value]], empty: Sequence[Value], found: list[tuple[int, int, Finding]]
    ) -> tuple[dict[str, Sequence[Value]], Views]:
        """Return the clean values of each field, and the rows they make."""
        starts = [
            field.transform.start([source[position] for position in field.sources] or [empty]) for field in self.fields
        ]
        views = self._views(starts, empty) if self._needs_rows else {}
        values: dict[str, Sequence[Value]] = {}
        currencies = Currencies()
        for number in self._order:
            field = self.fields[number]
            result = field.transform.apply(starts[number], views, currencies.of(field.name))
            values[field.name] = result.values
            remarks = [*field.marks.findings(result.values, result.marks), *currencies.add(field.rules.field, result)]
            found += [(place, number, finding) for place, finding in (*result.findings, *remarks)]
            if views:
                failed = {place for place, _ in result.findings}
                views["row"].put(field.name, clean_only(field.rules.field, result.values, failed))
        return values, views

    def _views(self, starts: Sequence[Transformed], empty: Sequence[Value]) -> Views:
        """Return the rows of a chunk before any field is computed; a field without a column is None everywhere."""
        names = [field.name for field in self.fields]
        missing = dict.fromkeys(self._field_names, empty)
        row = Rows({**missing, **dict.fromkeys(names, NOT_COMPUTED)})
        source = Rows({**missing, **{name: start.values for name, start in zip(names, starts, strict=True)}})
        return {"row": row, "source": source}

    def _validate(
        self, values: Mapping[str, Sequence[Value]], views: Views, found: list[tuple[int, int, Finding]]
    ) -> None:
        for number, field in enumerate(self.fields):
            findings = field.validation.apply(values[field.name], views)
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

    @property
    def percents(self) -> frozenset[int]:
        """Return the indexes of the output's columns that are percentages."""
        return frozenset(
            place for place, column in enumerate(self._kept) if column.rules and column.rules.field.type == "percent"
        )

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return by field how many cells were altered, and how many each rule altered."""
        return {
            field.name: {
                "changed": field.transform.changed_count,
                "rules": dict(sorted(field.transform.changes.items())),
            }
            for field in self.fields
        }


def missing_issues(columns: Sequence[OutputColumn], configuration: Configuration, sheet: str | None) -> Iterator[Issue]:
    """Yield an issue for each required field that no column was found for."""
    present = {column.rules.field.name for column in columns if column.rules and column.is_filled}
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
