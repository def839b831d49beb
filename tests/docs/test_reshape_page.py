"""Every section of the page about reshaping gives the output that it shows."""

import re
from pathlib import Path

import pytest

from ade_engine import check_configuration, normalize

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/reshape.md"
BLOCK = re.compile(r"```\w+\n# (\S+)\n(.*?)```", re.DOTALL)
SECTIONS = {
    section.partition("\n")[0]: dict(BLOCK.findall(section))
    for section in PAGE.read_text("utf-8").split("\n## ")[1:]
    if BLOCK.search(section)
}


def test_the_page_has_sections() -> None:
    assert len(SECTIONS) >= 13


@pytest.mark.req("E11")
@pytest.mark.parametrize("files", SECTIONS.values(), ids=SECTIONS)
def test_a_section_gives_the_output_it_shows(files: dict[str, str], tmp_path: Path) -> None:
    [document] = [name for name in files if name.endswith(".csv") and name not in ("output.csv", "customers.csv")]
    for name, text in files.items():
        path = tmp_path / ("in" if name == document else "rules") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "rules/output.csv").unlink()

    assert [str(problem) for problem in check_configuration(tmp_path / "rules")] == []
    result = normalize(tmp_path / "in" / document, tmp_path / "out", configuration=tmp_path / "rules", format="csv")

    assert result.failure is None
    assert result.output_path is not None
    assert result.output_path.read_text("utf-8").splitlines() == files["output.csv"].splitlines()
    assert result.issue_count == 0
