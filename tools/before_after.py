"""Draws docs/images/before-after.svg from a real run: a messy sheet, the clean table, and the reasons.

python tools/before_after.py            draw it
python tools/before_after.py --check    fail when it is out of date
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from ade_engine import normalize
from ade_engine.explain import explain
from ade_engine.readers import open_workbook

ROOT = Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs/images/before-after.svg"
SAMPLE, RULES = ROOT / "docs/images/before-after/february.csv", ROOT / "docs/images/before-after/rules"
LINE, LEFT, LETTER = 24, 24, 8.0
ROWS = re.compile(r"Rows? [\d, and]+ (?:is a|are) ")
COLUMN = re.compile(r"(Column .+?): [\d.]+, because (.+?)(?:, apart from .+?)? \(")
INK, PALE, EDGE = "#1f2937", "#6b7280", "#d1d5db"
FILLS = {
    "title": "#fde68a",
    "header": "#bfdbfe",
    "data": "#ffffff",
    "group": "#ddd6fe",
    "total": "#fecaca",
    "note": "#e5e7eb",
    "name": "#bbf7d0",
}


def main() -> int:
    """Draw the picture, or compare it."""
    drawn = picture()
    if "--check" not in sys.argv:
        PICTURE.write_text(drawn, encoding="utf-8")
        return 0
    is_current = PICTURE.is_file() and PICTURE.read_text(encoding="utf-8") == drawn
    if not is_current:
        print("docs/images/before-after.svg is out of date: python tools/before_after.py", file=sys.stderr)
    return 0 if is_current else 1


def picture() -> str:
    """Return the picture of the sample before and after its run."""
    with tempfile.TemporaryDirectory() as folder:
        normalize(SAMPLE, Path(folder), configuration=RULES)
        artifact = json.loads((Path(folder) / "artifact.json").read_text())
        after = cells(Path(folder) / "normalized.xlsx")
    [table] = artifact["sheets"][0]["tables"]
    before = list(messy(cells(SAMPLE), table))
    clean = [("name" if number == 0 else "data", row) for number, row in enumerate(after)]
    reasons = list(reasons_of(artifact))
    middle = LEFT + sum(widths(before)) + 2 * LEFT
    width = round(middle + sum(widths(clean)) + LEFT)
    below = 88 + LINE * len(clean)
    height = max(below + LINE * len(reasons), 44 + LINE * len(before)) + LEFT
    body = [
        *grid(f"Before: {SAMPLE.name}", before, left=LEFT, top=44),
        *grid("After: normalized.xlsx", clean, left=middle, top=44),
        *words("Why: artifact.json", reasons, left=middle, top=below),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = ' font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">'
    return "\n".join([head + style, f'<rect width="{width}" height="{height}" fill="#f9fafb"/>', *body, "</svg>", ""])


def cells(path: Path) -> list[list[str]]:
    """Return the texts of the first rows of a workbook's first sheet."""
    workbook = open_workbook(path)
    try:
        sheet = workbook.open_sheet(workbook.sheets[0])
        rows: dict[int, list[str]] = {row.number: [shown(value) for value in row.values] for row in sheet.rows()}
    finally:
        workbook.close()
    return [rows.get(number, []) for number in range(1, 1 + max(rows))]


def shown(value: Any) -> str:
    """Return a value as a spreadsheet shows it."""
    text = "" if value is None else str(value)
    return text.removesuffix(" 00:00:00")


def messy(rows: Sequence[list[str]], table: dict[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """Yield the rows with what they were taken for."""
    kinds = {kind: table[f"{kind}_rows"] for kind in ("title", "group", "note")}
    kinds |= {"header": table["header"]["rows"], "total": table["totals_rows"]}
    kind_of = {number: kind for kind, numbers in kinds.items() for number in numbers}
    for number, row in enumerate(rows, 1):
        yield kind_of.get(number, "data"), row


def reasons_of(artifact: dict[str, Any]) -> Iterator[str]:
    """Yield what `ade explain` says of rows and columns, without the scores, and the verdict."""
    lines = [line.strip() for line in explain(artifact).splitlines()]
    yield from (line for line in lines if ROWS.match(line))
    for line in lines:
        if found := COLUMN.match(line):
            yield f"{found[1]}: {found[2]}."
    verdict = artifact["verdict"]
    yield f"{verdict['verdict'].capitalize()}: {verdict['sentence']}"


def widths(rows: Sequence[tuple[str, list[str]]]) -> list[int]:
    """Return the width of each column: room for its longest text, but for lines that stand alone."""
    texts = [row for _, row in rows if sum(map(bool, row)) > 1]
    return [
        round(12 + LETTER * max(len(row[place]) if place < len(row) else 0 for row in texts))
        for place in range(max(map(len, texts)))
    ]


def grid(title: str, rows: Sequence[tuple[str, list[str]]], *, left: int, top: int) -> Iterator[str]:
    """Yield a table with a caption, its cells coloured by their kind; a long text runs over empty cells."""
    yield text(left, top - 12, title, weight="600")
    places = widths(rows)
    texts = []
    for number, (kind, row) in enumerate(rows):
        y = top + number * LINE
        for place, width in enumerate(places):
            x = left + sum(places[:place])
            content = row[place] if place < len(row) else ""
            fill = FILLS[kind] if content else FILLS["data"]
            yield f'<rect x="{x}" y="{y}" width="{width}" height="{LINE}" fill="{fill}" stroke="{EDGE}"/>'
            texts.append(text(x + 6, y + 16, content, weight="600" if kind in {"header", "name"} else "400"))
    yield from texts


def words(title: str, lines: Sequence[str], *, left: int, top: int) -> Iterator[str]:
    """Yield lines of text with a caption."""
    yield text(left, top - 10, title, weight="600")
    for number, line in enumerate(lines):
        yield text(left, top + 12 + number * LINE, line, weight="400", fill=PALE)


def text(x: int, y: int, content: str, *, weight: str, fill: str = INK) -> str:
    """Return a line of text."""
    return f'<text x="{x}" y="{y}" fill="{fill}" font-weight="{weight}">{escape(content)}</text>' if content else ""


if __name__ == "__main__":
    sys.exit(main())
