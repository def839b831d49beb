"""Groups with levels, totals with the rows they sum, rows that name columns by a series, and how sure a table is."""

from __future__ import annotations

import random
from datetime import date

import pytest
from sheets_in_memory import INVOICE_HEADER, PEOPLE, invoices, sheet

from ade_engine.cells import Range
from ade_engine.readers.base import Row
from ade_engine.structure import find_tables
from ade_engine.structure.confidence import probability
from ade_engine.structure.grid import Line, Merges, cut, grid_row
from ade_engine.structure.series import is_series, is_units
from ade_engine.structure.sums import rows_summed

pytestmark = pytest.mark.req("E3")


def lines(*cells: list[object]) -> list[Line]:
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines


def test_a_total_is_the_sum_of_the_rows_above():
    assert rows_summed(lines(["a", 10, 2], ["b", 20, 3], ["c", 5, 1], ["all", 35, 6]), 3, -1) == (0, 2)


def test_a_total_may_stand_above_the_rows_it_sums():
    assert rows_summed(lines(["all", "1,035"], ["a", "1,000"], ["b", "35"]), 0, 1) == (1, 2)


def test_a_row_that_sums_nothing_is_no_sum():
    assert rows_summed(lines(["a", 10], ["b", 20], ["c", 31]), 2, -1) is None


def test_negative_numbers_in_brackets_are_summed():
    assert rows_summed(lines(["a", "(10)"], ["b", "25"], ["net", "15"]), 2, -1) == (0, 1)


@pytest.mark.parametrize(
    "cells",
    [
        ["Region", "Jan", "Feb", "Mar"],
        ["", "2006", "2007 \\1", "2008"],
        ["Item", "Q1", "Q2", "Q3"],
        [1, 2, 3, 4],
    ],
)
def test_years_months_quarters_and_counts_are_a_series(cells):
    assert is_series(lines(cells)[0])


def test_names_are_no_series():
    assert not is_series(lines(["Name", "City", "Age"])[0])


def test_units_in_brackets_are_units():
    assert is_units(lines(["", "(1,000)", "(percent)"])[0])
    assert not is_units(lines(["Name", "City (home)", "Age"])[0])


def test_totals_list_the_rows_they_sum():
    rows = [["Oslo", 10, 20], ["Lima", 30, 5], ["Rome", 2, 2], ["Total", 42, 27]]
    (found,) = find_tables(sheet(["City", "Items", "Amount"], *rows))
    assert [(total.row, total.first_row, total.last_row) for total in found.totals] == [(5, 2, 4)]


def test_a_table_says_how_likely_it_is_right():
    (found,) = find_tables(sheet(INVOICE_HEADER, *invoices(20)))
    assert 0.5 < found.confidence <= 1.0
    assert 0.5 < found.header_confidence <= 1.0


def test_a_probability_stays_between_nothing_and_one():
    assert probability(("a",), {"a": 100_000}) == pytest.approx(0.99, abs=0.01)
    assert probability(("a",), {"a": -100_000}) == pytest.approx(0.01, abs=0.01)
    assert probability((), {}) == 0.5


def test_remarks_beside_few_rows_are_outside():
    cells = [[*row, None, None] for row in (["Name", "City", "Age"], *PEOPLE[1:], *PEOPLE[1:], *PEOPLE[1:])]
    cells[5][3] = "dup."
    (found,) = find_tables(sheet(*cells))
    assert found.range.last_column == 3
    assert isinstance(found.range, Range)
    assert all(isinstance(row, Row) for chunk in found.data() for row in chunk)


def test_row_labels_left_of_all_headers_are_inside():
    months = [None, None, None, "Jan", "Feb", "Mar"]
    body = [[None, name, None, n, n + 1, n + 2] for n, name in enumerate(("Sales", "Rent", "Fuel", "Tax", "Wages"))]
    (found,) = find_tables(sheet(months, *body))
    assert (found.range.first_column, found.header_rows) == (2, [1])


def test_no_record_is_lost_because_its_small_numbers_are_sums_by_chance():
    numbers = random.Random(76)
    header = ["Order", "Date", "SKU", "Qty", "Unit price", "Status"]
    rows: list[list[object]] = [
        [f"Y{n:03}", date(2026, 3, n), f"00{numbers.choice('1234')}", quantity, f"£1,{n + 100}.56", "shipped"]
        for n, quantity in enumerate([7, 5, 2, *(numbers.randint(1, 9) for _ in range(14))], 1)
    ]
    rows[0][2], rows[1][2], rows[2][2] = "003", "002", "001"  # 7 = 5 + 2 and 3 = 2 + 1
    (table,) = find_tables(sheet(["Store report York"], [], header, *rows))
    assert (table.totals_rows, table.range) == ([], Range(3, 1, 20, 6))
