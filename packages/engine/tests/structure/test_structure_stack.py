"""A text over several columns, above their names: a part of the header, or a title."""

from __future__ import annotations

import pytest
from sheets_in_memory import sheet, table

from ade_engine.cells import parse_range
from ade_engine.structure.grid import Merges, cut, grid_row
from ade_engine.structure.headers import is_part_of_stack

pytestmark = pytest.mark.req("E3")

UNITS = (
    ["Reformer", 101.4, 101.4, 75.8, 48.9],
    ["Engine A", 586.7, 586.7, 372.0, 248.5],
    ["Engine B", 982.2, 982.2, 702.0, 421.8],
    ["Turbine", 12.5, 12.5, 9.1, 6.2],
)


def is_part(*cells, merged):
    made = sheet(*cells, merged=merged)
    merges = Merges([parse_range(a1) for a1 in merged])
    grid = [found for row in made.rows() if (found := grid_row(row, merges))]
    lines = cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines
    return is_part_of_stack(lines, 0, 0)


@pytest.mark.parametrize(
    "names", [["Unit", 2002, 2003, 2004, 2005], [None, "Jan", "Feb", "Mar", "Apr"], ["Unit", "Q1", "Q2", "Q3", "Q4"]]
)
def test_a_text_over_all_years_or_months_beside_the_names_of_rows_is_part_of_the_header(names):
    cells = ([None, "Allowances in tons"], names, *UNITS)

    assert is_part(*cells, merged=["B1:E1"])
    assert table(*cells, *UNITS, *UNITS, *UNITS, merged=["B1:E1"]).header_rows == (1, 2)


def test_a_text_over_nearly_all_columns_that_are_no_series_may_be_a_title():
    names = ["Unit", "Permit", "Owner", "County", "Inspector"]

    assert not is_part([None, "Allowances in tons"], names, *UNITS, merged=["B1:E1"])


def test_a_text_over_years_that_also_stands_over_the_names_of_rows_is_a_title():
    assert not is_part(["Allowances in tons"], ["Unit", 2002, 2003, 2004, 2005], *UNITS, merged=["A1:E1"])
