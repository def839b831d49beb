"""ade run: normalise files here and now, without a server."""

import tempfile
from pathlib import Path
from typing import Annotated, Any, NoReturn

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
from ade.cli.output import print_json, result_folders

SUFFIXES = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv"}
FORMATS = ("xlsx", "csv", "parquet")
CLEAN, FAILED, USAGE, HAS_ISSUES = 0, 1, 2, 3


def run(
    files: Annotated[list[Path], typer.Argument(help="Spreadsheets, or folders to search for them.")],
    config: Annotated[
        Path | None, typer.Option(help="Configuration folder. Without it: rules for common fields.")
    ] = None,
    sheet: Annotated[
        list[str] | None, typer.Option(help="Only this sheet, also a hidden one; may be repeated.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results, one folder a file.")] = Path("out"),
    output_format: Annotated[str | None, typer.Option("--format", help="xlsx, csv or parquet.")] = None,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of csv files, such as cp1250. Without it: detected.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
    timeout: Timeout = DEFAULT_SECONDS,
    memory_mb: MemoryMb = DEFAULT_MEMORY_MB,
    disk_mb: DiskMb = DEFAULT_DISK_MB,
    min_isolation: MinIsolation = "",
    debug: Debug = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also say how well the rules were isolated.")
    ] = False,
) -> None:
    """Normalise spreadsheets: a clean workbook and an explanation for each.

    The rules are executed in a sandbox: they read the configuration and the document, and have no network.

    Exit codes: 0 clean, 3 finished with warnings or errors in the data, 1 a file failed, 2 wrong use.
    """
    _check_use(files, config, output_format)
    _check_encoding(encoding)
    orders = _orders(files, out)
    if not orders:
        _refuse(f"no spreadsheet in {', '.join(map(str, files))}; looked for {' '.join(sorted(SUFFIXES))}")
    _check_writable(out)
    choice = {"configuration": config, "sheets": sheet, "output_format": output_format, "encoding": encoding}
    limits = {"timeout": timeout, "memory_mb": memory_mb, "disk_mb": disk_mb, "min_isolation": min_isolation}
    engine = _engine_here() if debug else _engine_in_sandbox(limits, is_for_many=len(orders) > 1)
    reports = _run_all(engine, orders, choice, is_quiet=as_json or debug)
    if as_json:
        print_json({"files": [_as_promised(report) for report in reports]})
    else:
        from ade.cli.run_summary import print_reports

        print_reports(reports, is_verbose=verbose)
    raise typer.Exit(_exit_code(reports))


def _check_use(files: list[Path], config: Path | None, output_format: str | None) -> None:
    for path in files:
        if not path.exists():
            _refuse(f"{path} does not exist")
    if config is not None and not config.is_dir():
        _refuse(f"--config {config} is not a folder; `ade init {config}` makes one")
    if output_format is not None and output_format not in FORMATS:
        _refuse(f"--format {output_format} is not one of {', '.join(FORMATS)}")


def _check_encoding(encoding: str | None) -> None:
    if encoding is None:
        return
    from ade_engine.encoding_names import known_encoding, unknown_encoding

    if known_encoding(encoding) is None:
        _refuse(f"--encoding: {unknown_encoding(encoding)}")


def _check_writable(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        _refuse(f"cannot write to --out {out}: {error.strerror}; name another folder")


def _refuse(reason: str) -> NoReturn:
    typer.echo(f"ade: {reason}", err=True)
    raise typer.Exit(USAGE)


def _orders(files: list[Path], out: Path) -> list[tuple[Path, Path]]:
    """Return each file with the folder its results go to."""
    paths = list(dict.fromkeys(found for given in files for found in _expand(given, out)))
    return list(zip(paths, result_folders((path.name for path in paths), out), strict=True))


def _expand(path: Path, out: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES)
    # "~$name" is the lock file of an open workbook; earlier results are not input.
    return sorted(file for file in found if not file.name.startswith(("~$", ".")) and out not in file.parents)


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
    with engine, Progress(len(orders), is_quiet=is_quiet) as progress:
        for path, folder in orders:
            order = Order(path=path, out=folder, **choice)
            progress.begin(path)
            reports.append({"input": str(path), **engine.normalize(order, on_event=progress.tell)})
    return reports


def _as_promised(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report in the shape other programs rely on."""
    promised = {key: report[key] for key in ("input", "status", "artifact", "output", "outputs")}
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


def _exit_code(reports: list[dict[str, Any]]) -> int:
    if any(report["status"] == "failed" for report in reports):
        return FAILED
    return HAS_ISSUES if any(report["issues"] > report["infos"] for report in reports) else CLEAN
