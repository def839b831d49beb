"""Writes all issues of a run as one more table of the output."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

from ade_engine.write import Writer

_COLUMNS = ("sheet", "cell", "field", "rule", "severity", "message")
_CHUNK = 1024


def write_issues(path: Path, writer: Writer, name: str) -> None:
    """Copy issues.ndjson into a table of that name."""
    writer.begin_table(name, [column.capitalize() for column in _COLUMNS], is_issues=True)
    with path.open(encoding="utf-8") as lines:
        while chunk := list(islice(lines, _CHUNK)):
            issues = map(json.loads, chunk)
            writer.write_rows([[issue[column] for column in _COLUMNS] for issue in issues])
    writer.end_table()
