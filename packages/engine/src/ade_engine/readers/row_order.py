"""Puts the rows of a sheet in order that a program wrote in disorder."""

from __future__ import annotations

from operator import lt

from ade_engine.readers.base import Row


def in_order(rows: list[Row]) -> list[Row]:
    """Return the rows by ascending number; rows of the same number become one."""
    numbers = [row.number for row in rows]
    if all(map(lt, numbers, numbers[1:])):
        return rows
    by_number: dict[int, Row] = {}
    for row in sorted(rows, key=lambda row: row.number):
        seen = by_number.setdefault(row.number, row)
        if seen is not row:
            _overlay(seen, row)
    return list(by_number.values())


def _overlay(row: Row, later: Row) -> None:
    width = max(len(row.values), len(later.values))
    values = row.values + [None] * (width - len(row.values))
    styles = (row.styles or []) + [0] * (width - len(row.styles or []))
    for index, value in enumerate(later.values):
        if value is not None:
            values[index] = value
            styles[index] = (later.styles or styles)[index]
    row.values = values
    row.styles = styles
