"""Recognises rows that name columns by a series or a unit: years, months, quarters, dates in steps, "(1,000)"."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import CODE, DATE, EMPTY, NUMBER, TEXT, YEAR

_MONTHS = frozenset({"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"})
_PERIOD = re.compile(
    r"(?:q[1-4]|[1-4]q|h[12]|fy|ytd|week|day|year|month|quarter|[1-4](?:st|nd|rd|th))\b.*", re.IGNORECASE
)
_YEAR = re.compile(r"(?:19|20)\d\d(?:\.0)?\s*(?:\\?\d|[*/]\S{0,2}|[-/]\d{2,4}|[ep])?", re.IGNORECASE)
_UNIT = re.compile(
    r"[(\[].{1,40}[)\]]|\$|%|#|\$/\S{1,12}|(?:us)?\$?\s?(?:mm|m|k|000'?s|thousands?|millions?|billions?)|percent|number"
    r"|mmbtu(?:/d)?|mwh?|bbls?|mmcf(?:/d)?|(?:in )?(?:thousands|millions)|usd|units?",
    re.IGNORECASE,
)
_LEAST = 2


def is_series(line: Line) -> bool:
    """Return whether most cells after the first step through years, months, quarters, dates or small numbers."""
    cells = [(v, k) for v, k in zip(line.values, line.kinds, strict=True) if k != EMPTY]
    cells = cells if len(cells) <= _LEAST or _is_step(*cells[0]) else cells[1:]
    if len(cells) < _LEAST or line.is_spread:
        return False
    if 4 * sum(_is_step(value, kind) for value, kind in cells) >= 3 * len(cells):
        return True
    return all(kind == NUMBER for _, kind in cells) and _counts_up([value for value, _ in cells])


def _is_step(value: object, kind: int) -> bool:
    if kind in (YEAR, DATE) or isinstance(value, date):
        return True
    if not isinstance(value, str):
        return False
    text = value.strip()
    if _YEAR.fullmatch(text) is not None:
        return True
    return kind in (TEXT, CODE) and (text[:3].casefold() in _MONTHS or _PERIOD.fullmatch(text) is not None)


def _counts_up(values: list[object]) -> bool:
    """Return whether numbers are each one more than the last."""
    try:
        numbers = [float(str(value).strip(" ()")) for value in values]
    except ValueError:
        return False
    return len(numbers) > _LEAST and all(b - a == 1 for a, b in pairwise(numbers))


def is_units(line: Line) -> bool:
    """Return whether most texts of a line are units or stand in brackets."""
    texts = [str(v).strip() for v, k in zip(line.values, line.kinds, strict=True) if k != EMPTY]
    return 3 * sum(_UNIT.fullmatch(text) is not None for text in texts) >= 2 * len(texts)
