"""Reads every xls file of the corpus and compares each cell with xlrd; measures CPU and memory of both.

    bin/bench engine/corpus_xls [--corpus DIR] [--only TEXT]

Dates are compared as dates. Files with an embedded chart are counted separately: a chart has cells of its own. Exit
code 1 when a file differs without a finding that says so, or when only xlrd reads it.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BARE = re.compile(rb"\x09[\x00\x02\x04\x08][\x04-\x10]\x00", re.DOTALL)
CHART = re.compile(rb"\x09\x08\x10\x00\x00[\x05\x06]\x20\x00")
TOLERANCE = timedelta(milliseconds=1)
COSTS = {"ours": "our reader, styles included", "xlrd_styles": "xlrd with styles", "xlrd": "xlrd without styles"}

Cells = dict[tuple[str, int, int], Any]


def main() -> int:
    """Compare all files, print what differs, the totals and the costs."""
    options = _options()
    if options.cost:
        _READ[options.cost]([Path(line) for line in sys.stdin.read().splitlines()])
        return 0
    files = [path for path in _files(options.corpus) if options.only in str(path)]
    # First: a child is charged for the memory its parent held when it was started.
    costs = _costs(files)
    counts: Counter[tuple[str, bool]] = Counter()
    for path in files:
        verdict, detail = judge(path)
        counts[verdict, bool(CHART.search(path.read_bytes()))] += 1
        if verdict != "equal":
            print(f"{verdict:12} {path.relative_to(options.corpus)}: {detail}")
    print("\n".join(["", *_totals(counts), "", *costs]))
    return 1 if any(verdict in ("DIFFERENT", "REFUSED") for verdict, _ in counts) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("ADE_CORPUS", "../shared/corpus")))
    parser.add_argument("--only", default="")
    parser.add_argument("--cost", choices=tuple(COSTS))
    return parser.parse_args()


def _files(corpus: Path) -> Iterator[Path]:
    for path in sorted(corpus.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(8)
            if head == CONTAINER or BARE.match(head):
                yield path


def judge(path: Path) -> tuple[str, str]:
    """Say whether a file reads as with xlrd."""
    from ade_engine.errors import InputError

    theirs, failure = _attempted(path)
    try:
        ours, has_findings = read_ours(path)
    except InputError as error:
        return ("refused", error.cause) if failure else ("REFUSED", error.cause)
    if failure:
        return "read by us", f"xlrd: {failure}"
    places = sorted({*ours, *theirs})
    wrong = [place for place in places if not is_same(ours.get(place), theirs.get(place))]
    if wrong:
        return ("reported" if has_findings else "DIFFERENT"), f"{len(wrong)} of {len(places)} cells, first {wrong[0]}"
    return "equal", ""


def _attempted(path: Path) -> tuple[Cells, str]:
    try:
        return read_theirs(path), ""
    except Exception as error:  # noqa: BLE001 - xlrd raises whatever the damage leads to
        return {}, f"{type(error).__name__} {str(error)[:60]}"


def read_ours(path: Path) -> tuple[Cells, bool]:
    """Return the cells as our reader sees them, and whether it reports anything."""
    from ade_engine.readers import open_workbook

    cells: Cells = {}
    has_findings = False
    workbook = open_workbook(path)
    for info in workbook.sheets:
        sheet = workbook.open_sheet(info)
        for row in sheet.rows():
            for column, value in enumerate(row.values):
                if value is not None:
                    cells[info.name or "", row.number - 1, column] = value
        has_findings = has_findings or bool(sheet.findings)
    workbook.close()
    return cells, has_findings


def read_theirs(path: Path) -> Cells:
    """Return the cells as xlrd sees them: a date as its serial and date system, an error as its name."""
    import xlrd

    book = xlrd.open_workbook(str(path), logfile=io.StringIO())
    convert: dict[int, Callable[[Any], Any]] = {
        xlrd.XL_CELL_DATE: lambda value: (value, book.datemode),
        xlrd.XL_CELL_BOOLEAN: bool,
        xlrd.XL_CELL_ERROR: lambda value: xlrd.error_text_from_code.get(value, ""),
    }
    cells: Cells = {}
    for sheet in book.sheets():
        for row in range(sheet.nrows):
            for column, (kind, value) in enumerate(zip(sheet.row_types(row), sheet.row_values(row), strict=True)):
                if kind not in (xlrd.XL_CELL_EMPTY, xlrd.XL_CELL_BLANK) and value != "":
                    cells[sheet.name, row, column] = convert.get(kind, _itself)(value)
    return cells


def _itself(value: Any) -> Any:
    return value


def is_same(ours: Any, theirs: Any) -> bool:
    """Return whether two readers mean the same."""
    from ade_engine.cells import CellError

    if isinstance(theirs, tuple):
        return _is_same_moment(ours, *theirs)
    if isinstance(ours, CellError):
        # Excel shows a stored "not a number" as this error.
        return ours.code == ("#NUM!" if theirs != theirs else theirs)
    return isinstance(ours, bool) == isinstance(theirs, bool) and bool(ours == theirs)


def _is_same_moment(ours: Any, serial: float, date_mode: int) -> bool:
    import xlrd

    match ours:
        case datetime():
            return bool(abs(ours - xlrd.xldate_as_datetime(serial, date_mode)) <= TOLERANCE)
        case date():
            return bool(datetime(ours.year, ours.month, ours.day) == xlrd.xldate_as_datetime(serial, date_mode))  # noqa: DTZ001
        case time():
            today = timedelta(hours=ours.hour, minutes=ours.minute, seconds=ours.second, microseconds=ours.microsecond)
            return abs(today - timedelta(days=serial)) <= TOLERANCE
        case timedelta():
            return abs(ours - timedelta(days=serial)) <= TOLERANCE
        case _:
            return False


def _totals(counts: Counter[tuple[str, bool]]) -> list[str]:
    lines = ["| files | with a chart | without |", "| --- | ---: | ---: |"]
    verdicts = sorted({verdict for verdict, _ in counts})
    return lines + [f"| {verdict} | {counts[verdict, True]} | {counts[verdict, False]} |" for verdict in verdicts]


def _costs(files: list[Path]) -> list[str]:
    lines = ["| reader | CPU s | peak MB |", "| --- | ---: | ---: |"]
    for name, title in COSTS.items():
        cpu_seconds, peak_mb = min(_cost(name, files) for _ in range(3))
        lines.append(f"| {title} | {cpu_seconds:.2f} | {peak_mb:.0f} |")
    return lines


def _cost(name: str, files: list[Path]) -> tuple[float, float]:
    with tempfile.TemporaryFile("w+") as names:
        names.write("\n".join(map(str, files)))
        names.seek(0)
        child = subprocess.Popen([sys.executable, __file__, "--cost", name], stdin=names)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{name} ended with {child.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _walk_ours(files: list[Path]) -> None:
    from ade_engine.errors import InputError
    from ade_engine.readers import open_workbook

    for path in files:
        try:
            workbook = open_workbook(path)
            for info in workbook.sheets:
                for _ in workbook.open_sheet(info).rows():
                    pass
            workbook.close()
        except InputError:
            continue


def _walk_theirs(files: list[Path], *, has_styles: bool) -> None:
    import xlrd

    for path in files:
        try:
            book = xlrd.open_workbook(str(path), logfile=io.StringIO(), on_demand=True, formatting_info=has_styles)
            for index in range(book.nsheets):
                sheet = book.sheet_by_index(index)
                for row in range(sheet.nrows):
                    sheet.row_values(row)
                book.unload_sheet(index)
        except Exception:  # noqa: BLE001, S112 - xlrd raises whatever the damage leads to
            continue


_READ = {
    "ours": _walk_ours,
    "xlrd": lambda files: _walk_theirs(files, has_styles=False),
    "xlrd_styles": lambda files: _walk_theirs(files, has_styles=True),
}

if __name__ == "__main__":
    sys.exit(main())
