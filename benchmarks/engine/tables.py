"""How right tables, headers and lines are, by family: bin/bench engine/tables [--families] [--peer PYTHON]

    bin/bench engine/tables --family NAME   what is found in the sheets of one family, and nothing else

Every sheet is judged with weights that were trained without its family (folds.json, written by train.py). Beside it:
the weights set by hand alone, and a simple baseline that cuts a sheet at blank rows and columns and takes the first row
of each block for its header. "Untouched" are the families that no choice was made on. Intervals are 95 %, by family.
With a Python that has unstructured[xlsx], its tables are measured as well; it names no header: the first row is taken.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from folds import NOTHING, cross_validated, current, recorded, say, use
from labelled import Labelled, corpus_folder, load
from table_scores import (
    Counts,
    Result,
    calibration_error,
    found_in,
    result_of,
    summed,
    table_counts,
    whole,
)

from ade_engine.cells import Range
from ade_engine.structure.confidence import header_confidence, table_confidence
from ade_engine.structure.tables import FoundTable


def main() -> None:
    """Print the report."""
    sheets = load(corpus_folder())
    if not sheets:
        sys.exit("There are no labelled sheets. Set ADE_CORPUS to the folder that holds them.")
    if "--family" in sys.argv:
        say_family(sys.argv[sys.argv.index("--family") + 1], sheets)
        return
    results = list(cross_validated(sheets))
    say("Cross-validated by family", [r for r in results if not r.sheet.is_untouched])
    say("Untouched families", [r for r in results if r.sheet.is_untouched])
    judged = [found for result in results if result.sheet.is_untouched for found in result.judged]
    for name, confidence, attribute in (("table", table_confidence, "is_right"),
                                        ("header", header_confidence, "is_header_right")):  # fmt: skip
        known = [(confidence(j.doubts), getattr(j, attribute)) for j in judged if getattr(j, attribute) is not None]
        print(f"  {name}: calibration error {calibration_error(known):.3f} over {len(known)} of untouched families")
    if "--families" in sys.argv:
        _say_families(results)
    use(NOTHING)
    say("Set by hand alone", [result_of(sheet) for sheet in sheets])
    with_tables = [sheet for sheet in sheets if sheet.lines is None]
    say("Blocks between blank rows and columns", [Result(s, _baseline(s)) for s in with_tables])
    if "--peer" in sys.argv:
        found = _peer(sys.argv[sys.argv.index("--peer") + 1], with_tables)
        counted = [
            table_counts(s, [_table(area) for area in areas]) for s, areas in zip(with_tables, found, strict=True)
        ]
        say("unstructured", [Result(s, counts) for s, counts in zip(with_tables, counted, strict=True)])


def say_family(name: str, sheets: Sequence[Labelled]) -> None:
    """Print which tables a family has, and which are found by hand, without what it teaches and by the engine."""
    own = [sheet for sheet in sheets if name in sheet.families]
    if not own:
        sys.exit(f"There is no family {name} among the labelled sheets.")
    engine, record = current(), recorded()
    apart = record["untouched"] if own[0].is_untouched else next(
        weights for fold, weights in enumerate(record["folds"]) if own[0].is_in(fold)
    )  # fmt: skip
    for sheet in own:
        print(sheet.name)
        print("  labelled:          ", *(_said(table.whole, table.header_rows or ()) for table in sheet.tables))
        for title, weights in (("rules by hand", NOTHING), ("not trained on it", apart), ("the engine", engine)):
            use(weights)
            print(f"  {title + ':':18} ", *(_said(whole(table), table.header_rows) for table in found_in(sheet)))
    use(engine)


def _said(area: Range, headers: Sequence[int]) -> str:
    rows = "rows " if len(headers) > 1 else "row "
    return f"{area.a1} (header in {rows}{', '.join(map(str, headers))})" if headers else f"{area.a1} (no header)"


def _peer(python: str, sheets: Sequence[Labelled]) -> list[list[Range]]:
    """Return the ranges that another package finds in the same cells."""
    asked = json.dumps([_cells(sheet) for sheet in sheets])
    command = [python, str(Path(__file__).with_name("peer_tables.py"))]
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True)
    return [[Range(*area) for area in areas] for areas in json.loads(done.stdout)]


def _cells(sheet: Labelled) -> list[list[str | None]]:
    rows = {
        row.number: [None if value in (None, "") else str(value) for value in row.values] for row in sheet.sheet.table
    }
    width = max(map(len, rows.values()), default=0)
    return [[*rows.get(n, []), *[None] * (width - len(rows.get(n, [])))] for n in range(1, max(rows, default=0) + 1)]


def _say_families(results: Sequence[Result]) -> None:
    """List the families in which most tables are wrong."""
    parts: dict[str, list[Result]] = {}
    for result in results:
        if result.sheet.lines is None:
            parts.setdefault(result.sheet.families[0], []).append(result)
    made = {name: summed(part) for name, part in parts.items()}
    for name in sorted(made, key=lambda n: (made[n]["EoB-0"] - made[n]["true"], n))[:50]:
        total = made[name]
        print(f"  {name}: {total['EoB-0']} of {total['true']} exact, {total['found']} found")


def _baseline(sheet: Labelled) -> Counts:
    cells = {(row.number, c) for row in sheet.sheet.table for c, v in enumerate(row.values, 1) if v not in (None, "")}
    found = [
        _table(area)
        for area in _blocks(cells)
        if area.last_row > area.first_row and area.last_column > area.first_column
    ]
    return table_counts(sheet, found)


def _blocks(cells: set[tuple[int, int]]) -> Iterator[Range]:
    """Cut at blank rows, then at blank columns, until neither is left."""
    for axis in (0, 1):
        lines = sorted({cell[axis] for cell in cells})
        starts = [line for n, line in enumerate(lines) if not n or lines[n - 1] != line - 1]
        if len(starts) > 1:
            bounds = [*starts, 1 << 30]
            for first, end in pairwise(bounds):
                yield from _blocks({cell for cell in cells if first <= cell[axis] < end})
            return
    if cells:
        rows, columns = [r for r, _ in cells], [c for _, c in cells]
        yield Range(min(rows), min(columns), max(rows), max(columns))


def _table(area: Range) -> FoundTable:
    from ade_engine.structure.tables import TableColumn

    columns = [TableColumn(c, "") for c in (area.first_column, area.last_column)]
    return FoundTable(
        sheet=None, columns=columns, header_rows=[area.first_row], title_rows=[], first_row=area.first_row, score=0.0,
        contributions=[], runner_up=None, margin=0.0, sample=[], last_row=area.last_row, _known=[],
    )  # fmt: skip


if __name__ == "__main__":
    main()
