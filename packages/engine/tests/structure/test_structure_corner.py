"""A header whose first column is named in a row of its own."""

from __future__ import annotations

import pytest
from sheets_in_memory import sheet, table

from ade_engine.structure.grid import Merges, cut, grid_row
from ade_engine.structure.headers import fills_corner

pytestmark = pytest.mark.req("E3")


def lines_of(cells):
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines


STATES = (
    ["Internet use by state"],
    [None, "Total", "At home"],
    ["State"],
    [],
    ["Ohio", 71.0, 61.5],
    ["Utah", 64.3, 52.5],
)


def test_a_name_in_the_blank_corner_of_a_header_ends_it():
    lines = lines_of(STATES)

    assert [fills_corner(lines, i) for i in range(len(lines))] == [False, False, True, False, False]
    assert table(*STATES, *STATES[4:], *STATES[4:]).header_rows == (2, 3)


@pytest.mark.parametrize(
    "cells",
    [
        [[None, "Total", "At home"], ["Ohio"], ["Cities", 71.0, 61.5]],  # close to its rows: a group
        [[None, "Total", "At home"], [], ["State"], [], ["Ohio", 71.0, 61.5]],  # apart from the header
        [["Place", "Total", "At home"], ["State"], [], ["Ohio", 71.0, 61.5]],  # the corner has a name
        [[None, "Total", 12.5], ["State"], [], ["Ohio", 71.0, 61.5]],  # under numbers
        [["State"], [], ["Ohio", 71.0, 61.5]],  # under nothing
    ],
)
def test_a_lone_name_elsewhere_is_no_part_of_a_header(cells):
    lines = lines_of(cells)

    assert not any(fills_corner(lines, i) for i in range(len(lines)))
