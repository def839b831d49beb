"""What stands around a table in real documents, labels above and sums below, is no part of it."""

from __future__ import annotations

from datetime import date

import pytest
from sheets_in_memory import INVOICE_HEADER, invoices, table, tables

pytestmark = pytest.mark.req("E3")

ITEMS = [["No", "Item", "Quantity", "Price", "Amount"], *([n, f"Item {n}", n, 1.5, n * 1.5] for n in range(1, 6))]
BOOKINGS = [
    ["Date", "Text", "Amount", "Balance"],
    ["2024-01-01", "Rent", "-500", "1500"],
    ["2024-01-03", "Salary", "2500", "4000"],
    ["2024-01-09", "Food", "-35.20", "3964.80"],
]
PREAMBLES = {
    "label and value": [["Account:", "12-34"], ["Holder:", "Ann"]],
    "two in a row": [["Number:", "A-17", None, "Date:", date(2024, 1, 2)], ["Customer:", "X", None, "Due:", "soon"]],
    "three rows of two": [["Number:", "A-17", None, "Date:", "x"]] * 2 + [["To:", "X", None, "Due:", date(2024, 2, 2)]],
    "colon in a cell of its own": [["Account", ":", "12-34"], ["Holder", ":", "Ann"], ["Period", ":", "January"]],
    "without colons": [["Company", "ACME"], ["Period", "2024-01-01"], ["Balance", "1,234.56 EUR"]],
    "a date at the right": [["ACME", None, None, "Printed:", date(2024, 1, 2)], ["Report", None, None, "Page:", 1]],
}


@pytest.mark.parametrize("gap", [0, 1])
@pytest.mark.parametrize("above", PREAMBLES.values(), ids=PREAMBLES)
def test_labels_and_what_they_label_are_titles_of_the_table_below(above, gap):
    first = len(above) + gap + 1
    found = tables(*above, *[[]] * gap, *ITEMS)
    assert [(t.range, t.header_rows) for t in found] == [(f"A{first}:E{first + 5}", (first,))]


def test_labels_between_tables_belong_to_the_second():
    found = tables(["Account:", "1"], *BOOKINGS, [], ["Account:", "2"], *BOOKINGS)
    assert [(t.range, t.header_rows) for t in found] == [("A2:D5", (2,)), ("A8:D11", (8,))]


def test_a_label_merged_over_cells_is_still_a_label():
    above = ["Account", None, None, ":", "12-34", None]
    found = table(above, [], [], *ITEMS, merged=["A1:C1", "E1:F1"])
    assert (found.range, found.header_rows) == ("A4:E9", (4,))


def test_a_small_table_above_a_wider_one_stays_a_table():
    numbers = [["Parameter", "Value"], ["Voltage", 230], ["Current", 16], ["Frequency", 50]]
    assert [t.range for t in tables(*numbers, [], *ITEMS)] == ["A1:B4", "A6:E11"]
    texts = [["Code", "Meaning"], *([letter, f"Meaning of {letter}"] for letter in "ABCDEF")]
    assert [t.range for t in tables(*texts, [], *ITEMS)] == ["A1:B7", "A9:E14"]


def test_two_texts_above_a_blank_corner_are_part_of_the_header():
    found = table(["Region", "Sales"], [None, "Q1", "Q2", "Q3"], *([f"Region {n}", n, n, n] for n in range(4)))
    assert found.header_rows == (1, 2)


def test_a_subtotal_named_after_its_rows_is_a_total():
    rows = [["North", "Kiel", 10], ["North", "Husum", 5], ["North Total", None, 15], ["South", "Ulm", 7]]
    found = table(["Region", "City", "Sales"], *rows, ["South", "Lindau", 8], ["South Total", None, 15])
    assert (found.totals_rows, found.data_rows) == ((4, 7), (2, 3, 5, 6))


def test_a_name_that_merely_begins_with_total_is_data():
    rows = [["Shell", "UK", 10], ["Total Energies", "FR", 5], ["Eni", "IT", 15], ["Repsol", "ES", 7]]
    assert table(["Company", "Country", "Sales"], *rows).data_rows == (2, 3, 4, 5)


@pytest.mark.parametrize("names", [("Subtotal", "VAT 19%", "Total"), ("Net", "VAT", "Total")])
@pytest.mark.parametrize("gap", [0, 1])
def test_a_tax_next_to_totals_is_one_of_them(names, gap):
    sums = [[None, None, None, name, 9.5] for name in names]
    found = table(*ITEMS, *[[]] * gap, *sums)
    assert (found.range, len(found.totals_rows)) == ("A1:E6", 3)


def test_columns_that_are_counted_have_a_header():
    found = table(["Day", 1, 2, 3, 4], ["Ann", 8, 0, 7, 8], ["Bob", 8, 8, 8, 0], ["Cid", 4, 9, 4, 4])
    assert found.header_rows == (1,)


def test_rows_that_all_count_are_data():
    assert table([1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]).header_rows == ()


def test_numbers_of_columns_under_their_names_are_part_of_the_header():
    rows = [[f"Region {n}", 10 * n, 3 * n, 7 * n] for n in range(1, 5)]
    assert table(["Region", "Total", "Men", "Women"], ["(1)", "(2)", "(3)", "(4)"], *rows).header_rows == (1, 2)


def test_a_first_row_of_data_that_happens_to_count_is_data():
    rows = [["A", 1, 2, 3, 4], ["B", 3, 4, 7, 1], ["C", 5, 6, 11, 2]]
    assert table(["Department", "January", "February", "March", "April"], *rows).data_rows == (2, 3, 4)


def test_measures_below_an_average_are_no_data():
    rows = [["Ann", 90, 80], ["Max", 70, 85], ["Cid", 60, 75]]
    found = table(["Student", "Test 1", "Test 2"], *rows, ["Mean", 73.3, 80], ["Min", 60, 75], ["Max.", 90, 85])
    assert (found.data_rows, found.totals_rows) == ((2, 3, 4), (5, 6, 7))


def test_a_second_header_row_of_signs_is_a_header():
    found = table([None, "Group A", None, "Group B"], [None, "n", "%", "n", "%"], *([t, 1, 2, 3, 4] for t in "abc"))
    assert found.header_rows == (1, 2)


@pytest.mark.parametrize("first", ["Region North", 2024])
def test_a_heading_right_below_the_header_is_one_when_others_of_its_kind_follow(first):
    rows = [[name, town, n] for n, (name, town) in enumerate((("Ann", "Kent"), ("Bob", "Devon"), ("Cid", "Essex")))]
    second = "Region South" if first == "Region North" else 2025
    found = table(["Name", "Town", "County"], [first], *rows, [second], *rows, bold=[1, 2, 6])
    assert (found.header_rows, found.group_rows) == ((1,), (2, 6))


def test_a_table_far_to_the_right_is_another_one_even_when_the_first_begins_with_one_value():
    left = [["Account", "Purpose", "Amount"], *(["C-17", f"Purpose {n}", n] for n in range(4))]
    rows = [[*a, None, None, *b] for a, b in zip(left, [INVOICE_HEADER, *invoices(4)], strict=True)]
    assert [t.range for t in tables(*rows)] == ["A1:C5", "F1:I5"]


def test_one_unit_repeated_under_the_names_is_part_of_the_header():
    rows = [["Country", "Exports", "Imports"], [None, "million EUR", "million EUR"]]
    assert table(*rows, ["France", 1, 2], ["Italy", 5, 6], ["Spain", 9, 10]).header_rows == (1, 2)


def test_numbered_notes_below_a_table_are_notes():
    rows = [["Bolt", 1, 2.5], ["Nut", 3, 4.5], ["Gear", 5, 6.5]]
    found = table(["Item", "Quantity", "Price"], *rows, [], ["1", "Prices without tax"], ["2", "Delivery in 3 days"])
    assert (found.data_rows, found.note_rows) == ((2, 3, 4), (6, 7))


def test_a_numbered_record_after_a_blank_row_is_data():
    rows = [[1, "Ann Lee", "Bonn"], [2, "Bea Orr", "Ulm"], [], [3, "Cid Poe"], [4, "Dan Qua", "Kiel"]]
    assert table(["No", "Name", "City"], *rows).data_rows == (2, 3, 5, 6)


def test_labels_below_a_table_are_no_table():
    signed = [["Approved by:", 17], ["Approved on:", date(2024, 1, 2)]]
    assert [t.range for t in tables(*ITEMS, ["Total", None, 15, None, 22.5], [], [], *signed)] == ["A1:E6"]


def test_labels_above_a_header_without_data_are_titles():
    found = tables(["Counterparty:", "ACME"], ["Primary:", 335], ["Date:", 41290], [], ITEMS[0], [], ["None to show"])
    assert [(t.range, t.header_rows) for t in found] == [("A5:E5", (5,))]


def test_labels_above_one_side_do_not_part_a_table_at_its_blank_column():
    above = [["Company", "ACME"], ["Period", "2024-01-01"], ["Balance", "1,234.56"]]
    rows = [["Region", "Total", "Men", None, "Share", "Rank"], *([f"Region {n}", n, n, None, n, n] for n in range(5))]
    assert [t.range for t in tables(*above, *rows)] == ["A4:F9"]


def test_labels_above_a_header_with_a_blank_corner_are_no_part_of_it():
    above = [["Company", "ACME"], ["Period", "2024-01-01"], ["Balance", "1,234.56"]]
    names = [[None, "Sales", None, "Costs", None], [None, "Q1", "Q2", "Q1", "Q2"]]
    assert table(*above, *names, *([f"Region {n}", n, n, n, n] for n in range(5))).header_rows == (4, 5)
    assert table(*above, names[1][:3], *([f"Region {n}", n, n] for n in range(5))).range == "A4:C9"


def test_a_subtotal_is_told_where_the_name_of_its_rows_stands_once():
    rows = [["North", "Kiel", 10], [None, "Husum", 5], ["North Total", None, 15], ["South", "Ulm", 7]]
    assert table(["Region", "City", "Sales"], *rows, [None, "Lindau", 8]).totals_rows == (4,)


def test_two_cells_right_above_the_names_of_a_cross_table_are_part_of_its_header():
    filters = [["Year", "(all)"], ["Month", "(all)"], []]
    names = [["Sum of sales", "City"], ["Region", "Kiel", "Ulm", "Bonn"]]
    assert table(*filters, *names, *([f"Region {n}", n, n, n] for n in range(4))).header_rows == (4, 5)


def test_a_form_alone_keeps_its_rows():
    found = table(["Voltage:", 230], ["Current:", 16], ["Since:", date(2024, 1, 2)], ["Active:", True])
    assert found.data_rows == (1, 2, 3, 4)


def test_narrow_rows_at_the_top_of_a_table_without_a_header_are_data():
    rows = [["Ann", "0228/11"], ["Bob", "0228/12"], *([f"P{n}", f"0228/{n}", f"p{n}@x.org"] for n in range(20, 26))]
    assert table(*rows).range == "A1:C8"


@pytest.mark.parametrize("bold", [(1,), ()])
def test_long_runs_of_a_number_and_a_text_are_no_titles(bold):
    rows = [[n, f"text {n}"] for n in range(1, 32)]
    found = table(["Mixed", "Comment"], *rows, bold=bold)
    assert found.header_rows == (1,)
    assert found.data_rows == tuple(range(2, 33))
