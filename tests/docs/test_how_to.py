"""What the recipes show is valid, and does what they say."""

import re
from pathlib import Path

import pytest

from ade_engine import check_configuration, normalize

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/how-to").glob("*.md"))
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)
NAMED = re.compile(r"# ((?:columns|row_types|hooks)/\w+\.py)")


def recipes(page: Path) -> list[str]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def written(page: Path, folder: Path) -> Path:
    """Write the recipes that name their file as a configuration."""
    for text in recipes(page):
        if named := NAMED.match(text):
            path = folder / named.group(1)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_every_recipe_is_python(page: Path) -> None:
    for text in recipes(page):
        compile(text, page.name, "exec")


@pytest.mark.req("A4")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_the_commands_of_a_page_need_no_other_page_and_send_a_key(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    commands = "\n".join(re.findall(r"```(?:sh|text|yaml)\n(.*?)```", text, re.DOTALL))
    used = set(re.findall(r"\$\{?([A-Z][A-Z_]*)", commands))
    assigned = set(re.findall(r"(?:^|\s)([A-Z][A-Z_]*)=", commands))
    asked = [line for line in commands.replace("\\\n", " ").splitlines() if "curl" in line and "$API/" in line]

    assert {name for name in used - assigned if not name.startswith(("ADE_", "GITHUB_"))} == set()
    assert [line for line in asked if "Authorization: Bearer $" not in line] == []


def test_the_recipes_about_structure_make_a_configuration_without_problems(tmp_path: Path) -> None:
    folder = written(ROOT / "docs/how-to/tune-structure.md", tmp_path)

    assert check_configuration(folder) == []


@pytest.mark.req("E3")
def test_the_recipe_that_keeps_totals_does(tmp_path: Path) -> None:
    folder = written(ROOT / "docs/how-to/tune-structure.md", tmp_path / "rules")
    (folder / "hooks/only_members.py").unlink()
    sample = ROOT / "samples/totals_and_notes.xlsx"

    plain = normalize(sample, tmp_path / "plain").tables[0]
    kept = normalize(sample, tmp_path / "kept", configuration=folder).tables[0]

    assert plain["totals_rows"]
    assert kept["totals_rows"] == []
    assert kept["rows"]["written"] == plain["rows"]["written"] + 1
