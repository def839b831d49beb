from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> Callable[..., Path]:
    """Write a configuration folder from {file: text}."""

    def write(files: dict[str, str]) -> Path:
        root = tmp_path / "rules"
        root.mkdir(exist_ok=True)
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text), encoding="utf-8")
        return root

    return write
