"""Which labellings of a block are on offer, what is seen of their tables, and which of them is chosen."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets_in_memory import sheet

from ade_engine.structure import choice
from ade_engine.structure.assemble import assemble
from ade_engine.structure.choice import Labelling, choose
from ade_engine.structure.features import LABELS
from ade_engine.structure.grid import Merges, cut, grid_row
from ade_engine.structure.labelling import label_rows, labellings
from ade_engine.structure.sign_tables import TableSigns

pytestmark = pytest.mark.req("E3")
NAMES = {"t": "title", "h": "header", "d": "data", "g": "group", "s": "total", "n": "note", "x": "note"}
HEADER, RECORD, SECOND = ["Item", "Price", "Qty"], ["apple", 2.5, 10], ["pear", 3.5, 20]
OTHER = ["Sort", "Town", "No"]


def block_of(cells):
    made = sheet(*cells)
    grid = [found for row in made.rows() if (found := grid_row(row, Merges(())))]
    return cut(grid, sheet=made, first_column=0, last_column=max(map(len, cells)) - 1)


def seen(letters, *cells):
    """The signs of the tables that labels, given as letters, make of lines."""
    block = block_of(cells)
    drafts = assemble(block.lines, [NAMES[one] for one in letters])
    return TableSigns(block, range(len(block.lines))).of(drafts)


POSSIBLE = 1000.0
SCORES = st.lists(st.lists(st.integers(-40, 40), min_size=6, max_size=6), min_size=1, max_size=6)


@given(scores=SCORES, gaps=st.lists(st.integers(0, 2), min_size=6, max_size=6))
@settings(max_examples=60)
def test_labellings_are_the_best_with_each_label_in_each_line(scores, gaps):
    cells = [row for gap, _ in zip(gaps, scores, strict=False) for row in [*[[]] * gap, ["a", "b", 1]]]
    lines = block_of(cells).lines
    emissions = [[score / 10 for score in row] for row in scores]
    alike, steps = [0.5] * len(lines), [()] * len(lines)

    found = labellings(lines, emissions, alike, steps, lead=POSSIBLE, most=1000)

    total, best = label_rows(lines, emissions, alike, steps)
    assert found[0] == (0.0, best)
    behind = {tuple(labels): lost for lost, labels in found}
    for i in range(len(lines)):
        for label in LABELS:
            one, _ = label_rows(
                lines, emissions, alike, steps, allowed=lambda k, name, i=i, label=label: k != i or name == label
            )
            offered = [lost for labels, lost in behind.items() if labels[i] == label]
            if total - one > POSSIBLE:  # nothing else may begin or follow so
                assert not offered
            else:
                assert min(offered) == pytest.approx(total - one, abs=1e-4)


def test_only_labellings_that_are_nearly_as_good_are_on_offer():
    lines = block_of([["a", "b", 1]]).lines
    emissions = [[0.0, 9.0, 0.0, 9.5, 0.0, 0.0]]

    assert len(labellings(lines, emissions, [0.5], [()], lead=3.0, most=9)) == 2
    assert len(labellings(lines, emissions, [0.5], [()], lead=0.05, most=9)) == 1
    assert len(labellings(lines, emissions, [0.5], [()], lead=99.0, most=3)) == 3


@pytest.mark.parametrize(
    ("sign", "having", "without"),
    [
        ("header_numbers", ("hdd", ["Item", 5, 6], RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("all_headed", ("hdd", HEADER, RECORD, SECOND), ("hdd", [None, "Price", "Qty"], RECORD, SECOND)),
        ("key_unheaded", ("hdd", [None, "Price", "Qty"], RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("end_unheaded", ("hdd", ["Item", "Price"], RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("header_gap", ("hhdd", HEADER, [], HEADER, RECORD, SECOND), ("hhdd", HEADER, HEADER, RECORD, SECOND)),
        ("gap_under_header", ("hdd", HEADER, [], RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("headless_text_first", ("ddd", HEADER, RECORD, SECOND), ("dd", RECORD, SECOND)),
        ("text_row_first", ("hddd", HEADER, HEADER, RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("header_inside", ("hdddd", HEADER, RECORD, OTHER, SECOND, RECORD), ("hdd", HEADER, RECORD, SECOND)),
        ("header_inside_gap", ("hdddd", HEADER, RECORD, [], OTHER, SECOND, RECORD),
         ("hdddd", HEADER, RECORD, OTHER, SECOND, RECORD)),
        ("same_as_header_inside", ("hdddd", HEADER, RECORD, HEADER, SECOND, RECORD), ("hdd", HEADER, RECORD, SECOND)),
        ("first_name_inside", ("hddd", HEADER, RECORD, ["Item", 5, 6], SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("parts_kinds_0", ("hdddd", HEADER, RECORD, SECOND, [], [1, "x", "y"], [2, "x", "y"]),
         ("hdddd", HEADER, RECORD, SECOND, [], RECORD, SECOND)),
        ("parts_kinds_3", ("hdddd", HEADER, RECORD, SECOND, [], RECORD, SECOND),
         ("hdddd", HEADER, RECORD, SECOND, RECORD, SECOND)),
        ("parts_filled_1", ("hdddd", HEADER, RECORD, SECOND, [], ["fig", None, 3], ["plum", None, 4]),
         ("hdddd", HEADER, RECORD, SECOND, [], RECORD, SECOND)),
        ("gap_of_three", ("hdd", HEADER, RECORD, [], [], [], SECOND), ("hdd", HEADER, RECORD, [], SECOND)),
        ("data_after_total", ("hdsd", HEADER, RECORD, ["Total", None, 9], SECOND),
         ("hdds", HEADER, RECORD, SECOND, ["Total", None, 9])),
        ("ends_in_total", ("hds", HEADER, RECORD, ["Total", None, 9]), ("hdd", HEADER, RECORD, SECOND)),
        ("above_next_wide", ("thdd", ["a", "b", "c"], HEADER, RECORD, SECOND), ("thdd", ["a"], HEADER, RECORD, SECOND)),
        ("above_gap_lone", ("thdd", ["a"], [], HEADER, RECORD, SECOND), ("thdd", ["a"], HEADER, RECORD, SECOND)),
        ("below_next_fits", ("hdn", HEADER, RECORD, SECOND), ("hdn", HEADER, RECORD, ["Source: none"])),
        ("lost_wide", ("hdn", HEADER, RECORD, SECOND), ("hdd", HEADER, RECORD, SECOND)),
        ("pair_same_header", ("hddthdd", HEADER, RECORD, SECOND, ["x"], HEADER, RECORD, SECOND),
         ("hddthdd", HEADER, RECORD, SECOND, ["x"], OTHER, RECORD, SECOND)),
        ("pair_bare", ("hddtdd", HEADER, RECORD, SECOND, ["x"], RECORD, SECOND),
         ("hddthdd", HEADER, RECORD, SECOND, ["x"], HEADER, RECORD, SECOND)),
    ],
)  # fmt: skip
def test_a_sign_of_tables_shows_where_it_is_and_nowhere_else(sign, having, without):
    assert seen(having[0], *having[1:])[sign]
    assert not seen(without[0], *without[1:])[sign]


def test_rows_that_say_what_the_first_says_are_counted_inside_a_table():
    cells = [HEADER, RECORD, SECOND, [], HEADER, RECORD, SECOND]
    block = block_of(cells)
    drafts = assemble(block.lines, [NAMES[one] for one in "hddddd"])
    signs = [[], [], [], ["says_first_again", "says_first_partly"], [], []]

    found = TableSigns(block, range(6), signs).of(drafts)

    assert found["first_again_inside"] == found["first_partly_inside"] == 1
    assert not {"first_again_inside", "first_partly_inside"} & TableSigns(block, range(6)).of(drafts).keys()


def test_signs_are_counted_over_all_tables_of_a_block():
    found = seen("hddthdd", HEADER, RECORD, SECOND, ["x"], HEADER, RECORD, SECOND)

    assert found["table"] == found["all_headed"] == 2
    assert found["tables_2"] == 1


def test_what_is_nearly_as_good_is_chosen_when_its_tables_earn_more(monkeypatch):
    monkeypatch.setattr(choice, "CHOICE", {"behind": 200, "good": 300, "bad": -100})
    chain = Labelling(0.0, ["data"], [], {"bad": 1})
    other = Labelling(1.5, ["header"], [], {"good": 1})
    far = Labelling(4.0, ["note"], [], {"good": 1})

    chosen, reasons = choose([chain, other, far])

    assert chosen is other
    assert {reason.rule: reason.delta for reason in reasons} == {"header.table_good": 1.5, "header.table_bad": 0.5}
    assert sum(reason.delta for reason in reasons) > other.behind
    assert choose([chain, far]) == (chain, [])


def test_without_weights_the_chain_decides(monkeypatch):
    monkeypatch.setattr(choice, "CHOICE", {})
    first = Labelling(0.0, ["data"], [], {"x": 1})

    assert choose([first, Labelling(0.0, ["header"], [], {"y": 3})]) == (first, [])
