"""One case per structural feature: what is built, and what must be found."""

from __future__ import annotations

from datetime import date

import pytest
from sheets_in_memory import INVOICE_HEADER, PEOPLE, invoices, sheet, table, tables

from ade_engine.structure import find_tables

pytestmark = pytest.mark.req("E3")


def test_a_plain_header_with_data_is_just_that_table():
    found = table(*PEOPLE)
    assert (found.range, found.header_rows, found.headers) == ("A1:C5", (1,), ("Name", "City", "Age"))
    assert found.data_rows == (2, 3, 4, 5)
    assert (found.title_rows, found.totals_rows, found.note_rows, found.group_rows) == ((), (), (), ())


def test_text_only_columns_have_their_first_row_as_header():
    found = table(
        ["First name", "Last name", "Department"],
        ["Ada", "Byron", "Research"],
        ["Alan", "Turing", "Research"],
        ["Grace", "Hopper", "Systems"],
        ["Edsger", "Dijkstra", "Systems"],
    )
    assert (found.range, found.header_rows) == ("A1:C5", (1,))


def test_an_offset_moves_the_range():
    found = table([], [], *([None, None, *row] for row in PEOPLE))
    assert (found.range, found.header_rows, found.headers) == ("C3:E7", (3,), ("Name", "City", "Age"))


def test_a_preamble_is_listed_as_titles():
    found = table(["Staff list"], ["Status: spring 2024"], [], *PEOPLE)
    assert (found.range, found.title_rows) == ("A4:C8", (1, 2))


def test_a_title_right_above_the_header_is_no_header():
    found = table(["Staff list"], *PEOPLE)
    assert (found.range, found.header_rows, found.title_rows) == ("A2:C6", (2,), (1,))


def test_tables_below_each_other_are_told_apart_by_the_second_header():
    found = tables(*PEOPLE, [], INVOICE_HEADER, *invoices(4))
    assert [t.range for t in found] == ["A1:C5", "A7:D11"]
    assert found[1].headers == tuple(INVOICE_HEADER)


def test_tables_side_by_side_are_told_apart():
    rows = [[*person, None, *invoice] for person, invoice in zip(PEOPLE, [INVOICE_HEADER, *invoices(4)], strict=True)]
    assert [t.range for t in tables(*rows)] == ["A1:C5", "E1:H5"]


def test_tables_side_by_side_may_differ_in_length():
    long = [INVOICE_HEADER, *invoices(9)]
    rows = [[*(PEOPLE[i] if i < len(PEOPLE) else [None] * 3), None, *row] for i, row in enumerate(long)]
    assert [t.range for t in tables(*rows)] == ["A1:C5", "E1:H10"]


def test_a_blank_column_inside_a_table_does_not_part_it():
    rows = [["Item", "Sold", None, "Left"], ["Nuts", 10, None, 3], ["Bolts", 7, None, 5], ["Nails", 9, None, 1]]
    assert [t.range for t in tables(*rows)] == ["A1:D4"]


def test_stacked_headers_are_joined_per_column():
    found = table(
        ["Region", "Sales", "Sales", "Costs", "Costs"],
        [None, "Plan", "Actual", "Plan", "Actual"],
        ["North", 10, 12, 7, 8],
        ["South", 20, 18, 9, 9],
        ["West", 15, 14, 6, 7],
    )
    assert found.header_rows == (1, 2)
    assert found.headers == ("Region", "Sales Plan", "Sales Actual", "Costs Plan", "Costs Actual")


def test_merged_header_cells_fill_their_span():
    found = table(
        ["Region", "Sales", None, "Costs", None],
        [None, "Plan", "Actual", "Plan", "Actual"],
        ["North", 10, 12, 7, 8],
        ["South", 20, 18, 9, 9],
        ["West", 15, 14, 6, 7],
        merged=["A1:A2", "B1:C1", "D1:E1"],
    )
    assert found.range == "A1:E5"
    assert found.headers == ("Region", "Sales Plan", "Sales Actual", "Costs Plan", "Costs Actual")


def test_a_merged_title_is_no_header():
    found = table(["Staff list of the institute", None, None], *PEOPLE, merged=["A1:C1"])
    assert (found.range, found.title_rows) == ("A2:C6", (1,))


def test_group_rows_are_listed_and_are_no_data():
    found = table(
        ["Item", "Stock", "Price"],
        ["Tools"],
        ["Hammer", 4, 9.5],
        ["Saw", 2, 14.0],
        ["Hardware"],
        ["Nails", 900, 0.02],
        ["Screws", 650, 0.03],
    )
    assert (found.range, found.group_rows, found.data_rows) == ("A1:C7", (2, 5), (3, 4, 6, 7))


def test_blank_rows_inside_a_table_are_skipped():
    people = list(PEOPLE)
    found = table(*people[:3], [], *people[3:])
    assert (found.range, found.data_rows) == ("A1:C6", (2, 3, 5, 6))


def test_blank_row_under_the_header_does_not_part_it_from_its_data():
    people = list(PEOPLE)
    assert table(people[0], [], *people[1:]).range == "A1:C6"


@pytest.mark.parametrize("word", ["Total", "Grand total", "Summe", "Итого", "合計", "TOTALS:"])
def test_a_totals_row_ends_the_range(word):
    found = table(INVOICE_HEADER, *invoices(5), [word, None, 45, 187.5])
    assert (found.range, found.totals_rows) == ("A1:D6", (7,))


def test_subtotals_inside_are_listed_and_data_goes_on():
    found = table(
        INVOICE_HEADER, *invoices(3), ["Subtotal", None, 18, 75.0], *invoices(3, first=4), ["Total", None, 63, 262.5]
    )
    assert (found.range, found.totals_rows) == ("A1:D8", (5, 9))


def test_a_sum_without_a_label_after_a_blank_row_is_a_total():
    found = table(INVOICE_HEADER, *invoices(5), [], [None, None, 45, 187.5])
    assert (found.range, found.totals_rows) == ("A1:D6", (8,))


def test_notes_after_the_data_are_listed():
    found = table(
        *PEOPLE, [], ["Source: the staff office."], ["* Ages as of the first of January, or of the last day of work."]
    )
    assert (found.range, found.note_rows) == ("A1:C5", (7, 8))


def test_totals_and_notes_together_stay_outside_the_range():
    found = table(
        ["Report"], [], INVOICE_HEADER, *invoices(6), ["Total", None, 63, 262.5], [], ["Note: without taxes."]
    )
    assert found.range == "A3:D9"
    assert (found.title_rows, found.totals_rows, found.note_rows) == ((1,), (10,), (12,))


def test_a_table_without_header_has_no_header_rows():
    found = table(*invoices(6))
    assert (found.range, found.header_rows, found.headers) == ("A1:D6", (), ("", "", "", ""))


def test_numbers_only_have_no_header():
    found = table([1, 2, 3], [4, 5, 6], [7, 8, 9])
    assert (found.range, found.header_rows) == ("A1:C3", ())


def test_years_above_numbers_are_a_header():
    found = table(
        ["Country", 2019, 2020, 2021], ["Chile", 1.1, 5.2, 3.3], ["Peru", 2.4, 8.1, 4.7], ["Fiji", 3.2, 1.1, 9.8]
    )
    assert (found.range, found.header_rows, found.headers[1]) == ("A1:D4", (1,), "2019")


def test_prose_is_no_table():
    assert tables(
        ["This workbook holds the yearly report of the institute, as it was agreed on in the last meeting."],
        [],
        ["Please read the notes on each sheet before you use any number in it, as definitions have changed."],
        ["Questions are answered by the office on the second floor, from Monday to Thursday until noon."],
    ) == []  # fmt: skip


def test_an_empty_sheet_has_no_table():
    assert tables() == []


def test_a_header_alone_is_a_table_without_data():
    found = table(["Name", "City", "Age"])
    assert (found.range, found.header_rows, found.data_rows) == ("A1:C1", (1,), ())


def test_a_single_row_of_values_is_a_table_without_header():
    found = table(["INV-1", 7, 12.5, date(2024, 1, 2)])
    assert (found.range, found.header_rows, found.data_rows) == ("A1:D1", (), (1,))


def test_a_list_of_one_column_is_a_table():
    found = table(["Name"], ["Ada"], ["Alan"], ["Grace"], ["Edsger"], ["Barbara"])
    assert found.range == "A1:A6"


def test_a_page_header_that_comes_again_is_no_data():
    rows = [["First name", "Last name", "Town"], *(["Ada", f"Byron {n}", "London"] for n in range(30))]
    found = list(find_tables(sheet(*rows[:15], rows[0], *rows[15:])))
    assert [t.range.a1 for t in found] == ["A1:C32"]
    assert found[0].repeated_header_rows == [16]


def test_bold_headers_are_seen():
    rows = [["Alpha", "Beta"], ["Gamma", "Delta"], ["Epsilon", "Zeta"], ["Eta", "Theta"], ["Iota", "Kappa"]]
    assert table(*rows, bold=[1]).header_rows == (1,)


def test_remarks_beside_a_table_are_left_out():
    people = [[*row, *([None] * 3)] for row in PEOPLE]
    people[3][5] = "please check"
    assert table(*people).range == "A1:C5"


def test_text_cells_of_a_csv_are_read_as_a_person_would():
    found = table(
        ["Item", "Price", "Share", "Since"],
        ["Nuts", "1,200.50 €", "12 %", "2024-01-02"],
        ["Bolts", "(300)", "8.5%", "2023-11-30"],
        ["Nails", "n/a", "3%", "2022-05-17"],
        ["Total", "900.50", "23.5%", ""],
        name=None,
    )
    assert (found.range, found.header_rows, found.totals_rows) == ("A1:D4", (1,), (5,))


def test_every_header_has_its_reasons_and_a_runner_up():
    (found,) = find_tables(sheet(["Staff list"], *PEOPLE))
    assert "header.type_change" in {c.rule for c in found.contributions}
    assert found.score == pytest.approx(sum(c.delta for c in found.contributions), abs=1e-4)
    assert found.runner_up is not None
    assert found.runner_up.header_rows != tuple(found.header_rows)
    assert found.margin > 0
