"""The signs of how a line fits the columns above and below it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ade_engine.structure.grid import Line
from ade_engine.structure.kinds import DATE, NUMBER, NUMERIC, TEXT, YEAR

_HIGH, _LOW = 0.75, 0.4
_CLOSE = 3
_GROUPS = (0, 1, 1, 2, 3, 3, 4, 0, 2)  # by kind: nothing or a mark, text, code, number, date
_FAR = 4


def _fit(line: Line, others: Sequence[Line]) -> tuple[float, float]:
    """Return how far cells are of the kind usual in their columns, and which share of these columns is in use."""
    fits = used = total = 0
    rows = [other.kinds for other in others]
    for c, kind in enumerate(line.kinds):
        if not kind:
            continue
        total += 1
        own = _GROUPS[kind]
        filled = alike = 0
        for row in rows:
            if row[c]:
                filled += 1
                alike += _GROUPS[row[c]] in (own, 0)
        if filled:
            used += 1
            fits += own == 0 or 2 * alike >= filled
    return (fits / used if used else 0.0), used / total


def column_signs(line: Line, others: Sequence[Line], where: str) -> list[str]:
    """Return the signs of a line beside the next lines with several cells above or below."""
    if not others or line.is_lone:
        return []
    fitting, shared = _fit(line, others)
    found = [f"fits_{where}" if fitting >= _HIGH else f"misfits_{where}" if fitting < _LOW else f"half_fits_{where}"]
    if shared < 1.0:
        found.append(f"elsewhere_{where}" if shared < _LOW else f"partly_{where}")
    live = sum(map(any, zip(*[other.kinds for other in others[:_CLOSE]], strict=True)))
    covered = line.filled / live if live else 1.0
    found.append(f"covers_{where}" if covered >= _HIGH else f"few_{where}" if covered < _LOW else f"half_{where}")
    texts = [(v, c) for c, (v, kind) in enumerate(zip(line.values, line.kinds, strict=True)) if kind == TEXT]
    if texts and any(other.values[c] == value for value, c in texts for other in others):
        found.append(f"value_{where}")
    if texts and all(2 * sum(other.kinds[c] in NUMERIC for other in others) > len(others) for _, c in texts[1:]):
        found.append(f"text_by_numbers_{where}")
    return found


def span_signs(line: Line, below: Sequence[Line]) -> list[str]:
    """Return whether the cells label spans of columns, and how far down the first numbers are."""
    found = []
    values = [value for value, kind in zip(line.values, line.kinds, strict=True) if kind]
    if not line.is_lone and any(a == b and isinstance(a, str) for a, b in pairwise(values)):
        found.append("spanning")
    if below and line.texts + line.kinds.count(DATE) + line.kinds.count(YEAR) == line.filled < below[0].filled:
        covered = [below[0].kinds[c] for c, kind in enumerate(line.kinds) if kind]
        if all(covered) and below[0].kinds.count(NUMBER) == 0:
            found.append("spans_below")
    for distance, other in enumerate(below[:_FAR], start=1):
        if 2 * other.numbers >= other.filled:
            return [*found, f"numbers_in_{distance}"]
    return found
