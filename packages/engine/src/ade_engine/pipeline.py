"""Read this first: a run from document to clean workbook.

Five passes: structure finds tables, mapping names their columns, and then each chunk of rows is transformed,
validated and written before the next one is read. `normalize` is the whole; everything below it is in call order.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import field
from pathlib import Path
from typing import Any, TextIO

import ade_engine
from ade_engine import artifact as artifacts
from ade_engine.cells import Value
from ade_engine.configuration.model import Configuration, Context
from ade_engine.errors import ConfigurationError, EngineError, InputError, full_disk
from ade_engine.hooks import Hooks, Output
from ade_engine.issues import Issue, IssueLog
from ade_engine.layout import lay_out
from ade_engine.mapping.profile import Column
from ade_engine.mapping.table import Mapper, SourceTable, TableMapping, column_values
from ade_engine.passes import PassTimes
from ade_engine.readers import open_workbook
from ade_engine.readers.base import SheetInfo, Workbook
from ade_engine.records import record
from ade_engine.result import Failure, Result
from ade_engine.row_rules import row_evidence
from ade_engine.rules import findings
from ade_engine.structure import FoundTable, TableColumn, find_tables
from ade_engine.table_run import TableRun, in_chunks, missing_issues
from ade_engine.write import FORMATS, Writer, open_writer

Event = dict[str, Any]
SheetChoice = str | Sequence[str] | None
_PROGRESS_ROWS = 10_240
_OUTPUT = re.compile(rf"normalized(-\d+)?\.({'|'.join(FORMATS)})")


def normalize(
    input_path: str | Path,
    out_dir: str | Path,
    *,
    configuration: Configuration | str | Path | None = None,
    sheets: SheetChoice = None,
    format: str | None = None,  # noqa: A002 - the word people use
    events: Callable[[Event], None] | None = None,
    run_id: str | None = None,
    issue_cap: int = 1000,
) -> Result:
    """Normalise a document into `out_dir`: the clean workbook, artifact.json and issues.ndjson.

    Without a configuration the built-in rules for common fields apply. `sheets` is "all", "active" or a list of names
    and wins over the configuration's settings, as `format` does. Errors that have a code end in a failed result.
    """
    if format not in (None, *FORMATS):
        raise ValueError(f"{format!r} is not one of {', '.join(FORMATS)}")
    source, folder = Path(input_path), Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    _remove_earlier(folder, source)
    emit = events or _ignore
    emit({"event": "run.started", "input": source.name})
    with (folder / "issues.ndjson").open("w", encoding="utf-8", newline="\n") as stream:
        run = _Run(source, folder, emit=emit, stream=stream, issue_cap=issue_cap)
        failure = run.attempt(configuration, sheets=sheets, output_format=format)
    return _finished(run, failure, run_id=run_id)


def _remove_earlier(folder: Path, source: Path) -> None:
    """Remove what an earlier run wrote there: beside the failure of this one it would pass for its result."""
    for path in folder.glob("normalized*"):
        if _OUTPUT.fullmatch(path.name) and path.is_file() and not (source.exists() and path.samefile(source)):
            path.unlink()


def _ignore(_: Event) -> None:
    """Nobody listens."""


@record(frozen=False)
class _Run:
    """One run on its way: what it writes to, and what it has found so far."""

    source: Path
    folder: Path
    emit: Callable[[Event], None] = field(kw_only=True)
    stream: TextIO = field(kw_only=True)
    issue_cap: int = field(kw_only=True)
    configuration: Configuration | None = None
    input: dict[str, Any] | None = None
    sheets: list[dict[str, Any]] = field(default_factory=list)
    output_paths: tuple[Path, ...] = ()
    times: PassTimes = field(default_factory=PassTimes)

    def attempt(
        self, configuration: Configuration | str | Path | None, *, sheets: SheetChoice, output_format: str | None
    ) -> Failure | None:
        """Do the whole work; return why it failed, or None."""
        try:
            self.configuration = _loaded(configuration)
            settings = self.configuration.settings
            self._process(self.configuration, sheets=sheets, output_format=output_format or settings.format)
        except EngineError as error:
            if full := full_disk(error):
                raise full from None  # no rule is wrong
            _log_cause(error)
            return Failure(error.code, str(error)[:240])
        return None

    def _process(self, configuration: Configuration, *, sheets: SheetChoice, output_format: str) -> None:
        context = Context(settings=configuration.settings.rules)
        hooks = Hooks(configuration, context)
        with closing(open_workbook(self.source)) as workbook:
            self.input = _input_entry(self.source, workbook)
            hooks.call("on_workbook_start", workbook=workbook)
            with _writing(self.folder / f"normalized.{output_format}", output_format) as writer:
                mapper = Mapper(configuration, context)
                worker = _Worker(self, workbook, writer, configuration, context, hooks, mapper)
                for info in _chosen(workbook, configuration.settings.sheets if sheets is None else sheets):
                    worker.process_sheet(info)
                worker.write_issues_sheet()
                hooks.call("on_workbook_end", workbook=workbook, summary=artifacts.summary(self.sheets))
            self.output_paths = tuple(writer.paths)


def _log_cause(error: EngineError) -> None:
    """Log which lines of whose rules led to a failure; not what was said there, which may hold a value."""
    cause = error.__cause__
    if not isinstance(error, ConfigurationError) or cause is None:
        return
    import logging  # only where a rule failed
    import traceback

    frames = traceback.extract_tb(cause.__traceback__)
    theirs = [frame for frame in frames if not Path(frame.filename).is_relative_to(_ENGINE)]
    file = error.file or "?"
    home = next((frame.filename.removesuffix(file) for frame in theirs if frame.filename.endswith(file)), "")
    told = [
        f'  File "{frame.filename.removeprefix(home)}", line {frame.lineno}, in {frame.name}\n    {frame.line}'
        for frame in theirs
    ]
    logging.getLogger("ade_engine").error(
        "\n".join(["Traceback (most recent call last):", *told, type(cause).__name__])
    )


_ENGINE = Path(__file__).parent


@contextmanager
def _writing(path: Path, output_format: str) -> Iterator[Writer]:
    """Open a writer whose files stay only when the run succeeds: half a workbook looks like a whole one."""
    writer = open_writer(path, output_format)
    try:
        yield writer
        writer.close()
    except BaseException:
        writer.discard()
        raise


def _loaded(configuration: Configuration | str | Path | None) -> Configuration:
    if isinstance(configuration, Configuration):
        return configuration
    if configuration is None:
        from ade_engine.mapping.common_fields import common_configuration

        return common_configuration()
    from ade_engine.configuration.load import load_configuration

    return load_configuration(configuration)


def _input_entry(source: Path, workbook: Workbook) -> dict[str, Any]:
    with source.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {"name": source.name, "format": workbook.format, "bytes": source.stat().st_size, "sha256": digest}


def _chosen(workbook: Workbook, choice: str | Sequence[str]) -> Iterator[SheetInfo]:
    """Yield the sheets to read, in the order of the workbook."""
    if choice == "all":
        yield from workbook.sheets
        return
    if choice == "active":
        yield from ([info for info in workbook.sheets if info.is_active] or list(workbook.sheets))[:1]
        return
    wanted = [choice] if isinstance(choice, str) else list(choice)
    known = [info.name for info in workbook.sheets]
    for name in wanted:
        if name not in known:
            raise InputError(f'The document has no sheet "{name[:31]}"{_those_it_has(known)}', cause="no_sheet")
    yield from (info for info in workbook.sheets if info.name in wanted)


def _those_it_has(names: Sequence[str | None]) -> str:
    named = [f'"{name}"' for name in names if name is not None]
    if not named:
        return ", nor any other: leave the choice of sheets out."
    return f"; it has {', '.join(named[:5])}{' and more' if len(named) > 5 else ''}."


@record(frozen=False)
class _Worker:
    """Takes sheets and their tables through the passes."""

    run: _Run
    workbook: Workbook
    writer: Writer
    configuration: Configuration
    context: Context
    hooks: Hooks
    mapper: Mapper

    def process_sheet(self, info: SheetInfo) -> None:
        """Find the tables of a sheet and process each."""
        entry = artifacts.sheet_entry(info)
        self.run.sheets.append(entry)
        self.run.emit({"event": "sheet.started", "sheet": info.name})
        if info.visibility != "visible" and self.configuration.settings.hidden_sheets == "skip":
            entry["skipped"] = "hidden"
            return
        if not self.hooks.allow("on_sheet_start", sheet=info):
            entry["skipped"] = "hook"
            return
        evidence = row_evidence(self.configuration.row_rules, self.context)
        sheet = self.workbook.open_sheet(info)
        for found in self.run.times.waiting("structure", find_tables(sheet, evidence=evidence)):
            table = self._process_table(found)
            if table is not None:
                entry["tables"].append(table)
        entry["formulas_without_value"] = sheet.formulas_without_value

    def _process_table(self, found: FoundTable) -> dict[str, Any] | None:
        source = _source_table(found)
        place = {"sheet": found.sheet, "first_row": found.first_row}
        self.run.emit(
            {"event": "table.found", **place, "header_rows": found.header_rows, "columns": len(found.columns)}
        )
        if not self.hooks.allow("on_table_start", table=source):
            for _ in found.data():
                pass  # the next table is found only after this one was read
            return None
        with self.run.times.spent_on("mapping"):
            mapping = self.mapper.map_table(source)
        self.hooks.call("on_table_mapped", table=source, mapping=mapping)
        mapped = sum(column.field is not None for column in mapping.columns)
        self.run.emit({"event": "table.mapped", **place, "mapped": mapped, "unmapped": len(mapping.columns) - mapped})
        entry = self._stream_table(found, source, mapping)
        self.run.emit(
            {"event": "table.finished", **place, "range": entry["range"], "rows": entry["rows"]["written"],
             "issues": entry["issue_counts"]["total"]}
        )  # fmt: skip
        return entry

    def _stream_table(self, found: FoundTable, source: SourceTable, mapping: TableMapping) -> dict[str, Any]:
        """Transform, validate and write the rows, and return what the artifact says about the table."""
        columns = lay_out(mapping, self.configuration)
        output = Output(found.sheet or "Table", [column.title for column in columns])
        self.hooks.call("before_write", table=source, output=output)
        times = self.run.times
        run = TableRun(source, columns, self.configuration, self.context, dropped=output.dropped, times=times)
        log = IssueLog(self.run.stream, cap=self.run.issue_cap)
        log.add(missing_issues(columns, self.configuration, found.sheet))
        name = self.writer.begin_table(output.name, run.titles)
        highlights = self.configuration.settings.highlight
        for chunk in in_chunks(times.waiting("structure", found.data())):
            done = run.process(chunk)
            log.add(done.issues)
            with times.spent_on("write"):
                self.writer.write_rows(done.rows, highlighted=done.flagged if highlights else ())
            if run.row_count % _PROGRESS_ROWS == 0:
                self.run.emit({"event": "rows.progress", "sheet": found.sheet, "rows": run.row_count})
        self.writer.end_table()
        log.add(run.closing_issues())
        log.add(_wider_rows(found))
        log.add(self._table_issues(source, run))
        return artifacts.table_entry(
            found, mapping, output=name, changes=run.changes(), issues=log, written=run.row_count
        )

    def _table_issues(self, source: SourceTable, run: TableRun) -> Iterator[Issue]:
        summary = {"rows": run.row_count, "changes": run.changes()}
        for function, answer in self.hooks.call("on_table_end", table=source, summary=summary):
            for finding in findings(function, answer, ()):
                yield Issue(source.sheet, None, None, finding.rule, finding.severity, finding.message)

    def write_issues_sheet(self) -> None:
        """Add a sheet of all issues when the configuration asks for it."""
        if not self.configuration.settings.issues_sheet:
            return
        from ade_engine.issues_sheet import write_issues

        self.run.stream.flush()
        write_issues(self.run.folder / "issues.ndjson", self.writer, "Issues")


def _wider_rows(found: FoundTable) -> Iterator[Issue]:
    """Yield an issue when rows far down are wider than the table: what is left out must be told."""
    if found.wider_row_count:
        rows = "1 row has" if found.wider_row_count == 1 else f"{found.wider_row_count} rows have"
        message = f"{rows} cells right of the table's last column; they are not in the output"
        yield Issue(found.sheet, None, None, "structure.wider_rows", "warning", message)


def _source_table(found: FoundTable) -> SourceTable:
    rows = [row.values for row in found.sample]
    columns = [_column(column, column_values(rows, column.position)) for column in found.columns]
    return SourceTable(found.sheet, columns, tuple(found.header_rows), found.first_row)


def _column(column: TableColumn, values: list[Value]) -> Column:
    parts = [str(cell).strip() for cell in column.header_cells if cell is not None and str(cell).strip()]
    return Column(column.position, column.header, values, lowest_header=parts[-1] if len(parts) > 1 else "")


def _finished(run: _Run, failure: Failure | None, *, run_id: str | None) -> Result:
    status = "failed" if failure else "succeeded"
    why = failure.as_json() if failure else None
    content = {
        "version": artifacts.VERSION,
        "run": {"id": run_id, "status": status, "failure": why},
        "engine": {"name": "ade-engine", "version": ade_engine.__version__},
        "configuration": artifacts.configuration_entry(run.configuration) if run.configuration else None,
        "input": run.input or {"name": run.source.name},
        "sheets": run.sheets,
        "summary": artifacts.summary(run.sheets),
    }
    path = run.folder / "artifact.json"
    path.write_bytes(artifacts.as_bytes(content))
    told = {"status": status, "failure": why, "summary": content["summary"], "passes": run.times.rounded()}
    run.emit({"event": "run.finished", **told})
    return Result(
        status=status,
        artifact=content,
        artifact_path=path,
        issues_path=run.folder / "issues.ndjson",
        output_paths=run.output_paths,
        failure=failure,
    )
