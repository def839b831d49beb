"""The outline of a table: how deep its group rows are, and which rows its totals sum."""

from __future__ import annotations

from collections.abc import Sequence

from ade_engine.records import record
from ade_engine.structure.assemble import Draft
from ade_engine.structure.grid import Line
from ade_engine.structure.sign_looks import indent_of
from ade_engine.structure.sums import rows_summed


@record
class Group:
    """The heading of a group of rows. Level 1 is the outermost."""

    row: int
    level: int


@record
class Total:
    """A total and the rows it is the sum of, by arithmetic; none where the numbers do not say."""

    row: int
    first_row: int | None
    last_row: int | None


def groups_of(lines: Sequence[Line], draft: Draft) -> list[Group]:
    """Return the group rows with their levels, by how far their labels are indented."""
    depths = {i: (lines[i].first, indent_of(lines[i])) for i in draft.groups}
    order = sorted(set(depths.values()))
    return [Group(lines[i].number, order.index(depths[i]) + 1) for i in draft.groups]


def totals_of(lines: Sequence[Line], draft: Draft) -> list[Total]:
    """Return the totals with the rows they sum, above them or, where that fails, below."""
    found = []
    for i in draft.totals:
        span = rows_summed(lines, i, -1) or rows_summed(lines, i, 1)
        first, last = (lines[span[0]].number, lines[span[1]].number) if span else (None, None)
        found.append(Total(lines[i].number, first, last))
    return found
