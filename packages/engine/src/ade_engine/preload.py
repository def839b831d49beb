"""Importing this imports the whole engine and uses it once: for a process that many runs are forked from.

Only the engine's own code: nothing of a configuration, and no optional library that most runs never use.
"""

from __future__ import annotations

import importlib
import pkgutil
import tempfile
from contextlib import suppress
from pathlib import Path

_NOT_HERE = ("__main__", "preload")


def _import_below(package: str, folder: Path) -> None:
    for found in pkgutil.iter_modules([str(folder)]):
        name = f"{package}.{found.name}"
        if found.name in _NOT_HERE:
            continue
        with suppress(ImportError):  # a missing library is reported when its format is used
            importlib.import_module(name)
        if found.ispkg:
            _import_below(name, folder / found.name)


def _use_once() -> None:
    """Normalise a text and then the workbook that comes out: patterns are compiled, tables and caches filled."""
    from ade_engine.pipeline import normalize

    with tempfile.TemporaryDirectory(prefix="ade-preload-") as folder:
        text = Path(folder) / "people.csv"
        text.write_text("Name,Joined,Amount\nAda,2024-01-31,1.5\nGrace,2024-02-29,2\n", encoding="utf-8")
        done = normalize(text, Path(folder) / "first")
        if done.output_path is not None:
            normalize(done.output_path, Path(folder) / "second")


_import_below("ade_engine", Path(__file__).parent)
with suppress(OSError, ImportError):  # a full or read-only disk: then the first runs do it themselves
    _use_once()
