"""Labelled sheets of all corpora in one shape: which rows of which tables are what, and which files are of one family.

Read from $ADE_CORPUS: every folder with a gold.json (workbooks with ranges and header rows, in the form of enron, so a
folder of your own works as well), fuste (annotated csv), saus and troy (csv with the kind of every line).
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from structure import CsvSheet, layout, truth

from ade_engine.cells import Range, Value, parse_range
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Row, SheetInfo, Style
from ade_engine.structure.words import hints_at_total

ALL = frozenset({"title", "header", "group", "data", "total", "note"})
BODY = frozenset({"data", "group", "total"})
OUTSIDE = frozenset({"title", "note"})
MOST_ROWS = 4096
_LINES = {
    "metadata": OUTSIDE, "notes": frozenset({"note", "title"}), "header": frozenset({"header"}),
    "group": frozenset({"group"}), "data": frozenset({"data"}), "derived": frozenset({"total"}), "empty": ALL,
}  # fmt: skip
_HEADER_ROWS = 6
_PARTS = 5
_FOLDS = 4

Labels = frozenset[str]


@dataclass
class MemorySheet:
    """A sheet read whole."""

    table: list[Row]
    merged: Sequence[Range] = ()
    styles: Sequence[Style] = ()
    hidden_columns: frozenset[int] = frozenset()
    info: SheetInfo = field(default_factory=lambda: SheetInfo(index=0, name=None))
    formulas_without_value: int = 0
    findings: Sequence[object] = ()

    def rows(self) -> Iterator[Row]:
        """Yield the rows."""
        return iter(self.table)


@dataclass(frozen=True)
class TrueTable:
    """A labelled table. `range` ends with its last row of data, `whole` with its last total."""

    range: Range
    whole: Range
    header_rows: tuple[int, ...] | None
    labels: Mapping[int, Labels]  # what each of its rows may be called


@dataclass
class Labelled:
    """A sheet with its tables. `lines` holds the kind of every line where all are known."""

    corpus: str
    name: str
    families: tuple[str, ...]
    sheet: MemorySheet
    tables: list[TrueTable]
    optional: list[Range] = field(default_factory=list)
    lines: list[str] | None = None
    is_verified: bool = True
    weight: float = 1.0

    @property
    def is_untouched(self) -> bool:
        """Return whether the sheet belongs to the families that no choice was made on."""
        return any(number(family) % _PARTS == 0 for family in self.families)

    def is_in(self, fold: int) -> bool:
        """Return whether any of the sheet's families belongs to a fold."""
        return any(number(family) // _PARTS % _FOLDS == fold for family in self.families)


def number(family: str) -> int:
    """Return a number that depends on nothing but a family's name."""
    return int(hashlib.sha256(family.encode()).hexdigest(), 16)


def corpus_folder() -> Path:
    """Return the folder that holds the corpora."""
    return Path(os.environ.get("ADE_CORPUS", "../shared/corpus"))


def load(folder: Path) -> list[Labelled]:
    """Return the labelled sheets of all corpora that are there."""
    found: list[Labelled] = []
    for gold in sorted(folder.glob("*/gold.json")):
        entries = json.loads(gold.read_text("utf-8"))
        if isinstance(entries, list) and entries and "tables" in entries[0]:
            found += workbooks(gold.parent, entries)
    for name in ("saus", "troy"):
        if (folder / name).is_dir():
            found += list(line_labelled(folder / name))
    if (folder / "fuste").is_dir():
        found += list(annotated(folder / "fuste"))
    return found


def workbooks(folder: Path, entries: Sequence[Mapping[str, Any]]) -> Iterator[Labelled]:
    """Yield the sheets listed in a gold.json."""
    by_file: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        by_file.setdefault(entry["file"], []).append(entry)
    for name, listed in by_file.items():
        workbook = open_workbook(folder / name)
        infos = {info.name: info for info in workbook.sheets}
        for entry in listed:
            if entry["sheet"] not in infos:
                sys.exit(f"{folder / 'gold.json'}: {name} has no sheet {entry['sheet']}.")
            opened = workbook.open_sheet(infos[entry["sheet"]])
            sheet = MemorySheet(list(opened.rows()), opened.merged, opened.styles, opened.hidden_columns)
            yield _workbook_sheet(folder.name, entry, sheet)
        workbook.close()


def _workbook_sheet(corpus: str, entry: Mapping[str, Any], sheet: MemorySheet) -> Labelled:
    asked = [table for table in entry["tables"] if not table.get("optional")]
    optional = [_whole(table) for table in entry["tables"] if table.get("optional")]
    is_verified = entry.get("label") == "verified"
    return Labelled(
        corpus,
        f"{entry['file']} {entry['sheet']}",
        (entry["family"],),
        sheet,
        [_workbook_table(table, sheet) for table in asked],
        optional,
        is_verified=is_verified,
        weight=2.0 if is_verified else 1.0,
    )


def _workbook_table(table: Mapping[str, Any], sheet: MemorySheet) -> TrueTable:
    data, whole = parse_range(table["range"]), _whole(table)
    rows = [row for row in sheet.table if whole.first_row <= row.number <= whole.last_row and _inside(row, whole)]
    headers = table["header_rows"]
    if headers is None:
        labels = _guessed(rows, whole)
        return TrueTable(data, whole, None, labels)
    labels = {row.number: BODY for row in rows}
    labels[data.last_row] = frozenset({"data", "total"})
    labels |= dict.fromkeys(table.get("totals_rows") or (), frozenset({"total"}))
    labels |= dict.fromkeys(headers, frozenset({"header"}))
    return TrueTable(data, whole, tuple(headers), labels)


def _whole(table: Mapping[str, Any]) -> Range:
    return parse_range(table.get("range_with_totals", table["range"]))


def _inside(row: Row, area: Range) -> list[Value]:
    cells = row.values[area.first_column - 1 : area.last_column]
    return [value for value in cells if value is not None and value != ""]


def _guessed(rows: Sequence[Row], whole: Range) -> dict[int, Labels]:
    """Return what rows may be when only the range is known: a header on top, data, totals that say so at the end."""
    labels: dict[int, Labels] = {}
    for place, row in enumerate(rows):
        may_be = BODY | {"header"} if place <= _HEADER_ROWS else BODY
        labels[row.number] = may_be if place else frozenset({"header", "data"})
    for row in reversed(rows[1:]):
        first = _inside(row, whole)[0]
        if not (isinstance(first, str) and hints_at_total(first)):
            break
        labels[row.number] = frozenset({"total"})
    return labels


def _read_csv(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def memory_sheet(cells: Sequence[Sequence[str]]) -> MemorySheet:
    """Return cells as a sheet without styles."""
    return MemorySheet([Row(n, list(values)) for n, values in enumerate(cells, start=1) if any(values)])


def line_labelled(folder: Path) -> Iterator[Labelled]:
    """Yield the files with a label for every line."""
    for text in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(text)
        sheet = memory_sheet(_read_csv(folder / "csv" / entry["file"]))
        labels = {n: _LINES[kind] for n, kind in enumerate(entry["lines"], start=1)}
        whole = Range(1, 1, max(len(entry["lines"]), 1), max(entry["cols"], 1))
        table = TrueTable(whole, whole, None, labels)
        family = folder.name + entry["orig"]
        yield Labelled(folder.name, entry["file"], (family,), sheet, [table], lines=entry["lines"])


def annotated(folder: Path) -> Iterator[Labelled]:
    """Yield the annotated csv files."""
    annotations = json.loads((folder / "annotations.json").read_text("utf-8"))
    for name in sorted(annotations):
        cells = _read_csv(folder / "csv" / name)
        regions = [region for region in annotations[name]["regions"] if region["region_type"] == "Table"]
        family = "fuste" + layout(name, CsvSheet(cells), [truth(region) for region in regions])
        tables = [_annotated_table(region) for region in regions]
        yield Labelled("fuste", name, (family,), memory_sheet(cells), tables, weight=5.0)


def _annotated_table(region: Mapping[str, Any]) -> TrueTable:
    true = truth(dict(region))
    labels: dict[int, Labels] = dict.fromkeys(range(true.range.first_row, true.range.last_row + 1), BODY)
    labels[true.range.last_row] = frozenset({"data"})
    kinds = {"Header": "header", "Derived": "total", "GroupHead": "group"}
    for element in sorted(region["elements"], key=lambda e: e["type"] == "Header"):
        rows = range(element["top_lx"][1] + 1, element["bot_rx"][1] + 2)
        kind = kinds.get(element["type"])
        if kind is not None and (kind != "total" or rows[0] > true.range.last_row):
            labels |= dict.fromkeys(rows, frozenset({kind, "data"} if kind == "group" else {kind}))
    whole = Range(true.range.first_row, true.range.first_column, max(labels), true.range.last_column)
    return TrueTable(true.range, whole, true.header_rows, labels)


def more_of(sheets: Sequence[Labelled]) -> list[Labelled]:
    """Return sheets to learn from that are made of others: without their looks, as csv has them, and rearranged."""
    return [*plain(sheets), *arranged(sheets)]


def plain(sheets: Sequence[Labelled]) -> Iterator[Labelled]:
    """Yield sheets without styles and merged cells: all that are verified, and every other one."""
    for sheet in sheets:
        if sheet.sheet.styles and (sheet.is_verified or number(sheet.name) % 2):
            bare = MemorySheet([Row(row.number, row.values) for row in sheet.sheet.table])
            yield replace(sheet, corpus="plain", sheet=bare, weight=0.7 * sheet.weight)


def arranged(sheets: Sequence[Labelled]) -> Iterator[Labelled]:
    """Yield recombined tables of annotated sheets: cut short, under labels, above each other, side by side."""
    chance = random.Random(11)  # noqa: S311 - the same arrangements each time
    pieces = [piece for sheet in sheets if sheet.corpus == "fuste" for piece in _pieces(sheet)]
    for family, cells, headers in pieces:
        other = chance.choice(pieces)
        gap, count = chance.choice((1, 2, 3)), chance.choice((2, 3, 5, 8))
        short = cells[: headers + count]
        yield _placed("cut", [(family, short, headers, 1, 1)])
        lead = chance.choice(([["Account:", "12-34-56"], ["Period:", "2024-01-01"]], [["Company", "Acme"]], []))
        yield _placed("under labels", [(family, cells, headers, len(lead) + 1 + chance.choice((0, 1)), 1)], lead)
        below, beside = len(cells) + gap + 1, len(cells[0]) + gap + 1
        yield _placed("above", [(family, cells, headers, 1, 1), (*other, below, 1)])
        yield _placed("beside", [(family, cells, headers, 1, 1), (*other, 1, beside)])


Piece = tuple[str, list[list[str]], int]


def _pieces(sheet: Labelled) -> Iterator[Piece]:
    for table in sheet.tables[:1]:
        area, headers = table.range, table.header_rows
        if not headers or area.last_row - area.first_row > 60:
            continue
        rows = {row.number: [str(value or "") for value in row.values] for row in sheet.sheet.table}
        lines = [rows.get(n, []) for n in range(area.first_row, area.last_row + 1)]
        width = area.last_column - area.first_column + 1
        cut = [line[area.first_column - 1 : area.last_column] for line in lines]
        yield sheet.families[0], [line + [""] * (width - len(line)) for line in cut], headers[-1] - headers[0] + 1


def _placed(
    kind: str, parts: Sequence[tuple[str, list[list[str]], int, int, int]], lead: Sequence[list[str]] = ()
) -> Labelled:
    height = max(row + len(cells) for _, cells, _, row, _ in parts)
    width = max(column + len(cells[0]) for _, cells, _, _, column in parts)
    grid = [[""] * width for _ in range(height)]
    for n, line in enumerate(lead):
        grid[n][: len(line)] = line
    tables = []
    for _, cells, headers, row, column in parts:
        for n, line in enumerate(cells):
            grid[row - 1 + n][column - 1 : column - 1 + len(line)] = line
        area = Range(row, column, row + len(cells) - 1, column + len(cells[0]) - 1)
        labels = dict.fromkeys(range(area.first_row, area.last_row + 1), BODY)
        labels |= dict.fromkeys(range(row, row + headers), frozenset({"header"}))
        tables.append(TrueTable(area, area, tuple(range(row, row + headers)), labels))
    families = tuple(dict.fromkeys(part[0] for part in parts))
    return Labelled(f"arranged {kind}", kind, families, memory_sheet(grid), tables, weight=1.0)
