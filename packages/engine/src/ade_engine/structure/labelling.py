"""Finds the best labels for all rows of a block at once, so that one odd row does not open a table.

A label earns its evidence and pays for following another label; the best sum over the whole block wins.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from ade_engine.records import record
from ade_engine.structure import weights as w
from ade_engine.structure.features import LABELS
from ade_engine.structure.grid import Line
from ade_engine.structure.headers import is_first_again
from ade_engine.structure.kinds import CODE, VALUES
from ade_engine.structure.learned import ENDS, STEPS

Emissions = Sequence[Sequence[float]]
Steps = Sequence[tuple[str, ...]]
Allowed = Callable[[int, str], bool]

_IMPOSSIBLE = -1e9
_START = len(LABELS)
_HEADER, _DATA = LABELS.index("header"), LABELS.index("data")
_BY_HAND = tuple(w.END.get(label, 0.0) for label in LABELS)
_ends: list[float] = []


def set_ends(learned: Sequence[int]) -> None:
    """Take what was learned about the last line; for training, which judges with weights of its own."""
    _ends[:] = [w.END.get(label, 0.0) + weight / 100 for label, weight in zip(LABELS, learned, strict=True)]
    _table_of.cache_clear()


def _table(costs: Mapping[tuple[str, str], float]) -> list[list[float]]:
    """Return the costs as rows by the later label, columns by the earlier one."""
    return [[costs.get((before, after), _IMPOSSIBLE) for before in (*LABELS, "start")] for after in LABELS]


ADJACENT, AFTER_GAP = _table(w.ADJACENT), _table(w.AFTER_GAP)
NEW_PAGE = _table({**w.ADJACENT, ("data", "header"): 0.0})


@lru_cache(maxsize=4096)
def _table_of(steps: tuple[str, ...], kind: int) -> list[list[float]]:
    """Return the costs of one line: those set by hand, and what was learned about its steps."""
    table = [row.copy() for row in (ADJACENT, AFTER_GAP, NEW_PAGE)[kind]]
    for step in steps:
        for before, learned in enumerate(STEPS.get(step, ())):
            for after, weight in enumerate(learned):
                table[after][before] += weight / 100
    return table


set_ends(ENDS)


@record
class _Place:
    """A line in the search: what each label costs after each other and earns, and the best way to each so far."""

    costs: list[list[float]]
    earned: list[float]
    scores: list[float]
    taken: list[int]


def label_rows(
    lines: Sequence[Line],
    emissions: Emissions,
    alike: Sequence[float],
    steps: Steps,
    *,
    allowed: Allowed | None = None,
    by_hand: bool = False,
) -> tuple[float, list[str]]:
    """Return the best total score and the label of each line; `alike[i]` compares line i with the one above.

    By hand, nothing that was learned about the last line counts; the steps must be none then.
    """
    if not lines:
        return 0.0, []
    places = _places(lines, emissions, alike, steps, allowed)
    return _trace(places, ends=_no_ends(lines) or (_BY_HAND if by_hand else _ends))


def labellings(
    lines: Sequence[Line],
    emissions: Emissions,
    alike: Sequence[float],
    steps: Steps,
    *,
    allowed: Allowed | None = None,
    lead: float,
    most: int,
) -> list[tuple[float, list[str]]]:
    """Return by how much each labelling is behind the best, which is the first, and the labels of the lines.

    The others are the best of all that give a certain line a certain label, if they are behind by `lead` at most.
    """
    if not lines:
        return [(0.0, [])]
    places = _places(lines, emissions, alike, steps, allowed)
    ends = _no_ends(lines) or _ends
    total, labels = _trace(places, ends=ends)
    rest, following = _rest(places, ends)
    found = {tuple(labels): 0.0}
    for behind, i, label in sorted(_behind(places, rest, total, lead)):
        if len(found) == most:
            break
        if not any(known == behind and path[i] == LABELS[label] for path, known in found.items()):
            found.setdefault(tuple(_through(places, following, i, label)), behind)
    return [(behind, list(others)) for others, behind in found.items()]


def _places(
    lines: Sequence[Line], emissions: Emissions, alike: Sequence[float], steps: Steps, allowed: Allowed | None
) -> list[_Place]:
    again = [is_first_again(lines, i) for i in range(len(lines))]
    scores = [_IMPOSSIBLE * 2] * _START + [0.0]
    places: list[_Place] = []
    for i, line in enumerate(lines):
        costs = _costs(line.gap, alike[i], steps[i], is_again=again[i])
        earned = list(emissions[i])
        if i and again[i - 1]:
            # A header repeated on a new page is one row: what follows is data.
            earned[_HEADER] += w.AFTER_PAGE
        if allowed is not None:
            earned = [value if allowed(i, label) else _IMPOSSIBLE for value, label in zip(earned, LABELS, strict=True)]
        scores, taken = _step(scores, costs, earned)
        places.append(_Place(costs, earned, scores, taken))
    return places


def _rest(places: Sequence[_Place], ends: Sequence[float]) -> tuple[list[list[float]], list[list[int]]]:
    """Return for each line and label what the lines after it earn at best, and the label after it on that way."""
    rest, following = [list(ends)], [[0] * _START]
    for place in reversed(places[1:]):
        ahead = [earned + later for earned, later in zip(place.earned, rest[-1], strict=True)]
        sums = [[place.costs[after][before] + ahead[after] for after in range(_START)] for before in range(_START)]
        rest.append([max(row) for row in sums])
        following.append([row.index(max(row)) for row in sums])
    return rest[::-1], following[::-1]


def _behind(
    places: Sequence[_Place], rest: Sequence[Sequence[float]], total: float, lead: float
) -> Iterator[tuple[float, int, int]]:
    """Yield by how much the best labelling with a label in a line is behind the best of all, where that is little."""
    for i, place in enumerate(places):
        for label in range(_START):
            behind = round(total - place.scores[label] - rest[i][label], 6)
            if behind <= lead:
                yield behind, i, label


def _through(places: Sequence[_Place], following: Sequence[Sequence[int]], i: int, label: int) -> list[str]:
    """Return the best labels of all lines where line i has one given."""
    before, after = [label], []
    for place in reversed(places[1 : i + 1]):
        before.append(place.taken[before[-1]])
    last = label
    for row in following[i:-1]:
        last = row[last]
        after.append(last)
    return [LABELS[one] for one in before[::-1] + after]


def _costs(gap: int, alike: float, steps: tuple[str, ...], *, is_again: bool) -> list[list[float]]:
    if is_again:
        return _table_of(steps, 2)
    costs = list(_table_of(steps, 1 if gap else 0))
    costs[_HEADER] = costs[_HEADER].copy()
    costs[_HEADER][_DATA] += w.HEADER_UNLIKE * alike
    if gap:
        costs[_DATA] = costs[_DATA].copy()
        costs[_DATA][_DATA] += w.GAP_UNLIKE * (1.0 - alike) + w.GAP_ROW * min(gap - 1, w.GAP_ROWS)
    return costs


def _step(
    scores: Sequence[float], costs: Sequence[Sequence[float]], earned: Sequence[float]
) -> tuple[list[float], list[int]]:
    """Return the best score of each label for the next line, and the label before that leads to it."""
    following, step = [], []
    for after, row in enumerate(costs):
        sums = [score + cost for score, cost in zip(scores, row, strict=True)]
        best = max(sums)
        following.append(best + earned[after])
        step.append(sums.index(best))
    return [*following, _IMPOSSIBLE * 2], step


def _no_ends(lines: Sequence[Line]) -> tuple[float, ...] | None:
    """A single row of names may well be a header whose data is still to come."""
    is_header_alone = len(lines) == 1 and not VALUES.intersection(lines[0].kinds) - {CODE}
    return (0.0,) * _START if is_header_alone else None


def _trace(places: Sequence[_Place], *, ends: Sequence[float]) -> tuple[float, list[str]]:
    finals = [score + end for score, end in zip(places[-1].scores, ends, strict=False)]
    total = max(finals)
    label = finals.index(total)
    labels: list[str] = []
    for place in reversed(places):
        labels.append(LABELS[label])
        label = place.taken[label]
    return total, labels[::-1]
