"""Names the files that a run writes, for the engine and for the collector."""

from __future__ import annotations

import re
from pathlib import Path

from ade_engine.writers.files import ENDING

FORMATS = ("xlsx", "csv", "parquet")
OUTPUT_NAME = re.compile(rf"normalized{ENDING}\.(?:{'|'.join(FORMATS)})")


def remove_earlier(folder: Path, source: Path) -> None:
    """Remove the files of an earlier run: if this one fails, they would look like its result."""
    for path in folder.glob("normalized*"):
        if OUTPUT_NAME.fullmatch(path.name) and path.is_file() and not (source.exists() and path.samefile(source)):
            path.unlink()
