"""Measures bare reading and writing of xlsx beside other libraries, in one run.

    python benchmarks/engine/io.py [--rows 10000 100000] [--fast] [--keep DIR]

Each measurement is a process of its own: CPU seconds, wall seconds and peak memory, as the system counts them. The
table has 12 columns: texts (distinct and repeated), integers, floats, dates, booleans, and some blanks. `--fast` leaves
out the libraries that take minutes at a million rows.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

COLUMNS = 12
CHUNK_ROWS = 1000
SLOW = {"read openpyxl read_only", "write xlsxwriter constant_memory"}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def main() -> None:
    """Measure every task at every size."""
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        for row_count in options.rows:
            _measure_size(row_count, folder, is_fast=options.fast)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--keep", type=Path)
    return parser.parse_args()


def _measure_size(row_count: int, folder: Path, *, is_fast: bool) -> None:
    ours, theirs = folder / f"ours-{row_count}.xlsx", folder / f"xlsxwriter-{row_count}.xlsx"
    print(f"\n{row_count} rows x {COLUMNS} columns")
    print(f"{'task':44} {'CPU s':>8} {'wall s':>8} {'peak MB':>8} {'us/cell':>8}")
    baseline = measure(lambda: None)
    _report("an idle Python", baseline, row_count)
    tasks: list[tuple[str, Callable[[], None]]] = [
        ("make the values only", lambda: _exhaust(rows(row_count))),
        ("write ade_engine", lambda: write_ours(ours, row_count)),
        ("write xlsxwriter constant_memory", lambda: write_xlsxwriter(theirs, row_count)),
        ("read ade_engine (own file)", lambda: read_ours(ours)),
        ("read ade_engine (xlsxwriter's file)", lambda: read_ours(theirs)),
        ("read python-calamine (xlsxwriter's file)", lambda: read_calamine(theirs)),
        ("read openpyxl read_only", lambda: read_openpyxl(theirs)),
    ]
    for name, task in tasks:
        if is_fast and (name in SLOW or "xlsxwriter's" in name):
            continue
        _report(name, measure(task), row_count)


def _report(name: str, cost: Cost, row_count: int) -> None:
    per_cell = cost.cpu_seconds / row_count / COLUMNS * 1e6
    print(f"{name:44} {cost.cpu_seconds:8.2f} {cost.wall_seconds:8.2f} {cost.peak_mb:8.0f} {per_cell:8.2f}", flush=True)


def measure(task: Callable[[], None]) -> Cost:
    """Run a task in a child process and return what it took."""
    started = time.monotonic()
    child = os.fork()
    if not child:
        task()
        os._exit(0)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit(f"a task failed with status {status}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - started, usage.ru_maxrss / 1024)


def rows(row_count: int) -> Iterator[list[Any]]:
    """Yield the rows of the table, the same in every process."""
    source = random.Random(1)  # noqa: S311 - test data
    first = date(2020, 1, 1)
    for n in range(row_count):
        yield [
            f"ID{n:07d}",
            source.choice(("Anna", "Bob", "Carl")),
            f"user{n}@example.com",
            n,
            source.random() * 1000,
            first + timedelta(days=n % 900),
            "Open" if n % 3 else "Closed",
            source.randrange(100),
            n % 2 == 0,
            f"Some & text {n % 50}" if n % 7 else None,
            round(source.random() * 100, 2),
            "München",
        ]


def _exhaust(items: Iterator[Any]) -> None:
    for _ in items:
        pass


def headers() -> list[str]:
    """Return the headers of the table."""
    return [f"Column {index}" for index in range(1, COLUMNS + 1)]


def write_ours(path: Path, row_count: int) -> None:
    """Write the table with ade_engine."""
    from itertools import islice

    from ade_engine.write import open_writer

    writer = open_writer(path, "xlsx")
    writer.begin_table("Table", headers())
    every = rows(row_count)
    while chunk := list(islice(every, CHUNK_ROWS)):
        writer.write_rows(chunk)
    writer.end_table()
    writer.close()


def write_xlsxwriter(path: Path, row_count: int) -> None:
    """Write the table with xlsxwriter."""
    import xlsxwriter  # type: ignore[import-untyped, unused-ignore]

    workbook = xlsxwriter.Workbook(str(path), {"constant_memory": True, "default_date_format": "yyyy-mm-dd"})
    sheet = workbook.add_worksheet("Table")
    sheet.write_row(0, 0, headers())
    for number, row in enumerate(rows(row_count), 1):
        sheet.write_row(number, 0, row)
    workbook.close()


def read_ours(path: Path) -> None:
    """Read all rows with ade_engine, merged ranges included."""
    from ade_engine.readers import open_workbook

    workbook = open_workbook(path)
    sheet = workbook.open_sheet(workbook.sheets[0])
    assert not sheet.merged  # noqa: S101 - asked for, because a run asks, too
    _exhaust(sheet.rows())
    workbook.close()


def read_calamine(path: Path) -> None:
    """Read all rows with python-calamine."""
    import python_calamine

    _exhaust(python_calamine.CalamineWorkbook.from_path(str(path)).get_sheet_by_index(0).iter_rows())


def read_openpyxl(path: Path) -> None:
    """Read all rows with openpyxl."""
    import openpyxl  # type: ignore[import-untyped, unused-ignore]

    _exhaust(openpyxl.load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True))


if __name__ == "__main__":
    main()
