"""ade run: normalise files here and now, without a server."""

import tempfile
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from ade.cli.output import print_json

SUFFIXES = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".csv", ".tsv"}
FORMATS = ("xlsx", "csv", "parquet")
CLEAN, FAILED, USAGE, HAS_ISSUES = 0, 1, 2, 3


def run(
    files: Annotated[list[Path], typer.Argument(help="Spreadsheets, or folders to search for them.")],
    config: Annotated[
        Path | None, typer.Option(help="Configuration folder. Without it: rules for common fields.")
    ] = None,
    sheet: Annotated[list[str] | None, typer.Option(help="Only this sheet; may be repeated.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for the results, one folder a file.")] = Path("out"),
    output_format: Annotated[str | None, typer.Option("--format", help="xlsx, csv or parquet.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Answer with one JSON document.")] = False,
) -> None:
    """Normalise spreadsheets: a clean workbook and an explanation for each.

    Exit codes: 0 clean, 3 finished with issues in the data, 1 a file failed, 2 wrong use.
    """
    _check_use(files, config, output_format)
    orders = _orders(files, out)
    if not orders:
        _refuse(f"no spreadsheet in {', '.join(map(str, files))}; looked for {' '.join(sorted(SUFFIXES))}")
    _check_writable(out)
    reports = _run_all(orders, config=config, sheets=sheet, output_format=output_format, is_quiet=as_json)
    if as_json:
        print_json({"files": [_as_promised(report) for report in reports]})
    else:
        from ade.cli.run_summary import print_reports

        print_reports(reports)
    raise typer.Exit(_exit_code(reports))


def _check_use(files: list[Path], config: Path | None, output_format: str | None) -> None:
    for path in files:
        if not path.exists():
            _refuse(f"{path} does not exist")
    if config is not None and not config.is_dir():
        _refuse(f"--config {config} is not a folder; `ade init {config}` makes one")
    if output_format is not None and output_format not in FORMATS:
        _refuse(f"--format {output_format} is not one of {', '.join(FORMATS)}")


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
    """Return each file with the folder its results go to; files of one name get folders of their own."""
    taken: set[Path] = set()
    orders = []
    for path in dict.fromkeys(found for given in files for found in _expand(given, out)):
        folder, number = out / path.stem, 1
        while folder in taken:
            number += 1
            folder = out / f"{path.stem}-{number}"
        taken.add(folder)
        orders.append((path, folder))
    return orders


def _expand(path: Path, out: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = (file for file in path.rglob("*") if file.is_file() and file.suffix.lower() in SUFFIXES)
    # "~$name" is the lock file of an open workbook; earlier results are not input.
    return sorted(file for file in found if not file.name.startswith(("~$", ".")) and out not in file.parents)


def _run_all(
    orders: list[tuple[Path, Path]],
    *,
    config: Path | None,
    sheets: list[str] | None,
    output_format: str | None,
    is_quiet: bool,
) -> list[dict[str, Any]]:
    from ade.cli.engine_child import EngineChild, Order
    from ade.cli.run_summary import Progress

    reports = []
    with closing(EngineChild()) as child, Progress(len(orders), is_quiet=is_quiet) as progress:
        for path, folder in orders:
            order = Order(path=path, out=folder, configuration=config, sheets=sheets, output_format=output_format)
            progress.begin(path)
            reports.append({"input": str(path), **child.normalize(order, on_event=progress.tell)})
    return reports


def _as_promised(report: dict[str, Any]) -> dict[str, Any]:
    """Return a report in the shape other programs rely on."""
    promised = {key: report[key] for key in ("input", "status", "artifact", "output")}
    promised["tables"] = [_table(table) for table in report["tables"]]
    promised["issues"] = report["issues"]
    if report["failure"]:
        promised["failure"] = report["failure"]
    return promised


def _table(table: dict[str, Any]) -> dict[str, Any]:
    columns = [
        {"source": column["source"], "header": column["header"], "field": column["target"], "score": column["score"]}
        for column in table["columns"]
    ]
    rows = {key: table[key] for key in ("title_rows", "note_rows", "totals_rows")}
    return {
        "sheet": table["sheet"],
        "range": table["range"],
        "header_rows": table["header"]["rows"],
        **rows,
        "columns": columns,
    }


def _exit_code(reports: list[dict[str, Any]]) -> int:
    if any(report["status"] == "failed" for report in reports):
        return FAILED
    return HAS_ISSUES if any(report["issues"] for report in reports) else CLEAN
