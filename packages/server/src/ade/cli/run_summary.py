"""What a person sees of `ade run`: a progress bar while it works, tables of what was found afterwards."""

import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from types import TracebackType
from typing import Any, Self

from rich import progress as rich_progress
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ade.cli.output import printable
from ade.cli.verdicts import COLOURS
from ade.cli.verdicts import WORDS as VERDICTS
from ade_engine.protocol import ISSUES

MOST_COLUMNS = 40
MOST_SHEETS = 5
WORDS = {
    "header.alias": "header is one of its names",
    "header.normalised": "header is one of its names",
    "header.hint": "header hints at it",
    "header.lowest": "last header row is one of its names",
    "header.fuzzy": "header is nearly one of its names",
    "header.words": "header shares words with its names",
    "name.words": "words of the header fit its name",
    "name.letters": "header is written like its name",
    "name.meaning": "words mean the same, or nearly",
    "name.numbers": "numbers in the names agree",
    "name.rivals": "no other name fits better",
    "profile.kinds": "values look like the example's",
    "profile.range": "numbers are in the example's range",
    "profile.repeats": "values repeat as in the example",
    "profile.same": "it has values of the example",
    "profile.rivals": "its values fit this field best",
    "table.place": "it is in the same place",
    "table.rivals": "nothing else is as likely",
    "likely": "likely by its name and values",
    "combined": "combined with others",
    "hook": "a hook decided it",
    "corrected": "a person decided it",
    "no_candidate": "no evidence for any field",
    "ignored": "the configuration leaves it out",
}


class Progress:
    """A bar on standard error: the file, and the rows so far. Silent when standard error is not a terminal."""

    def __init__(self, count: int, *, is_quiet: bool) -> None:
        console = Console(stderr=True)
        self._bar = rich_progress.Progress(
            rich_progress.SpinnerColumn(),
            rich_progress.TextColumn("{task.description}"),
            rich_progress.BarColumn(),
            rich_progress.MofNCompleteColumn(),
            rich_progress.TextColumn("{task.fields[rows]}"),
            rich_progress.TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=is_quiet or not sys.stderr.isatty(),
        )
        self._task = self._bar.add_task("", total=count, rows="")
        self._begun = 0

    def begin(self, path: Path) -> None:
        """Show the next file."""
        self._bar.update(self._task, description=escape(printable(path.name)), completed=self._begun, rows="")
        self._begun += 1

    def show(self, event: str, data: Mapping[str, Any]) -> None:
        """Show how far the file is; rules can send any event, with anything in it."""
        if event == "rows.progress" and isinstance(data.get("rows"), int):
            self._bar.update(self._task, rows=f"{data['rows']:,} rows")

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()


def print_reports(reports: list[dict[str, Any]], *, is_verbose: bool) -> None:
    """Print what was found in each file, and a closing line."""
    console = Console()
    for report in reports:
        _print_report(console, _as_printable(report), is_verbose=is_verbose)
    failed = sum(report["status"] == "failed" for report in reports)
    issues = sum(report["issues"] for report in reports)
    if len(reports) > 1:
        verdicts = [report["verdict"]["verdict"] for report in reports if report["verdict"]]
        counts = ", ".join(f"{verdicts.count(verdict)} {word.lower()}" for verdict, word in VERDICTS.items())
        console.print(f"[bold]{len(reports)} files[/]: {counts}, {failed} failed, {issues} issues")


def _as_printable(value: Any) -> Any:
    """Return what a document or a rule names as a terminal can show it safely."""
    if isinstance(value, dict):
        return {key: _as_printable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_printable(item) for item in value]
    return printable(value) if isinstance(value, str) else value


def _print_report(console: Console, report: dict[str, Any], *, is_verbose: bool) -> None:
    console.print(f"[bold]{escape(report['input'])}[/]")
    if is_verbose:
        console.print(f"  [dim]isolation: {report['isolation'] or 'none, the process did not start'}[/]")
    if report["failure"]:
        code, message = escape(report["failure"]["code"]), escape(report["failure"]["message"])
        console.print(f"  [red]failed[/] ({code}): {message}\n", soft_wrap=True)
        return
    for table in report["tables"]:
        _print_table(console, table)
    _print_sheets(console, report["sheets"])
    verdict = report["verdict"] or {"verdict": "check", "sentence": "The artifact has no verdict."}
    colour = COLOURS.get(verdict["verdict"], "yellow")
    word = escape(VERDICTS.get(verdict["verdict"], verdict["verdict"]))
    console.print(f"  [{colour}]{word}[/]: {escape(verdict['sentence'])}", soft_wrap=True)
    first, *others = map(escape, report["outputs"] or ["no output"])
    console.print(f"  {_count(report['issues'], 'issue')}  {first}", soft_wrap=True)
    for path in others:
        console.print(f"  and {path}", soft_wrap=True)
    if report["issues"]:
        issues = Path(report["artifact"]).with_name(ISSUES)
        console.print(f"  [dim]which: {escape(str(issues))}[/]", soft_wrap=True)
    folder = quote(str(Path(report["artifact"]).parent))
    console.print(f"  [dim]why: ade explain {escape(folder)}[/]\n", soft_wrap=True)


def _print_sheets(console: Console, sheets: list[dict[str, Any]]) -> None:
    """Print what holds for whole sheets: what the reader is unsure of, sheets without a table, sheets not read."""
    if not any(sheet["tables"] or sheet["issues"] for sheet in sheets):
        console.print("  [yellow]no table written[/]: none of the sheets that were read has one")
    for sheet in sheets:
        for issue in sheet["issues"]:
            place = f"{sheet['name']}  " if sheet["name"] is not None else ""
            console.print(f"  {escape(place)}[yellow]{escape(issue['message'])}[/]", soft_wrap=True)
    hidden = [sheet["name"] for sheet in sheets if sheet["skipped"] == "hidden"]
    if hidden:
        named = ", ".join(hidden[:MOST_SHEETS]) + (" and more" if len(hidden) > MOST_SHEETS else "")
        it = "it" if len(hidden) == 1 else "them"
        advice = f'Read {it} with --sheet {quote(hidden[0])}, or with \\[sheets] hidden = "read" in settings.toml.'
        console.print(
            f"  [yellow]{_count(len(hidden), 'hidden sheet')} not read[/]: {escape(named)}. {advice}", soft_wrap=True
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _print_table(console: Console, table: dict[str, Any]) -> None:
    place = f"{table['sheet']} {table['range']}" if table["sheet"] is not None else table["range"]
    written = f"{_count(table['rows']['written'], 'row')} written{_hidden(table['hidden'])}"
    console.print(f"  {escape(place)}  {_header(table)}, {written}")
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("", "column", "header", "field", "score", "why"):
        shown.add_column(name, justify="right" if name == "score" else "left", overflow="fold")
    for column in table["columns"][:MOST_COLUMNS]:
        shown.add_row("   ", *_cells(column))
    console.print(shown)
    if len(table["columns"]) > MOST_COLUMNS:
        console.print(f"    … and {len(table['columns']) - MOST_COLUMNS} more columns")


def _header(table: dict[str, Any]) -> str:
    rows = table["header"]["rows"]
    if not rows:
        return "no header row"
    return f"header row {rows[0]}" if len(rows) == 1 else f"header rows {', '.join(map(str, rows))}"


def _hidden(hidden: dict[str, Any]) -> str:
    """Say how much of what was written is hidden in the document."""
    rows, columns = hidden["rows"], len(hidden["columns"])
    parts = [_count(number, noun) for number, noun in ((rows, "hidden row"), (columns, "hidden column")) if number]
    return f", {' and '.join(parts)} among them" if parts else ""


def _cells(column: dict[str, Any]) -> list[str]:
    source, header = escape(column["source"]), escape(column["header"])
    if column["target"] is None:
        return [source, header, "[dim]not mapped[/]", "", f"[dim]{escape(_why_not(column))}[/]"]
    return [source, header, escape(column["target"]), _score(column["score"]), f"[dim]{escape(_why(column))}[/]"]


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _why(column: dict[str, Any]) -> str:
    """Name the strongest evidence for the field; `ade explain` lists the rest."""
    best = max(column["contributions"], key=lambda found: found["delta"], default=None)
    if best is None or best["delta"] <= 0:
        return WORDS.get(column["reason"], str(column["reason"]))
    kind: str = best["rule"].removeprefix("values.")
    return f"values look like {kind}" if kind != best["rule"] else WORDS.get(best["rule"], str(best["rule"]))


def _why_not(column: dict[str, Any]) -> str:
    rival = column["runner_up"]
    if column["reason"] == "unsure" and column.get("suggestions"):
        likely = [f"{found['field']} ({100 * found['confidence']:.0f} %)" for found in column["suggestions"]]
        return f"not certain enough; likely {', '.join(likely)}"
    if column["reason"] == "lost" and rival:
        return f"column {column['lost_to']} is a better {rival['field']}"
    if column["reason"] == "below_threshold" and rival:
        bar = (column["score"] or 0) - (column["margin"] or 0)
        return f"not enough evidence for {rival['field']} ({rival['score']:.2f} of {bar:.2f})"
    return WORDS.get(column["reason"], str(column["reason"]))
