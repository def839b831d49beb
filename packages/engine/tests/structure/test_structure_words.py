"""Words and shapes that give a row away, each with examples that are and that merely look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets_in_memory import sheet

from ade_engine.structure.grid import Line, Merges, cut, grid_row
from ade_engine.structure.preamble import is_caption, preamble
from ade_engine.structure.series import is_series, is_units
from ade_engine.structure.sums import is_sum, number, rows_summed
from ade_engine.structure.words import (
    any_hints_at_total,
    hints_at_total,
    is_footnote_sign,
    is_header_word,
    is_note_text,
    is_page_footer,
    is_statistic,
    is_total_alone,
    is_total_label,
)

pytestmark = pytest.mark.req("E3")


def lines(*cells):
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1).lines


def line(*cells) -> Line:
    return lines(list(cells))[0]


TOTALS = [
    "Total",
    "TOTALS",
    "Grand Total:",
    "Sub-Total",
    "** Total **",
    "Summe",
    "Gesamtergebnis",
    "Zwischensumme",
    "Sous-total",
    "Totale",
    "Subtotaal",
    "Celkem",
    "Razem",
    "Итого",
    "Összesen",
    "Yhteensä",
    "Toplam",
    "合計",
    "小计",
    "합계",
]


@pytest.mark.parametrize("text", TOTALS)
def test_a_word_for_a_total_is_one_alone_and_among_many(text):
    assert is_total_label(text)
    assert is_total_alone(text)
    assert hints_at_total(text)
    assert any_hints_at_total(["Oslo", text, "Lima"])


@pytest.mark.parametrize("text", ["Total 2024", "Total (3)", "Average", "Mean:", "Grand total 12"])
def test_a_total_may_carry_a_number(text):
    assert is_total_alone(text)
    assert hints_at_total(text)


@pytest.mark.parametrize(
    "text", ["Total Oil Ltd", "North Total", "Total sales", "Region North subtotal", "Sum of parts"]
)
def test_a_total_that_says_more_is_a_label_but_not_alone(text):
    assert is_total_label(text)
    assert not is_total_alone(text)


@pytest.mark.parametrize("text", ["Oslo", "Totnes", "", "Sumatra", "Totality Inc", "Averages Ltd", "Tot", "Gesa", "so"])
def test_a_word_that_begins_like_a_total_is_none(text):
    assert not is_total_label(text)
    assert not hints_at_total(text)
    assert not is_total_alone(text)


@given(st.lists(st.sampled_from([*TOTALS, "Oslo", "Lima", "Rome", "Total Oil Ltd", "x", "Sumatra"]), max_size=6))
def test_looking_at_many_labels_at_once_overlooks_no_total(texts):
    if any(map(hints_at_total, texts)):
        assert any_hints_at_total(texts)


@given(st.text(max_size=80))
def test_the_quick_look_agrees_with_the_exact_one(text):
    assert not hints_at_total(text) or is_total_label(text)


def test_a_label_of_a_total_is_short():
    assert is_total_label("Total " + "x" * 50)
    assert not is_total_label("Total " + "x" * 60)


@pytest.mark.parametrize("text", ["Min", "max.", "(Median)", "Std Dev", "Standardabweichung", "Count:", "écart type"])
def test_a_measure_of_a_column_is_known_in_several_spellings(text):
    assert is_statistic(text)


@pytest.mark.parametrize("text", ["Minnie", "Max Planck", "Counter", "", "Rangers", "Medians of Oslo"])
def test_a_name_that_begins_like_a_measure_is_none(text):
    assert not is_statistic(text)


@pytest.mark.parametrize(
    "text",
    [
        "Note: figures are rounded",
        "Notes",
        "Source: Eurostat",
        "* provisional",
        "\u00b9 January 1",
        "\u00b2\u2070revised",
        "** revised",
        "† estimate",
        "(a) without Oslo",
        "1) see above",
        "Quelle: Destatis",
        "Fuente: INEGI",
        "© 2024 Someone",
        "Last updated 3 May",
        "注記 数値",
        "NB: net of tax",
    ],
)
def test_notes_and_sources_are_known_by_their_beginning(text):
    assert is_note_text(text)


@pytest.mark.parametrize("text", ["Notebook", "Sourcing", "Note no. 5", "Source #3", "Oslo", "", "A. Smith", "12 eggs"])
def test_what_merely_begins_like_a_note_is_none(text):
    assert not is_note_text(text)


@pytest.mark.parametrize("text", ["1", "12", "b)", "(c)", "**", "†", "[3]", " 7. ", "§"])
def test_the_sign_of_a_footnote_is_short(text):
    assert is_footnote_sign(text)


@pytest.mark.parametrize("text", ["ab", "1234", "x1", "****", "a-b", "é1"])
def test_other_short_texts_are_no_sign_of_a_footnote(text):
    assert not is_footnote_sign(text)


@pytest.mark.parametrize(
    "text", ["Page 1", "page 3 of 9", "2 of 7", "3/12", "C:\\data\\a.xls", "\\\\host\\share", "File: a.xls",
             "Printed 3 May", "Run date 2024", "As of June"],
)  # fmt: skip
def test_the_foot_of_a_printed_page_is_known(text):
    assert is_page_footer(text)


@pytest.mark.parametrize("text", ["Pages", "3/12/2024", "Oslo", "of 7", "Filed", "Asof", "Page one"])
def test_what_merely_looks_like_the_foot_of_a_page_is_none(text):
    assert not is_page_footer(text)


@pytest.mark.parametrize("text", ["Name", "customer name", "Unit price", "PLZ Ort", "Дата", "% of total", "E-Mail"])
def test_a_usual_name_of_a_column_is_found_among_other_words(text):
    assert is_header_word(text)


@pytest.mark.parametrize("text", ["Oslo", "Namesake", "Datura", "", "Priceless", "x" * 41 + " name"])
def test_words_that_name_no_column_are_none(text):
    assert not is_header_word(text)


@pytest.mark.parametrize(
    "cells",
    [
        ("Jan", "Feb", "Mar", "Apr"),
        ("Item", "January", "February", "March"),
        ("Region", 2021, 2022, 2023),
        ("Region", "2021", "2022e", "2023*"),
        ("Region", "2020/21", "2021/22"),
        ("", "Q1", "Q2", "Q3", "Q4"),
        ("", "1Q 2024", "2Q 2024"),
        ("Plan", "H1", "H2"),
        ("Day", "Day 1", "Day 2", "Day 3"),
        ("Week", "Week 1", "Week 2"),
        (1, 2, 3, 4, 5),
        ("(1)", "(2)", "(3)", "(4)"),
        ("No.", 7, 8, 9),
    ],
)
def test_steps_through_time_or_numbers_are_a_series(cells):
    assert is_series(line(*cells))


@pytest.mark.parametrize(
    "cells",
    [
        ("Name", "City", "Age"),
        ("Jan", "Oslo", "Lima", "Rome"),
        (1, 3, 5, 7),
        (4, 3, 2, 1),
        ("Region", "1st class", "Oslo", "Lima", "Rome"),
        (12.5, 13.7, 14.9),
        ("Total", 10, 20),
        ("2024",),
    ],
)
def test_other_rows_are_no_series(cells):
    assert not is_series(line(*cells))


@pytest.mark.parametrize(
    "cells",
    [("$", "%", "#"), ("(1,000)", "(percent)"), ("MWh", "mmbtu/d"), ("in thousands",), ("US$ m", "percent"),
     ("", "[t]", "[kg]", "units"), ("bbl", "bbls", "Oslo")],
)  # fmt: skip
def test_units_are_known_where_they_are_most_of_a_row(cells):
    assert is_units(line(*cells))


@pytest.mark.parametrize("cells", [("Oslo", "Lima", "%"), ("Name (first)", "City"), (10, 20), ("per cent", "Oslo")])
def test_a_single_unit_among_names_makes_no_row_of_units(cells):
    assert not is_units(line(*cells))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (5, 5.0),
        (2.5, 2.5),
        ("1,250.5", 1250.5),
        ("$1,000", 1000.0),
        ("(40)", -40.0),
        ("40-", -40.0),
        ("-40", -40.0),
        ("12 %", 12.0),
        ("7*", 7.0),
        ("1\u00a0000", 1000.0),
        ("abc", 0.0),
        ("", 0.0),
        (None, 0.0),
        (True, 0.0),
        ("nan", 0.0),
        ("1e300", 0.0),
    ],
)
def test_the_number_of_a_cell_is_what_arithmetic_needs(value, expected):
    assert number(value) == expected


AMOUNTS = st.lists(st.integers(2200, 10_000), min_size=2, max_size=9)  # what could be a year is no amount


@given(AMOUNTS, st.integers(1, 3))
def test_a_row_that_adds_up_all_rows_above_or_below_is_their_sum(amounts, columns):
    rows = [[f"r{n}", *[amount * k for k in range(1, columns + 1)]] for n, amount in enumerate(amounts)]
    total = ["all", *[sum(amounts) * k for k in range(1, columns + 1)]]
    above, below = lines(*rows, total), lines(total, *rows)
    assert is_sum(above, len(rows), -1)
    assert is_sum(below, 0, 1)
    first, last = rows_summed(above, len(rows), -1)
    # A shorter run may add up to the same, but what is named always does.
    assert last == len(rows) - 1
    assert sum(amounts[first:]) == pytest.approx(sum(amounts), rel=0.006)


@given(AMOUNTS)
def test_a_row_far_from_every_sum_is_none(amounts):
    rows = [[f"r{n}", amount] for n, amount in enumerate(amounts)]
    assert not is_sum(lines(*rows, ["all", 2 * sum(amounts) + 1]), len(rows), -1)
    assert not is_sum(lines(*rows, ["all", None, None]), len(rows), -1)


def test_one_row_is_no_sum_of_the_row_beside_it():
    assert not is_sum(lines(["a", 10], ["b", 10]), 1, -1)
    assert not is_sum(lines(["a", 10], ["b", 10]), 0, 1)


def test_a_sum_reaches_ten_rows_and_no_further():
    rows = [[f"r{n}", 1] for n in range(11)]
    assert rows_summed(lines(*rows, ["all", 10]), 11, -1) == (1, 10)
    assert rows_summed(lines(*rows, ["all", 11]), 11, -1) is None


@pytest.mark.parametrize(
    "cells",
    [("Date:", "2024-01-02"), ("Date:", "today", "Page:", 1), ("Customer", ":", "Acme"), ("A", "Client\uff1a", "Acme")],
)
def test_labels_with_a_colon_and_what_they_label_are_a_caption(cells):
    assert is_caption(line(*cells))


@pytest.mark.parametrize(
    "cells",
    [("Name:", "City:", "Age:"), ("Name", "City"), ("Name:",), ("10:30", "11:30"), ("a", "b", "c:")],
)
def test_headers_that_somebody_wrote_with_colons_are_no_caption(cells):
    assert not is_caption(line(*cells))


def test_labelled_values_above_a_full_table_are_its_preamble():
    found = preamble(
        lines(
            ["Account", "12-34"],
            ["Printed", "today"],
            ["Item", "City", "Qty", "Price"],
            ["a", "Oslo", 1, 2.5],
            ["b", "Lima", 2, 3.5],
        )
    )
    assert found == [True, True, False, False, False]


def test_a_table_of_two_columns_has_no_preamble_of_its_own_rows():
    rows = [["Name", "Age"], ["Ada", 36], ["Alan", 41], ["Grace", 85]]
    assert preamble(lines(*rows)) == [False] * 4
    assert preamble(lines(["Title"], *rows)) == [False] * 5
