"""Counts what the cells with issues hold. Issues have no values: they are read from the document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import field as dataclass_field
from itertools import islice
from pathlib import Path
from typing import Any

from ade_engine.cells import Value, cell_name, parse_cell
from ade_engine.readers import open_workbook
from ade_engine.readers.base import Sheet
from ade_engine.records import record
from ade_engine.words import as_key

MOST_ISSUES = 200_000  # that are looked up
MOST_GROUPS = 2000  # that are listed, the most frequent ones
MOST_CELLS = 20  # of a group that are named
LONGEST_VALUE = 1000  # as long as a correction can be
_LONGEST_LINE = 64 * 1024
_SEVERITIES = ("error", "warning", "info")

Place = tuple[int, int]  # row and column


@record(frozen=False)
class Group:
    """Cells of a field with one value and one thing wrong. `value` is None for empty cells."""

    field: str
    rule: str
    severity: str
    message: str
    value: str | None
    count: int = 0
    cells: list[tuple[str | None, str]] = dataclass_field(default_factory=list)  # the first ones, each with its sheet

    def as_json(self) -> dict[str, Any]:
        """Return the group as plain values; a value that is too long to be corrected is cut."""
        is_cut = self.value is not None and len(self.value) > LONGEST_VALUE
        return {
            "field": self.field,
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "value": self.value[:LONGEST_VALUE] if self.value is not None else None,
            "is_cut": is_cut,
            "count": self.count,
            "cells": [{"sheet": sheet, "cell": cell} for sheet, cell in self.cells],
        }


@record
class _Issue:
    field: str
    rule: str
    severity: str
    message: str


Wanted = dict[str | None, dict[int, list[tuple[int, _Issue]]]]  # by sheet and row: the columns and what is wrong


def count_values(document: Path, issues: Path, *, encoding: str | None = None) -> dict[str, Any]:
    """Return the values of cells with issues by field and rule, most frequent first."""
    with issues.open("rb") as lines:
        found = list(islice(_issues(lines), MOST_ISSUES + 1))
    wanted = _by_place(found[:MOST_ISSUES])
    groups: dict[tuple[Any, ...], Group] = {}
    with closing(open_workbook(document, encoding=encoding)) as workbook:
        for info in workbook.sheets:
            if info.name in wanted:
                _count(workbook.open_sheet(info), info.name, wanted[info.name], groups)
    order = {severity: number for number, severity in enumerate(_SEVERITIES)}
    listed = sorted(groups.values(), key=lambda one: (order.get(one.severity, len(order)), -one.count))
    return {
        "groups": [group.as_json() for group in listed[:MOST_GROUPS]],
        "group_count": len(listed),
        "is_complete": len(found) <= MOST_ISSUES,
    }


def _issues(lines: Iterable[bytes]) -> Iterator[tuple[str | None, Place, _Issue]]:
    """Yield the issues that are about a cell of a field; rules may have written anything else."""
    for line in lines:
        if len(line) > _LONGEST_LINE:
            continue
        try:
            found = json.loads(line)
            sheet, cell, *texts = (found[key] for key in ("sheet", "cell", "field", "rule", "severity", "message"))
            place = parse_cell(cell)
        except (ValueError, RecursionError, TypeError, KeyError):
            continue
        if all(isinstance(text, str) for text in texts) and isinstance(sheet, str | None):
            yield sheet, place, _Issue(*texts)


def _by_place(found: Iterable[tuple[str | None, Place, _Issue]]) -> Wanted:
    wanted: Wanted = {}
    for sheet, (row, column), issue in found:
        wanted.setdefault(sheet, {}).setdefault(row, []).append((column, issue))
    return wanted


def _count(
    sheet: Sheet, name: str | None, wanted: dict[int, list[tuple[int, _Issue]]], groups: dict[tuple[Any, ...], Group]
) -> None:
    """Look the cells of a sheet up, as far as there are issues."""
    left = dict(wanted)
    for row in sheet.rows():
        for column, issue in left.pop(row.number, ()):
            value = row.values[column - 1] if column <= len(row.values) else None
            _add(groups, issue, value, name, cell_name(row.number, column))
        if not left:
            return
    for number, issues in left.items():  # rows that hold nothing
        for column, issue in issues:
            _add(groups, issue, None, name, cell_name(number, column))


def _add(groups: dict[tuple[Any, ...], Group], issue: _Issue, value: Value, sheet: str | None, cell: str) -> None:
    text = as_key(value)
    key = (issue.field, issue.rule, issue.severity, text)
    if key not in groups:
        groups[key] = Group(issue.field, issue.rule, issue.severity, issue.message, text)
    group = groups[key]
    group.count += 1
    if len(group.cells) < MOST_CELLS:
        group.cells.append((sheet, cell))
