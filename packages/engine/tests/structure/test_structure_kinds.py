"""What a cell looks like, and which words give a row away."""

from __future__ import annotations

from datetime import date, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.cells import CellError
from ade_engine.structure.kinds import CODE, DATE, EMPTY, FLAG, LONG, MARK, NUMBER, TEXT, YEAR, kind_of
from ade_engine.structure.words import hints_at_total, is_note_text, is_total_alone, is_total_label

pytestmark = pytest.mark.req("E3")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, EMPTY), ("", EMPTY), (" \t", EMPTY),
        (3, NUMBER), (3.5, NUMBER), (2024, YEAR), (2024.5, NUMBER), (float("nan"), NUMBER), (float("inf"), NUMBER),
        (True, FLAG), (date(2024, 1, 2), DATE), (time(1, 2), DATE), (timedelta(hours=3), DATE),
        (CellError("#N/A"), NUMBER), ("#DIV/0!", NUMBER),
        ("1,200.50", NUMBER), ("1.200,50 €", NUMBER), ("$ 3", NUMBER), ("(300)", NUMBER), ("-4.5e-3", NUMBER),
        ("12 %", NUMBER), ("1 234 567", NUMBER), (".5", NUMBER), ("2013", YEAR), ("(2013)", YEAR), ("2013.0", YEAR),
        ("2024-01-02", DATE), ("2024-01-02 10:00:00", DATE), ("1/2/24", DATE), ("13:45", DATE), ("5:00PM", DATE),
        ("2 Jan 2024", DATE), ("Jan 2024", DATE), ("AUG 30", DATE), ("März 2020", DATE),
        ("yes", FLAG), ("n/a", MARK), ("-", MARK), ("…", MARK),
        ("INV-00012", CODE), ("ada@example.org", CODE), ("https://example.org/a", CODE), ("(208) 883-4529", CODE),
        ("Name", TEXT), ("Ada Byron", TEXT), ("3 people", TEXT), ("敷地の所有名義(4区分)", TEXT), ("a@b", TEXT),
        ("word " * 20, LONG), ("x" * 500, LONG), ("1 " * 40 + "!", LONG),
    ],
)  # fmt: skip
def test_each_value_has_its_kind(value, kind):
    assert kind_of(value) == kind


@settings(deadline=None)
@given(st.text())
def test_every_text_has_a_kind(text):
    assert EMPTY <= kind_of(text) <= FLAG


@pytest.mark.parametrize("label", ["Total", "TOTAL REVENUE", "Sub-total:", "State Totals", "Gesamtsumme", "Average 1/"])
def test_totals_are_known_by_their_label(label):
    assert is_total_label(label)
    assert hints_at_total(label)


@pytest.mark.parametrize("label", ["Summer camp", "Totality of things", "Mean Street 4", "Name", "", "x" * 80])
def test_other_labels_are_no_totals(label):
    assert not hints_at_total(label)


@pytest.mark.parametrize(("label", "alone"), [("Grand total:", True), ("Total 2013", True), ("Total Oil Ltd", False)])
def test_a_total_may_say_more_than_total(label, alone):
    assert is_total_alone(label) is alone


@pytest.mark.parametrize("text", ["Source: office", "* excluding taxes", "(a) per cent", "Quelle: Amt", "† estimated"])
def test_notes_are_known_by_how_they_begin(text):
    assert is_note_text(text)


@settings(deadline=None)
@given(st.text(alphabet=".-/& \tto1", max_size=60))
def test_no_label_takes_long_to_judge(text):
    assert is_total_label("total " + text[:50]) in (True, False)
    assert hints_at_total(text) in (True, False)
