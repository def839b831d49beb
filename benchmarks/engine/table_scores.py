"""How far found tables are the true ones: edges, overlap, header rows, kinds of lines."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from labelled import Labelled
from structure import iou

from ade_engine.cells import Range
from ade_engine.structure import FoundTable, find_tables

Counts = Counter[str]
MEASURES = ("EoB-0", "EoB-2", "IoU .5", "IoU .9")
_NAMES = {"metadata": "title", "notes": "note", "derived": "total"}


@dataclass(frozen=True)
class Judged:
    """A found table: the doubts about it, and whether it turned out right; None where nobody knows."""

    family: str
    doubts: tuple[str, ...]
    is_right: bool | None
    is_header_right: bool | None


@dataclass(frozen=True)
class Result:
    """A sheet and how the tables found in it compare with its own."""

    sheet: Labelled
    counts: Counts
    judged: tuple[Judged, ...] = ()


def result_of(sheet: Labelled) -> Result:
    """Find the tables of a sheet and compare them."""
    found = found_in(sheet)
    counts = line_counts(sheet, found) if sheet.lines is not None else table_counts(sheet, found)
    return Result(sheet, counts, judged_tables(sheet, found))


def found_in(sheet: Labelled) -> list[FoundTable]:
    """Return the tables that are found in a sheet, read to their ends."""
    found = []
    for table in find_tables(sheet.sheet):
        table.skip()
        found.append(table)
    return found


def judged_tables(sheet: Labelled, tables: Sequence[FoundTable]) -> tuple[Judged, ...]:
    """Return for each found table what was doubted and whether it is right; optional ones say nothing."""
    if sheet.lines is not None:
        return ()
    true = [table.range if sheet.corpus == "fuste" else table.whole for table in sheet.tables]
    made = []
    for table in tables:
        area = table.range if sheet.corpus == "fuste" else whole(table)
        near = max(range(len(true)), key=lambda i: iou(true[i], area), default=None)
        rows = None if near is None or iou(true[near], area) == 0 else sheet.tables[near].header_rows
        if area in true or not _is_optional(area, sheet.optional):
            is_header_right = None if rows is None else tuple(table.header_rows) == rows
            made.append(Judged(sheet.families[0], table.doubts, area in true, is_header_right))
    return tuple(made)


def whole(table: FoundTable) -> Range:
    """Return a table's range with its totals."""
    area = table.range
    return Range(area.first_row, area.first_column, max([area.last_row, *table.totals_rows]), area.last_column)


def table_counts(sheet: Labelled, tables: Sequence[FoundTable]) -> Counts:
    """Return how many tables were asked for, found, and found right by each measure."""
    # Annotated csv files leave totals out of their ranges, workbooks count them in.
    ends_with_data = sheet.corpus == "fuste"
    true = [table.range if ends_with_data else table.whole for table in sheet.tables]
    areas = [table.range if ends_with_data else whole(table) for table in tables]
    given = {j for _, j in _assigned(true, areas, "IoU .5")}
    kept = [j for j, area in enumerate(areas) if j in given or not _is_optional(area, sheet.optional)]
    areas = [areas[j] for j in kept]
    counts = Counter({"true": len(true), "found": len(areas)})
    for measure in MEASURES:
        counts[measure] = len(_assigned(true, areas, measure))
    pairs = dict(_assigned(true, areas, "IoU .5"))
    for i, table in enumerate(sheet.tables):
        if table.header_rows is not None:
            counts["headed"] += 1
            counts["header"] += i in pairs and tuple(tables[kept[pairs[i]]].header_rows) == table.header_rows
    return counts


def _is_optional(area: Range, optional: Sequence[Range]) -> bool:
    return any(2 * _common(area, other) > _common(area, area) for other in optional)


def _common(a: Range, b: Range) -> int:
    rows = min(a.last_row, b.last_row) - max(a.first_row, b.first_row) + 1
    columns = min(a.last_column, b.last_column) - max(a.first_column, b.first_column) + 1
    return max(rows, 0) * max(columns, 0)


def _off(a: Range, b: Range) -> int:
    """Return by how many cells the worst edge is off."""
    return max(
        abs(a.first_row - b.first_row),
        abs(a.first_column - b.first_column),
        abs(a.last_row - b.last_row),
        abs(a.last_column - b.last_column),
    )


def _assigned(true: Sequence[Range], found: Sequence[Range], measure: str) -> list[tuple[int, int]]:
    """Pair true with found tables, best pairs first, each used once."""
    kind, limit = measure.split(" ") if " " in measure else measure.split("-")
    pairs = []
    for i, a in enumerate(true):
        for j, b in enumerate(found):
            off, overlap = _off(a, b), iou(a, b)
            if off <= int(limit) if kind == "EoB" else overlap >= float(limit):
                pairs.append(((off, -overlap) if kind == "EoB" else (-overlap, off), i, j))
    chosen: list[tuple[int, int]] = []
    for _, i, j in sorted(pairs):
        if all(i != a and j != b for a, b in chosen):
            chosen.append((i, j))
    return chosen


def line_counts(sheet: Labelled, tables: Sequence[FoundTable]) -> Counts:
    """Return how many lines, and last header rows, were called what they are."""
    called: dict[int, str] = {}
    for table in tables:
        called |= dict.fromkeys(range(table.first_row, table.last_row + 1), "data")
        for name, rows in _rows_of(table):
            called |= dict.fromkeys(rows, name)
    first = min((table.first_row for table in tables), default=1 << 30)
    counts: Counts = Counter()
    headers: list[int] = []
    is_over = False
    for n, kind in enumerate(sheet.lines or (), start=1):
        if kind == "empty":
            continue
        name = _NAMES.get(kind, kind)
        is_right = called.get(n, "title" if n < first else "note") == name
        counts.update({"lines": 1, "right lines": is_right, f"{name} lines": 1, f"right {name} lines": is_right})
        is_over = is_over or (name in ("data", "total", "group") and bool(headers))
        headers += [n] if name == "header" and not is_over else []
    if headers:
        counts["headed"] = 1
        counts["last header"] = any(table.header_rows[-1:] == headers[-1:] for table in tables)
    return counts


def _rows_of(table: FoundTable) -> list[tuple[str, list[int]]]:
    return [("title", table.title_rows), ("header", table.header_rows), ("header", table.repeated_header_rows),
            ("total", table.totals_rows), ("note", table.note_rows), ("group", table.group_rows)]  # fmt: skip


def figures(counts: Counts) -> dict[str, float]:
    """Return the measures that counts make, as shares of 1."""
    made: dict[str, float] = {}
    if counts["true"] + counts["found"]:
        made |= {name: 2 * counts[name] / (counts["true"] + counts["found"]) for name in MEASURES}
        if counts["headed"]:
            made["header rows"] = counts["header"] / counts["headed"]
    if counts["lines"]:
        made["lines"] = counts["right lines"] / counts["lines"]
        made["last header row"] = counts["last header"] / max(counts["headed"], 1)
        for name in ("title", "header", "group", "data", "total", "note"):
            if counts[f"{name} lines"]:
                made[f"{name} lines"] = counts[f"right {name} lines"] / counts[f"{name} lines"]
    return made


def summed(results: Sequence[Result], *, by_layout: bool = False) -> Counts:
    """Add up counts; by layout, files of one family count once, as their mean."""
    sizes = Counter(result.sheet.families for result in results)
    total: Counts = Counter()
    for result in results:
        share = 1 / sizes[result.sheet.families] if by_layout else 1
        for name, count in result.counts.items():
            total[name] += count * share  # type: ignore[assignment]
    return total


def intervals(results: Sequence[Result], *, draws: int = 300) -> dict[str, tuple[float, float]]:
    """Return 95 % intervals by resampling families."""
    parts: dict[tuple[str, ...], list[Result]] = {}
    for result in results:
        parts.setdefault(result.sheet.families, []).append(result)
    sums = [summed(part) for _, part in sorted(parts.items())]
    chance = random.Random(1)  # noqa: S311 - the same draws each time
    samples: dict[str, list[float]] = {}
    for _ in range(draws):
        total: Counts = Counter()
        for _ in sums:
            total.update(chance.choice(sums))
        for name, value in figures(total).items():
            samples.setdefault(name, []).append(value)
    return {name: (sorted(v)[int(0.025 * len(v))], sorted(v)[int(0.975 * len(v)) - 1]) for name, v in samples.items()}


def calibration_error(said: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error: how far probabilities are from what came true, in ten bins."""
    sums: Counter[int] = Counter()
    for probability, is_right in said:
        sums[min(int(10 * probability), 9)] += round(100 * probability) - 100 * is_right
    return sum(map(abs, sums.values())) / 100 / max(len(said), 1)
