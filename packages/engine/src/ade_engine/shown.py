"""A cell as a screen shows it: its type and a value that JSON and JavaScript hold; long text is cut."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from math import isfinite
from typing import Any

from ade_engine.cells import CellError, Value

LONGEST_TEXT = 1000
SAFE_INTEGER = 2**53 - 1
_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "boolean"),
    (int, "number"),
    (float, "number"),
    (str, "text"),
    (datetime, "datetime"),
    (date, "date"),
    (time, "time"),
    (timedelta, "duration"),
    (CellError, "error"),
)


def shown_cell(value: Value, *, longest: int = LONGEST_TEXT) -> dict[str, Any] | None:
    """Return a cell as it is shown; text beyond the longest is cut, and marked as cut."""
    if value is None:
        return None
    kind = next(name for type_, name in _KINDS if isinstance(value, type_))
    shown = _plain(value)
    if isinstance(shown, str) and len(shown) > longest:
        return {"type": kind, "value": shown[:longest], "is_cut": True}
    return {"type": kind, "value": shown}


def _plain(value: Value) -> str | bool | int | float:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if abs(value) <= SAFE_INTEGER else str(value)  # JavaScript would round it
    if isinstance(value, float):
        return value if isfinite(value) else str(value)  # JSON has no word for it
    return value.isoformat() if isinstance(value, date | time) else str(value)
