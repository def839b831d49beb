"""A sheet as lines of JSON and where they begin, so that any row is found without reading those before it.

    sheet.json    the sheet, what is merged and hidden
    rows.ndjson   a row a line, as `preview cells` tells it
    blocks.txt    of every so many rows: the number of the first, and where its line begins
    end.json      how many rows there are; written last

Each file grows from its beginning, so that a reader can use what there is while the rest is on its way.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ade_engine.cells import Value

BLOCK_ROWS = 200
Telling = Callable[[Value], "dict[str, Any] | None"]
_quoted = json.encoder.encode_basestring


def write_index(sheet: Any, folder: Path, *, about: dict[str, Any], tell: Telling) -> int:
    """Write the index of a sheet; return how many rows it has."""
    (folder / "sheet.json").write_text(json.dumps(about, ensure_ascii=False), "utf-8")
    count = last = position = 0
    with (folder / "rows.ndjson").open("wb") as lines, (folder / "blocks.txt").open("w") as blocks:
        for row in sheet.rows():
            if count % BLOCK_ROWS == 0:
                lines.flush()  # before the place is told
                blocks.write(f"{row.number} {position}\n")
                blocks.flush()
            line = _line(row, tell).encode("utf-8", "replace")
            lines.write(line)
            position += len(line)
            count, last = count + 1, row.number
    (folder / "end.json").write_text(json.dumps({"rows": count, "last_row": last}), "utf-8")
    return count


def _line(row: Any, tell: Telling) -> str:
    told = ",".join([_told(value, tell) for value in row.values])
    return f'{{"row":{row.number},"is_hidden":{"true" if row.is_hidden else "false"},"cells":[{told}]}}\n'


def _told(value: Value, tell: Telling) -> str:
    if type(value) is str:  # by far the most
        return f'{{"type":"text","value":{_quoted(value)}}}'
    return "null" if value is None else json.dumps(tell(value), ensure_ascii=False)
