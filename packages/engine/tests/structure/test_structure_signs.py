"""The signs of lines: each shows on a sheet that has it, and not on the same sheet without it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets_in_memory import ListSheet, sheet

from ade_engine.cells import Range, parse_range
from ade_engine.readers.base import PLAIN, Row, SheetInfo, Style
from ade_engine.structure.grid import Line, Merges, cut, grid_row
from ade_engine.structure.gutters import gutter_signs, gutters_of, solid
from ade_engine.structure.signs import signs_of_lines, steps_of

pytestmark = pytest.mark.req("E3")
HEADER = ["Item", "City", "Qty"]
BODY = [["apple", "Oslo", 10], ["pear", "Lima", 20], ["plum", "Rome", 12], ["fig", "Cairo", 31]]


class StyledSheet(ListSheet):
    """A sheet whose cells have looks of their own, given by row and column."""

    looks: dict[tuple[int, int], int]

    def rows(self):
        for row in super().rows():
            yield Row(row.number, row.values, [self.looks.get((row.number, c), 0) for c in range(len(row.values))])


def styled(cells, looks):
    """A sheet; looks are {(row, column from 0): Style}."""
    known = [PLAIN, *dict.fromkeys(looks.values())]
    made = StyledSheet(cells, SheetInfo(index=0, name="S"), styles=known)
    made.looks = {place: known.index(style) for place, style in looks.items()}
    return made


def lines_of(made, *, merged=()):
    grid = [found for row in made.rows() if (found := grid_row(row, Merges([parse_range(a1) for a1 in merged])))]
    return cut(grid, sheet=made, first_column=0, last_column=max(len(row.values) for row in grid) - 1).lines


def signs(made, *, merged=()):
    """The signs of each line of a sheet whose first column names rows."""
    lines = lines_of(made, merged=merged)
    width = max(line.filled for line in lines)
    return [set(found) for found in signs_of_lines(lines, [0] * len(lines), [width] * len(lines))]


def of_plain(*cells, merged=()):
    return signs(sheet(*cells), merged=merged)


@pytest.mark.parametrize(
    ("sign", "cells", "without"),
    [
        ("lone", ["Fruit"], ["Fruit", "Oslo", 1]),
        ("two_cells", ["Fruit", "Oslo"], ["Fruit", "Oslo", 1]),
        ("several_cells", ["Fruit", "Oslo", 1], ["Fruit"]),
        ("no_numbers", ["a", "b", "c"], ["a", "b", 3]),
        ("few_numbers", ["a", "b", 3], [1, 2, 3]),
        ("many_numbers", ["a", 2, 3], ["a", "b", 3]),
        ("years", ["a", 2021, 2022], ["a", 21, 22]),
        ("mostly_years", ["a", 2021, 2022], ["a", "b", 2022]),
        ("dates", ["a", "2024-05-01", 3], ["a", "b", 3]),
        ("mostly_dates", ["a", "2024-05-01", "2024-05-02"], ["a", "b", "2024-05-02"]),
        ("codes", ["a", "AB-12", 3], ["a", "b", 3]),
        ("long", ["a", "word " * 20, 3], ["a", "word", 3]),
        ("marks", ["a", "n/a", 3], ["a", "b", 3]),
        ("all_text", ["a", "b", "c"], ["a", "b", 3]),
        ("key_blank", [None, "b", 3], ["a", "b", 3]),
        ("key_number", [4, "b", 3], ["a", "b", 3]),
        ("key_date", ["2024-05-01", "b", 3], ["a", "b", 3]),
        ("narrow", ["a", None, None, None, 5], ["a", "b", "c", 4, 5]),
        ("partial", ["a", "b", None, 4, 5], ["a", "b", "c", 4, 5]),
        ("full", ["a", "b", "c", 4, 5], ["a", None, None, None, 5]),
        ("colon", ["Name:", "b", 3], ["Name", "b", 3]),
        ("caption", ["Date:", "today"], ["Date", "today"]),
        ("note_word", ["Note: rounded"], ["Oslo"]),
        ("statistic", ["Median", 2, 3], ["Medina", 2, 3]),
        ("page_footer", ["Page 3 of 4"], ["Pages"]),
        ("units", ["(kg)", "(t)", "%"], ["a", "b", "%"]),
        ("series", ["Item", "Jan", "Feb", "Mar"], ["Item", "Ann", "Bob", "Cid"]),
        ("total_alone", ["Total", None, 3], ["Oslo", None, 3]),
        ("total_word", ["Total Oil Ltd", "b", 3], ["Oil Ltd", "b", 3]),
        ("short_texts", ["a", "b", "c"], ["a much longer text", "another longer one", "c d e f g h i j k l m"]),
        ("middling_texts", ["a much longer text", "another longer one"], ["a", "b"]),
        ("long_texts", ["a text of more than thirty letters", "another text of more than thirty"], ["a", "b"]),
        ("many_header_words", ["Name", "City", "Price"], ["Oslo", "Lima", "Rome"]),
        ("header_word", ["Name", "Oslo", "Lima"], ["Rome", "Oslo", "Lima"]),
        ("distinct", ["a", "b", "c"], ["a", "b", "b"]),
        ("repeated_texts", ["a", "b", "b"], ["a", "b", "c"]),
        ("capitals", ["ITEM", "CITY"], ["ITEM", "City"]),
        ("small_letter", ["item", "City"], ["Item", "city"]),
    ],
)
def test_a_sign_of_a_line_alone_shows_where_it_is_and_only_there(sign, cells, without):
    full = [["a", "b", "c", 4, 5]] if len(cells) == 5 else []
    assert sign in of_plain(cells, *full)[0]
    assert sign not in of_plain(without, *full)[0]


def test_a_text_merged_over_a_whole_row_is_spread_and_lone():
    found = of_plain(["Sales of fruit", None, None], HEADER, *BODY, merged=["A1:C1"])
    assert {"spread", "lone"} <= found[0]
    assert "spread" not in of_plain(HEADER, *BODY)[0]


def test_places_are_told_from_the_lines_around():
    found = of_plain(["Title"], [], HEADER, *BODY, [], [], [], ["Note"])
    assert "first_line" in found[0]
    assert {"before_gap", "dense_next"} <= found[0]
    assert {"after_gap", "lone_before", "numbers_next"} - found[1] <= {"numbers_next"}
    assert "nothing_above" in found[1]
    assert "much_below" in found[1]
    assert "much_above" in found[-2]
    assert {"last_line", "after_gap", "after_wide_gap", "nothing_below"} <= found[-1]
    assert [("last_line" in line) for line in found] == [False] * 6 + [True]


def test_a_header_that_comes_again_says_the_first_again():
    found = of_plain(HEADER, *BODY, HEADER, *BODY)
    assert [number for number, line in enumerate(found) if "says_first_again" in line] == [5]


def test_texts_over_numbers_are_told_apart_from_data():
    found = of_plain(["Item", "Qty", "Boxes"], *([name, n, n + 1] for n, name in enumerate("abcd", start=5)))
    assert "texts_over_numbers" in found[0]
    assert "texts_over_numbers" not in of_plain(HEADER, *BODY)[0]
    assert all("texts_over_numbers" not in line for line in found[1:])
    assert {"fits_above", "fits_below"} <= found[3]
    assert "misfits_below" not in found[3]


def test_a_total_is_marked_with_what_it_sums():
    rows = [["apple", 10, 1], ["pear", 20, 2], ["plum", 12, 3], ["Total", 42, 6]]
    found = of_plain(["Item", "Qty", "Boxes"], *rows)
    assert {"sum_of_above", "total_alone", "total_sum_of_above", "total_many_numbers"} <= found[4]
    wrong = of_plain(["Item", "Qty", "Boxes"], *rows[:3], ["Total", 500, 60])
    assert "sum_of_above" not in wrong[4]
    below = of_plain(["Item", "Qty", "Boxes"], rows[3], *rows[:3])
    assert "sum_of_below" in below[1]


def test_signs_of_a_line_are_seen_from_its_neighbours():
    found = of_plain(["Title"], HEADER, *BODY)
    assert "before_lone" in found[1]
    assert "after_all_text" in found[0]
    assert "before_all_text" in found[2]
    assert not any(sign.startswith("before_") and sign != "before_gap" for sign in found[0])
    assert not any(sign.startswith("after_") and sign != "after_gap" for sign in found[-1])


LOOKS = ("bold", "filled", "border_bottom", "border_top", "centered", "italic")


@pytest.mark.parametrize("name", LOOKS)
def test_a_look_of_most_cells_is_a_sign_and_of_one_cell_a_weaker_one(name):
    look = Style(**{name: True})
    # One bold cell further down: where no cell is marked, looks are not looked at.
    whole = signs(styled([HEADER, *BODY], {(1, c): look for c in range(3)} | {(3, 2): Style(bold=True)}))
    single = signs(styled([HEADER, *BODY], {(1, 0): look, (2, 2): Style(bold=True)}))
    assert name in whole[0]
    assert name not in whole[1]
    assert f"some_{name}" in single[0]
    assert name not in single[0]


@pytest.mark.parametrize("name", ["bold", "filled", "border_bottom", "centered"])
def test_a_header_that_looks_unlike_its_data_says_so(name):
    look = Style(**{name: True, "italic": True})
    found = signs(styled([["Oslo", "Lima", 1], HEADER, *BODY], {(2, c): look for c in range(3)}))
    assert {f"{name}_unlike_below", f"{name}_unlike_above"} <= found[1]
    everywhere = {(row, c): look for row in range(1, 7) for c in range(3)}
    alike = signs(styled([["Oslo", "Lima", 1], HEADER, *BODY], everywhere))
    assert not {f"{name}_unlike_below", f"{name}_unlike_above"} & alike[1]
    assert {"looks_like_above", "looks_like_below"} <= alike[1]


def test_a_line_set_off_from_both_sides_says_so():
    bold = {(3, c): Style(bold=True) for c in range(3)}
    found = signs(styled([*BODY[:2], HEADER, *BODY[2:]], bold))
    assert {"looks_unlike_above", "looks_unlike_below", "set_off"} <= found[2]
    assert "set_off" not in found[1]
    gap = signs(styled([*BODY[:2], [], HEADER, *BODY[2:]], {(4, c): Style(bold=True) for c in range(3)}))
    assert "set_off_after_gap" in gap[2]


def test_without_looks_every_line_says_so_and_nothing_else_of_looks():
    for line in of_plain(HEADER, *BODY):
        assert "no_styles" in line
        assert not line & {"bold", "set_off", "looks_like_below", "some_bold"}


@pytest.mark.parametrize("indented", ["  pear", "\u00a0\u00a0pear"])
def test_a_label_that_is_indented_is_deeper_than_the_one_above(indented):
    found = of_plain(["apple", 1, 2], [indented, 3, 4], ["plum", 5, 6])
    assert "deeper_than_above" in found[1]
    assert "deeper_than_below" in found[1]
    assert "shallower_than_below" in found[0]
    assert "shallower_than_above" in found[2]
    assert not {"deeper_than_above", "shallower_than_above"} & of_plain(["a", 1], ["b", 2])[1]


def test_an_indent_of_the_style_counts_as_spaces_do():
    rows = [["apple", 1, 2], ["pear", 3, 4], ["plum", 5, 6]]
    found = signs(styled(rows, {(2, 0): Style(indent=1), (1, 1): Style(bold=True)}))
    assert "deeper_than_above" in found[1]


def test_lines_that_begin_in_other_columns_say_so():
    found = of_plain(["Region", None, None], [None, "Oslo", 2], ["Lima", "x", 3])
    assert "starts_left_of_below" in found[0]
    assert "starts_right_of_above" in found[1]


def steps(*cells):
    lines = lines_of(sheet(*cells))
    found = signs_of_lines(lines, [0] * len(lines), [3] * len(lines))
    return [steps_of(lines, number, signs) for number, signs in enumerate(found)]


def test_steps_tell_how_a_line_follows_the_one_above():
    assert steps(HEADER, *BODY)[1][0] == "adjacent"
    assert steps(HEADER, [], *BODY)[1][0] == "gap"
    assert steps(HEADER, [], [], *BODY)[1][0] == "wide_gap"
    assert "fits" in steps(HEADER, *BODY)[3]
    assert "misfits" in steps(*BODY, [1, 2, "x"])[4]
    assert "elsewhere" in steps(*[row + [None] * 3 for row in BODY], [None] * 3 + ["a", "b", 3])[4]


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from([None, "a", "Total", 1, 2021, "x y z", "2024-01-01", "n/a"]), max_size=5)))
def test_any_rows_have_signs_that_are_each_named_once_or_joined(rows):
    filled = [row for row in rows if any(value is not None for value in row)]
    if not filled:
        return
    for found in of_plain(*filled):
        assert len({"lone", "two_cells", "several_cells"} & found) == 1
        assert len({"no_numbers", "few_numbers", "many_numbers"} & found) == 1
        assert len({"nothing_above", "little_above", "much_above"} & found) == 1
        assert len({"nothing_below", "little_below", "much_below"} & found) == 1
        assert len({"narrow", "partial", "full", "wider"} & found) <= 1
        for where in ("above", "below"):
            assert len({f"fits_{where}", f"misfits_{where}", f"half_fits_{where}"} & found) <= 1


def grid(*cells):
    return [found for row in sheet(*cells).rows() if (found := grid_row(row, Merges(())))]


TWO = [["Name", "Age", None, "Item", "Price"]] + [[f"P{n}", n, None, f"T{n}", n * 2.5] for n in range(1, 7)]


def seen_in_gutter(rows, *, gutter=(2, 2), left=(0, 1), right=(3, 4), styles=()):
    return set(gutter_signs(grid(*rows), gutter, left, right, [gutter], styles))


@pytest.mark.parametrize(
    ("mask", "expected"),
    [(0b11011, [(2, 2)]), (0b1100011, [(2, 4)]), (0b111, []), (0b1010100, [(3, 3), (5, 5)]), (0b1000, [])],
)
def test_gutters_are_the_blank_columns_between_filled_ones(mask, expected):
    assert gutters_of(mask) == expected


@given(st.sets(st.integers(0, 40), min_size=1))
def test_gutters_and_filled_columns_make_up_the_whole_width(columns):
    mask = sum(1 << column for column in columns)
    blank = {column for first, last in gutters_of(mask) for column in range(first, last + 1)}
    assert blank == set(range(min(columns), max(columns) + 1)) - columns


def test_two_tables_beside_each_other_have_the_signs_of_two():
    found = seen_in_gutter(TWO)
    assert {"one_column", "left_2", "right_2", "only_gutter", "equal_sides", "same_rows", "same_top"} <= found
    assert {"same_end", "both_keys", "right_headed", "shared_top", "right_starts_with_text"} <= found
    assert not {"drawn", "ends_apart", "captions_right", "repeated_header", "same_key"} & found


def test_a_right_side_that_goes_on_alone_ends_apart():
    longer = [*TWO, *([None, None, None, f"T{n}", n * 2.5] for n in range(7, 17))]
    found = seen_in_gutter(longer)
    assert {"ends_apart", "right_longer"} <= found
    assert "left_longer" in seen_in_gutter([*TWO, *([f"P{n}", n] for n in range(7, 17))])


def test_a_gutter_filled_with_white_space_is_drawn():
    drawn = [[*row[:2], " ", *row[3:]] for row in TWO]
    assert "drawn" in seen_in_gutter(drawn)


def test_the_same_header_on_both_sides_is_repeated():
    twice = [["Name", "Age", None, "Name", "Age"], *TWO[1:]]
    assert "repeated_header" in seen_in_gutter(twice)


def test_labels_with_a_colon_on_the_right_are_captions():
    labelled = [[*row[:2], None, "Note:", 1] for row in TWO]
    assert "captions_right" in seen_in_gutter(labelled)


def test_the_same_keys_on_both_sides_are_seen():
    same = [[f"P{n}", n, None, f"P{n}", n * 2] for n in range(6)]
    assert "same_key" in seen_in_gutter(same)


def test_a_right_side_that_begins_as_the_rows_of_the_whole_do_has_a_key_again():
    keys = [["Name", "Age", None, "Name", "Price"], *([f"P{n}", n, None, f"P{n}", n * 2] for n in range(6))]
    assert {"key_header_again", "key_again"} <= seen_in_gutter(keys)
    assert not {"key_header_again", "key_again"} & seen_in_gutter(TWO)
    assert "key_header_again" not in seen_in_gutter([["Name", None, None, "Name"], *TWO[1:]])


def test_a_text_merged_over_both_sides_is_spread_over():
    rows = [Row(1, ["Sales of fruit", None, None, None, None]), *(Row(n, row) for n, row in enumerate(TWO, start=2))]
    found = [grid_row(row, Merges([Range(1, 1, 1, 5)])) for row in rows]
    assert "spread_over" in gutter_signs(found, (2, 2), (0, 1), (3, 4), [(2, 2)], ())
    assert "spread_over" not in seen_in_gutter(TWO)


@pytest.mark.parametrize(
    ("top", "signs"),
    [
        (["a", "b", None, "c"], {"top_over"}),
        (["a", "b", None, None, None, "c"], {"top_over", "top_skips_right"}),
        ([None, None, None, "a", "b", "c"], {"top_right"}),
        (["a"], {"top_over"}),
    ],
)
def test_the_first_full_row_is_on_one_side_or_on_both(top, signs):
    found = seen_in_gutter([top, *TWO], gutter=(2, 2))
    assert {sign for sign in found if sign.startswith("top_")} == signs


def test_sides_that_leave_the_same_rows_blank_have_parts_alike():
    beside, left, right = [[None] * 5 + ["x"]], [["P", 1]], [[None, None, None, "T", 2]]
    assert "parts_alike" in seen_in_gutter([*TWO[1:4], *beside, *TWO[4:]])
    assert "parts_differ" in seen_in_gutter([*TWO[1:3], *left, *TWO[3:5], *right, *TWO[5:]])
    assert not {"parts_alike", "parts_differ"} & seen_in_gutter(TWO)


def test_looks_of_a_header_go_on_between_two_sides_or_do_not():
    bold, ruled = Style(bold=True), Style(bold=True, border_bottom=True)

    def signs(blank, side):
        rows = [Row(n, list(cells), [side, side, blank, side, side]) for n, cells in enumerate(TWO, start=1)]
        found = gutter_signs(
            [grid_row(row, Merges(())) for row in rows], (2, 2), (0, 1), (3, 4), [(2, 2)], (PLAIN, bold, ruled)
        )
        return {sign for sign in found if "_header_" in sign}

    assert signs(1, 1) == {"bold_header_across"}
    assert signs(0, 1) == {"bold_header_parted"}
    assert signs(1, 2) == {"bold_header_across", "border_bottom_header_parted"}
    assert signs(0, 0) == set()


@pytest.mark.parametrize(("width", "sign"), [(1, "one_column"), (2, "two_columns"), (3, "three_columns"), (5, "wide")])
def test_the_width_of_a_gutter_is_a_sign(width, sign):
    rows = [[*row[:2], *[None] * width, *row[3:]] for row in TWO]
    found = seen_in_gutter(rows, gutter=(2, 1 + width), right=(2 + width, 3 + width))
    assert [name for name in ("one_column", "two_columns", "three_columns", "wide") if name in found] == [sign]


def test_a_text_spread_over_merged_cells_fills_one_column_only():
    row = grid_row(Row(1, ["Sales of fruit", None, None, None]), Merges([Range(1, 1, 1, 4)]))
    assert row.mask == 0b1111
    assert solid(row) == 0b1
    assert solid(grid_row(Row(1, ["a", "b", "c", "d"]), Merges(()))) == 0b1111
    assert solid(grid_row(Row(1, [5, 5, 5, 5]), Merges(()))) == 0b1111


def test_looks_of_blank_cells_join_or_part_what_they_lie_between():
    fill = Style(filled=True)

    def looks(blank):
        rows = [Row(n, list(cells), [1, 1, blank, 1, 1]) for n, cells in enumerate(TWO, start=1)]
        found = [grid_row(row, Merges(())) for row in rows]
        return set(gutter_signs(found, (2, 2), (0, 1), (3, 4), [(2, 2)], (PLAIN, fill)))

    assert "joined_by_looks" in looks(1)
    assert "parted_by_looks" in looks(0)
    assert "unpainted" in seen_in_gutter(TWO, styles=(PLAIN, fill))


def test_a_line_keeps_what_can_be_told_from_it_alone():
    (line,) = lines_of(sheet([None, "Oslo", 2021, 3, "a text " * 12]))
    assert isinstance(line, Line)
    assert (line.first, line.filled, line.numbers, line.texts, line.label) == (1, 4, 2, 2, "Oslo")
    assert not line.is_lone
    assert replace(line, gap=3).gap == 3


def test_merged_ranges_hold_their_value_in_every_cell():
    merges = Merges([Range(1, 1, 2, 2)])
    assert merges.fill(Row(1, ["a", None, "c"])) == ["a", "a", "c"]
    assert merges.fill(Row(2, [None, None, "d"])) == ["a", "a", "d"]
    assert merges.fill(Row(3, ["e"])) == ["e"]


def test_a_merged_range_taller_than_a_group_fills_nothing():
    merges = Merges([Range(1, 1, 100, 1)])
    assert merges.fill(Row(1, ["a"])) == ["a"]
    assert merges.fill(Row(2, [None, "b"])) == [None, "b"]


def test_a_row_of_white_space_alone_is_none():
    assert grid_row(Row(1, ["  ", None, ""]), Merges(())) is None
    assert grid_row(Row(1, ["  ", "x"]), Merges(())).drawn == 0b1
