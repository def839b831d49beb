"""Places in lists: what lies before or behind one, as a condition SQL Server accepts too (no tuples)."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa


def below(columns: Sequence[sa.ColumnElement[Any]], values: Sequence[Any]) -> sa.ColumnElement[bool]:
    """Return the condition of being less than a row: behind it in a list whose newest comes first."""
    equal_so_far: list[sa.ColumnElement[bool]] = []
    alternatives: list[sa.ColumnElement[bool]] = []
    for column, value in zip(columns, values, strict=True):
        alternatives.append(sa.and_(*equal_so_far, column < value))
        equal_so_far.append(column == value)
    return sa.or_(*alternatives)


def contains(column: sa.ColumnElement[str], text: str) -> sa.ColumnElement[bool]:
    """Return the condition that a text holds another, whatever the case; wildcards in it mean themselves."""
    escaped = text.lower().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("[", "\\[")
    return sa.func.lower(column).like(f"%{escaped}%", escape="\\")
