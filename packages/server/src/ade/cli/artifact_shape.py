"""Reads the artifact of a sandboxed run, which rules could have replaced by anything, as far as `ade run` uses it."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

from ade.sandbox.collector import open_output
from ade.sandbox.inside.spec import MIB
from ade_engine.protocol import ARTIFACT

MOST_BYTES = 64 * MIB
_LARGEST_NUMBER = 2**63


class Malformed(Exception):
    """What a child wrote is not what the engine writes."""


class Number:
    """A finite number; bool is none."""


class Optional:
    """A shape, or nothing."""

    def __init__(self, shape: Any) -> None:
        self.shape = shape


_CONTRIBUTION = {"rule": str, "delta": Number}
_COLUMN = {
    "source": str, "header": str, "target": Optional(str), "score": Optional(Number), "margin": Optional(Number),
    "contributions": [_CONTRIBUTION], "runner_up": Optional({"field": str, "score": Number}), "reason": str,
    "lost_to": Optional(str),
}  # fmt: skip
_TABLE = {
    "range": str, "output": str, "file": Optional(str), "header": {"rows": [int]}, "title_rows": [int],
    "note_rows": [int], "totals_rows": [int], "hidden": {"rows": int, "columns": [str]}, "rows": {"written": int},
    "columns": [_COLUMN],
}  # fmt: skip
_SHEET = {
    "name": Optional(str), "visibility": str, "skipped": Optional(str), "issues": [{"rule": str, "message": str}],
    "tables": [_TABLE],
}  # fmt: skip
_VERDICT = {"verdict": str, "sentence": str, "fit": Number}
_ARTIFACT = {
    "verdict": Optional(_VERDICT), "sheets": [_SHEET], "summary": {"issues": {"total": int, "info": int}},
}  # fmt: skip


def read_artifact(folder: Path) -> dict[str, Any]:
    """Return the parts of a child's artifact that are used here, or raise Malformed or RefusedOutput."""
    with open_output(folder, ARTIFACT, max_bytes=MOST_BYTES) as content:
        text = content.read(MOST_BYTES)
    try:
        values = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        raise Malformed(f"{ARTIFACT} is not JSON") from None
    kept: dict[str, Any] = conform(values, _ARTIFACT, ARTIFACT)
    return kept


def conform(value: Any, shape: Any, place: str) -> Any:
    """Return the value with what the shape names and nothing else, or raise Malformed."""
    if isinstance(shape, Optional):
        return None if value is None else conform(value, shape.shape, place)
    if isinstance(shape, dict) and isinstance(value, dict):
        return {key: conform(value.get(key), inner, f"{place}: {key}") for key, inner in shape.items()}
    if isinstance(shape, list) and isinstance(value, list):
        return [conform(item, shape[0], place) for item in value]
    if type(value) is int and shape in (int, Number) and abs(value) < _LARGEST_NUMBER:
        return value
    if type(value) is float and shape is Number and math.isfinite(value):
        return value
    if type(value) is str and shape is str:
        return value
    raise Malformed(f"{place} is not as expected")


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
