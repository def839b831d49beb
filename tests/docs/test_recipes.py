"""Every rule that the documentation shows works on data with empty cells, numbers, dates and texts."""

import json
import re
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path

import pytest

from ade_engine import check_configuration, load_configuration, normalize
from ade_engine.cells import Value
from ade_engine.readers import open_workbook
from ade_engine.write import open_writer

ROOT = Path(__file__).resolve().parents[2]
# Every page of the cookbook is a whole configuration, and test_cookbook.py runs it as such.
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "cookbook"),
]
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
PATH = re.compile(r"(?:rules/)?((?:columns|row_types|hooks)/\w+\.py)")
RULE = re.compile(r"^(?:field = |def (?:detect_|transform|validate|combine|on_|before_write))", re.MULTILINE)
VALUES: list[Value] = [
    "  mb123456 ", 12345, None, 3.5, date(2024, 5, 17), "", datetime.fromisoformat("2024-05-17T08:30"), True, "Ada", 0,
    time(9, 15), -7, "ada@example.org", "2024-06-01", "17", "open",
]  # fmt: skip


@dataclass(frozen=True)
class Recipe:
    """A rule file as a page shows it, and the other files of the same page."""

    page: str
    path: str
    text: str
    others: dict[str, str]


def recipes() -> list[Recipe]:
    found = []
    for page in PAGES:
        shown = list(_shown(page.read_text(encoding="utf-8")))
        for path, text in shown:
            found.append(Recipe(page.name, path, text, {other: last for other, last in shown if other != path}))
    return found


def _shown(page: str) -> list[tuple[str, str]]:
    """Return the rule files of a page: named in the first line, or in the sentence before."""
    found, end = [], 0
    for block in BLOCK.finditer(page):
        text = block.group(1)
        if RULE.search(text) and "def validat(" not in text:  # the tutorial's deliberate typing error
            named = PATH.findall(text.splitlines()[0]) or PATH.findall(page[end : block.start()])
            assert named, f"the page does not say which file this is:\n{text}"
            found.append((named[-1], text))
        end = block.end()
    return found


RECIPES = recipes()


def test_the_pages_show_recipes() -> None:
    assert len(RECIPES) > 15


@pytest.mark.req("E7", "E11")
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.page}-{recipe.path}")
def test_a_recipe_works_on_empty_cells_numbers_dates_and_texts(recipe: Recipe, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    for path, text in {**recipe.others, recipe.path: recipe.text}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")

    assert [str(problem) for problem in check_configuration(folder)] == []
    fields = load_configuration(folder).fields
    headers = list(dict.fromkeys([*(field.title for field in fields), "Member ID", "Joined", "Remark"]))
    rows = [[VALUES[(row + column) % len(VALUES)] for column in range(len(headers))] for row in range(len(VALUES))]
    writer = open_writer(tmp_path / "in.xlsx", "xlsx")
    writer.begin_table("Members", headers)
    writer.write_rows(rows)
    writer.end_table()
    writer.close()
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=folder)

    assert result.failure is None
    assert result.tables
    assert result.output_path is not None
    messages = [json.loads(line)["message"] for line in result.issues_path.read_text("utf-8").splitlines()]
    assert [message for message in messages if message.startswith("the rule")] == []
    assert [text for text in _written_texts(result.output_path) if re.search(r"\b(None|nan)\b", text)] == []


def _written_texts(path: Path) -> list[str]:
    workbook = open_workbook(path)
    cells = [cell for info in workbook.sheets for row in workbook.open_sheet(info).rows() for cell in row.values]
    workbook.close()
    return [cell for cell in cells if isinstance(cell, str)]
