"""Finds the best one-to-one assignment of columns to fields, where leaving a column unmapped is a choice too."""

from __future__ import annotations

from collections.abc import Mapping

_LEXICOGRAPHIC_LIMIT = 64  # beyond this many columns in one knot, exact tie-breaking weights grow out of hand


def best_assignment(gains: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Return column → field with the largest total gain; pairs that are not listed cannot be chosen.

    Columns and fields are numbers whose order breaks ties: the earlier column first, then the earlier field.
    """
    chosen: dict[int, int] = {}
    for pairs in _components(sorted(gains)):
        chosen.update(_solve(pairs, gains))
    return chosen


def _components(pairs: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """Split pairs into groups that share neither column nor field, so that each can be solved alone."""
    leader: dict[tuple[str, int], tuple[str, int]] = {}

    def find(node: tuple[str, int]) -> tuple[str, int]:
        while leader.setdefault(node, node) != node:
            leader[node] = leader[leader[node]]
            node = leader[node]
        return node

    for column, field in pairs:
        leader[find(("column", column))] = find(("field", field))
    groups: dict[tuple[str, int], list[tuple[int, int]]] = {}
    for pair in pairs:
        groups.setdefault(find(("column", pair[0])), []).append(pair)
    return list(groups.values())


def _solve(pairs: list[tuple[int, int]], gains: Mapping[tuple[int, int], int]) -> dict[int, int]:
    if len(pairs) == 1:
        return dict(pairs)
    columns = sorted({column for column, _ in pairs})
    fields = sorted({field for _, field in pairs})
    weights = _weights(pairs, gains, columns, fields)
    found = (
        _by_fields(columns, fields, weights) if len(fields) <= len(columns) else _by_columns(columns, fields, weights)
    )
    return {column: field for column, field in found if (column, field) in gains}


def _by_columns(columns: list[int], fields: list[int], weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    # One place to stay unmapped for each column, at no cost.
    costs = [[-weights.get((c, f), 0) for f in fields] + [0] * len(columns) for c in columns]
    chosen = zip(columns, _hungarian(costs), strict=True)
    return [(column, fields[place]) for column, place in chosen if place < len(fields)]


def _by_fields(columns: list[int], fields: list[int], weights: Mapping[tuple[int, int], int]) -> list[tuple[int, int]]:
    # The work grows with the square of the rows and only once with the width: thousands of columns must be the width.
    costs = [[-weights.get((c, f), 0) for c in columns] + [0] * len(fields) for f in fields]
    chosen = zip(fields, _hungarian(costs), strict=True)
    return [(columns[place], field) for field, place in chosen if place < len(columns)]


def _weights(
    pairs: list[tuple[int, int]], gains: Mapping[tuple[int, int], int], columns: list[int], fields: list[int]
) -> dict[tuple[int, int], int]:
    """Return gains to which a preference is added that can decide between equal totals, and nothing else."""
    base = len(fields) + 1
    is_exact = len(columns) <= _LEXICOGRAPHIC_LIMIT
    row_of, place_of = ({name: n for n, name in enumerate(names)} for names in (columns, fields))

    def preference(column: int, field: int) -> int:
        rank = base - 1 - place_of[field]
        rest = len(columns) - 1 - row_of[column]
        return rank * base**rest if is_exact else rank + base * rest

    scale = base ** len(columns) if is_exact else base * (len(columns) + 1) * len(columns) + 1
    return {(c, f): gains[c, f] * scale + preference(c, f) for c, f in pairs}


def _hungarian(costs: list[list[int]]) -> list[int]:
    """Return the column chosen for each row at the least total cost; there are at least as many columns as rows."""
    width = len(costs[0])
    row_price, column_price = [0] * (len(costs) + 1), [0] * (width + 1)
    row_at = [0] * (width + 1)  # the row, from 1, that holds a column; 0 is none
    for row in range(1, len(costs) + 1):
        _augment(costs, row, row_at, row_price, column_price)
    chosen = [0] * len(costs)
    for column in range(1, width + 1):
        if row_at[column]:
            chosen[row_at[column] - 1] = column - 1
    return chosen


def _augment(
    costs: list[list[int]], row: int, row_at: list[int], row_price: list[int], column_price: list[int]
) -> None:
    """Find a place for one more row, moving others to their next best where that is cheapest."""
    width = len(column_price) - 1
    row_at[0] = row
    least: list[int | None] = [None] * (width + 1)
    came_from = [0] * (width + 1)
    is_used = [False] * (width + 1)
    column = 0
    while row_at[column]:
        is_used[column] = True
        line, price = costs[row_at[column] - 1], row_price[row_at[column]]
        for other in range(1, width + 1):
            if not is_used[other]:
                cost = line[other - 1] - price - column_price[other]
                if least[other] is None or cost < least[other]:  # type: ignore[operator]
                    least[other], came_from[other] = cost, column
        step, following = min(
            (cost, other) for other, cost in enumerate(least) if cost is not None and not is_used[other]
        )
        for other in range(width + 1):
            if is_used[other]:
                row_price[row_at[other]] += step
                column_price[other] -= step
            elif least[other] is not None:
                least[other] -= step  # type: ignore[operator]
        column = following
    while column:
        row_at[column] = row_at[came_from[column]]
        column = came_from[column]
