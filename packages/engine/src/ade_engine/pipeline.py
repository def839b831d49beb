"""Read this first: a run from document to clean workbook.

Five passes: structure finds tables, mapping names their columns, and then each chunk of rows is transformed,
validated and written before the next one is read. `normalize` is the whole; everything below it is in call order.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import ade_engine
from ade_engine import artifact as artifacts
from ade_engine.configuration.model import Configuration, Context
from ade_engine.encoding_names import known_encoding, unknown_encoding
from ade_engine.errors import ConfigurationError, EngineError, full_disk
from ade_engine.hooks import Hooks
from ade_engine.mapping.table import Mapper
from ade_engine.outputs import FORMATS, remove_earlier
from ade_engine.passes import PassTimes
from ade_engine.protocol import ARTIFACT, ISSUES, MAX_MESSAGE_CHARACTERS
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Workbook, encodings_of
from ade_engine.records import record
from ade_engine.result import Failure, Result
from ade_engine.sheet_choice import chosen_sheets
from ade_engine.sheets_run import Event, SheetsRun
from ade_engine.table_outputs import TableOutputs
from ade_engine.verdict import judge
from ade_engine.write import Writer, open_writer

if TYPE_CHECKING:
    from ade_engine.templates.template import Template

SheetChoice = str | Sequence[str] | None
_OBJECTS_PER_COLLECTION = 20_000


def normalize(
    input_path: str | Path,
    out_dir: str | Path,
    *,
    configuration: Configuration | str | Path | None = None,
    sheets: SheetChoice = None,
    format: str | None = None,  # noqa: A002 - the word people use
    encoding: str | None = None,
    events: Callable[[Event], None] | None = None,
    run_id: str | None = None,
    issue_cap: int = 1000,
    corrections: Sequence[dict[str, Any]] = (),
) -> Result:
    """Normalise a document into `out_dir`: the clean workbook, artifact.json and issues.ndjson.

    Without a configuration the built-in rules for common fields apply. `sheets` is "all", "active" or a list of names
    and wins over the configuration's settings, as `format` and `encoding` do; a hidden sheet that is named is read, and
    `encoding` is that of a delimited text. `corrections` are for this document alone and hold before those of the
    configuration. Errors that have a code end in a failed result.
    """
    if format not in (None, *FORMATS):
        raise ValueError(f"{format!r} is not one of {', '.join(FORMATS)}")
    if encoding is not None and known_encoding(encoding) is None:
        raise ValueError(unknown_encoding(encoding))
    source, folder = Path(input_path), Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    remove_earlier(folder, source)
    emit = events or _ignore
    emit({"event": "run.started", "input": _name(source)})
    with _rare_collections(), (folder / ISSUES).open("w", encoding="utf-8", newline="\n") as stream:
        run = _Run(source, folder, emit=emit, stream=stream, issue_cap=issue_cap, corrections=corrections)
        failure = run.attempt(configuration, sheets=sheets, output_format=format, encoding=encoding)
    return _finished(run, failure, run_id=run_id)


def _name(source: Path) -> str:
    """Return the name of a document as text: the encoding of file names is not declared."""
    return os.fsencode(source.name).decode("utf-8", "replace")


def _ignore(_: Event) -> None:
    """Nobody listens."""


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Look for cyclic garbage less often: rows come and go by the thousand and hold none, but each look visits them."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _OBJECTS_PER_COLLECTION) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@record(frozen=False)
class _Run:
    """One run on its way: what it writes to, and what it has found so far."""

    source: Path
    folder: Path
    emit: Callable[[Event], None] = field(kw_only=True)
    stream: TextIO = field(kw_only=True)
    issue_cap: int = field(kw_only=True)
    corrections: Sequence[dict[str, Any]] = field(kw_only=True)
    configuration: Configuration | None = None
    input: dict[str, Any] | None = None
    sheets: list[dict[str, Any]] = field(default_factory=list)
    output_paths: tuple[Path, ...] = ()
    outputs: list[dict[str, Any]] = field(default_factory=list)
    times: PassTimes = field(default_factory=PassTimes)

    def attempt(
        self,
        configuration: Configuration | str | Path | None,
        *,
        sheets: SheetChoice,
        output_format: str | None,
        encoding: str | None,
    ) -> Failure | None:
        """Do the whole work; return why it failed, or None."""
        try:
            loaded = _with_corrections(_of_document(_loaded(configuration), _name(self.source)), self.corrections)
            self.configuration = loaded.of_document(_name(self.source))
            settings = self.configuration.settings
            with closing(
                open_workbook(self.source, encoding=encoding or settings.encoding, delimiter=settings.delimiter)
            ) as workbook:
                self._process(
                    workbook, self.configuration, sheets=sheets, output_format=output_format or settings.format
                )
        except EngineError as error:
            if full := full_disk(error):
                raise full from None  # no rule is wrong
            _log_cause(error)
            return Failure(error.code, str(error)[:MAX_MESSAGE_CHARACTERS])
        return None

    def _process(
        self, workbook: Workbook, configuration: Configuration, *, sheets: SheetChoice, output_format: str
    ) -> None:
        context = Context(settings=configuration.settings.rules, document=_name(self.source))
        hooks = Hooks(configuration, context)
        self.input = _input_entry(self.source, workbook)
        hooks.call("on_workbook_start", workbook=workbook)
        settings = configuration.settings
        path = self.folder / f"normalized.{output_format}"
        template = configuration.templates.get(settings.template or "")
        with _writing(path, output_format, escape_formulas=settings.escape_formulas, template=template) as writer:
            mapper = Mapper(configuration, context)
            outputs = TableOutputs(writer, settings)
            worker = SheetsRun(self, workbook, writer, outputs, configuration, context, hooks, mapper)
            choice = settings.sheets if sheets is None else sheets
            reads_hidden = settings.hidden_sheets == "read"
            worker.process_sheets(list(chosen_sheets(workbook.sheets, choice, reads_hidden=reads_hidden)))
            worker.report_sheets_left_out()
            self.outputs = [_with_template(entry, writer) for entry in outputs.finish()]
            worker.write_issues_sheet()
            hooks.call("on_workbook_end", workbook=workbook, summary=artifacts.summary(self.sheets))
        self.output_paths = tuple(writer.paths)


def _with_template(entry: dict[str, Any], writer: Writer) -> dict[str, Any]:
    """Return an output with where its rows are in a template, if it was written into one."""
    filled = writer.filled.get(entry["name"])
    return {**entry, "template": filled} if filled is not None else entry


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
def _writing(path: Path, output_format: str, *, escape_formulas: bool, template: Template | None) -> Iterator[Writer]:
    """Open a writer whose files stay only when the run succeeds: half a workbook looks like a whole one."""
    writer = open_writer(path, output_format, escape_formulas=escape_formulas, template=template)
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


def _of_document(configuration: Configuration, name: str) -> Configuration:
    """Return the configuration without what people corrected in cells of other documents."""
    if not configuration.corrections:
        return configuration
    from ade_engine.corrections import without_cells_of_others

    return without_cells_of_others(configuration, name)


def _with_corrections(configuration: Configuration, corrections: Sequence[dict[str, Any]]) -> Configuration:
    """Return the configuration with the corrections of this document; raise when one is wrong."""
    if not corrections:
        return configuration
    from ade_engine.configuration.corrections_file import new_fields, wrong_correction
    from ade_engine.corrections import corrected

    for entry in corrections:
        for message, _ in wrong_correction(entry):
            raise ConfigurationError(f"A correction is wrong: {message}.")
    names = {field.name for field in configuration.fields} | new_fields(corrections)
    for entry in corrections:
        if entry.get("field") is not None and entry["field"] not in names:
            raise ConfigurationError(f"The correction {entry['id']} names no field {entry['field']}.")
    return corrected(configuration, corrections)


def _input_entry(source: Path, workbook: Workbook) -> dict[str, Any]:
    with source.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    known = {"name": _name(source), "format": workbook.format, "bytes": source.stat().st_size, "sha256": digest}
    return known | encodings_of(workbook)


def _finished(run: _Run, failure: Failure | None, *, run_id: str | None) -> Result:
    status = "failed" if failure else "succeeded"
    why = failure.as_json() if failure else None
    content: dict[str, Any] = {
        "version": artifacts.VERSION,
        "run": {"id": run_id, "status": status, "failure": why},
        "verdict": None,
        "engine": {"name": "ade-engine", "version": ade_engine.__version__},
        "configuration": artifacts.configuration_entry(run.configuration) if run.configuration else None,
        "input": run.input or {"name": _name(run.source)},
        "outputs": run.outputs if run.output_paths else [],
        "sheets": run.sheets,
        "summary": artifacts.summary(run.sheets),
    }
    if failure is None and run.configuration is not None:
        content["verdict"] = judge(content, run.configuration.settings).as_json()
    path = run.folder / ARTIFACT
    path.write_bytes(artifacts.as_bytes(content))
    told = {"status": status, "failure": why, "verdict": content["verdict"], "summary": content["summary"]}
    run.emit({"event": "run.finished", **told, "passes": run.times.rounded()})
    return Result(
        status=status,
        artifact=content,
        artifact_path=path,
        issues_path=run.folder / ISSUES,
        output_paths=run.output_paths,
        failure=failure,
    )
