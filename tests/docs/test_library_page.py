"""The python of the page about the library runs as it is written."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/use-as-a-library.md"
FIRST, SECOND = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
ROWS = "Name,Qty\nAda,1\nBob,2\nCy,3\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with two documents, whatever they are called, and rules; the working folder of a test."""
    monkeypatch.chdir(tmp_path)
    for name in ("march.xlsx", "april.xlsx"):
        Path(name).write_text(ROWS, encoding="utf-8")  # the content says what a document is
    Path("rules/columns").mkdir(parents=True)
    fields = 'from ade_engine import Field\n\nfields = [Field("name"), Field("qty", type="integer")]\n'
    Path("rules/columns/all.py").write_text(fields, encoding="utf-8")
    return tmp_path


@pytest.mark.req("E8")
def test_a_document_is_normalised_and_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(FIRST, "page", "exec"), {})  # noqa: S102 - the page is ours
    output, rows, table = capsys.readouterr().out.splitlines()
    assert (folder / output).is_file()
    assert "'written': 3" in rows
    assert table == "A1:B4 3 {}"


@pytest.mark.req("E8")
def test_documents_are_combined(folder: Path) -> None:
    exec(compile(SECOND, "page", "exec"), {})  # noqa: S102 - the page is ours
    assert (folder / "all.xlsx").is_file()
