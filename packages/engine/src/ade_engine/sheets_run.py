"""Takes the sheets of a document, one after the other, through the five passes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from ade_engine import artifact as artifacts
from ade_engine.cells import Value
from ade_engine.chunk import in_chunks
from ade_engine.configuration.model import Configuration, Context
from ade_engine.errors import EngineError
from ade_engine.hooks import Hooks, Output
from ade_engine.issues import Finding, Issue, IssueLog
from ade_engine.layout import lay_out
from ade_engine.mapping.outcome import SourceTable, TableMapping
from ade_engine.mapping.profile import Column
from ade_engine.mapping.table import Mapper, column_values
from ade_engine.passes import PassTimes
from ade_engine.protocol import ISSUES
from ade_engine.readers.base import Row, Sheet, SheetInfo, Workbook
from ade_engine.records import record
from ade_engine.row_rules import row_evidence
from ade_engine.rules import findings
from ade_engine.sheet_issues import (
    doubtful_row_issues,
    hidden_sheet_issue,
    missing_issues,
    no_table_issue,
    outside_issues,
    reader_issues,
    row_below_issues,
    table_issues,
    what_it_holds,
    wider_row_issues,
)
from ade_engine.structure import FoundTable, TableColumn, find_tables
from ade_engine.structure.judge import RowRule
from ade_engine.structure.names import HeaderNames
from ade_engine.structure.outside import RowsOutside
from ade_engine.structure.tables import SideRow
from ade_engine.structure.turned import Turning
from ade_engine.structure.words import is_page_number
from ade_engine.table_outputs import TableOutputs, Target
from ade_engine.table_run import TableRun
from ade_engine.transposed_entry import hidden_parts
from ade_engine.write import Writer

if TYPE_CHECKING:
    from ade_engine.cell_corrections import CellCorrections
    from ade_engine.unpivot import Unpivoting

Event = dict[str, Any]
_PROGRESS_ROWS = 10_240


class RunState(Protocol):
    """What the sheets of a run have in common: where they report to, and what was found so far."""

    folder: Path
    stream: TextIO
    issue_cap: int
    sheets: list[dict[str, Any]]
    times: PassTimes

    @property
    def emit(self) -> Callable[[Event], None]:
        """What takes events."""
        ...


@record(frozen=False)
class SheetsRun:
    """Takes sheets and their tables through the passes."""

    run: RunState
    workbook: Workbook
    writer: Writer
    outputs: TableOutputs
    configuration: Configuration
    context: Context
    hooks: Hooks
    mapper: Mapper
    without_table: list[tuple[dict[str, Any], str]] = field(default_factory=list)  # sheets, and what they hold
    cells: CellCorrections | None = None  # of the sheet that is read
    last_header: object = None  # of the table before, and the lines above it
    last_titles: Sequence[SideRow] = ()

    def process_sheets(self, chosen: Sequence[tuple[SheetInfo, bool]]) -> None:
        """Process the sheets in order; when the run fails, note those it did not reach."""
        try:
            for info, is_read in chosen:
                self._process_sheet(info, is_read=is_read)
        except EngineError:
            unread = chosen[len(self.run.sheets) :]
            self.run.sheets += [artifacts.sheet_entry(info, skipped="failure") for info, _ in unread]
            raise

    def _process_sheet(self, info: SheetInfo, *, is_read: bool) -> None:
        """Find the tables of a sheet and process each."""
        entry = artifacts.sheet_entry(info)
        self.run.sheets.append(entry)
        self.run.emit({"event": "sheet.started", "sheet": info.name})
        if not is_read:
            entry["skipped"] = "hidden"
            return
        if not self.hooks.allow("on_sheet_start", sheet=info):
            entry["skipped"] = "hook"
            return
        if self._is_corrected_away(info.name):
            entry["skipped"] = "correction"
            return
        sheet = self.workbook.open_sheet(info)
        has_table, outside = False, RowsOutside()
        self.cells = self._corrected_cells(info)
        for found in self.run.times.waiting("structure", self._tables(sheet, outside)):
            has_table = True
            self._process_table(sheet, found, entry["tables"])
        entry["is_complete"] = True
        entry["formulas_without_value"] = sheet.formulas_without_value
        self._report(entry, reader_issues(sheet))
        self._report(entry, outside_issues(info.name, outside.numbers, outside.count))
        if self.cells is not None:
            self._report(entry, self.cells.issues())
        if not has_table and (holds := what_it_holds(sheet)):
            self.without_table.append((entry, holds))

    def _is_corrected_away(self, sheet: str | None) -> bool:
        if not self.configuration.corrections:
            return False
        from ade_engine.corrections import is_sheet_ignored  # most configurations have no corrections

        return is_sheet_ignored(self.configuration.corrections, sheet)

    def _corrected_cells(self, info: SheetInfo) -> CellCorrections | None:
        """Return the corrections of single cells of a sheet, or None when there are none."""
        corrections = self.configuration.corrections
        if not any(one["kind"] == "cell" for one in corrections):
            return None
        from ade_engine.cell_corrections import CellCorrections  # few runs have any

        return CellCorrections(corrections, info.name, is_only_sheet=len(self.workbook.sheets) == 1)

    def _report_cells_of_other_sheets(self) -> None:
        """Add an issue for each corrected cell of a sheet that the document does not have."""
        if not any(one["kind"] == "cell" for one in self.configuration.corrections) or not self.run.sheets:
            return
        from ade_engine.cell_corrections import of_other_sheets

        names = [info.name for info in self.workbook.sheets]
        self._report(self.run.sheets[0], of_other_sheets(self.configuration.corrections, names))

    def _tables(self, sheet: Sheet, outside: RowsOutside) -> Iterator[FoundTable]:
        """Return the tables of a sheet, where rules and people say they are."""
        names, corrections = self._header_names(), self.configuration.corrections
        evidence_with = partial(row_evidence, self.configuration, self.context)
        turning = self._turning(sheet, evidence_with({}))
        if not corrections:
            return find_tables(sheet, evidence=turning.evidence, names=names, turning=turning, outside=outside)
        from ade_engine.corrections import fixed_ranges, row_labels

        evidence = evidence_with(row_labels(corrections, sheet.info.name))
        if not (fixed := fixed_ranges(corrections, sheet.info.name, self.context.document)):
            return find_tables(sheet, evidence=evidence, names=names, turning=turning, outside=outside)
        from ade_engine.structure.fixed import tables_with_fixed

        return tables_with_fixed(
            sheet,
            fixed,
            evidence=evidence,
            evidence_with=evidence_with,
            names=names,
            turning=turning,
            outside=outside,
        )

    def _turning(self, sheet: Sheet, evidence: RowRule | None) -> Turning:
        """Return what becomes of tables whose fields are rows; sections of settings may tell tables apart."""
        own = self.configuration

        def mode_of(texts: Sequence[str]) -> str:
            return own.of_table(self.context.document, sheet.info.name, texts).settings.transposed

        return Turning(own.settings.transposed, mode_of if own.settings.sources else None, evidence)

    def _header_names(self) -> HeaderNames:
        """Return what columns are called: by fields, and by the headers that become rows."""
        names, settings = self.configuration.names_of_fields, self.configuration.settings
        several = [settings.unpivot, *(source.settings.unpivot for source in settings.sources)]
        if not (selections := [wanted for wanted in several if wanted is not None]):
            return HeaderNames(names)
        from ade_engine.unpivot import header_test  # few configurations do that

        return HeaderNames(names, header_test(selections))

    def report_sheets_left_out(self) -> None:
        """Add issues to sheets without a table, and to hidden ones where no other sheet has a table."""
        self._report_cells_of_other_sheets()
        has_others = any(entry["tables"] for entry in self.run.sheets)
        for entry, holds in self.without_table:
            self._report(entry, [no_table_issue(entry["name"], holds, has_others=has_others)])
        for entry in self.run.sheets:
            if entry["skipped"] == "hidden" and not has_others:
                self._report(entry, [hidden_sheet_issue(entry["name"])])

    def _report(self, entry: dict[str, Any], issues: Iterable[Issue]) -> None:
        """Add issues to a sheet that may have some already."""
        log = IssueLog(self.run.stream, cap=self.run.issue_cap)
        log.add(issues)
        entry.update(artifacts.with_issues(entry, log))

    def _process_table(self, sheet: Sheet, found: FoundTable, tables: list[dict[str, Any]]) -> None:
        source = self._with_titles_above(source_table(found))
        place = {"sheet": found.sheet, "first_row": found.range.first_row}
        self.run.emit(
            {"event": "table.found", **place, "header_rows": _header_rows(found), "columns": len(found.columns)}
        )
        if not self.hooks.allow("on_table_start", table=source):
            for _ in found.data():
                pass  # the next table is found only after this one was read
            return
        common, mapper = self.configuration, self.mapper
        try:
            self._choose_source(source)
            self._process_mapped(sheet, found, source, tables)
        finally:
            self.configuration, self.mapper = common, mapper

    def _with_titles_above(self, table: SourceTable) -> SourceTable:
        """Return a table with the lines above the one before, if it only continues that one on another page.

        It has the same header in the same columns, and no lines of its own but the number of a page.
        """
        own = [row for row in table.title_rows if not is_page_number(" ".join(row.texts))]
        header = (table.sheet, [(column.position, column.header) for column in table.columns])
        if table.header_rows and not own and header == self.last_header:
            table = replace(table, title_rows=[*self.last_titles, *table.title_rows])
        self.last_header, self.last_titles = header, table.title_rows
        return table

    def _choose_source(self, table: SourceTable) -> None:
        """Go on with the settings and aliases of the [[source]] that a table is from, until it ends."""
        texts = [*table.titles, *table.headers]
        own = self.configuration.of_table(self.context.document, table.sheet, texts)
        if own is not self.configuration:
            self.configuration, self.mapper = own, Mapper(own, self.context)

    def _process_mapped(
        self, sheet: Sheet, found: FoundTable, source: SourceTable, tables: list[dict[str, Any]]
    ) -> None:
        """Map the columns of a table, and process its rows."""
        place = {"sheet": found.sheet, "first_row": found.range.first_row}
        with self.run.times.spent_on("mapping"):
            mapping = self.mapper.map_table(source)
            unpivot = self._unpivoting(found, mapping)
        log = IssueLog(self.run.stream, cap=self.run.issue_cap)
        try:
            self.hooks.call("on_table_mapped", table=source, mapping=mapping)
            if self.configuration.corrections:
                from ade_engine.corrections import correct_mapping

                correct_mapping(self.configuration.corrections, source, mapping)
            log.add(table_issues(found.sheet, self._unpivot_findings(source, mapping, unpivot)))
            mapped = sum(column.field is not None for column in mapping.columns)
            unmapped = len(mapping.columns) - mapped
            self.run.emit({"event": "table.mapped", **place, "mapped": mapped, "unmapped": unmapped})
            entry = self._stream_table(sheet, found, source, mapping, log, unpivot)
        except EngineError:
            tables.append(artifacts.unfinished_table_entry(found, mapping, issues=log))
            raise
        tables.append(entry)
        self.run.emit(
            {"event": "table.finished", **place, "range": entry["range"], "rows": entry["rows"]["written"],
             "issues": entry["issue_counts"]["total"]}
        )  # fmt: skip

    def _unpivoting(self, found: FoundTable, mapping: TableMapping) -> Unpivoting | None:
        """Return which columns of a table become rows; None when the settings select none of them."""
        wanted = self.configuration.settings.unpivot
        if wanted is None:
            return None
        from ade_engine.unpivot import Unpivoting  # few configurations do that

        unpivot = Unpivoting(wanted, found.columns)
        unpivot.claim(mapping)
        return unpivot if unpivot.width else None

    def _unpivot_findings(
        self, source: SourceTable, mapping: TableMapping, unpivot: Unpivoting | None
    ) -> Iterator[Finding]:
        if unpivot is not None:
            yield from unpivot.findings()
            if self.configuration.settings.unmapped == "drop":
                yield from unpivot.left_out(mapping, source.columns)
        elif (wanted := self.configuration.settings.unpivot) is not None and any(c.field for c in mapping.columns):
            from ade_engine.unpivot import nothing_selected

            yield nothing_selected(wanted)

    def _stream_table(
        self,
        sheet: Sheet,
        found: FoundTable,
        source: SourceTable,
        mapping: TableMapping,
        log: IssueLog,
        unpivot: Unpivoting | None,
    ) -> dict[str, Any]:
        """Transform, validate and write the rows, and return what the artifact says about the table."""
        columns = lay_out(mapping, self.configuration, unpivot.sources if unpivot else None)
        output = Output(found.sheet or "Table", columns, self.configuration.fields)
        self.hooks.call("before_write", table=source, output=output)
        run = TableRun(
            source,
            columns,
            self.configuration,
            self.context,
            dropped=output.dropped,
            times=self.run.times,
            unpivot=unpivot,
            seen=self.outputs.seen(output.name),
            styles=sheet.styles,
            cells=self.cells,
        )
        log.add(missing_issues(columns, self.configuration, found.sheet))
        log.add(table_issues(found.sheet, output.probable_mistakes()))
        target = self.outputs.begin(output.name, run)
        hidden_rows = self._write_rows(found, run, target, log)
        self.outputs.end(run, target)
        log.add(run.closing_issues())
        log.add(wider_row_issues(found))
        log.add(row_below_issues(found))
        log.add(
            doubtful_row_issues(
                found,
                sure=run.wrong_totals(),
                are_groups_sure=run.uses_headings,
                is_written=run.numbers.may_have,
            )
        )
        log.add(self._table_issues(source, run))
        hidden = artifacts.hidden_entry(hidden_rows, sheet.hidden_columns, mapping)
        if found.view is not None:
            hidden = hidden_parts(found, sheet)
        entry = artifacts.table_entry(
            found,
            mapping,
            output=target.name,
            hidden=hidden,
            changes=run.changes(),
            issues=log,
            data_rows=run.read_count + (run.continued.count if run.continued else 0),
            written=run.row_count,
            reshaped=run.reshaped(),
            corrected_cells=run.cells.count if run.cells else 0,
            row_numbers=None if found.axes.are_turned else run.numbers.stretches,
            output_columns=run.output.sources,
        )
        self.outputs.note(entry, target)
        return entry

    def _write_rows(self, found: FoundTable, run: TableRun, target: Target, log: IssueLog) -> int:
        """Transform, validate and write the rows chunk by chunk; return how many are hidden."""
        times, highlights, hidden_rows = self.run.times, self.configuration.settings.highlight, 0
        rows: Iterable[Sequence[Row]] = times.waiting("structure", found.data())
        for chunk in in_chunks(run.rows_of(rows, found), run.chunk_rows):
            hidden_rows += sum([row.is_hidden for row in chunk])
            if found.side_rows:
                run.note(found.side_rows)
                found.side_rows.clear()
            done = run.process(chunk)
            log.add(done.issues)
            with times.spent_on("write"):
                self.outputs.write(target, done.rows, done.flagged if highlights else ())
            if run.read_count % _PROGRESS_ROWS == 0:
                self.run.emit({"event": "rows.progress", "sheet": found.sheet, "rows": run.read_count})
        run.note(found.side_rows)
        if (held := run.held_rows()) is not None:
            log.add(held.issues)
            self.outputs.write(target, held.rows, held.flagged if highlights else ())
        return hidden_rows

    def _table_issues(self, source: SourceTable, run: TableRun) -> Iterator[Issue]:
        summary = {"rows": run.row_count, "changes": run.changes()}
        for function, answer in self.hooks.call("on_table_end", table=source, summary=summary):
            yield from table_issues(source.sheet, findings(function, answer, ()))

    def write_issues_sheet(self) -> None:
        """Add a sheet of all issues when the configuration asks for it."""
        if not self.configuration.settings.issues_sheet:
            return
        from ade_engine.issues_sheet import write_issues

        self.run.stream.flush()
        write_issues(self.run.folder / ISSUES, self.writer, "Issues")


def _header_rows(found: FoundTable) -> list[int]:
    """Return the document's rows that are the header; a table that was turned has columns instead."""
    return [] if found.axes.are_turned else found.header_rows


def source_table(found: FoundTable) -> SourceTable:
    """Return a table as rules see it, with the values of its first rows."""
    rows = [row.values for row in found.sample]
    columns = [
        _column(column, column_values(rows, column.position), found.axes.column(column.position))
        for column in found.columns
    ]
    titles = [row for row in found.side_rows if row.label == "title"]
    return SourceTable(found.sheet, columns, tuple(_header_rows(found)), found.range.first_row, titles, found.axes)


def _column(column: TableColumn, values: list[Value], letters: str) -> Column:
    parts = [str(cell).strip() for cell in column.header_cells if cell is not None and str(cell).strip()]
    lowest = parts[-1] if len(parts) > 1 else ""
    return Column(column.position, column.header, values, lowest_header=lowest, letters=letters)
