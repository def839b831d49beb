"""What must hold for every table: moving, renaming, cutting and growing a sheet change nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets_in_memory import INVOICE_HEADER, ListSheet, Seen, invoices, read, sheet

from ade_engine.cells import Range, parse_range
from ade_engine.evidence import Contribution
from ade_engine.readers.base import Row
from ade_engine.structure import RowContext, find_tables
from ade_engine.structure.profile import Profile, regular_rows_test, regular_test

pytestmark = pytest.mark.req("E3")


@st.composite
def documents(draw: st.DrawFn) -> list[list[object]]:
    """Draw a sheet with a table, maybe with titles, gaps, group rows, totals and notes."""
    rows: list[list[object]] = []
    if draw(st.booleans()):
        rows += [["Report of the year"], []]
    rows.append(list(INVOICE_HEADER))
    body = invoices(draw(st.integers(min_value=3, max_value=30)))
    for row in body:
        rows.append(row)
        event = draw(st.integers(min_value=0, max_value=20))
        if event == 0 and row is not body[-1]:
            rows.append([])
    if draw(st.booleans()):
        rows.append(["Total", None, 1000, 5000.5])
    if draw(st.booleans()):
        rows += [[], ["Note: figures are rounded."]]
    return rows


def found(cells: list[list[object]], *, window: int = 2048, name: str | None = "Sheet1") -> list[Seen]:
    return [read(table) for table in find_tables(sheet(*cells, name=name), window=window)]


def moved(seen: Seen, *, rows: int = 0, columns: int = 0) -> Seen:
    r = parse_range(seen.range)
    return replace(
        seen,
        range=Range(r.first_row + rows, r.first_column + columns, r.last_row + rows, r.last_column + columns).a1,
        **{
            name: tuple(number + rows for number in getattr(seen, name))
            for name in ("header_rows", "data_rows", "title_rows", "totals_rows", "note_rows", "group_rows")
        },
    )


@settings(deadline=None)
@given(documents(), st.integers(min_value=1, max_value=9))
def test_blank_rows_above_move_the_tables_by_just_that(cells, count):
    assert found([[]] * count + cells) == [moved(table, rows=count) for table in found(cells)]


@settings(deadline=None)
@given(documents(), st.integers(min_value=1, max_value=9))
def test_blank_columns_left_move_the_tables_by_just_that(cells, count):
    shifted = [[None] * count + row if row else row for row in cells]
    assert found(shifted) == [moved(table, columns=count) for table in found(cells)]


@settings(deadline=None)
@given(documents(), st.one_of(st.none(), st.text(min_size=1, max_size=31)))
def test_the_name_of_the_sheet_changes_nothing(cells, name):
    assert found(cells, name=name) == found(cells)


@settings(deadline=None)
@given(documents())
def test_the_same_sheet_gives_the_same_tables(cells):
    assert found(cells) == found(cells)


@settings(deadline=None)
@given(documents(), st.integers(min_value=1, max_value=40))
def test_more_rows_of_the_same_kind_only_extend_the_range(cells, count):
    (before,) = found(cells)
    last = before.data_rows[-1]
    (after,) = found(cells[:last] + invoices(count, first=500) + cells[last:])
    assert after.header_rows == before.header_rows
    assert after.data_rows[: len(before.data_rows)] == before.data_rows
    assert len(after.data_rows) == len(before.data_rows) + count
    assert parse_range(after.range).last_row == last + count


@st.composite
def long_documents(draw: st.DrawFn) -> list[list[object]]:
    """Draw a sheet longer than a small window, with things to notice far below."""
    rows: list[list[object]] = [["Report"], [], list(INVOICE_HEADER)]
    for part in range(draw(st.integers(min_value=2, max_value=5))):
        rows += invoices(draw(st.integers(min_value=10, max_value=90)), first=100 * part + 1)
        kind = draw(st.sampled_from(["none", "blank", "subtotal", "group"]))
        if kind == "blank":
            rows.append([])
        elif kind == "subtotal":
            rows.append(["Subtotal", None, 77, 88.5])
        elif kind == "group":
            rows.append(["Branch office"])
    rows += invoices(draw(st.integers(min_value=1, max_value=30)), first=700)
    rows += draw(st.sampled_from([[], [["Total", None, 900, 950.5]], [[], ["Source: the office."]]]))
    if draw(st.booleans()):
        rows += [[], ["Second part"], [], ["Name", "Age"], ["Ada", 36], ["Alan", 41], ["Grace", 85]]
    return rows


@settings(max_examples=60, deadline=None)
@given(long_documents(), st.integers(min_value=48, max_value=200))
def test_the_size_of_the_window_changes_nothing(cells, window):
    assert found(cells, window=window) == found(cells, window=100_000)


@settings(max_examples=20, deadline=None)
@given(st.integers(min_value=60, max_value=300), st.integers(min_value=60, max_value=300), st.integers(64, 128))
def test_tables_side_by_side_are_followed_past_the_window(left, right, window):
    one = [["Name", "Age"], *([f"Person {n}", n] for n in range(left))]
    two = [list(INVOICE_HEADER), *invoices(right)]
    size = max(len(one), len(two))
    cells = [
        [*(one[i] if i < len(one) else [None, None]), None, None, *(two[i] if i < len(two) else [])]
        for i in range(size)
    ]
    assert [t.range for t in found(cells, window=window)] == [f"A1:B{left + 1}", f"E1:H{right + 1}"]


@st.composite
def many_tables(draw: st.DrawFn) -> list[list[object]]:
    """Draw small tables below each other, with prose before and between them."""
    rows: list[list[object]] = []
    for number in range(draw(st.integers(min_value=2, max_value=12))):
        prose = ["What follows was counted by hand, on the last day of the month, by two of us in turn."]
        rows += [prose] * draw(st.integers(min_value=0, max_value=2))
        rows += [[], [f"Part {number}"], list(INVOICE_HEADER)]
        rows += invoices(draw(st.integers(min_value=4, max_value=25)), first=100 * number + 1)
        rows += [[], []]
    return rows


@settings(max_examples=40, deadline=None)
@given(many_tables(), st.integers(min_value=64, max_value=200))
def test_small_tables_are_found_wherever_a_window_ends(cells, window):
    assert found(cells, window=window) == found(cells, window=100_000)


@pytest.mark.parametrize("distance", [1, 2, 20, 39, 40, 41, 61, 62, 63, 64])
def test_a_group_row_is_one_wherever_the_look_ahead_ends(distance):
    cells = [INVOICE_HEADER, ["Head office"], *invoices(150), ["Subtotal", None, 7, 8.5]]
    cells += [*invoices(distance - 1, first=300), ["Branch office"], *invoices(90, first=500)]
    (table,) = found(cells, window=64)
    assert table.group_rows == (2, 153 + distance)
    assert [table] == found(cells, window=100_000)


@settings(deadline=None)
@given(st.integers(min_value=1, max_value=9), st.integers(min_value=0, max_value=5))
def test_tables_side_by_side_move_with_the_sheet(columns, rows):
    two = [["Name", "Age", None, "Item", "Price"]]
    two += [[f"Person {n}", 20 + n, None, f"Thing {n}", n * 2.5] for n in range(5)]
    shifted = [[]] * rows + [[None] * columns + row for row in two]
    assert found(shifted) == [moved(table, rows=rows, columns=columns) for table in found(two)]


def test_a_page_header_is_left_out_beyond_the_window_too():
    cells = [["First name", "Last name", "Town"], *([f"Ada {n}", f"Byron {n}", "London"] for n in range(3000))]
    table = next(find_tables(sheet(*cells[:2500], cells[0], *cells[2500:])))
    assert sum(map(len, table.data())) == 3000
    assert table.repeated_header_rows == [2501]


def test_a_table_after_more_prose_than_a_window_holds_is_found():
    prose = [
        [f"Line {n} of an introduction that says what was done, by whom, and why it took so long."] for n in range(400)
    ]
    (table,) = found([*prose, [], INVOICE_HEADER, *invoices(9)], window=64)
    assert table.range == "A402:D411"


def test_sparse_tables_without_a_full_column_are_followed():
    rows = [
        [n if n % 3 else None, f"city {n}" if n % 4 else None, n * 2 if n % 5 else None, "x"[: n % 2]]
        for n in range(1, 3000)
    ]
    rows = [[value or None for value in row] for row in rows]
    rows = [row if sum(value is not None for value in row) > 1 else ["a", "b", None, "c"] for row in rows]
    cells = [["Id", "City", "Amount", "Flag"], *rows]
    assert found(cells, window=200) == found(cells, window=100_000)


def test_rows_wider_than_all_seen_before_are_counted():
    cells = [INVOICE_HEADER, *invoices(3000)]
    cells[2500] = [*cells[2500], "beyond"]
    (table,) = find_tables(sheet(*cells))
    table.skip()
    assert table.wider_row_count == 1


def test_totals_and_notes_far_below_the_window_are_recognised():
    cells = [INVOICE_HEADER, *invoices(5000), ["Total", None, 1, 2.5], [], ["Source: the office."]]
    (table,) = found(cells)
    assert (table.range, table.totals_rows, table.note_rows) == ("A1:D5001", (5002,), (5004,))


def test_data_left_unread_does_not_spoil_the_next_table():
    cells = [INVOICE_HEADER, *invoices(5000), [], [], ["Name", "Age"], ["Ada", 36], ["Alan", 41], ["Grace", 85]]
    tables = list(find_tables(sheet(*cells)))
    assert [table.range.a1 for table in tables] == ["A1:D5001", "A5004:B5007"]


def test_a_long_table_is_handed_out_before_it_is_read():
    class Counting(ListSheet):
        taken = 0

        def rows(self):
            for row in super().rows():
                Counting.taken += 1
                yield row

    table = next(iter(find_tables(Counting([INVOICE_HEADER, *invoices(20_000)]))))
    assert Counting.taken < 3000
    assert sum(map(len, table.data())) == 20_000


def test_a_users_evidence_moves_the_header():
    cells = [["alpha", "beta"], ["gamma", "delta"], ["one", "two"], ["three", "four"], ["five", "six"]]

    def second_row_is_the_header(context: RowContext):
        if context.row.number != 2:
            return {}
        return {"header": [Contribution("row.mine", 6.0)]}

    (plain,) = find_tables(sheet(*cells))
    (ruled,) = find_tables(sheet(*cells), evidence=second_row_is_the_header)
    assert plain.header_rows != [2]
    assert ruled.header_rows[-1] == 2
    assert Contribution("row.mine", 6.0) in ruled.contributions


def test_a_users_evidence_is_heard_beyond_the_window():
    cells = [INVOICE_HEADER, *invoices(3000)]

    def closing(context: RowContext):
        return {"total": [Contribution("row.closing", 9.0)]} if context.row.values[0] == "INV-02900" else {}

    (table,) = [read(t) for t in find_tables(sheet(*cells), evidence=closing)]
    assert table.totals_rows == (2901,)


def test_a_row_a_user_calls_blank_is_left_out():
    def ignored(context: RowContext):
        return {"blank": [Contribution("row.ignored", 2.0)]} if context.row.values[0] == "INV-00003" else {}

    (table,) = [read(t) for t in find_tables(sheet(INVOICE_HEADER, *invoices(6)), evidence=ignored)]
    assert table.data_rows == (2, 3, 5, 6, 7)


def test_a_users_rule_sees_the_rows_around_wherever_the_row_is():
    cells = [INVOICE_HEADER, *invoices(3000)]
    seen = {}

    def watch(context: RowContext):
        seen[context.row.number] = (context.above, context.below)
        return {}

    for table in find_tables(sheet(*cells), evidence=watch):
        table.skip()
    assert len(seen) == 3001
    assert all(above is not None and above.number == number - 1 for number, (above, _) in seen.items() if number > 1)
    assert all(below is not None and below.number == number + 1 for number, (_, below) in seen.items() if number < 3001)


def test_a_rule_that_calls_every_row_blank_leaves_no_table():
    cells = [INVOICE_HEADER, *invoices(500)]
    assert (
        list(find_tables(sheet(*cells), evidence=lambda _: {"blank": [Contribution("row.all", 5.0)]}, window=64)) == []
    )


def test_a_rule_that_leaves_one_row_ends_in_good_time():
    cells = [INVOICE_HEADER, *invoices(500)]

    def first_only(context: RowContext):
        return {} if context.row.number == 1 else {"blank": [Contribution("row.rest", 5.0)]}

    assert [t.header_rows for t in find_tables(sheet(*cells), evidence=first_only, window=64)] in ([], [[1]])


@given(
    st.lists(
        st.lists(st.sampled_from([None, "", "Total", "total cost", "Ada", "12", "1.5", 3, 2.5, "#sum"]), max_size=4),
        min_size=1,
    )
)
def test_rows_that_pass_at_once_pass_one_by_one(cells):
    profile = Profile(first=0, last=3, key=0, anchors=(1, 2), heading="Name")
    rows = [Row(number, values) for number, values in enumerate(cells, start=1)]
    if regular_rows_test(profile)(rows):
        assert all(map(regular_test(profile), rows))


def test_rows_of_texts_and_numbers_pass_at_once():
    profile = Profile(first=0, last=2, key=0, anchors=(1,), heading="Name")
    rows = [Row(number, ["Ada", f"{number}.05", "x"]) for number in range(1, 9)]
    assert regular_rows_test(profile)(rows)
