"""Laws of whole sheets: what lies elsewhere, how data is ordered and how cells look does not move a clear table."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sheets_in_memory import BOLD, INVOICE_HEADER, PEOPLE, ListSheet, invoices, read, sheet, table, tables

from ade_engine.cells import parse_range
from ade_engine.readers.base import PLAIN, Row, SheetInfo, Style
from ade_engine.structure import find_tables
from ade_engine.structure.confidence import probability, table_confidence
from ade_engine.structure.source import Source

pytestmark = pytest.mark.req("E3")
FEW = settings(max_examples=30, deadline=None)


@FEW
@given(st.permutations(invoices(12)))
def test_the_order_of_data_rows_leaves_header_and_range(rows):
    assert table(INVOICE_HEADER, *rows) == table(INVOICE_HEADER, *invoices(12))


@FEW
@given(st.permutations(range(4)))
def test_the_order_of_columns_moves_their_headers_and_nothing_else(order):
    cells = [INVOICE_HEADER, *invoices(12)]
    found = table(*[[row[place] for place in order] for row in cells])
    assert found.headers == tuple(INVOICE_HEADER[place] for place in order)
    assert (found.range, found.header_rows, found.data_rows) == ("A1:D13", (1,), tuple(range(2, 14)))


@FEW
@given(st.integers(4, 40), st.integers(6, 30), st.integers(0, 12))
def test_a_table_far_below_leaves_the_first_one_alone(count, gap, column):
    first = [INVOICE_HEADER, *invoices(count)]
    other = [[None] * column + list(row) for row in PEOPLE]
    alone = tables(*first)
    both = tables(*first, *[[]] * gap, *other)
    assert both[0].range == alone[0].range
    assert both[0].headers == alone[0].headers
    assert both[0].data_rows == alone[0].data_rows
    assert both[1].headers == tuple(PEOPLE[0])


@FEW
@given(st.integers(4, 30), st.integers(8, 30))
def test_a_table_far_to_the_right_leaves_the_first_one_alone(count, gap):
    first = [INVOICE_HEADER, *invoices(count)]
    other = [*PEOPLE, *[[None] * 3] * count]
    beside = [[*row, *[None] * gap, *other[n]] for n, row in enumerate(first)]
    one, two = tables(*beside)
    assert one.range == tables(*first)[0].range
    assert one.headers == tuple(INVOICE_HEADER)
    assert two.headers == tuple(PEOPLE[0])


LOOKS = [
    PLAIN,
    BOLD,
    Style(filled=True),
    Style(italic=True),
    Style(border_bottom=True),
    Style(centered=True, bold=True),
]


class PaintedSheet(ListSheet):
    """A sheet whose cells have any looks at all."""

    paint: dict[tuple[int, int], int]

    def rows(self):
        for row in super().rows():
            looks = [self.paint.get((row.number, c), 0) for c in range(len(row.values))]
            yield Row(row.number, row.values, looks)


def painted(cells, paint, styles=LOOKS):
    made = PaintedSheet(cells, SheetInfo(index=0, name="S"), styles=styles)
    made.paint = paint
    return made


PAINT = st.dictionaries(st.tuples(st.integers(1, 14), st.integers(0, 3)), st.integers(0, len(LOOKS) - 1))


@FEW
@given(PAINT)
def test_no_looks_lose_a_cell(paint):
    cells = [INVOICE_HEADER, *invoices(12)]
    found = [read(one) for one in find_tables(painted(cells, paint))]
    rows = {number for one in found for number in (*one.header_rows, *one.data_rows, *one.group_rows, *one.totals_rows)}
    rows |= {number for one in found for number in (*one.title_rows, *one.note_rows)}
    assert rows == set(range(1, 14))


def test_a_bold_header_is_the_header_as_it_is_without_looks():
    cells = [["Report"], [], INVOICE_HEADER, *invoices(12)]
    (plain,) = tables(*cells)
    (bold,) = (read(one) for one in find_tables(painted(cells, {(3, c): 1 for c in range(4)})))
    assert plain.header_rows == bold.header_rows == (3,)
    assert plain.data_rows == bold.data_rows


@FEW
@given(st.integers(0, 5))
def test_looks_that_no_cell_has_change_nothing(unused):
    cells = [INVOICE_HEADER, *invoices(12)]
    without = [read(one) for one in find_tables(painted(cells, {}, [PLAIN]))]
    assert [read(one) for one in find_tables(painted(cells, {}, [PLAIN, *LOOKS[:unused]]))] == without


@pytest.mark.parametrize("merged", [(), ("A1:D1",), ("A1:B1", "C1:D1")])
def test_a_title_over_the_table_is_a_title_however_it_is_merged(merged):
    title = ["Invoices of May", None, "as of June" if len(merged) == 2 else None]
    found = table(title, [], INVOICE_HEADER, *invoices(8), merged=merged)
    assert found.header_rows == (3,)
    assert found.headers == tuple(INVOICE_HEADER)
    assert found.title_rows == (1,)


@FEW
@given(st.integers(2, 60), st.sampled_from([None, "", " "]))
def test_blank_cells_at_the_end_of_rows_are_no_columns(count, blank):
    cells = [[*row, blank, blank] for row in [INVOICE_HEADER, *invoices(count)]]
    assert table(*cells).range == table(INVOICE_HEADER, *invoices(count)).range


@FEW
@given(st.integers(5, 60))
def test_numbers_as_text_make_the_same_table(count):
    texts = [[str(value) for value in row] for row in invoices(count)]
    assert table(INVOICE_HEADER, *texts) == table(INVOICE_HEADER, *invoices(count))


def found_tables(*cells):
    return list(find_tables(sheet(*cells)))


@FEW
@given(st.integers(3, 40))
def test_the_score_of_a_header_is_the_sum_of_its_reasons(count):
    (found,) = found_tables(INVOICE_HEADER, *invoices(count))
    assert found.score == pytest.approx(sum(reason.delta for reason in found.contributions), abs=0.02)
    assert found.margin > 0
    assert found.runner_up is not None
    assert tuple(found.runner_up.header_rows) != tuple(found.header_rows)


@FEW
@given(st.integers(3, 40))
def test_a_table_is_described_by_ranges_that_hold_its_rows(count):
    (found,) = found_tables(["Report"], [], INVOICE_HEADER, *invoices(count), ["Total", None, 5, 6])
    data = [row.number for chunk in found.data() for row in chunk]
    assert found.range.first_row == found.header_rows[0]
    assert found.range.last_row == max(data)
    assert all(found.range.contains(number, column.position) for number in data for column in found.columns)
    assert set(data).isdisjoint({*found.header_rows, *found.title_rows, *found.totals_rows, *found.note_rows})
    assert [column.position for column in found.columns] == [1, 2, 3, 4]
    assert [column.header_cells for column in found.columns] == [(name,) for name in INVOICE_HEADER]
    assert parse_range(found.range.a1) == found.range


def test_side_rows_are_the_titles_groups_and_totals_with_their_cells():
    (found,) = found_tables(
        ["Report of May", None, None],
        [],
        ["City", "Items", "Amount"],
        ["Oslo", 10, 20],
        ["Lima", 30, 5],
        ["Rome", 2, 2],
        ["Total", 42, 27],
    )
    found.skip()
    labels = [(side.label, side.row.number, side.texts) for side in found.side_rows]
    assert ("title", 1, ["Report of May"]) in labels
    assert ("total", 7, ["Total", "42", "27"]) in labels


def test_a_table_can_be_read_again_when_it_lies_in_one_window_and_once_beyond_it():
    (short,) = found_tables(INVOICE_HEADER, *invoices(10))
    assert sum(map(len, short.data())) == sum(map(len, short.data())) == 10
    long = next(iter(find_tables(sheet(INVOICE_HEADER, *invoices(300)), window=64)))
    assert sum(map(len, long.data())) == 300
    assert sum(map(len, long.data())) == 0


@given(st.dictionaries(st.sampled_from("abc"), st.integers(-500, 500)), st.sampled_from("abc"), st.integers(0, 300))
def test_more_weight_on_a_doubt_never_lowers_the_probability(weights, name, more):
    heavier = weights | {name: weights.get(name, 0) + more}
    assert probability(("a", "b", "c"), weights) <= probability(("a", "b", "c"), heavier)
    assert probability((), weights) == probability((), heavier)


@pytest.mark.parametrize("score", [-5000, -100, -1, 0, 1, 99, 100, 5000])
def test_a_probability_has_two_digits_and_excludes_certainty(score):
    found = probability(("a",), {"a": score})
    assert round(found, 2) == found
    assert 0 < found < 1
    assert found + probability(("a",), {"a": -score}) == pytest.approx(1, abs=0.03)


def test_a_clear_table_is_surer_than_one_without_a_lead():
    (found,) = found_tables(INVOICE_HEADER, *invoices(30))
    assert found.confidence == table_confidence(found.doubts)
    assert "only_table" in found.doubts
    assert "no_gaps" in found.doubts
    assert "all_headed" in found.doubts
    assert "header_rows_1" in found.doubts
    assert len(found.doubts) == len(set(found.doubts))


def test_doubts_name_what_is_unusual_about_a_table():
    rows = [["North"], *invoices(5), [], *invoices(5, first=20), ["Total", None, 5, 6], ["Note: rounded."]]
    (found,) = found_tables(["Report"], [], [*INVOICE_HEADER[:3], None], *rows)
    found.skip()
    named = set(found.doubts)
    assert {"titles", "one_unheaded"} <= named
    assert named & {"few_gaps", "many_gaps"}
    assert named & {"totals", "notes", "groups"}


ROWS = [Row(number, [number]) for number in range(1, 40)]


class RowsSheet:
    def rows(self):
        return iter(ROWS)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=12), st.integers(1, 45))
def test_rows_that_are_given_back_come_again_in_order(moves, first):
    source = Source(RowsSheet(), first_row=first)
    seen = []
    for take, back in moves:
        taken = source.take(take)
        assert len(taken) <= take
        cut = max(0, len(taken) - back)
        seen += taken[:cut]
        source.give_back(taken[cut:])
        following = source.peek()
        assert following is source.peek()
        assert source.is_exhausted() == (following is None)
    seen += list(source)
    assert [row.number for row in seen] == list(range(first, 40))


def test_very_wide_rows_are_taken_in_smaller_numbers():
    class Wide:
        def rows(self):
            return (Row(number, [1] * 10_000) for number in range(1, 600))

    source = Source(Wide())
    taken = source.take(500)
    assert 128 <= len(taken) < 500
    assert source.peek().number == taken[-1].number + 1
