"""ade run: normalise files here and now, without a server."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from ade.cli.local_options import (
    DEFAULT_DISK_MB,
    DEFAULT_MEMORY_MB,
    DEFAULT_SECONDS,
    Debug,
    DiskMb,
    MemoryMb,
    MinIsolation,
    Timeout,
    sandbox_choice,
    warn_of_debugging,
)
from ade.cli.output import print_json, refuse, result_folders
from ade.cli.verdicts import Accept, check_accept, exit_code_of
from ade_engine.formats import SUFFIXES

FORMATS = ("xlsx", "csv", "parquet")
FAILED = 1


def run(
    files: Annotated[list[Path], typer.Argument(help="Spreadsheets, or folders to search for them.")],
    config: Annotated[
        Path | None, typer.Option(help="Configuration folder. By default, rules for common fields.")
    ] = None,
    sheet: Annotated[
        list[str] | None, typer.Option(help="Only this sheet, also a hidden one; may be repeated.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results, with one folder per file.")] = Path("out"),
    into: Annotated[
        Path | None, typer.Option(help="Also put all results into this one file: .xlsx, .csv or .parquet.")
    ] = None,
    output_format: Annotated[str | None, typer.Option("--format", help="xlsx, csv or parquet.")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of csv files, such as cp1250. By default it is detected.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    accept: Accept = "ready",
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    disk_mb: DiskMb = DEFAULT_DISK_MB,
    min_isolation: MinIsolation = "",
    debug: Debug = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also show the isolation level of the rules.")
    ] = False,
) -> None:
    """Normalise spreadsheets: a clean workbook and an explanation for each.

    The rules are executed in a sandbox: they can read the configuration and the document, and have no network.

    Exit codes: 0 ready, 3 a result should be checked, 4 a result is not usable, 1 a file failed, 2 wrong usage.
    """
    check_accept(accept)
    _check_use(files, config, output_format)
    output_format = _format_of(into, output_format)
    _check_encoding(encoding)
    orders = _orders(files, out, into, config)
    if not orders:
        refuse(f"no spreadsheet in {', '.join(map(str, files))}; looked for {' '.join(SUFFIXES)}")
    _check_writable(out)
    if into is not None:
        _check_writable(into.parent)
    choice = {"configuration": config, "sheets": sheet, "output_format": output_format, "encoding": encoding}
    limits = {"timeout": timeout, "memory_mb": memory_mb, "disk_mb": disk_mb, "min_isolation": min_isolation}
    engine = _engine_here() if debug else _engine_in_sandbox(limits, is_for_many=len(orders) > 1)
    with engine:
        reports = _run_all(engine, orders, choice, is_quiet=as_json or debug)
        combined = _combined(engine, reports, out, into) if into is not None else None
    if as_json:
        more = {"combined": combined} if combined is not None else {}
        print_json({"files": [_as_promised(report) for report in reports], **more})
    else:
        from ade.cli.run_summary import print_reports

        print_reports(reports, is_verbose=verbose)
        for name in combined or ():
            typer.echo(f"All documents: {name}")
        for report in reports if combined else ():
            if report["verdict"] and report["verdict"]["verdict"] == "not_usable":
                typer.echo(f"  with {report['input']}, whose result is not usable")
    raise typer.Exit(_exit_code(reports, accept))


def _check_use(files: list[Path], config: Path | None, output_format: str | None) -> None:
    for path in files:
        if not path.exists():
            refuse(f"{path} does not exist")
    if config is not None and not config.is_dir():
        refuse(f"--config {config} is not a folder; `ade init {config}` makes one")
    if output_format is not None and output_format not in FORMATS:
        refuse(f"--format {output_format} is not one of {', '.join(FORMATS)}")


def _format_of(into: Path | None, output_format: str | None) -> str | None:
    """Return the format to write: that of the one file for all, if there is one."""
    if into is None:
        return output_format
    wanted = into.suffix.removeprefix(".").lower()
    if wanted not in FORMATS:
        refuse(f"--into {into} must end in .{', .'.join(FORMATS)}")
    if output_format not in (None, wanted):
        refuse(f"--format {output_format} and --into {into} contradict each other")
    return wanted


def _combined(engine: Any, reports: list[dict[str, Any]], out: Path, into: Path) -> list[str]:
    """Put the results of all documents that succeeded into one file; return the names of the files written."""
    from ade.cli.combining import CombineFailed

    folders = [Path(report["artifact"]).parent for report in reports if report["status"] == "succeeded"]
    try:
        return [str(path) for path in engine.combine(out, folders, into)] if folders else []
    except CombineFailed as error:
        refuse(f"{into} was not written: {error}", code=FAILED)


def _check_encoding(encoding: str | None) -> None:
    if encoding is None:
        return
    from ade_engine.encoding_names import known_encoding, unknown_encoding

    if known_encoding(encoding) is None:
        refuse(f"--encoding: {unknown_encoding(encoding)}")


def _check_writable(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        refuse(f"cannot write to --out {out}: {error.strerror}; name another folder")


def _orders(files: list[Path], out: Path, into: Path | None, config: Path | None) -> list[tuple[Path, Path]]:
    """Return each file with the folder its results go to; the one file for all is no input."""
    paths = list(dict.fromkeys(found for given in files for found in _expand(given, out, config)))
    paths = [path for path in paths if into is None or path.resolve() != into.resolve()]
    return list(zip(paths, result_folders((path.name for path in paths), out), strict=True))


def _expand(path: Path, out: Path, config: Path | None) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES)
    # "~$name" is the lock file of an open workbook; earlier results are not input.
    candidates = sorted(file for file in found if not file.name.startswith(("~$", ".")))
    files = [file for file in candidates if out.resolve() not in file.resolve().parents]
    rules = config.resolve() if config is not None else None
    if rules is None or path.resolve().is_relative_to(rules):
        return files
    return [file for file in files if not file.resolve().is_relative_to(rules)]  # lookups and cases are no documents


def _engine_here() -> Any:
    from ade.cli.in_process import InProcessEngine

    warn_of_debugging()
    return InProcessEngine()


def _engine_in_sandbox(limits: dict[str, Any], *, is_for_many: bool) -> Any:
    choice = sandbox_choice(**limits)
    from ade.cli.local_sandbox import LocalSandbox
    from ade.cli.sandboxed import SandboxedEngine

    return SandboxedEngine(LocalSandbox(choice, is_for_many=is_for_many))


def _run_all(
    engine: Any, orders: list[tuple[Path, Path]], choice: dict[str, Any], *, is_quiet: bool
) -> list[dict[str, Any]]:
    from ade.cli.reports import Order
    from ade.cli.run_summary import Progress

    reports = []
    with Progress(len(orders), is_quiet=is_quiet) as progress:
        for path, folder in orders:
            order = Order(path=path, out=folder, **choice)
            progress.begin(path)
            reports.append({"input": str(path), **engine.normalize(order, on_event=progress.show)})
    return reports


def _as_promised(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report in the shape other programs rely on."""
    promised = {key: report[key] for key in ("input", "status", "verdict", "artifact", "output", "outputs")}
    promised["sheets"] = report["sheets"]
    promised["tables"] = [_table(table) for table in report["tables"]]
    promised["issues"] = report["issues"]
    promised["isolation"] = report["isolation"]
    if report["failure"]:
        promised["failure"] = report["failure"]
    return promised


def _table(table: dict[str, Any]) -> dict[str, Any]:
    columns = [
        {"source": column["source"], "header": column["header"], "field": column["target"], "score": column["score"]}
        for column in table["columns"]
    ]
    rows = {key: table[key] for key in ("title_rows", "note_rows", "totals_rows", "hidden")}
    return {
        "sheet": table["sheet"],
        "range": table["range"],
        "output": table["output"],
        "file": table["file"],
        "header_rows": table["header"]["rows"],
        **rows,
        "columns": columns,
    }


def _exit_code(reports: list[dict[str, Any]], accept: str) -> int:
    if any(report["status"] == "failed" for report in reports):
        return FAILED
    return exit_code_of([report["verdict"]["verdict"] for report in reports if report["verdict"]], accept)
