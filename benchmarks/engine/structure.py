"""How well tables and headers are found: bin/bench engine/structure [--show NAME] [--half 0|1] [--failures]

Reads $ADE_CORPUS/fuste: sheets as comma CSV, annotated by hand. What is compared:

- A table's true range runs from its first header row (or first data row) to its last data row, over the annotated
  columns. Annotations count totals at the end ("Derived") and notes beside the data into the table's region; our ranges
  leave them out, so trailing elements that are not Data are cut from the truth. For the record, "region" compares with
  the annotated region as it is, and "cells" with the smallest range around the Header and Data elements, which also
  leaves out columns that hold remarks only.
- A true table counts as found when a detected one overlaps it by at least the given share (intersection over union of
  cells); each detected table serves one true table. F1 over all tables.
- The header is right when the last header row is the annotated one (all header rows: "header rows").
- Files made from one template (told by how their first header begins) count once in "per layout", as their mean.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ade_engine.cells import Range
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.structure import FoundTable, find_tables

THRESHOLDS = (0.5, 0.9, 1.0)


@dataclass
class CsvSheet:
    """A csv file, read whole: the benchmark asks for structure alone."""

    table: list[list[str]]
    info: SheetInfo = field(default_factory=lambda: SheetInfo(index=0, name=None))
    merged: Sequence[Range] = ()
    hidden_columns: frozenset[int] = frozenset()
    styles: Sequence[Style] = ()

    def rows(self) -> Iterator[Row]:
        """Yield the rows that hold something."""
        for number, values in enumerate(self.table, start=1):
            if any(values):
                yield Row(number, list(values))


@dataclass(frozen=True)
class Truth:
    """An annotated table."""

    range: Range
    region: Range
    cells: Range
    header_rows: tuple[int, ...]


@dataclass
class Count:
    """Matches and the tables on either side."""

    hits: float = 0.0
    found: float = 0.0
    true: float = 0.0

    def add(self, other: Count, weight: float = 1.0) -> None:
        """Add another count."""
        self.hits += weight * other.hits
        self.found += weight * other.found
        self.true += weight * other.true

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall."""
        return 2 * self.hits / (self.found + self.true) if self.found + self.true else 1.0


def main() -> None:
    """Print the report."""
    options = _options()
    folder = Path(os.environ.get("ADE_CORPUS", "../shared/corpus")) / "fuste"
    annotations = json.loads((folder / "annotations.json").read_text("utf-8"))
    results = []
    for name in sorted(annotations):
        if (options.half is not None and half(name) != options.half) or (options.show or "") not in name:
            continue
        with (folder / "csv" / name).open(encoding="utf-8", newline="") as file:
            sheet = CsvSheet(list(csv.reader(file)))
        truths = [truth(region) for region in annotations[name]["regions"] if region["region_type"] == "Table"]
        found = list(find_tables(sheet))
        for table in found:
            for _ in table.data():
                pass
        results.append((name, layout(name, sheet, truths), truths, found))
    if options.show or options.failures:
        _print_differences(results, only_failures=not options.show)
    _print_report(results)


def half(name: str) -> int:
    """Return the half a file belongs to, by its name: a change of weights should help in both."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--show")
    parser.add_argument("--failures", action="store_true")
    return parser.parse_args(sys.argv[1:])


def truth(region: dict[str, Any]) -> Truth:
    """Return the table that a region is annotated as."""
    elements = region["elements"]
    headers = [e for e in elements if e["type"] == "Header"]
    data = [e for e in elements if e["type"] == "Data"]
    whole = Range(region["top_lx"][1] + 1, region["top_lx"][0] + 1, region["bot_rx"][1] + 1, region["bot_rx"][0] + 1)
    first = min((e["top_lx"][1] + 1 for e in headers + data), default=whole.first_row)
    last = max((e["bot_rx"][1] + 1 for e in data), default=whole.last_row)
    # Later rows with the header's text are page headers; only the block at the top is the header.
    top = min((e["top_lx"][1] + 1 for e in data), default=whole.last_row + 1)
    rows = {r + 1 for e in headers for r in range(e["top_lx"][1], e["bot_rx"][1] + 1) if r + 1 < max(top, first + 1)}
    left = min((e["top_lx"][0] + 1 for e in headers + data), default=whole.first_column)
    right = max((e["bot_rx"][0] + 1 for e in headers + data), default=whole.last_column)
    return Truth(
        range=Range(first, whole.first_column, last, whole.last_column),
        region=whole,
        cells=Range(first, left, last, right),
        header_rows=tuple(sorted(rows)),
    )


def layout(name: str, sheet: CsvSheet, truths: list[Truth]) -> str:
    """Return a key that is the same for files made from one template: how the first header begins."""
    if not truths or not truths[0].header_rows:
        return name
    first = min(truths, key=lambda t: t.range)
    cells = sheet.table[first.header_rows[-1] - 1][first.range.first_column - 1 : first.range.last_column]
    words = [cell for cell in cells if cell]
    return words[0] if len(words[0]) > 6 else "|".join(words[:2])


def iou(a: Range, b: Range) -> float:
    """Return the share of cells two ranges have in common."""
    rows = min(a.last_row, b.last_row) - max(a.first_row, b.first_row) + 1
    columns = min(a.last_column, b.last_column) - max(a.first_column, b.first_column) + 1
    if rows <= 0 or columns <= 0:
        return 0.0
    return rows * columns / (_area(a) + _area(b) - rows * columns)


def _area(r: Range) -> int:
    return (r.last_row - r.first_row + 1) * (r.last_column - r.first_column + 1)


def match(truths: list[Range], found: list[Range], threshold: float) -> Count:
    """Pair each true table with the detected one that fits best, greedily."""
    pairs = sorted(((iou(t, f), i, j) for i, t in enumerate(truths) for j, f in enumerate(found)), reverse=True)
    used_true: set[int] = set()
    used_found: set[int] = set()
    for overlap, i, j in pairs:
        if overlap >= threshold and overlap > 0 and i not in used_true and j not in used_found:
            used_true.add(i)
            used_found.add(j)
    return Count(len(used_true), len(found), len(truths))


Result = tuple[str, str, list[Truth], list[FoundTable]]


def _measures(truths: list[Truth], found: list[FoundTable]) -> dict[str, Count]:
    ranges = [table.range for table in found]
    measures = {f"IoU {t:g}" if t < 1 else "exact": match([x.range for x in truths], ranges, t) for t in THRESHOLDS}
    measures["region IoU 0.5"] = match([x.region for x in truths], ranges, 0.5)
    measures["region exact"] = match([x.region for x in truths], ranges, 1.0)
    measures["cells exact"] = match([x.cells for x in truths], ranges, 1.0)
    last = {(t.header_rows[-1], t.range.first_column) for t in truths if t.header_rows}
    mine = {(t.header_rows[-1], t.first_column) for t in found if t.header_rows}
    measures["last header row"] = Count(len({r for r, _ in last} & {r for r, _ in mine}), len(mine), len(last))
    rows = {t.header_rows for t in truths if t.header_rows}
    own = {tuple(t.header_rows) for t in found if t.header_rows}
    measures["header rows"] = Count(len(rows & own), len(own), len(rows))
    return measures


def _print_report(results: list[Result]) -> None:
    halves = {"half 0": [r for r in results if half(r[0]) == 0], "half 1": [r for r in results if half(r[0])]}
    for title, part in {**halves, "all": results}.items():
        if not part:
            continue
        per_file: dict[str, Count] = defaultdict(Count)
        per_layout: dict[str, Count] = defaultdict(Count)
        sizes: dict[str, int] = defaultdict(int)
        for _, layout, _, _ in part:
            sizes[layout] += 1
        for _, layout, truths, found in part:
            for measure, count in _measures(truths, found).items():
                per_file[measure].add(count)
                per_layout[measure].add(count, 1 / sizes[layout])
        print(f"{title}: {len(part)} files, {len(sizes)} layouts")
        for measure, count in per_file.items():
            print(f"  {measure:16} F1 per file {count.f1:.3f}   per layout {per_layout[measure].f1:.3f}")


def _print_differences(results: list[Result], *, only_failures: bool) -> None:
    for name, _, truths, found in results:
        true = sorted((t.range.a1, t.header_rows) for t in truths)
        mine = sorted((t.range.a1, tuple(t.header_rows)) for t in found)
        if only_failures and true == mine:
            continue
        print(f"{half(name)} {name}")
        print("   true ", *(f"{a1} h{list(rows)}" for a1, rows in true if (a1, rows) not in mine))
        print("   found", *(f"{a1} h{list(rows)}" for a1, rows in mine if (a1, rows) not in true))


if __name__ == "__main__":
    main()
