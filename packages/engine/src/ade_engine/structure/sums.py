"""Finds by arithmetic whether a row is the sum of rows next to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import isfinite

from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import NUMBER, NUMERIC

_REACH = 10
_COLUMNS = 4
_TOLERANCE = 0.006
_BY_CHANCE = 100
_SIGNS = str.maketrans({",": None, "$": None, " ": None, "%": None, "\u00a0": None})


def is_sum(lines: Sequence[Line], i: int, step: int) -> bool:
    """Return whether a line is the sum of at least two lines right above it (step -1) or below it (step 1).

    A record with a code, a date or texts, and small numbers, is such a sum by chance and must not be lost for it.
    """
    return not _is_small_record(lines[i]) and rows_summed(lines, i, step) is not None


def _is_small_record(line: Line) -> bool:
    numbers = [number(line.values[c]) for c, kind in enumerate(line.kinds) if kind == NUMBER]
    return line.filled > len(numbers) + 1 and all(abs(one) < _BY_CHANCE and one.is_integer() for one in numbers)


def rows_summed(lines: Sequence[Line], i: int, step: int) -> tuple[int, int] | None:
    """Return the first and last position of the lines next to line i that it is the sum of, if they are found."""
    targets = [(c, number(lines[i].values[c])) for c, kind in enumerate(lines[i].kinds) if kind == NUMBER]
    wanted = [(c, value) for c, value in targets if value][:_COLUMNS]
    if not wanted:
        return None
    sums = [0.0] * len(wanted)
    used = 0
    for j in range(i + step, i + step * (_REACH + 1), step):
        if not 0 <= j < len(lines):
            break
        if _add(sums, lines[j], wanted):
            used += 1
            if used > 1 and _matches(sums, wanted):
                return (j, i - 1) if step < 0 else (i + 1, j)
    return None


def _add(sums: list[float], line: Line, wanted: Sequence[tuple[int, float]]) -> bool:
    has_any = False
    kinds, values = line.kinds, line.values
    for position, (c, _) in enumerate(wanted):
        if kinds[c] in NUMERIC:
            sums[position] += number(values[c])
            has_any = True
    return has_any


def _matches(sums: Sequence[float], wanted: Sequence[tuple[int, float]]) -> bool:
    near = 0
    for position, (_, value) in enumerate(wanted):
        near += abs(sums[position] - value) <= _TOLERANCE * abs(value)
    return near > 0 and 3 * near >= 2 * len(wanted)


def number(value: object) -> float:
    """Return the number a cell holds, or 0; one that no sum can have, as it is too large, is 0 too."""
    if isinstance(value, str):
        return _parsed(value)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0.0
    try:
        return float(value) if isfinite(value) else 0.0
    except OverflowError:
        return 0.0


@lru_cache(maxsize=16384)
def _parsed(text: str) -> float:
    bare = text.strip().translate(_SIGNS)
    sign = -1.0 if bare.startswith("(") or bare.endswith("-") else 1.0
    try:
        found = float(bare.strip("()-*†"))
    except ValueError:
        return 0.0
    return found * (-sign if bare.startswith("-") else sign) if found == found and abs(found) < 1e15 else 0.0
