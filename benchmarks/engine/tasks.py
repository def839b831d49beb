"""What is measured: one task, in a process of its own.

bin/bench engine/tasks TASK INPUT OUTPUT
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any

CONFIGURATION = Path(__file__).parent / "configuration"
CHUNK_ROWS = 1000


def run(source: Path, output: Path) -> None:
    """Do the whole run: six fields mapped, transformed, validated; artifact and issues written."""
    from ade_engine import normalize

    result = normalize(source, output.with_suffix(""), configuration=CONFIGURATION)
    mapped = result.artifact["summary"]["columns"]["mapped"]
    if result.status != "succeeded" or mapped != 6:
        sys.exit(f"the run {result.status} with {mapped} mapped columns: {result.failure}")


def first_row(source: Path, output: Path) -> None:
    """Print how many milliseconds after its start the process hands the first rows to the writer."""
    from ade_engine import normalize
    from ade_engine.writers.xlsx import XlsxWriter

    write_rows = XlsxWriter.write_rows
    ready: list[float] = []

    def watched(self: XlsxWriter, rows: Any, **options: Any) -> None:
        if not ready:
            ready.append(time.clock_gettime(time.CLOCK_MONOTONIC))
        write_rows(self, rows, **options)

    XlsxWriter.write_rows = watched  # type: ignore[method-assign]
    normalize(source, output.with_suffix(""), configuration=CONFIGURATION)
    print(round((ready[0] - float(sys.argv[4])) * 1000))


def peer(source: Path, output: Path) -> None:
    """Do the same work with openpyxl and polars, as most programs use them."""
    from peer import normalize

    normalize(source, output, is_streaming=False)


def peer_streaming(source: Path, output: Path) -> None:
    """Do the same work with openpyxl and polars, with as little memory as they can."""
    from peer import normalize

    normalize(source, output, is_streaming=True)


def bare(source: Path, output: Path) -> None:
    """Read with our reader and write with our writer, and nothing between."""
    from ade_engine.readers import open_workbook

    workbook = open_workbook(source)
    sheet = workbook.open_sheet(workbook.sheets[0])
    assert not sheet.merged  # noqa: S101 - asked for, because a run asks, too
    rows = iter(sheet.rows())
    _write_ours(output, next(rows).values, (row.values for row in rows))
    workbook.close()


def read(source: Path, _output: Path) -> None:
    """Read with our reader alone."""
    from ade_engine.readers import open_workbook

    workbook = open_workbook(source)
    for _ in workbook.open_sheet(workbook.sheets[0]).rows():
        pass


def calamine(source: Path, output: Path) -> None:
    """Read with python-calamine and write with our writer."""
    rows = _calamine_rows(source)
    _write_ours(output, next(rows), ([None if value == "" else value for value in row] for row in rows))


def calamine_xlsxwriter(source: Path, output: Path) -> None:
    """Read with python-calamine and write with xlsxwriter."""
    import xlsxwriter

    workbook = xlsxwriter.Workbook(str(output), {"constant_memory": True, "default_date_format": "yyyy-mm-dd"})
    sheet = workbook.add_worksheet("Members")
    for number, row in enumerate(_calamine_rows(source)):
        sheet.write_row(number, 0, row)
    workbook.close()


def nothing(_source: Path, _output: Path) -> None:
    """Start Python and end."""


def _calamine_rows(source: Path) -> Any:
    import python_calamine

    return python_calamine.CalamineWorkbook.from_path(str(source)).get_sheet_by_index(0).iter_rows()


def _write_ours(output: Path, headers: Iterable[Any], rows: Iterable[list[Any]]) -> None:
    from ade_engine.write import open_writer

    titles = [str(header) for header in headers]
    writer = open_writer(output, "xlsx")
    writer.begin_table("Members", titles)
    every = iter(rows)
    while chunk := list(islice(every, CHUNK_ROWS)):
        writer.write_rows([row + [None] * (len(titles) - len(row)) for row in chunk])
    writer.end_table()
    writer.close()


TASKS: dict[str, Callable[[Path, Path], None]] = {
    "run": run,
    "first_row": first_row,
    "peer": peer,
    "peer_streaming": peer_streaming,
    "bare": bare,
    "read": read,
    "calamine": calamine,
    "calamine_xlsxwriter": calamine_xlsxwriter,
    "nothing": nothing,
}

if __name__ == "__main__":
    TASKS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
