"""Finds the best labels for all rows of a block at once, so that one odd row does not open a table.

A label earns its evidence and pays for following another label; the best sum over the whole block wins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ade_engine.structure import weights as w
from ade_engine.structure.features import LABELS
from ade_engine.structure.grid import Line
from ade_engine.structure.headers import is_first_again
from ade_engine.structure.kinds import CODE, VALUES

Emissions = Sequence[dict[str, float]]
Allowed = Callable[[int, str], bool]

_FORBIDDEN = -1e9
_PAGE = -1


def label_rows(
    lines: Sequence[Line],
    emissions: Emissions,
    alike: Sequence[float],
    *,
    allowed: Allowed | None = None,
) -> tuple[float, list[str]]:
    """Return the best total score and the label of each line."""
    scores = {"start": 0.0}
    steps: list[dict[str, str]] = []
    for i, line in enumerate(lines):
        following: dict[str, float] = {}
        step: dict[str, str] = {}
        gap = _PAGE if is_first_again(lines, i) else line.gap
        # A header repeated on a new page is one row: what follows is data.
        is_after_page = i > 0 and is_first_again(lines, i - 1)
        for label in LABELS:
            if allowed is not None and not allowed(i, label):
                continue
            best, origin = max(
                ((score + _transition(before, label, gap, alike[i]), before) for before, score in scores.items()),
                key=lambda pair: pair[0],
            )
            following[label] = (
                best + emissions[i][label] + (w.AFTER_PAGE if is_after_page and label == "header" else 0.0)
            )
            step[label] = origin
        scores = following
        steps.append(step)
    # A single row of names may well be a header whose data is still to come.
    is_header_alone = len(lines) == 1 and not VALUES.intersection(lines[0].kinds) - {CODE}
    return _trace(scores, steps, ending={} if is_header_alone else w.END)


def _trace(
    scores: dict[str, float], steps: list[dict[str, str]], *, ending: Mapping[str, float]
) -> tuple[float, list[str]]:
    ends = {label: score + ending.get(label, 0.0) for label, score in scores.items()}
    label = max(ends, key=lambda name: ends[name])
    total = ends[label]
    labels: list[str] = []
    for step in reversed(steps):
        labels.append(label)
        label = step[label]
    return total, labels[::-1]


def _transition(before: str, after: str, gap: int, alike: float) -> float:
    if gap == _PAGE:
        # A header repeated on a new page follows data for free.
        return w.ADJACENT.get((before, after), _FORBIDDEN) if (before, after) != ("data", "header") else 0.0
    cost = (w.AFTER_GAP if gap else w.ADJACENT).get((before, after), _FORBIDDEN)
    if before != "data":
        return cost
    if after == "header":
        cost += w.HEADER_UNLIKE * alike
    elif gap and after == "data":
        cost += w.GAP_UNLIKE * (1.0 - alike) + w.GAP_ROW * min(gap - 1, w.GAP_ROWS)
    return cost
