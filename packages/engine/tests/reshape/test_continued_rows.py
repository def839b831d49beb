"""Lines that continue the row above are joined to it, and rows that are none are taken out, wherever chunks end."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.continued import Continued, SideRows
from ade_engine.headings import heading_test
from ade_engine.readers.base import Row
from ade_engine.structure.tables import FoundTable, Group, SideRow, TableColumn

pytestmark = pytest.mark.req("E3", "E6")


def found(rows=(), *, header_row=1, width=3):
    """A table below a header; the rows given are group headings that structure set aside."""
    return FoundTable(
        sheet="S", columns=[TableColumn(position=n, header=f"c{n}") for n in range(1, width + 1)],
        header_rows=[header_row], title_rows=[], first_row=header_row, score=1.0, contributions=[], runner_up=None,
        margin=1.0, sample=[], last_row=header_row, _known=[],
        side_rows=[SideRow("group", row, row.values) for row in rows], group_rows=[row.number for row in rows],
        groups=[Group(row=row.number, level=1) for row in rows],
    )  # fmt: skip


def numbered(*cells, first=2):
    return [Row(number, list(values)) for number, values in enumerate(cells, start=first)]


def cut(rows, *places):
    """The rows in chunks that end at these places."""
    ends = [0, *sorted(places), len(rows)]
    return [rows[start:end] for start, end in pairwise(ends) if start < end]


def joined(rows, *places, columns=None, aside=(), last=3):
    """What is left of rows when column 2 continues, and how many lines were joined."""
    continued = Continued(columns or {2: " "}, first=1, last=last)
    table = found(aside)
    out = [row for chunk in continued.joined(cut(rows, *places), table) for row in chunk]
    return [(row.number, row.values) for row in out], continued.count, table


LINES = numbered(["a", "one", 1], [None, "two", None], [None, "three", None], ["b", "four", 2], [None, "five", None])


def test_a_row_with_nothing_but_the_text_continues_the_one_above():
    rows, count, _ = joined(LINES)

    assert rows == [(2, ["a", "one two three", 1]), (5, ["b", "four five", 2])]
    assert count == 3


@pytest.mark.parametrize("place", range(1, 5))
def test_where_a_chunk_ends_changes_nothing(place):
    assert joined(LINES, place)[:2] == joined(LINES)[:2]


def test_a_row_with_any_other_cell_is_a_row_of_its_own():
    rows, count, _ = joined(numbered(["a", "one", 1], [None, "two", 5]))

    assert ([number for number, _ in rows], count) == ([2, 3], 0)


def test_a_blank_row_continues_nothing():
    rows, _, _ = joined(numbered(["a", "one", 1], [None, " ", None], [None, "two", None]))

    assert rows == [(2, ["a", "one", 1]), (3, [None, "two", None])]


def test_the_first_row_is_kept_even_if_it_could_continue_one():
    rows, count, _ = joined(numbered([None, "two", None], ["a", "one", 1]))

    assert ([number for number, _ in rows], count) == ([2, 3], 0)


def test_numbers_are_joined_as_text_and_an_empty_cell_takes_the_line_as_it_is():
    rows, _, _ = joined(numbered(["a", 12, 1], [None, 34, None], ["b", None, 2], [None, 56, None]))

    assert [values[1] for _, values in rows] == ["12 34", 56]


def test_each_column_has_its_own_text_between_lines():
    lines = numbered(["a", "x", "y"], [None, "x2", "y2"], [None, None, "y3"])

    rows, _, _ = joined(lines, columns={2: "\n", 3: ", "})

    assert rows == [(2, ["a", "x\nx2", "y, y2, y3"])]


def test_a_short_row_gets_the_cells_of_a_longer_line():
    rows, _, _ = joined(numbered(["a"], [None, "late"]))

    assert rows == [(2, ["a", "late"])]


def test_a_line_that_structure_took_for_a_heading_is_joined_and_no_heading():
    heading = Row(3, [None, "two", None])

    rows, count, table = joined(numbered(["a", "one", 1]), aside=[heading])

    assert (rows, count) == ([(2, ["a", "one two", 1])], 1)
    assert (table.side_rows, table.group_rows, table.groups) == ([], [], [])


def test_a_heading_in_another_column_stays_a_heading():
    heading = Row(3, ["North", None, None])

    rows, count, table = joined(numbered(["a", "one", 1]), aside=[heading])

    assert (rows, count, table.group_rows) == ([(2, ["a", "one", 1])], 0, [3])


def test_a_heading_above_the_header_is_no_line():
    title = Row(1, [None, "two", None])

    _, count, table = joined(numbered(["a", "one", 1]), aside=[title])

    assert (count, table.group_rows) == (0, [1])


words = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=6)
records = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=8)


@given(records=records, data=st.data())
@settings(max_examples=150, deadline=None)
def test_texts_cut_into_lines_are_whole_again(records, data):
    cells = [
        [key if n == 0 else None, line, 1 if n == 0 else None] for key, lines in records for n, line in enumerate(lines)
    ]
    rows = numbered(*cells)
    places = data.draw(st.lists(st.integers(1, len(rows)), max_size=3))

    joined_rows, count, _ = joined(rows, *places)

    assert [(values[0], values[1]) for _, values in joined_rows] == [(key, " ".join(lines)) for key, lines in records]
    assert count == len(rows) - len(records)


def sided(rows, *places, headings="alone", values=(), total_names=()):
    table = found()
    settings = SimpleNamespace(fields=[], settings=SimpleNamespace(headings=headings))
    kinds = SideRows(
        first=1,
        last=3,
        headings=headings,
        values=frozenset(values),
        total_names=total_names,
        is_heading=heading_test(settings),
    )
    kept = [row.number for chunk in kinds.taken_out(cut(rows, *places), table) for row in chunk]
    return kept, table


MIXED = numbered(["North", None, None], ["a", "x", 1], ["Total", None, 1], ["South", None, None], ["b", "y", 2])


@pytest.mark.parametrize("places", [(), (1,), (2, 3), (1, 2, 3, 4)])
def test_headings_and_totals_are_taken_out_wherever_chunks_end(places):
    kept, table = sided(MIXED, *places, total_names=("total",))

    assert (kept, table.group_rows, table.totals_rows) == ([3, 6], [2, 5], [4])
    assert [(side.label, side.row.number) for side in table.side_rows] == [("group", 2), ("total", 4), ("group", 5)]


def test_without_names_of_totals_a_total_is_data():
    kept, table = sided(MIXED)

    assert (kept, table.totals_rows) == ([3, 4, 6], [])


def test_without_headings_a_lone_text_is_data():
    kept, table = sided(MIXED, headings="found")

    assert (kept, table.group_rows) == ([2, 3, 4, 5, 6], [])


@pytest.mark.parametrize("cell", [7, True, "", "  ", None])
def test_what_is_no_text_heads_nothing(cell):
    kept, table = sided(numbered([cell, None, None]))

    assert (kept, table.group_rows) == ([2], [])


def test_a_row_without_values_is_a_heading_whatever_else_it_holds():
    rows = numbered(["North", "a region", None], ["a", "x", 1])
    kept, table = sided(rows, headings="without_values", values=[3])

    assert (kept, table.group_rows) == ([3], [2])


def test_cells_outside_of_the_table_do_not_count():
    kept, table = sided(numbered(["North", None, None, "a remark"]))

    assert (kept, table.group_rows) == ([], [2])
    assert table.side_rows[0].cells == ["North", None, None]


def test_a_total_is_found_in_any_case_and_behind_spaces():
    kept, table = sided(numbered([" TOTAL of all", "x", 3], ["Totally", "x", 3]), total_names=("total",))

    assert (kept, table.totals_rows) == ([], [2, 3])


def test_a_total_ends_in_a_word_and_not_in_a_part_of_one():
    labels = ["Cabinet", "Sales net", "Sales-net:", "net", "Zone 1 net", "小计", "北京合计"]
    kept, table = sided(numbered(*([label, "x", 3] for label in labels)), total_names=("net", "合计"))
    assert (kept, table.totals_rows) == ([2, 7], [3, 4, 5, 6, 8])
