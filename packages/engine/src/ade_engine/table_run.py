"""Runs the rows of one table through transform, validate and write, chunk by chunk."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ade_engine.cells import Value
from ade_engine.chunk import ROW, Chunk
from ade_engine.companions import Currencies
from ade_engine.configuration.model import Configuration, Context
from ade_engine.continued import Continued, SideRows, without_headers
from ade_engine.convert import Convert, converter
from ade_engine.field_run import FieldRun, issue_positions
from ade_engine.headings import heading_test
from ade_engine.issues import Finding, Issue
from ade_engine.layout import OutputColumn
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import is_empty
from ade_engine.output_rows import OutputRows
from ade_engine.passes import PassTimes
from ade_engine.readers.base import Row, Style
from ade_engine.records import record
from ade_engine.row_choice import HeldRows, RowChoice, SeenKeys, are_named, key_digest, repeated_key, unknown_values
from ade_engine.row_numbers import RowNumbers
from ade_engine.row_view import NOT_COMPUTED, Rows, Views, clean_only
from ade_engine.source_gaps import SourceGaps
from ade_engine.sourcing import HEADINGS_PASSED, nothing_found
from ade_engine.structure.tables import SideRow
from ade_engine.table_facts import ChunkFacts, Headings
from ade_engine.total_rows import TotalRows
from ade_engine.transform import Transformed
from ade_engine.unique import UniqueCheck

if TYPE_CHECKING:
    from ade_engine.cell_corrections import CellCorrections, TableCells
    from ade_engine.structure import FoundTable
    from ade_engine.totals import TotalsCheck, TotalsKept
    from ade_engine.unpivot import Unpivoting

CHUNK_ROWS = 1024
SUMMED_TYPES = ("number", "integer", "money")
NUMBER_TYPES = (*SUMMED_TYPES, "percent")


@record
class Processed:
    """A chunk of output rows, its issues by row and then by column, and the cells they are about."""

    rows: list[tuple[Value, ...]]
    issues: list[Issue]
    flagged: set[tuple[int, int]]


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
        unpivot: Unpivoting | None = None,
        seen: SeenKeys | None = None,
        styles: Sequence[Style] = (),
        cells: CellCorrections | None = None,
    ) -> None:
        self._table = table
        self._times = times or PassTimes()
        settings = configuration.settings
        self._settings = settings
        kept = [column for column in columns if column.title not in dropped and column.is_written]
        self.output = OutputRows(kept, settings, sheet=table.sheet, document=context.document, axes=table.axes)
        self._first, self._last = table.columns[0].position, table.columns[-1].position
        self._field_names = [field.name for field in configuration.fields]
        self._facts = ChunkFacts()
        self.fields = [
            FieldRun(
                column, column.rules, table=table, context=context, chunk=self._facts, is_watched=settings.highlight
            )
            for column in columns
            if column.rules is not None and column.is_filled
        ]
        self._positions = issue_positions(self.fields, self._first)
        place = {name: number for number, name in enumerate(configuration.computation_order)}
        self._order = sorted(range(len(self.fields)), key=lambda number: place[self.fields[number].name])
        self._headings = Headings(styles) if any(field.from_group for field in configuration.fields) else None
        self._passed: set[int] = set()  # columns with headings of groups that no field takes
        self._is_heading = heading_test(configuration) if self._first < self._last else None
        self._gaps = SourceGaps([field.rules.field for field in self.fields])
        self.continued = self._continued()
        self._unpivot = unpivot
        self._seen = seen or SeenKeys()
        present = [field.name for field in self.fields]
        unwanted = [(field.sources, field.rules) for field in self.fields if field.rules.unwanted]
        self._accepting = [(number, field) for number, field in enumerate(self.fields) if field.rules.accepted]
        self._choice = RowChoice(configuration, table, context, present=present, unwanted=unwanted)
        self._chooses = self._choice.is_needed
        self._choosing = self._choice.choosing_fields
        self._repeated = UniqueCheck() if self._choice.reported_key else None
        self._held = HeldRows() if self._choice.held_key else None
        self._needs_rows = self._choice.needs_rows or any(
            field.transform.needs_rows or field.validation.needs_rows for field in self.fields
        )
        self.totals = self._totals_check() if settings.verify_totals else None
        self.totals_kept = self._totals_kept() if settings.totals == "separate" else None
        self.chunk_rows = max(1, CHUNK_ROWS // unpivot.width) if unpivot else CHUNK_ROWS
        self.read_count = 0
        self.row_count = 0
        self.numbers = RowNumbers()
        self.cells = self._corrected_cells(cells)

    def _corrected_cells(self, cells: CellCorrections | None) -> TableCells | None:
        """Return what puts corrected cells in their place, or None when no cell of the sheet was corrected."""
        if cells is None:
            return None
        from ade_engine.cell_corrections import TableCells  # few runs have any

        columns = range(self._first, self._last + 1)
        is_unpivoted = self._unpivot is not None
        return TableCells(cells, self.fields, columns, self._table.axes, is_unpivoted=is_unpivoted)

    def _continued(self) -> Continued | None:
        """Return what joins rows that continue the row above, or None when no field of the table asks for it."""
        columns = {
            position: field.rules.field.join_lines
            for field in self.fields
            for position in field.sources
            if field.rules.field.join_lines is not None
        }
        return Continued(columns, first=self._first, last=self._last) if columns else None

    def rows_of(self, chunks: Iterable[Sequence[Row]], found: FoundTable) -> Iterable[Sequence[Row]]:
        """Return the rows of a table without those that are headers, headings, totals or lines of others."""
        settings = self._settings
        chunks = without_headers(chunks, found)
        if settings.headings != "found" or settings.total_names or self._is_heading is not None:
            side = SideRows(
                first=self._first,
                last=self._last,
                headings=settings.headings,
                values=self._value_columns(),
                total_names=tuple(name.casefold() for name in settings.total_names),
                is_heading=self._is_heading,
            )
            chunks = side.taken_out(chunks, found)
        chunks = TotalRows(found, self._typed_columns(), keeps_all=settings.totals == "keep").settled(chunks)
        if self.cells is not None:
            chunks = self.cells.compared(chunks)
        return chunks if self.continued is None else self.continued.joined(chunks, found)

    def _value_columns(self) -> frozenset[int]:
        """Return the columns of numbers, and those that become rows."""
        numbers = [field for field in self.fields if field.rules.field.type in NUMBER_TYPES]
        found = frozenset(position for field in numbers for position in field.sources if position > 0)
        return found | self._unpivot.taken if self._unpivot is not None else found

    def note(self, rows: Sequence[SideRow]) -> None:
        """Take rows that are no data: titles, headings of groups and totals, in order."""
        headings = [row for row in rows if row.label == "group"]
        self._gaps.look_for_titles(side.row for side in rows if side.label in ("group", "note"))
        if self._headings is not None:
            self._headings.add(headings)
        else:
            cells = (enumerate(heading.row.values, start=1) for heading in headings)
            self._passed.update(place for row in cells for place, value in row if value is not None)
        for totals in (self.totals, self.totals_kept):
            if totals is not None:
                totals.note(rows)

    def process(self, rows: Sequence[Row]) -> Processed:
        """Transform and validate a chunk of rows."""
        self.read_count += len(rows)
        if self.cells is not None:
            rows = self.cells.put_into(rows)
        if self.totals is not None:
            self.totals.add(rows)
        chunk = Chunk(rows, self._by_column(rows))
        if self._unpivot is not None:
            chunk = self._unpivot.apply(chunk)
        if self._headings is not None:
            self._facts.headings = self._headings.above(chunk.rows)
        with self._times.spent_on("transform"):
            self._transform(chunk)
            if self._chooses:
                self._choice.apply(chunk, self._seen)
        self._gaps.note(chunk)
        with self._times.spent_on("validate"):
            self._validate(chunk)
            repeats = list(self._repeats(chunk))
        if self._held is not None:
            return self._hold(chunk, self._held)
        self.row_count += len(chunk.rows)
        self.numbers.add([row.number for row in chunk.rows])
        flagged = self._flagged((*((place, number) for place, number, _ in chunk.found), *repeats))
        return Processed(self.output.of(chunk), self._issues(chunk), flagged)

    def _transform(self, chunk: Chunk) -> None:
        """Compute the clean values of each field, and the rows they make."""
        empty: Sequence[Value] = [None] * len(chunk.rows)
        starts = [
            field.transform.start([chunk.source[position] for position in field.sources] or [empty])
            for field in self.fields
        ]
        chunk.joined = {
            field.name: start.values for field, start in zip(self.fields, starts, strict=True) if len(field.sources) > 1
        }
        views = self._views(starts, empty) if self._needs_rows else {}
        values = self._facts.clean = {}
        currencies = Currencies()
        for number in self._order:
            field = self.fields[number]
            before = starts[number].values
            result = field.transform.apply(starts[number], views, currencies.of(field.name))
            if self.cells is not None:
                result = self.cells.put_into_field(field, chunk.rows, before, result)
            values[field.name] = result.values
            remarks = [*field.marks.findings(result.values, result.marks), *currencies.add(field.rules.field, result)]
            chunk.found += [(place, number, finding) for place, finding in (*result.findings, *remarks)]
            failed = {place for place, _ in result.findings}
            if views:
                views["row"].put(field.name, clean_only(field.rules.field, result.values, failed))
            if field.name in self._choosing:
                chunk.unknown[field.name] = self._unknown(chunk, field, before, failed)
        chunk.values, chunk.views = values, views

    def _unknown(self, chunk: Chunk, field: FieldRun, before: Sequence[Value], failed: Collection[int]) -> list[bool]:
        """Return which values of a field could not be made, `before` being what its own columns have."""
        base = chunk.unknown.get(field.rules.field.base or "", [False] * len(before))
        used = [is_unknown and is_empty(value) for is_unknown, value in zip(base, before, strict=True)]
        return unknown_values(field.rules.field, self._facts.clean[field.name], failed, used)

    def _views(self, starts: Sequence[Transformed], empty: Sequence[Value]) -> Views:
        """Return the rows of a chunk before any field is computed; a field without a column is None everywhere."""
        names = [field.name for field in self.fields]
        missing = dict.fromkeys(self._field_names, empty)
        row = Rows({**missing, **dict.fromkeys(names, NOT_COMPUTED)})
        source = Rows({**missing, **{name: start.values for name, start in zip(names, starts, strict=True)}})
        return {"row": row, "source": source}

    def _validate(self, chunk: Chunk) -> None:
        for number, field in enumerate(self.fields):
            findings = field.validation.apply(chunk.values[field.name], chunk.views)
            chunk.found += [(place, number, finding) for place, finding in findings]
        for number, field in self._accepting:
            accepted = self._accepted(chunk, field)
            chunk.found = [one for one in chunk.found if one[1] != number or one[0] not in accepted]

    def _accepted(self, chunk: Chunk, field: FieldRun) -> set[int]:
        """Return the places where all that the document has of a field was found right by people."""
        columns = are_named(chunk, field.sources, field.rules, field.rules.accepted)
        return {place for place, are_right in enumerate(zip(*columns, strict=True)) if all(are_right)}

    def _repeats(self, chunk: Chunk) -> Iterator[tuple[int, int]]:
        """Yield the place and field of each value seen before: flagged at once, reported when all rows were seen."""
        numbers = [row.number for row in chunk.rows]
        for number, field in enumerate(self.fields):
            if field.unique is not None and (repeats := field.unique.add(self._doubtful(chunk, field), numbers)):
                places = {row: place for place, row in enumerate(numbers)}
                yield from ((places[row], number) for row in repeats)
        if self._repeated is not None:
            self._repeated.add([None if key is None else str(key) for key in self._keys(chunk)], numbers)

    def _doubtful(self, chunk: Chunk, field: FieldRun) -> Sequence[Value]:
        """Return the values of a field, empty where people found them right."""
        accepted = self._accepted(chunk, field) if field.rules.accepted else ()
        values: Sequence[Value] = chunk.values[field.name]
        return [None if place in accepted else value for place, value in enumerate(values)] if accepted else values

    def _keys(self, chunk: Chunk) -> Iterator[int | None]:
        names = self._choice.reported_key or self._choice.held_key
        return map(key_digest, zip(*(chunk.values[name] for name in names), strict=True))

    def _hold(self, chunk: Chunk, held: HeldRows) -> Processed:
        """Let rows wait with their issues until it is certain that no later one replaces them."""
        issues: dict[int, list[Issue]] = {}
        chunk.found.sort(key=lambda entry: entry[:2])
        for place, number, finding in chunk.found:
            issues.setdefault(place, []).append(self._issue(chunk, place, number, finding))
        flagged = self._flagged((place, number) for place, number, _ in chunk.found)
        for place, (key, row) in enumerate(zip(self._keys(chunk), self.output.of(chunk), strict=True)):
            columns = [column for flagged_place, column in flagged if flagged_place == place]
            held.add(key, (row, issues.get(place, []), columns, chunk.rows[place].number))
        return Processed([], [], set())

    def held_rows(self) -> Processed | None:
        """Return the rows that waited for the end of the table, or None when none do."""
        if self._held is None:
            return None
        self._choice.dropped["duplicates"] += self._held.dropped
        kept = list(self._held.last_ones())
        self.row_count += len(kept)
        self.numbers.add([number for *_, number in kept])
        flagged = {(place, column) for place, (_, _, columns, _) in enumerate(kept) for column in columns}
        issues = [issue for _, issues, _, _ in kept for issue in issues]
        return Processed([row for row, *_ in kept], issues, flagged)

    def _by_column(self, rows: Sequence[Row]) -> dict[int, Sequence[Value]]:
        """Turn rows into columns; the work per cell is done in C."""
        first, last = self._first - 1, self._last
        width = last - first
        lines = [row.values for row in rows] if first == 0 else [row.values[first:last] for row in rows]
        if set(map(len, lines)) != {width}:
            lines = [line[:width] + [None] * (width - len(line)) for line in lines]
        return dict(zip(range(self._first, self._last + 1), zip(*lines, strict=True), strict=True))

    def _flagged(self, found: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        names = [field.name for field in self.fields]
        places = self.output.places
        return {(place, places[names[n]]) for place, n in found if n != ROW and names[n] in places}

    def _issues(self, chunk: Chunk) -> list[Issue]:
        # By row first: otherwise the size of a chunk would show in the order of the issues.
        chunk.found.sort(key=lambda entry: entry[:2])
        return [self._issue(chunk, place, number, finding) for place, number, finding in chunk.found]

    def _issue(self, chunk: Chunk, place: int, number: int, finding: Finding) -> Issue:
        field = self.fields[number].name if number != ROW else None
        position = self._positions[field] if field is not None else self._first
        if position < 0 and chunk.positions is not None:
            position = chunk.positions[place]  # the field has no column of its own: unpivoting gave it a cell
        return self._issue_at(chunk.rows[place].number, position, field, finding)

    def _issue_at(self, row: int, position: int, field: str | None, finding: Finding) -> Issue:
        cell = self._table.axes.cell(row, position if position > 0 else self._first)
        return Issue(self._table.sheet, cell, field, finding.rule, finding.severity, finding.message)

    def closing_issues(self) -> Iterator[Issue]:
        """Yield what can only be said when all rows were seen: values that repeat, and totals that are wrong."""
        for field in self.fields:
            if field.unique is not None:
                for row, first in field.unique.repeats():
                    message = f"must be unique, but {self._table.axes.row(first)} holds the same value"
                    yield self._issue_at(
                        row, self._positions[field.name], field.name, Finding("unique", "error", message)
                    )
        if self._repeated is not None:
            key = self._choice.reported_key[0]
            for row, first in self._repeated.repeats():
                yield self._issue_at(row, self._positions[key], key, repeated_key(self._table.axes.row(first)))
        yield from self._empty_sources()
        if self.totals is not None:
            from ade_engine.totals import WRONG_SUM

            self.totals.finish()
            names = {position: field.name for field in self.fields for position in self._summed(field)}
            for row, position in self.totals.wrong:
                yield self._issue_at(row, position, names.get(position), WRONG_SUM)

    @property
    def uses_headings(self) -> bool:
        """Return whether the configuration expects headings of groups: a field takes them, or it says what they are."""
        return self._headings is not None or self._settings.headings != "found"

    def wrong_totals(self) -> set[int]:
        """Return the totals of which an issue says that they do not add up."""
        return set() if self.totals is None else {row for row, _ in self.totals.wrong}

    def _empty_sources(self) -> Iterator[Issue]:
        for field in self.fields if self.row_count else ():
            has_none = not field.sources and not field.transform.changes[str(field.rules.field.source)]
            found = [nothing_found(field.rules.field) if has_none else None, *self._gaps.findings(field.rules.field)]
            if field.rules.field.fill_down and not self._passed.isdisjoint(field.sources):
                found.append(HEADINGS_PASSED)
            for named in filter(None, found):
                yield Issue(self._table.sheet, None, field.name, named.rule, named.severity, named.message)

    def _totals_check(self) -> TotalsCheck:
        from ade_engine.totals import TotalsCheck  # few runs compare totals

        return TotalsCheck(self._summed_columns())

    def _typed_columns(self) -> dict[int, Convert | None]:
        """Return the columns whose type says whether they hold numbers, with what converts these."""
        types = [(field.rules.field.type, field.sources) for field in self.fields]
        others = [position for kind, sources in types if kind and kind not in NUMBER_TYPES for position in sources]
        return {**dict.fromkeys(others), **self._summed_columns()}

    def _summed_columns(self) -> dict[int, Convert]:
        """Return the columns that totals sum, with what converts their cells."""
        return {
            position: convert
            for field in self.fields
            if field.rules.field.type in SUMMED_TYPES and (convert := converter(field.rules.field)) is not None
            for position in self._summed(field)
        }

    def _summed(self, field: FieldRun) -> Sequence[int]:
        """Return the columns whose sums a field's totals are: those that unpivoting makes rows of, too."""
        if self._unpivot is not None and field.name in self._unpivot.sources:
            return self._unpivot.columns_of(field.name)
        return field.sources if len(field.sources) == 1 else ()

    def _totals_kept(self) -> TotalsKept:
        from ade_engine.totals import TotalsKept  # few runs keep totals

        return TotalsKept(
            [
                (
                    column.sources[0] if column.sources and column.sources[0] > 0 else None,
                    converter(column.rules.field) if column.rules is not None else None,
                )
                for column in self.output.columns
            ]
        )

    @property
    def found_fields(self) -> list[str]:
        """Return the fields that columns of the table feed."""
        return [field.name for field in self.fields if field.sources]

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return by field how many cells were altered, and how many each rule altered."""
        return {
            field.name: {
                "changed": field.transform.changed_count,
                "rules": dict(sorted(field.transform.changes.items())),
            }
            for field in self.fields
        }

    def reshaped(self) -> dict[str, Any]:
        """Return how many rows each rule left out or added, and how many totals were compared with their rows."""
        counts = self._unpivot.counts if self._unpivot is not None else {}
        joined = self.continued.count if self.continued is not None else 0
        dropped = {**self._choice.dropped, "unpivot.empty": counts.get("empty", 0), "join_lines": joined}
        added = {**self._choice.added, "unpivot": counts.get("added", 0)}
        totals = (self.totals.checked, len(self.totals.wrong)) if self.totals is not None else (0, 0)
        return {
            "dropped": {rule: count for rule, count in sorted(dropped.items()) if count},
            "added": {rule: count for rule, count in sorted(added.items()) if count},
            "totals": {"checked": totals[0], "wrong": totals[1]},
        }
