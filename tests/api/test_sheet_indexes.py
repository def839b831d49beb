"""Indexes of sheets: one that could not be made leaves nothing behind, and stands in nobody's way."""

from pathlib import Path
from typing import Any

import pytest

from ade.errors import UnreadableDocument
from ade.files import LocalFiles
from ade.operations.sheet_indexes import SheetIndexes


def _break_off(command: str, document: str, sheet: str, folder: str) -> dict[str, Any]:
    (Path(folder) / "rows.ndjson").write_bytes(b"x" * 1000)
    raise UnreadableDocument("Reading it took too long.")


def test_an_index_that_could_not_be_made_leaves_nothing_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    files = LocalFiles(tmp_path / "files")
    files.write("documents/1/content", [b"Name\nAda\n"])
    indexes = SheetIndexes(_break_off)

    for _ in range(3):
        with pytest.raises(UnreadableDocument):
            indexes.cells(files, "documents/1/content", suffix=".csv", sheet=0, wanted="A1:B2")

    [home] = tmp_path.glob("ade-sheets-*")
    left = list(home.iterdir())
    assert indexes._home is not None
    indexes._home.cleanup()
    assert left == []
