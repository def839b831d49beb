import importlib.util
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from ade_engine.readers import open_workbook

ROOT = Path(__file__).parents[4]


@pytest.fixture(scope="session")
def samples() -> Path:
    return ROOT / "samples"


@pytest.fixture(scope="session")
def xlsx(samples: Path) -> ModuleType:
    """The builder of the sample workbooks."""
    spec = importlib.util.spec_from_file_location("xlsx", samples / "xlsx.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["xlsx"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def contents() -> Callable[[Path], dict[str | None, list[list[object]]]]:
    """Read a document back: {sheet: rows}."""

    def read(path: Path) -> dict[str | None, list[list[object]]]:
        with closing(open_workbook(path)) as workbook:
            return {info.name: [row.values for row in workbook.open_sheet(info).rows()] for info in workbook.sheets}

    return read


@pytest.fixture
def configuration(tmp_path: Path) -> Callable[[dict[str, str]], Path]:
    """Write a configuration folder from {file: text}."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "configuration" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")
        return tmp_path / "configuration"

    return write
