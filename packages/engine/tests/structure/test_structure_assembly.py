"""Tables from labelled lines, whatever set the labels: what opens a table, what belongs to it, how wide it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets_in_memory import sheet

from ade_engine.structure.assemble import assemble, column_span, same_texts
from ade_engine.structure.grid import Merges, cut, grid_row
from ade_engine.structure.outline import groups_of, totals_of

pytestmark = pytest.mark.req("E3")
ROWS = {
    "t": ["Report of May"],
    "h": ["Item", "Qty", "Price"],
    "d": ["apple", 3, 2.5],
    "g": ["North:"],
    "s": ["Total", 3, 2.5],
    "n": ["Note: rounded"],
}
LABELS = {"t": "title", "h": "header", "d": "data", "g": "group", "s": "total", "n": "note"}


def lines_of(*cells):
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines


def drafted(letters):
    """Assemble lines given as letters; a space is a blank row. Each table comes as {part: letters' places}."""
    cells = [ROWS[letter] if letter != " " else [] for letter in letters]
    lines = lines_of(*cells)
    labels = [LABELS[letter] for letter in letters if letter != " "]
    found = []
    for draft in assemble(lines, labels):
        parts = {
            name: getattr(draft, name) for name in ("titles", "headers", "data", "groups", "totals", "notes", "repeats")
        }
        found.append({name: [lines[i].number for i in places] for name, places in parts.items() if places})
    return found


@pytest.mark.parametrize(
    ("letters", "expected"),
    [
        ("hddd", [{"headers": [1], "data": [2, 3, 4]}]),
        ("thddd", [{"titles": [1], "headers": [2], "data": [3, 4, 5]}]),
        ("tt hdd", [{"titles": [1, 2], "headers": [4], "data": [5, 6]}]),
        ("hhdd", [{"headers": [1, 2], "data": [3, 4]}]),
        ("hdds", [{"headers": [1], "data": [2, 3], "totals": [4]}]),
        ("hddsdds", [{"headers": [1], "data": [2, 3, 5, 6], "totals": [4, 7]}]),
        ("hddsn", [{"headers": [1], "data": [2, 3], "totals": [4], "notes": [5]}]),
        ("hgddgdd", [{"headers": [1], "data": [3, 4, 6, 7], "groups": [2, 5]}]),
        ("hgddg", [{"headers": [1], "data": [3, 4], "groups": [2], "notes": [5]}]),
        ("hddhdd", [{"headers": [1], "data": [2, 3, 5, 6], "repeats": [4]}]),
        ("hdd hdd", [{"headers": [1], "data": [2, 3]}, {"headers": [5], "data": [6, 7]}]),
        ("hddthdd", [{"headers": [1], "data": [2, 3]}, {"titles": [4], "headers": [5], "data": [6, 7]}]),
        ("hddshdd", [{"headers": [1], "data": [2, 3], "totals": [4]}, {"headers": [5], "data": [6, 7]}]),
        ("hs", [{"headers": [1], "data": [2]}]),
        ("h", [{"headers": [1]}]),
        ("t", []),
        ("ttt", []),
    ],
)
def test_labels_in_order_are_tables_with_their_parts(letters, expected):
    assert drafted(letters) == expected


@given(st.text(alphabet="thdgsn ", min_size=1, max_size=14).filter(str.strip))
def test_no_line_belongs_to_two_parts_and_tables_do_not_overlap(letters):
    found = drafted(letters.lstrip())
    places = [place for table in found for part in table.values() for place in part]
    assert len(places) == len(set(places))
    spans = [[place for name, part in table.items() if name != "titles" for place in part] for table in found]
    for above, below in pairwise(spans):
        assert max(above) < min(below)
    for table in found:
        assert "data" in table or "headers" in table
        if "headers" in table and "data" in table:
            assert max(table["headers"]) < min(table["data"])


def test_one_cell_above_several_columns_is_a_title():
    lines = lines_of(["People"], ["Ada", 36, "London"], ["Alan", 41, "Wilmslow"], ["Grace", 85, "Arlington"])
    [draft] = assemble(lines, ["header", "data", "data", "data"])
    assert (draft.titles, draft.headers, draft.data) == ([0], [], [1, 2, 3])


def test_a_few_lines_of_text_beside_a_real_table_are_left_out():
    lines = lines_of(["Dear reader", "hello"], [], ["Item", "Qty"], ["apple", 3], ["pear", 4])
    found = assemble(lines, ["data", "header", "data", "data"])
    assert [draft.headers for draft in found] == [[1]]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([["A", "B"], ["x", 1], ["y", 2]], (0, 1)),
        ([["A", "B", None, None], ["x", 1, None, "remark"], ["y", 2, None, None], ["z", 3, None, None]], (0, 1)),
        ([["A", "B", None], ["x", 1, 5], ["y", 2, 6], ["z", 3, 7]], (0, 2)),
        ([[None, "B", "C"], ["x", 1, 5], ["y", 2, 6], ["z", 3, 7]], (0, 2)),
        ([["A", None, "C"], ["x", None, 5], ["y", None, 6]], (0, 2)),
    ],
)
def test_a_table_is_as_wide_as_its_headers_and_what_is_well_filled_beside_them(cells, expected):
    lines = lines_of(*cells)
    [draft] = assemble(lines, ["header", *["data"] * (len(cells) - 1)])
    assert column_span(draft, lines, range(len(cells[0]))) == expected


def test_lines_that_say_nearly_the_same_are_told_from_others():
    one, same, other = lines_of(["Item", "Qty", "Price"], ["Item", "Qty", "Price"], ["Item", "Box", "Weight"])
    assert same_texts(one, same)
    assert not same_texts(one, other)


def test_groups_have_levels_by_their_indent_and_totals_the_rows_they_sum():
    lines = lines_of(
        ["Item", "Qty"], ["Europe"], ["  North"], ["apple", 10], ["pear", 20], ["Total", 30], ["Asia"], ["fig", 7]
    )
    labels = ["header", "group", "group", "data", "data", "total", "group", "data"]
    [draft] = assemble(lines, labels)
    assert [(group.row, group.level) for group in groups_of(lines, draft)] == [(2, 1), (3, 2), (7, 1)]
    assert [(one.row, one.first_row, one.last_row) for one in totals_of(lines, draft)] == [(6, 4, 5)]


def test_a_total_whose_rows_the_numbers_do_not_show_names_none():
    lines = lines_of(["Item", "Qty"], ["apple", 10], ["pear", 20], ["Total", 99])
    [draft] = assemble(lines, ["header", "data", "data", "total"])
    [found] = totals_of(lines, draft)
    assert (found.row, found.first_row, found.last_row) == (4, None, None)
