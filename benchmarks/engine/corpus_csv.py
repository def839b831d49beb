"""Reads the polluted csv files of the corpus and compares dialect and rows with what they should be.

    bin/bench engine/corpus_csv [--corpus DIR]

A file counts as read when every row of its clean version comes out; rows that the clean version leaves out on purpose
(titles above the table, a second table below it) may come in addition.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
from pathlib import Path

from ade_engine.readers.delimited import DelimitedWorkbook


def main() -> None:
    """Print one line per file and the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=Path(os.environ.get("ADE_CORPUS", "../shared/corpus")))
    folder = parser.parse_args().corpus / "csv"
    files = sorted((folder / "csv").iterdir())
    dialects = rows_found = rows_wanted = 0
    for path in files:
        workbook = DelimitedWorkbook(path)
        found = [row.values for row in workbook.open_sheet(workbook.sheets[0]).rows()]
        wanted = _clean_rows(folder / "clean" / path.name)
        is_right = _has_dialect(workbook, folder / "parameters" / f"{path.name}_parameters.json") or not wanted
        share = sum(row in found for row in wanted)
        dialects += is_right
        rows_found += share
        rows_wanted += len(wanted)
        print(
            f"{path.name:40} {workbook.encoding:8} dialect {'ok' if is_right else 'WRONG':6} rows {share}/{len(wanted)}"
        )
    print(f"dialects {dialects}/{len(files)}, rows {rows_found}/{rows_wanted}")


def _clean_rows(path: Path) -> list[list[str | None]]:
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        for cells in csv.reader(file):
            values = [cell or None for cell in cells]
            while values and values[-1] is None:
                values.pop()
            if values:
                rows.append(values)
    return rows


def _has_dialect(workbook: DelimitedWorkbook, path: Path) -> bool:
    wanted = json.loads(path.read_text())
    dialect = workbook.dialect
    return (dialect.delimiter, dialect.quote) == (wanted["delimiter"], wanted["quotechar"])


if __name__ == "__main__":
    main()
