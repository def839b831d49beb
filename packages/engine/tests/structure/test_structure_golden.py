"""One case per structural feature: what is built, and what must be found."""

from __future__ import annotations

from datetime import date

import pytest
from sheets_in_memory import INVOICE_HEADER, PEOPLE, invoices, sheet, table, tables

from ade_engine.cells import CellError, Range, parse_range
from ade_engine.readers.base import Row
from ade_engine.structure import find_tables
from ade_engine.structure.grid import Merges

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


def test_three_rows_of_header_texts_are_one_header():
    found = table(
        [None, None, "Current", "Current", "Planned", "Planned"],
        [None, None, "People", "People", "Phase 1", "Phase 1"],
        ["Country", "Area", "#", "Percent of all", "#", "Percent"],
        ["Chile", "Arica", 10, 0.2, 7, 0.3],
        ["Chile", "Biobio", 20, 0.4, 9, 0.4],
        ["Chile", "Maule", 15, 0.1, 6, 0.2],
    )
    assert (found.range, found.header_rows) == ("A1:F6", (1, 2, 3))
    assert found.headers[4] == "Planned Phase 1 #"


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


@pytest.mark.parametrize("name", ["Total Oil Ltd", "Summe AG", "Total Wine & More"])
def test_a_full_last_row_with_several_texts_is_a_record_whatever_its_name_begins_with(name):
    vendors = [[vendor, 7 * n + 3, "NO"] for n, vendor in enumerate(["Acme", "Bolt", "Crane", "Dell", "Hess"])]
    found = table(["Vendor", "Amount", "Country"], *vendors, [name, 51, "FR"])
    assert (found.range, found.totals_rows) == ("A1:C7", ())
    found = table(["Vendor", "Amount", "Country"], *vendors, ["Total of 2024", 85, None])
    assert (found.range, found.totals_rows) == ("A1:C6", (7,))


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


def test_a_bold_label_inside_the_data_heads_a_group():
    rows = [["Unit", "Value", "Notes"], ["celsius", 22.2, "measured"], ["Absolute"], ["rankine", 531.7, "derived"]]
    assert table(*rows, ["kelvin", 295.4, "derived"], bold=[1, 3]).group_rows == (3,)


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


def test_a_label_without_marks_inside_the_data_is_kept_as_a_record():
    found = table(["Unit", "Value", "Notes"], ["celsius", 22.2, "measured"], ["kelvin"], ["rankine", 531.7, "derived"])
    assert (found.data_rows, found.group_rows) == ((2, 3, 4), ())


def test_a_record_that_begins_with_total_is_kept_among_the_data():
    found = table(
        ["Company", "Country", "Revenue"],
        ["Shell", "UK", 381],
        ["Total Energies SE", "France", 263],
        ["Equinor", "Norway", 149],
        ["Total", None, 793],
    )
    assert (found.data_rows, found.totals_rows) == ((2, 3, 4), (5,))


def test_a_row_of_placeholders_is_data_and_no_header():
    found = table(
        ["Indicator", 2019, 2020, 2021],
        ["Clarity", 28.4, 11.4, 15.3],
        ["Grasses", 29.3, 27.1, 34.8],
        ["Phytoplankton", "No data", "No data", "No data"],
        ["Oxygen", 92.4, 92.3, 82.3],
        ["Chlorophyll", 60.4, 30.7, 23.0],
    )
    assert (found.range, found.header_rows, found.data_rows) == ("A1:D6", (1,), (2, 3, 4, 5, 6))


def test_captions_with_colons_above_a_table_are_titles_and_below_it_notes():
    found = table(
        ["Date:", "2024-01-02"],
        ["Department:", "Sales"],
        [],
        INVOICE_HEADER,
        *invoices(5),
        [],
        ["Prepared by:", "the office"],
    )
    assert (found.range, found.title_rows, found.note_rows) == ("A4:D9", (1, 2), (11,))


def test_a_form_has_no_header():
    for found in tables(["Name:", "Ada"], ["City:", "London"], ["Age:", 36], ["Active:", True]):
        assert found.header_rows == ()


def test_a_label_in_the_first_column_of_a_stacked_header_is_no_title():
    found = table(
        [None, None, "in thousands"],
        ["Region", "Sold", "Costs"],
        ["North", 10, 7],
        ["South", 20, 9],
        ["West", 15, 6],
        ["East", 11, 4],
    )
    assert (found.range, found.header_rows, found.headers[2]) == ("A1:C6", (1, 2), "in thousands Costs")


def test_a_lone_header_over_the_second_of_two_columns_is_one():
    found = table([None, "Revenue"], ["Tents", 158.9], ["Golf", 72.6], ["Climbing", 40.9], ["Skiing", 18.8])
    assert (found.range, found.header_rows, found.headers) == ("A1:B5", (1,), ("", "Revenue"))


def test_a_header_merged_downwards_stays_one_header():
    found = table(
        ["Area", "Area", 1920, 1930, 1940],
        ["Area", "Area", None, None, None],
        ["01", "Hokkaido", 56.1, 55.9, 57.4],
        ["02", "Aomori", 54.8, 55.3, 55.1],
        ["03", "Iwate", 55.8, 55.1, 55.4],
        ["04", "Miyagi", 56.0, 55.2, 55.2],
    )
    assert (found.header_rows, found.headers[0]) == ((1, 2), "Area")


def test_records_of_a_name_alone_at_the_end_are_data():
    found = table(
        ["Journal", "Code", "Impact"],
        ["Transport Reviews", 1507, 3.2],
        ["Roads", 1507, 2.1],
        ["Safety Science"],
        ["Injury Prevention"],
        ["Traffic"],
    )
    assert (found.range, found.data_rows) == ("A1:C6", (2, 3, 4, 5, 6))


def test_text_that_goes_on_in_its_column_is_data():
    rows = [
        ["Code", "Topic", "Element"],
        ["C01", "Language", "Listen actively"],
        [None, None, "Adapt language"],
        [None, None, "Collect information"],
        ["C02", "Mathematics", "Identify wholes"],
        [None, None, "Apply fractions"],
    ]
    assert table(*rows).data_rows == (2, 3, 4, 5, 6)


def test_another_kind_of_rows_after_a_note_is_another_table():
    found = tables(
        ["Day", "Rival", "Place", "Time", "Score"],
        *([f"2024-09-{n:02}", f"Team {n}", "Home", f"{n}:30", n] for n in range(10, 20)),
        ["* A league game, which counts for the table of the season and for the cup that follows it in spring."],
        [],
        ["Coach", 5550101],
        ["Office", 5550102],
        ["Doctor", 5550103],
    )
    assert [t.range for t in found] == ["A1:E11", "A14:B16"]


def test_errors_of_formulas_count_as_values():
    error = CellError("#N/A")
    found = table(["Item", "Price"], ["Nuts", error], ["Bolts", error], ["Nails", 3.5])
    assert (found.range, found.header_rows) == ("A1:B4", (1,))


def test_a_drawn_line_between_two_tables_parts_them():
    rows = [["Period", "2001", "2002", "\t", "Q1", "Q2", "Q3"]]
    rows += [[f"Ratio {n}", n * 1.5, n * 2.5, "\t\t", n * 3.5, n * 4.5, n * 5.5] for n in range(1, 9)]
    assert [t.range for t in tables(*rows)] == ["A1:C9", "E1:G9"]


def test_the_same_header_twice_side_by_side_is_two_tables():
    rows = [["Year", "Sum", None, "Year", "Sum"], *([1990 + n, n * 7, None, 1990 + n, n * 9] for n in range(6))]
    assert [t.range for t in tables(*rows)] == ["A1:B7", "D1:E7"]


def test_numbers_that_identify_rows_start_a_table_of_their_own():
    rows = [["Name", "Age", None, "Order ID", "Price"]]
    rows += [[f"Person {n}", 20 + n, None, 7000 + 3 * n, n * 2.5] for n in range(6)]
    assert [t.range for t in tables(*rows)] == ["A1:B7", "D1:E7"]


def test_tables_side_by_side_below_a_wide_one():
    wide = [["Alpha", "Beta", "Gamma", "Delta", "Epsilon"], *([f"a{n}", n, n * 2, n * 3, n * 4] for n in range(4))]
    below = [["Name", "Age", None, "Item", "Price"]]
    below += [[f"Person {n}", 20 + n, None, f"Thing {n}", n * 2.5] for n in range(5)]
    assert [t.range for t in tables(*wide, [], *below)] == ["A1:E5", "A7:B12", "D7:E12"]


def test_a_stray_cell_far_to_the_right_leaves_the_table_alone():
    people = [list(row) for row in PEOPLE]
    people[2] += [None] * 16_000 + ["stray"]
    assert table(*people).range == "A1:C5"


def test_columns_far_apart_make_one_table_of_the_columns_in_use():
    found = table(*([n, *([None] * 9_000), n * 2, n * 3] for n in range(1, 6)))
    assert (found.range, len(found.headers)) == ("A1:MHG5", 3)


def test_a_well_filled_column_without_header_belongs_to_the_table():
    rows = [["Name", "Age", None, None], *([f"Person {n}", 20 + n, None, f"remark {n}"] for n in range(6))]
    assert table(*rows).range == "A1:D7"


def test_styles_may_be_missing_for_some_rows():
    cells = sheet(*PEOPLE, bold=[1])
    cells.unstyled_rows = frozenset({3})
    (found,) = find_tables(cells)
    assert found.header_rows == [1]


def test_a_blank_column_that_fills_up_further_down_parts_nothing():
    rows = [["Item", "Sold", None, "Left"], ["Nuts", 10, None, 3], ["Bolts", 7, None, 5], ["Nails", 9, None, 1], []]
    rows += [["Screws", 10, 1, 3], ["Washers", 7, 2, 5], ["Hooks", 9, 4, 1]]
    assert [t.range for t in tables(*rows)] == ["A1:D8"]


def test_a_merged_cell_without_a_value_fills_nothing():
    assert table(*PEOPLE, merged=["D1:F9", "A4:A900"]).range == "A1:C5"


def test_rows_that_only_sum_up_are_data_when_there_is_nothing_else():
    found = table(["Label", "Amount", "Share"], ["Total", 10, 0.5], ["Total", 20, 0.25])
    assert (found.range, found.totals_rows) == ("A1:C3", ())


def test_a_record_of_texts_after_a_blank_row_opens_no_table():
    found = table(
        ["First name", "Last name", "Department"],
        ["Ada", "Byron", "Research"],
        ["Alan", "Turing", "Research"],
        [],
        ["Grace", "Hopper", "Systems"],
        ["Edsger", "Dijkstra", "Methods"],
        ["Barbara", "Liskov", "Languages"],
    )
    assert (found.range, found.header_rows, found.data_rows) == ("A1:C7", (1,), (2, 3, 5, 6, 7))


@pytest.mark.parametrize("gap", [1, 2, 3])
def test_a_short_table_beside_a_long_one_is_told_apart_though_neither_begins_with_names(gap):
    long = [["Rank", "Time", "Club"], *([n, 10.5 + n, "Eagles"] for n in range(1, 13))]
    short = [["Lane", "Heat"], *([n, 4 - n] for n in range(1, 4))]
    beside = [*short, *([[None, None]] * (len(long) - len(short)))]
    rows = [[*left, *[None] * gap, *right] for left, right in zip(long, beside, strict=True)]
    mirrored = [[*right, *[None] * gap, *left] for left, right in zip(long, beside, strict=True)]
    assert [t.range for t in tables(*rows)] == ["A1:C13", f"{chr(68 + gap)}1:{chr(69 + gap)}4"]
    assert [t.range for t in tables(*mirrored)] == ["A1:B4", f"{chr(67 + gap)}1:{chr(69 + gap)}13"]


def test_a_table_above_does_not_make_a_blank_column_below_a_gutter():
    wide = [["Year", "Sold", None, "Left"], *([2000 + n, n, None, 9 - n] for n in range(8))]
    found = tables(*PEOPLE, [], *wide)
    assert [t.range for t in found] == ["A1:C5", "A7:D15"]


def test_remarks_of_several_cells_under_one_half_of_a_table_do_not_part_it():
    wide = [["Year", "Sold", None, "Left", "Gone"], *([2000 + n, n, None, 9 - n, n] for n in range(8))]
    found = tables(*wide, [], ["a", "estimated"], ["b", "counted"])
    assert found[0].range == "A1:E9"


def test_a_header_that_comes_again_after_a_blank_row_heads_another_table():
    found = tables(*PEOPLE, [], *PEOPLE)
    assert [(t.range, t.header_rows) for t in found] == [("A1:C5", (1,)), ("A7:C11", (7,))]


def test_a_title_merged_over_the_whole_sheet_does_not_make_every_row_as_wide():
    found = table(["Report of the year"], [], *PEOPLE, merged=["A1:XFD1"])
    assert (found.range, found.title_rows) == ("A3:C7", (1,))
    filled = Merges([parse_range("A1:XFD1")]).fill(Row(1, ["Report of the year"]))
    assert 2 < len(filled) < 1000


def test_ranges_that_overlap_fill_a_row_only_so_often():
    merges = Merges([Range(1, 1, 64, 200 + n) for n in range(1000)])
    assert sum(len(found) for found in merges.ranges_by_row.values()) < 64 * 100
