"""Tables whose fields are rows: what looks like one, what does not, and that turning them loses nothing."""

from __future__ import annotations

import random
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets_in_memory import PEOPLE, invoices, sheet

from ade_engine.cells import Range, column_letters, parse_range
from ade_engine.readers.base import Row
from ade_engine.structure import find_tables
from ade_engine.structure import turned as turned_module
from ade_engine.structure.names import HeaderNames
from ade_engine.structure.turned import TurnedSheet, Turning, rows_inside

pytestmark = pytest.mark.req("E3")
TURN = Turning("turn")
CITIES = ("Lyon", "Porto", "Oslo", "Gdansk")
FIRST = ("Ada", "Bruno", "Chiara", "Dilan", "Elif")
LAST = ("Moreau", "Okafor", "Silva", "Young")
FIELDS = {
    "Name": lambda pick: f"{pick.choice(FIRST)} {pick.choice(LAST)}",
    "Email": lambda pick: f"{pick.choice(FIRST)}{pick.randint(1, 999)}@example.org".lower(),
    "Birth date": lambda pick: date(1950, 1, 1) + timedelta(pick.randint(0, 18_000)),
    "City": lambda pick: pick.choice(CITIES),
    "Amount": lambda pick: round(1000 * pick.random(), 2),
    "Phone": lambda pick: f"+49 30 {pick.randint(100_000, 999_999)}",
    "Member ID": lambda pick: f"MB{pick.randint(1000, 9999)}",
    "Years": lambda pick: pick.randint(1, 40),
    "Role": lambda pick: pick.choice(("chair", "member", "guest")),
}
NAMES = frozenset(name.lower() for name in FIELDS)
CARDS = [
    ["Name", "Ada Moreau", "Bruno Silva", "Chiara Young"],
    ["Birth date", date(1980, 1, 2), date(1975, 5, 6), date(1990, 11, 12)],
    ["City", "Lyon", "Porto", "Oslo"],
    ["Amount", 100.5, 200.25, 300],
]


def found(*cells, turning=None, names=NAMES, **options):
    """Find the tables of a sheet, each with all of its rows."""
    tables = find_tables(sheet(*cells, **options), names=HeaderNames(names), turning=turning or Turning())
    return [(table, [row for chunk in table.data() for row in chunk]) for table in tables]


def records(rows):
    return [row.values for row in rows]


def headers(table):
    return [column.header for column in table.columns]


@st.composite
def cards(draw, *, fewest=3):
    """Return names of fields and records of them."""
    pick = random.Random(draw(st.integers(0, 10_000)))
    names = pick.sample(list(FIELDS), draw(st.integers(fewest, 8)))
    return names, [[FIELDS[name](pick) for name in names] for _ in range(draw(st.integers(2, 12)))]


def across(names, rows):
    """Return records as columns, with the names in the first one."""
    return [[name, *(row[place] for row in rows)] for place, name in enumerate(names)]


@given(made=cards(), is_text=st.booleans())
def test_a_turned_table_has_the_header_and_the_rows_of_the_upright_one(made, is_text):
    names, rows = made
    if is_text:  # as in a csv file
        rows = [[str(cell) for cell in row] for row in rows]
    [(table, data)] = found(*across(names, rows), turning=TURN)
    assert (headers(table), records(data)) == (names, rows)
    assert table.transposed.is_turned
    assert table.range == Range(1, 1, len(names), len(rows) + 1)


@given(made=cards())
def test_an_upright_table_never_looks_transposed(made):
    names, rows = made
    assert [table.transposed for table, _ in found(names, *rows, turning=TURN)] == [None]


@given(made=cards())
def test_turning_twice_is_the_identity(made):
    names, rows = made
    upright = sheet(names, *rows)
    whole = Range(1, 1, len(rows) + 1, len(names))
    once = TurnedSheet(upright, rows_inside(upright, whole), range(1, len(names) + 1))
    twice = TurnedSheet(once, list(once.rows()), range(1, len(rows) + 2))
    assert [(row.number, row.values) for row in twice.rows()] == [(row.number, row.values) for row in upright.rows()]


def test_a_table_that_looks_transposed_is_reported_and_read_as_it_is():
    [(table, _)] = found(["Members"], [], *CARDS)
    told = table.transposed
    assert (told.place.a1, told.is_turned, told.decided_by) == ("A3:D6", False, "evidence")
    assert {one.rule for one in told.contributions} >= {"transposed.names_of_fields", "transposed.kinds_along_rows"}
    assert headers(table) != ["Name", "Birth date", "City", "Amount"]


def test_labels_above_a_table_are_no_table_of_their_own():
    labels = [["Name", "Ada Moreau"], ["City", "Lyon"], ["Phone", "+49 30 123456"]]
    header = ["Member ID", "Role", "Years", "Amount"]
    rows = [*labels, [], header, *([f"MB{n}", "guest", n, n / 4] for n in range(20, 40))]
    for turning in (Turning(), TURN):
        [(table, data)] = found(*rows, turning=turning)
        assert (table.transposed, headers(table), len(data)) == (None, header, 20)


def test_a_form_is_a_table_of_one_record():
    rows = [[row[0], row[1]] for row in CARDS]
    [(table, data)] = found(*rows, turning=TURN)
    assert (headers(table), len(data)) == (["Name", "Birth date", "City", "Amount"], 1)


def test_never_says_nothing():
    assert all(table.transposed is None for table, _ in found(*CARDS, turning=Turning("never")))


def test_names_that_no_field_has_are_enough_where_kinds_say_the_same():
    rows = [*CARDS, ["Member since", date(2020, 1, 1), date(2019, 5, 1), date(2021, 3, 1)]]
    [(table, data)] = found(*rows, turning=TURN, names=frozenset())
    assert headers(table) == ["Name", "Birth date", "City", "Amount", "Member since"]
    assert len(data) == 3


CROSS_TABLES = {
    "years as columns": [
        ["Country", 2019, 2020, 2021], ["Chile", 10, 11, 12], ["Peru", 7, 8, 9], ["Ghana", 4, 5, 6], ["Oman", 1, 2, 3],
    ],
    "months as columns": [
        ["Centre", "Jan", "Feb", "Mar"], ["C10", 10, 11, 12], ["C11", 7, 8, 9], ["C12", 4, 5, 6], ["C13", 1, 2, 3],
    ],
    "an empty corner": [
        [None, "North", "South", "West"], ["Sales", 10, 11, 12], ["Costs", 7, 8, 9], ["Staff", 4, 5, 6],
    ],
    "two rows of header": [
        ["Region", "North", "North", "South"], ["Kind", "Plan", "Actual", "Plan"],
        ["Shoes", 10, 11, 12], ["Coats", 7, 8, 9], ["Hats", 4, 5, 6], ["Total", 21, 24, 27],
    ],
    "marks for missing numbers": [
        ["Country", 2019, 2020, 2021], ["Chile", "n/a", 11, 12], ["Peru", 7, "-", 9], ["Ghana", "n/a", "n/a", "n/a"],
    ],
    "fields and their types": [
        ["Field", "Type", "Description"], ["name", "text", "Who it is"], ["city", "text", "Where they live"],
        ["amount", "number", "What they paid"], ["years", "number", "How long"], ["role", "text", "What they do"],
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", CROSS_TABLES)
@pytest.mark.parametrize("names", [NAMES, frozenset()], ids=["names", "no names"])
def test_a_cross_table_does_not_look_transposed(name, names):
    assert [table.transposed for table, _ in found(*CROSS_TABLES[name], names=names)] == [None]


def test_titles_stand_above_and_notes_below():
    rows = [["Members of the circle"], ["Spring 2026"], [], *CARDS, [], ["Source: front desk"]]
    [(table, data)] = found(*rows, turning=TURN)
    assert [(side.label, side.texts) for side in table.side_rows] == [
        ("title", ["Members of the circle"]), ("title", ["Spring 2026"]),
    ]  # fmt: skip
    assert (table.range.a1, table.transposed.title_rows, len(data)) == ("A4:D7", [1, 2], 3)


def test_groups_of_fields_are_headings_and_one_table():
    rows = [
        *CARDS,
        [],
        ["Contact"],
        ["Email", "a@x.org", "b@x.org", "c@x.org"],
        ["Phone", "+1 30 1", "+1 30 2", "+1 30 3"],
    ]
    [(table, data)] = found(*rows, turning=TURN)
    assert headers(table) == ["Name", "Birth date", "City", "Amount", "Email", "Phone"]
    assert (table.range.a1, table.transposed.group_rows) == ("A1:D8", [6])
    assert records(data)[0][-2:] == ["a@x.org", "+1 30 1"]


def test_a_field_without_any_value_stays_a_field():
    [(table, _)] = found(*CARDS, ["Phone"], turning=TURN)
    assert headers(table) == ["Name", "Birth date", "City", "Amount", "Phone"]


def test_transposed_and_upright_tables_share_a_sheet():
    other = [[*row[:1], *row[1:]] for row in CARDS]
    rows = [*CARDS, [], *PEOPLE, [], [], *other]
    tables = found(*rows, turning=TURN)
    assert [(table.range.a1, table.transposed is not None) for table, _ in tables] == [
        ("A1:D4", True), ("A6:C10", False), ("A13:D16", True),
    ]  # fmt: skip
    assert headers(tables[1][0]) == ["Name", "City", "Age"]


def test_tables_below_each_other_with_the_same_names_are_two():
    assert [table.range.a1 for table, _ in found(*CARDS, [], *CARDS, turning=TURN)] == ["A1:D4", "A6:D9"]


def test_names_may_be_in_two_columns():
    rows = [[group, *row] for group, row in zip(("Who", None, "Where", "What"), CARDS, strict=True)]
    [(table, data)] = found(*rows, turning=TURN)
    assert headers(table) == ["Who Name", "Birth date", "Where City", "What Amount"]
    assert (list(table.transposed.header_columns), len(data)) == ([1, 2], 3)


def test_merged_names_are_read_as_headers_over_several_columns():
    rows = [["Who", *CARDS[0]], [None, *CARDS[1]], ["Where", *CARDS[2]], [None, *CARDS[3]]]
    [(table, _)] = found(*rows, turning=TURN, merged=["A1:A2", "A3:A4"])
    assert headers(table) == ["Who Name", "Who Birth date", "Where City", "Where Amount"]


def test_a_column_of_totals_is_no_record_and_a_sum_by_chance_is_one():
    rows = [
        ["Name", "Ada", "Bruno", "Chiara", "Total"],
        ["City", "Lyon", "Porto", "Oslo", None],
        ["Amount", 1, 2, 3, 6],
    ]
    [(table, data)] = found(*rows, turning=TURN)
    assert [row.number for row in data] == [2, 3, 4]
    assert table.totals_rows == [5]


def test_always_turns_what_does_not_look_transposed():
    rows = CROSS_TABLES["years as columns"]
    [(table, data)] = found(*rows, turning=Turning("always"), names=frozenset())
    assert (headers(table), table.transposed.decided_by) == (["Country", "Chile", "Peru", "Ghana", "Oman"], "settings")
    assert [row.values[0] for row in data] == [2019, 2020, 2021]


def test_the_mode_may_differ_by_what_stands_in_and_above_a_table():
    def mode_of(texts):
        return "turn" if "Cards" in texts else "never"

    rows = [["Cards"], *CARDS, [], [], ["Others"], *CARDS]
    tables = found(*rows, turning=Turning("report", mode_of))
    assert tables[0][0].transposed.is_turned
    assert all(table.transposed is None for table, _ in tables[1:])


def test_one_that_goes_on_after_the_window_is_reported_as_too_large():
    rows = [[f"{row[0]} {number}", *row[1:]] for number in range(9) for row in CARDS]
    rows[:4] = CARDS
    tables = list(find_tables(sheet(*rows), names=HeaderNames(NAMES), turning=TURN, window=12))
    told = tables[0].transposed
    assert (told.is_too_large, told.is_turned) == (True, False)


def test_a_rectangle_is_read_up_to_a_bound(monkeypatch):
    monkeypatch.setattr(turned_module, "MOST_CELLS", 12)
    assert rows_inside(sheet(*CARDS[:3]), Range(1, 1, 3, 4)) is not None
    assert rows_inside(sheet(*CARDS), Range(1, 1, 4, 4)) is None


def test_many_records_stream_by_and_each_is_read_once():
    count = 5000
    rows = [
        ["Name", *(f"P{n}" for n in range(count))],
        ["Amount", *range(count)],
        ["City", *("Lyon" for _ in range(count))],
    ]
    [(table, data)] = found(*rows, turning=TURN)
    assert (len(data), data[-1].values) == (count, [f"P{count - 1}", count - 1, "Lyon"])
    assert table.range.a1 == f"A1:{column_letters(count + 1)}3"


def test_merges_are_turned_as_far_as_they_are_inside():
    plain = sheet(*CARDS, merged=["A1:A2", "B2:D2", "A4:D9", "F1:G2"])
    turned = TurnedSheet(plain, list(plain.rows()), range(1, 5))
    assert [place.a1 for place in turned.merged] == ["A1:B1", "B2:B4", "D1:D4"]


def test_looks_and_hidden_places_are_turned():
    plain = sheet(*CARDS, bold=[1])
    plain.hidden_columns = frozenset({3})
    rows = list(plain.rows())
    rows[2] = Row(3, rows[2].values, rows[2].styles, is_hidden=True)
    turned = TurnedSheet(plain, rows, range(1, 5))
    assert turned.hidden_columns == {3}
    assert [row.is_hidden for row in turned.rows()] == [False, False, True, False]
    assert next(turned.rows()).styles == [1, 0, 0, 0]


def test_an_ordinary_table_beside_is_left_alone():
    rows = [[*card, None, None, *row] for card, row in zip(CARDS, invoices(4), strict=True)]
    ranges = [table.range.a1 for table, _ in found(*rows, turning=TURN)]
    assert parse_range(ranges[0]).last_column == 4
