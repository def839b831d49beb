"""Real runs of small documents that each test invents."""

import importlib.util
import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from ade_engine import Result, normalize
from ade_engine.readers import open_workbook

ROOT = Path(__file__).parents[4]
HEAD = "from ade_engine import Field\n"


@dataclass(frozen=True)
class Done:
    """What a run wrote: rows by sheet, issues as (cell, field, rule, message), and its artifact."""

    sheets: dict[str | None, list[list[Any]]]
    issues: list[tuple[str | None, str | None, str, str]]
    result: Result

    @property
    def rows(self) -> list[list[Any]]:
        """The rows of the only sheet."""
        [rows] = self.sheets.values()
        return rows

    @property
    def table(self) -> dict[str, Any]:
        """The artifact of the only table."""
        [table] = self.result.tables
        return table


def read(path: Path) -> dict[str | None, list[list[Any]]]:
    with closing(open_workbook(path)) as workbook:
        return {info.name: [row.values for row in workbook.open_sheet(info).rows()] for info in workbook.sheets}


@pytest.fixture(scope="session")
def xlsx() -> ModuleType:
    """The builder of the sample workbooks."""
    spec = importlib.util.spec_from_file_location("xlsx", ROOT / "samples" / "xlsx.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["xlsx"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def rules(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Write a configuration folder: "amount": 'type="money"' is columns/amount.py with that field."""

    def write(files: dict[str, str]) -> Path:
        folder = tmp_path / "rules"
        for name, text in files.items():
            path = folder / (name if "." in name else f"columns/{name}.py")
            path.parent.mkdir(parents=True, exist_ok=True)
            field = f'{HEAD}field = Field("{name}"{text and ", "}{text})\n'
            path.write_text(text if "." in name else field, encoding="utf-8")
        return folder

    return write


@pytest.fixture
def run(tmp_path: Path, rules: Callable[[dict[str, str]], Path], xlsx: ModuleType) -> Callable[..., Done]:
    """Normalise a csv text, or {sheet: rows} as xlsx, by the given rules."""

    def normalised(document: Any, files: dict[str, str], *, name: str = "in", **options: Any) -> Done:
        if isinstance(document, str):
            path = tmp_path / f"{name}.csv"
            path.write_text(document, encoding="utf-8")
        else:
            path = tmp_path / f"{name}.xlsx"
            xlsx.write_workbook(path, {sheet: xlsx.SheetPlan(rows) for sheet, rows in document.items()})
        result = normalize(path, tmp_path / f"out-{name}", configuration=rules(files), **options)
        assert result.failure is None, result.failure.message
        issues = [json.loads(line) for line in result.issues_path.read_text(encoding="utf-8").splitlines()]
        found = [(issue["cell"], issue["field"], issue["rule"], issue["message"]) for issue in issues]
        sheets: dict[str | None, list[list[Any]]] = {}
        for output in result.output_paths:
            if output.suffix != ".parquet":
                sheets |= read(output) if output.suffix == ".xlsx" else {output.name: read(output)[None]}
        return Done(sheets, found, result)

    return normalised
