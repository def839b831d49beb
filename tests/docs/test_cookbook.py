"""Every page of the cookbook gives, by its command, the outputs and the issues that it shows."""

import csv
import importlib.util
import io
import json
import re
import shlex
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from types import ModuleType

import pytest
from openpyxl import load_workbook  # type: ignore[import-untyped]

from ade_engine import check_configuration, combine, normalize
from ade_engine.readers import open_workbook

ROOT = Path(__file__).resolve().parents[2]
COOKBOOK = ROOT / "docs" / "cookbook"
PAGES = sorted(page for page in COOKBOOK.glob("*.md") if page.name != "README.md")
BLOCK = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


@dataclass
class Recipe:
    """A page: what is there before its command is run, the command, and what is there afterwards."""

    before: dict[str, str] = field(default_factory=dict)
    command: Sequence[str] = ()
    after: dict[str, str] = field(default_factory=dict)


def recipe_of(page: Path) -> Recipe:
    recipe = Recipe()
    for language, text in BLOCK.findall(page.read_text("utf-8")):
        if language == "sh":
            recipe.command = shlex.split(text)
        else:
            name, _, content = text.removeprefix("# ").partition("\n")
            (recipe.after if recipe.command else recipe.before)[name] = content
    return recipe


@pytest.fixture(scope="session")
def xlsx() -> ModuleType:
    """The builder of the sample workbooks."""
    spec = importlib.util.spec_from_file_location("xlsx", ROOT / "samples" / "xlsx.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["xlsx"] = module
    spec.loader.exec_module(module)
    return module


def write(before: dict[str, str], folder: Path, xlsx: ModuleType) -> None:
    sheets: dict[str, dict[str, list[list[object]]]] = {}
    for name, text in before.items():
        path, is_sheet, sheet = name.partition(", sheet ")
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if is_sheet:
            sheets.setdefault(path, {})[sheet] = [
                [xlsx.Formula(cell[1:], None) if cell.startswith("=") else typed(cell) for cell in row]
                for row in csv.reader(text.splitlines())
            ]
        else:
            (folder / path).write_text(text, encoding="utf-8")
    for path, tables in sheets.items():
        xlsx.write_workbook(folder / path, {sheet: xlsx.SheetPlan(rows) for sheet, rows in tables.items()})


def typed(cell: str) -> object:
    """Return what a spreadsheet program makes of a cell that somebody types."""
    for read in (int, float, date.fromisoformat):
        with suppress(ValueError):
            return read(cell)
    return cell or None


def run(command: Sequence[str], folder: Path) -> list[str]:
    """Do what an `ade run` does, in this process, and return its issues."""
    options = dict(zip(command[3::2], command[4::2], strict=True))
    assert command[:2] == ["ade", "run"]
    assert set(options) <= {"--config", "--format", "--into"}
    found = folder / command[2]
    documents = sorted(found.iterdir()) if found.is_dir() else [found]
    rules = folder / options["--config"]
    assert [str(problem) for problem in check_configuration(rules)] == []
    into = options.get("--into")
    form = options.get("--format") or (Path(into).suffix[1:] if into else None)
    issues = []
    for document in documents:
        result = normalize(document, folder / "out" / document.stem, configuration=rules, format=form)
        assert result.failure is None, result.failure.message
        told = map(json.loads, result.issues_path.read_text("utf-8").splitlines())
        issues += [f"{issue['cell']} {issue['field']}: {issue['message']}" for issue in told]
    if into:
        combine([folder / "out" / document.stem for document in documents], folder / into)
    return issues


def written(path: Path) -> str:
    name, is_sheet, sheet = path.name.partition(", sheet ")
    if not is_sheet:
        return path.read_text("utf-8")
    lines = io.StringIO()
    formulas = load_workbook(path.with_name(name))[sheet]
    with closing(open_workbook(path.with_name(name))) as workbook:
        info = next(info for info in workbook.sheets if info.name == sheet)
        for row in workbook.open_sheet(info).rows():
            cells = [formulas.cell(row.number, place).value for place in range(1, formulas.max_column + 1)]
            values = list(row.values) + [None] * (len(cells) - len(row.values))
            shown = [cell if value is None else value for value, cell in zip(values, cells, strict=True)]
            while shown and shown[-1] is None:
                shown.pop()
            csv.writer(lines, lineterminator="\n").writerow(
                [value.date() if isinstance(value, datetime) else value for value in shown]
            )
    return lines.getvalue()


def test_the_cookbook_has_a_page_for_each_pattern_and_lists_all() -> None:
    assert len(PAGES) >= 24
    listed = set(re.findall(r"\((\S+\.md)\)", (COOKBOOK / "README.md").read_text("utf-8")))
    assert {page.name for page in PAGES} <= listed


@pytest.mark.req("E11")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_gives_what_it_shows(page: Path, tmp_path: Path, xlsx: ModuleType) -> None:
    recipe = recipe_of(page)
    write(recipe.before, tmp_path, xlsx)
    issues = run(recipe.command, tmp_path)
    assert issues == recipe.after.pop("issues", "").splitlines()
    assert recipe.after
    for name, text in recipe.after.items():
        assert written(tmp_path / name).splitlines() == text.splitlines()
