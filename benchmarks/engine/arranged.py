"""Whether tables found in one arrangement are found in others: bin/bench engine/arranged [--failures]

Annotated sheets are few, and rules that fit them may fit nothing else. So the tables that are found exactly as they
are annotated ($ADE_CORPUS/fuste, one file per layout) are cut out and recombined: alone, cut short, under a
title, under labelled values, above each other, side by side. Each must be found again, with the same header rows.
"""

from __future__ import annotations

import csv
import json
import os
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from structure import CsvSheet, layout, truth

from ade_engine.structure import find_tables

SHORT_ROWS = (2, 3, 5, 8)
GAPS = (1, 2, 3)
MOST_ROWS = 400
LABELS = {
    "labels": [["Account:", "12-34-56"], ["Period:", "2024-01-01"]],
    "bare labels": [["Company", "Acme"], ["Period", "2024-01-01"], ["Balance", "1,234.56"]],
}

Cells = list[list[str]]
Place = tuple[int, int, int, int, int]  # first row, first column, last row, last column, count of header rows


@dataclass(frozen=True, slots=True)
class Piece:
    """A table cut out of its sheet."""

    name: str
    cells: Cells
    headers: int

    def place(self, row: int = 1, column: int = 1) -> Place:
        """Return where it must be found when it is put there."""
        return row, column, row + len(self.cells) - 1, column + len(self.cells[0]) - 1, self.headers


def main() -> None:
    """Print how many arrangements are found as they were made."""
    pieces = list(_pieces(Path(os.environ.get("ADE_CORPUS", "../shared/corpus")) / "fuste"))
    counts: dict[str, list[int]] = {}
    for kind, name, cells, expected in _arrangements(pieces):
        found = sorted(_found(cells))
        count = counts.setdefault(kind, [0, 0])
        count[0] += found == sorted(expected)
        count[1] += 1
        if "--failures" in sys.argv and found != sorted(expected):
            print(f"{kind}: {name}\n   made  {sorted(expected)}\n   found {found}")
    print(f"{len(pieces)} tables, rearranged and found exactly:")
    for kind, (right, total) in counts.items():
        print(f"  {kind:24} {right:3} of {total:3}")


def _pieces(folder: Path) -> Iterator[Piece]:
    """Yield the first table of each layout whose sheet is read exactly as annotated."""
    annotations = json.loads((folder / "annotations.json").read_text("utf-8"))
    layouts: set[str] = set()
    for name in sorted(annotations):
        with (folder / "csv" / name).open(encoding="utf-8", newline="") as file:
            cells = list(csv.reader(file))
        truths = [truth(region) for region in annotations[name]["regions"] if region["region_type"] == "Table"]
        kind = layout(name, CsvSheet(cells), truths)
        true = {(*_corners(found.range), len(found.header_rows)) for found in truths}
        if kind in layouts or len(cells) > MOST_ROWS or true != set(_found(cells)):
            continue
        layouts.add(kind)
        row, column, last_row, last_column, headers = min(true)
        if headers and last_row - row > headers:
            yield Piece(name, [line[column - 1 : last_column] for line in cells[row - 1 : last_row]], headers)


def _found(cells: Cells) -> Iterator[Place]:
    for table in find_tables(CsvSheet(cells)):
        for _ in table.data():
            pass
        yield (*_corners(table.range), len(table.header_rows))


def _corners(found: object) -> tuple[int, int, int, int]:
    return found.first_row, found.first_column, found.last_row, found.last_column  # type: ignore[attr-defined]


def _arrangements(pieces: list[Piece]) -> Iterator[tuple[str, str, Cells, list[Place]]]:
    chance = random.Random(5)  # noqa: S311 - the same partners each time
    for piece in pieces:
        yield "alone", piece.name, piece.cells, [piece.place()]
        for count in SHORT_ROWS:
            short = _shortened(piece, count)
            if short:
                yield f"cut to {count} rows of data", piece.name, short.cells, [short.place()]
        blank = [""] * len(piece.cells[0])
        title = [["Overview of the last quarter", *blank[1:]], blank]
        note = [blank, ["Source: own figures", *blank[1:]]]
        yield from _under_labels(piece, blank)
        yield "under a title", piece.name, [*title, *piece.cells, *note], [piece.place(row=3)]
        for gap in GAPS:
            other = chance.choice([candidate for candidate in pieces if candidate is not piece])
            below = len(piece.cells) + gap + 1
            beside = len(piece.cells[0]) + gap + 1
            pair = f"{piece.name} and {other.name}"
            yield (
                f"above, {gap} rows between",
                pair,
                _stacked(piece, other, gap),
                [piece.place(), other.place(row=below)],
            )
            places = [piece.place(), other.place(column=beside)]
            yield f"beside, {gap} columns between", pair, _side_by_side(piece, other, gap), places


def _under_labels(piece: Piece, blank: list[str]) -> Iterator[tuple[str, str, Cells, list[Place]]]:
    """Yield the table below lines that say what it is about, with and without a blank row between."""
    for kind, labels in LABELS.items():
        lines = [[*line, *blank[len(line) :]] for line in labels if len(line) < len(blank)]
        if len(lines) == len(labels):
            yield f"under {kind}", piece.name, [*lines, blank, *piece.cells], [piece.place(row=len(lines) + 2)]
            yield f"right under {kind}", piece.name, [*lines, *piece.cells], [piece.place(row=len(lines) + 1)]


def _shortened(piece: Piece, count: int) -> Piece | None:
    """Return the table with its first rows of data only, when these fill all its columns."""
    cells = piece.cells[: piece.headers + count]
    edges = [any(line[0] for line in cells), any(line[-1] for line in cells)]
    is_whole = len(piece.cells) > len(cells) and all(edges) and sum(map(bool, cells[-1])) > 1
    return Piece(piece.name, cells, piece.headers) if is_whole else None


def _stacked(upper: Piece, lower: Piece, gap: int) -> Cells:
    width = max(len(upper.cells[0]), len(lower.cells[0]))
    lines = [*upper.cells, *[[""]] * gap, *lower.cells]
    return [line + [""] * (width - len(line)) for line in lines]


def _side_by_side(left: Piece, right: Piece, gap: int) -> Cells:
    height = max(len(left.cells), len(right.cells))
    sides = [piece.cells + [[""] * len(piece.cells[0])] * (height - len(piece.cells)) for piece in (left, right)]
    return [[*a, *[""] * gap, *b] for a, b in zip(*sides, strict=True)]


if __name__ == "__main__":
    main()
