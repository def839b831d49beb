"""The parts of reshaping one by one: sources of values, facts above tables, sums of streams, choice of rows."""

from __future__ import annotations

from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.cells import CellError
from ade_engine.chunk import ROW, Chunk
from ade_engine.companions import Currencies, companion_names
from ade_engine.configuration.model import ColumnRules
from ade_engine.configuration.settings_shape import Unpivot
from ade_engine.convert import converter
from ade_engine.errors import InputError
from ade_engine.issues import Finding, IssueLog
from ade_engine.issues import Issue as TableIssue
from ade_engine.layout import lay_out
from ade_engine.mapping.outcome import MappedColumn, TableMapping
from ade_engine.readers.base import Row, SheetInfo
from ade_engine.row_choice import HeldRows, SeenKeys, key_digest, repeated_key
from ade_engine.row_view import (
    NOT_COMPUTED,
    UNREADABLE,
    FieldNotComputed,
    Rows,
    UnknownField,
    UnreadableField,
    clean_only,
)
from ade_engine.sheet_choice import chosen_sheets
from ade_engine.sourcing import first_steps, last_steps
from ade_engine.structure import TableColumn
from ade_engine.structure.tables import SideRow
from ade_engine.table_facts import ChunkFacts, Headings, TableFacts, part_of
from ade_engine.totals import TotalsCheck, TotalsKept
from ade_engine.transform import Transformed
from ade_engine.unpivot import Unpivoting

CELLS = st.sampled_from([None, "", " ", "a", "b", 7, 2.5, date(2024, 5, 1)])


def stepped(values, *, chunks=None, table=None, facts=None, replacements=None, **options):
    """What the first steps of a field make of values, and the places they report."""
    rules = ColumnRules(field=Field("x", **options), replacements=replacements)
    facts = facts or ChunkFacts()
    work = list(first_steps(rules, table or TableFacts(), facts))
    found, places = [], []
    for chunk in chunks or [values]:
        for _, step in work:
            chunk, findings = step(chunk)
            places += [place for place, _ in findings]
        found += chunk
    return found, places


def empty(value):
    return value is None or (isinstance(value, str) and not value.strip())


@given(st.lists(CELLS, max_size=12))
def test_a_constant_fills_the_empty_cells_and_no_others(values):
    found, _ = stepped(values, constant="c")
    assert found == ["c" if empty(value) else value for value in values]


@given(st.lists(CELLS, max_size=20), st.integers(1, 6))
def test_filling_down_does_not_depend_on_chunks(values, size):
    chunks = [values[start : start + size] for start in range(0, len(values), size)]
    found, _ = stepped(values, chunks=chunks or [[]], fill_down=True)
    last, expected = None, []
    for value in values:
        last = last if empty(value) else value
        expected.append(last)
    assert found == expected


@given(st.lists(CELLS, max_size=12))
def test_a_default_comes_last_and_is_of_the_fields_type(values):
    rules = ColumnRules(field=Field("x", type="date", default="2024-05-01"))
    [(name, step)] = last_steps(rules)
    assert name == "default"
    assert step(values)[0] == [date(2024, 5, 1) if empty(value) else value for value in values]
    assert list(last_steps(ColumnRules(field=Field("x")))) == []


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("a, b, c", 1, "a"),
        ("a, b, c", 3, "c"),
        ("a, b, c", 4, None),
        ("a, b, c", -1, "c"),
        ("a, b, c", -3, "a"),
        ("a, b, c", -4, None),
        ("a,,c", 2, None),
        ("abc", 1, "abc"),
        (7, 1, "7"),
    ],
)
def test_a_part_of_a_text_counts_from_either_end(text, part, expected):
    assert stepped([text], split=",", part=part)[0] == [expected]


@given(st.lists(st.text(alphabet="ab1", min_size=1, max_size=4), min_size=1, max_size=5))
def test_parts_of_a_split_text_are_the_parts_it_was_joined_from(parts):
    text = "|".join(parts)
    assert [stepped([text], split="|", part=n)[0][0] for n in range(1, len(parts) + 1)] == parts
    assert [stepped([text], split="|", part=-n)[0][0] for n in range(1, len(parts) + 1)] == parts[::-1]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [(r"\d+", "ab 12 cd 3", "12"), (r"(\w)-(\w)", "x-y", "x"), (r"\d", "none", None), (r"^\w", 7, "7")],
)
def test_an_extract_is_the_first_group_or_the_whole_match(pattern, text, expected):
    assert stepped([text], extract=pattern)[0] == [expected]


def test_errors_of_formulas_and_empty_cells_are_neither_split_nor_replaced():
    error = CellError("#N/A")
    assert stepped([error, None], extract=r"\w")[0] == [error, None]
    assert stepped([error, None, "a"], replace={"#N/A": "x", "a": "b"}, replacements={"#N/A": "x", "a": "b"})[0] == [
        error,
        None,
        "b",
    ]


def test_a_lookup_fills_by_key_and_reports_a_key_that_is_not_there():
    facts = ChunkFacts(clean={"k": ["A", "b", None, "z", 7.0]})
    found, places = _looked_up(facts, [None] * 5)
    assert found == [1, None, None, None, 2]
    assert places == [1, 3]
    assert _looked_up(facts, ["own", "own", "own", "own", "own"]) == (["own"] * 5, [])


def _looked_up(facts, values, **options):
    rules = ColumnRules(field=Field("x", lookup="f.csv", lookup_by="k", **options), lookup={"A": 1, "7": 2})
    [(name, step)] = first_steps(rules, TableFacts(), facts)
    assert name == "lookup"
    found, findings = step(values)
    assert {finding.message for _, finding in findings} <= {"was not found: k is not in f.csv"}
    return found, [place for place, _ in findings]


def test_a_field_made_from_another_takes_its_clean_values():
    facts = ChunkFacts(clean={"other": ["a", "b"]})
    assert stepped([None, "own"], facts=facts, from_field="other")[0] == ["a", "own"]
    assert stepped([None, "own"], from_field="other")[0] == [None, "own"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"from_group": True}, "Lyon"),
        ({"from_group": True, "group_level": 1}, "Region Europe"),
        ({"from_group": True, "group_level": 3}, "Lyon"),
        ({"from_group": True, "group_level": 4}, None),
        ({"from_group": r"Region (.+)"}, "Europe"),
        ({"from_group": r"^F"}, "F"),
        ({"from_group": "Asia"}, None),
    ],
)
def test_a_heading_is_chosen_by_level_or_pattern_the_nearest_first(options, expected):
    facts = ChunkFacts(headings=[("Region Europe", "France", "Lyon")])
    assert stepped([None], facts=facts, **options)[0] == [expected]


def side(label, number, *cells):
    return SideRow(label, Row(number, list(cells)), list(cells))


TITLES = [
    side("title", 1, "Report of May 2024"),
    side("title", 2, "Client:", "Acme", None, "Page", 3),
    side("title", 3, "Date\uff1a 5 May", "Owner: Ann: B"),
    side("title", 4, "Client", "Client", "Beta"),
    side("title", 5, "Empty:", None),
]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"from_label": "Client"}, "Beta"),  # the lowest one
        ({"from_label": "client:"}, "Beta"),
        ({"from_label": "Page"}, 3),
        ({"from_label": ["Nobody", "Page", "Date"]}, "5 May"),  # of several, the lowest one too
        ({"from_label": "Date"}, "5 May"),
        ({"from_label": "Owner"}, "Ann: B"),
        ({"from_label": "Empty"}, None),
        ({"from_label": "Nobody"}, None),
        ({"from_title": r"of (\w+) \d+"}, "May"),
        ({"from_title": r"\d{4}"}, "2024"),
        ({"from_title": r"\d{5}"}, None),
        ({"from_sheet": True}, "North 7"),
        ({"from_sheet": r"\d"}, "7"),
        ({"from_document": True}, "sales_2024"),
        ({"from_document": r"_(\d+)"}, "2024"),
        ({"constant": 5}, 5),
    ],
)
def test_what_a_whole_table_has_in_common_comes_from_around_it(options, expected):
    facts = TableFacts("sales_2024", "North 7", TITLES)
    assert facts.value_of(Field("x", **options)) == expected
    assert stepped([None, "own"], table=facts, **options)[0] == [expected, "own"]


def test_without_a_sheet_name_there_is_no_part_of_it():
    assert part_of(None, True) is None
    assert part_of(None, "x") is None
    assert part_of("abc", "b(.)") == "c"


@given(st.lists(st.sampled_from(["row", "head"]), max_size=25), st.integers(1, 6))
def test_headings_do_not_depend_on_chunks(kinds, size):
    rows = [Row(n, [n]) for n, kind in enumerate(kinds, start=1) if kind == "row"]
    heads = [side("group", n, f"H{n}") for n, kind in enumerate(kinds, start=1) if kind == "head"]
    whole, parts = Headings(), Headings()
    whole.add(heads)
    parts.add(heads)
    if not rows:
        return
    expected = whole.above(rows)
    found = [path for start in range(0, len(rows), size) for path in parts.above(rows[start : start + size])]
    assert found == expected
    for row, path in zip(rows, found, strict=True):
        above = [head.row.number for head in heads if head.row.number < row.number]
        assert bool(path) == bool(above)
        assert not path or path[-1] == f"H{above[-1]}"


@pytest.mark.parametrize("mark", ["1 2", "A B", "II III"])
def test_a_heading_with_a_shorter_number_closes_those_with_a_longer_one(mark):
    first, second = mark.split()
    headings = Headings()
    texts = {1: f"{first} Sports", 2: f"{first}.1 Youth", 4: f"{first}.2 Adults", 6: f"{second} House"}
    headings.add([side("group", number, text) for number, text in texts.items()])
    paths = headings.above([Row(number, [number]) for number in (3, 5, 7)])
    assert paths == [(texts[1], texts[2]), (texts[1], texts[4]), (texts[6],)]


NUMBER = converter(Field("n", type="number", decimal="."))


def totals_of(rows, totals, *, groups=(), size=3):
    """Check totals, given as {row number: value}, against rows of one column."""
    check = TotalsCheck({1: NUMBER})
    sides = [side("total", number, value) for number, value in totals.items()]
    sides += [side("group", number, "x") for number in groups]
    check.note(sorted(sides, key=lambda one: one.row.number))
    for start in range(0, len(rows), size):
        check.add([Row(number, [value]) for number, value in rows[start : start + size]])
    check.finish()
    return check.checked, [row for row, _ in check.wrong]


@pytest.mark.parametrize(("net", "wrong"), [(100, []), (95, [3, 4, 5])])
def test_totals_that_add_up_are_right_only_if_one_of_them_is_the_sum_of_rows(net, wrong):
    assert totals_of([(1, 60), (2, 40)], {3: net, 4: 19, 5: net + 19}, size=9) == (3, wrong)


@given(st.lists(st.integers(-999, 999), min_size=1, max_size=15), st.integers(1, 6), st.integers(1, 50))
def test_a_total_of_all_rows_is_right_and_any_other_number_wrong(amounts, size, more):
    rows = list(enumerate(amounts, start=1))
    last = len(rows) + 1
    assert totals_of(rows, {last: sum(amounts)}, size=size) == (1, [])
    assert totals_of(rows, {last: sum(amounts) + more}, size=size) == (1, [last])


@given(st.lists(st.lists(st.integers(1, 99), min_size=1, max_size=4), min_size=1, max_size=5), st.integers(1, 6))
def test_subtotals_of_groups_and_the_total_of_all_are_right(groups, size):
    rows, totals, headings, number = [], {}, [], 1
    for group in groups:
        headings.append(number)
        number += 1
        for amount in group:
            rows.append((number, amount))
            number += 1
        totals[number] = sum(group)
        number += 1
    totals[number] = sum(map(sum, groups))
    assert totals_of(rows, totals, groups=headings, size=size) == (len(totals), [])
    assert totals_of(rows, {number: totals[number] + 1000}, size=size)[1] == [number]


def test_amounts_are_added_exactly_and_what_is_no_number_counts_nothing():
    rows = [(n, 0.1) for n in range(1, 11)]
    assert totals_of(rows, {11: 1}) == (1, [])
    assert totals_of([(1, "x"), (2, None), (3, "2.5")], {4: "2.50"}) == (1, [])
    assert totals_of([(1, 5)], {2: None, 3: "n/a"}) == (0, [])
    assert totals_of([(1, 5)], {2: 5.004}) == (1, [])
    assert totals_of([(1, 5)], {2: 5.01}) == (1, [2])


def test_totals_that_are_kept_are_converted_as_rows_are():
    kept = TotalsKept([(1, None), (None, None), (2, NUMBER), (9, NUMBER)])
    kept.note([side("total", 5, "Total", "7.5"), side("group", 6, "x"), side("total", 7, "All", "n/a")])
    assert kept.rows == [["Total", None, 7.5, None], ["All", None, "n/a", None]]
    assert kept.padded(5) == [["Total", None, 7.5, None, None], ["All", None, "n/a", None, None]]


KEYS = st.tuples(*[st.sampled_from([None, "", "a", "b", 1, 1.0, True, date(2024, 1, 1)])] * 2)


@given(KEYS, KEYS)
def test_keys_are_the_same_only_for_equal_values_of_equal_types(one, other):
    same = [(type(value), value) for value in one] == [(type(value), value) for value in other]
    if all(map(empty, one)):
        assert key_digest(one) is None
    elif same:
        assert key_digest(one) == key_digest(other)
    else:
        assert key_digest(one) != key_digest(other)


def test_texts_of_a_key_do_not_run_into_each_other():
    assert key_digest(["ab", "c"]) != key_digest(["a", "bc"])
    assert key_digest(["1"]) != key_digest([1])


@given(st.lists(st.one_of(st.none(), st.integers(0, 4)), max_size=20))
def test_the_last_row_of_each_key_is_written_in_its_place(keys):
    held, seen = HeldRows(), SeenKeys()
    for place, key in enumerate(keys):
        held.add(key, place)
    expected = [place for place, key in enumerate(keys) if key is None or key not in keys[place + 1 :]]
    assert list(held.last_ones()) == expected
    assert held.dropped == len(keys) - len(expected)
    first = [place for place, key in enumerate(keys) if key is not None and seen.add(key)]
    assert first == [keys.index(key) for key in dict.fromkeys(key for key in keys if key is not None)]


def test_a_repeated_key_names_the_row_that_has_it_too():
    assert repeated_key("row 7") == Finding("duplicates", "error", "the key of this row is also in row 7")


COLUMNS = ["Centre", "Jan Plan", "Jan Actual", "Feb Plan", "Mar 2024", "2025", "Q1", "2024-01-05", "Total"]


def groups(**wanted):
    columns = [TableColumn(n, name, (name,)) for n, name in enumerate(COLUMNS, start=1)]
    made = Unpivoting(Unpivot(**({"name": "n", "values": {"": "v"}, "levels": {}} | wanted)), columns)
    return [COLUMNS[position - 1] for position in sorted(made.taken)]


def months_in(header):
    wanted = Unpivot(columns="month", name="n", values={"": "v"}, levels={})
    return Unpivoting(wanted, [TableColumn(1, header, (header,))]).taken


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ({"columns": "month"}, ["Mar 2024"]),
        ({"columns": "year"}, ["2025"]),
        ({"columns": "quarter"}, ["Q1"]),
        ({"columns": "date"}, ["2024-01-05"]),
        ({"columns": "B:C"}, ["Jan Plan", "Jan Actual"]),
        ({"columns": ("centre", "TOTAL")}, ["Centre", "Total"]),
        ({"pattern": r"^(\w{3}) Plan$"}, ["Jan Plan", "Feb Plan"]),
        ({"columns": "month", "values": {"Plan": "p", "Actual": "a"}}, ["Jan Plan", "Jan Actual", "Feb Plan"]),
        ({"columns": "month", "values": {"plan": "p"}}, ["Jan Plan", "Feb Plan"]),
        ({"pattern": "nothing"}, []),
    ],
)
def test_columns_become_rows_by_kind_place_name_pattern_or_word(wanted, taken):
    assert groups(**wanted) == taken


@pytest.mark.parametrize(
    "header",
    ["Jan", "may", "Mrz", "Jän 2026", "Jänner", "Feber", "févr.", "AOUT", "Sept-26", "Maerz 26", "Oct_2026", "Febuary",
     "Septmber", "marts", "máj", "Juli", "Martie", "set/25"],
)  # fmt: skip
def test_a_month_is_known_shortened_without_accents_and_misspelt(header):
    assert months_in(header)


@pytest.mark.parametrize("header", ["Market", "Margin", "Marge", "Mark", "Output", "Outlet 2", "Decision", "Junior",
                                    "General", "Setup", "Maintenance", "Mayor", "Octane", "Maß", "Ma"])  # fmt: skip
def test_a_word_that_begins_like_a_month_is_none(header):
    assert not months_in(header)


def test_columns_of_one_name_make_one_row_with_several_values():
    columns = [TableColumn(n, name, (name,)) for n, name in enumerate(COLUMNS[:4], start=1)]
    wanted = Unpivot(columns="month", name="n", values={"Plan": "p", "Actual": "a"}, levels={})
    made = Unpivoting(wanted, columns)
    assert made.width == 2
    assert (made.columns_of("p"), made.columns_of("a")) == ([2, 4], [3])
    long = made.apply(Chunk([Row(1, ["C", 1, 2, 3])], {1: ["C"], 2: [1], 3: [2], 4: [3]}))
    rows = list(zip(*(long.source[made.sources[name]] for name in ("n", "p", "a")), strict=True))
    assert rows == [("Jan", 1, 2), ("Feb", 3, None)]


def test_columns_that_become_rows_feed_no_field_of_their_own():
    columns = [MappedColumn(position=n, header=name, field="x", reason="best") for n, name in enumerate("abc", start=1)]
    mapping = TableMapping(columns, [Field("x")])
    table_columns = [TableColumn(n, name, (name,)) for n, name in enumerate("abc", start=1)]
    Unpivoting(Unpivot(columns=("b",), name="n", values={"": "v"}, levels={}), table_columns).claim(mapping)
    assert [(one.field, one.reason) for one in mapping.columns] == [("x", "best"), (None, "unpivoted"), ("x", "best")]


@given(st.lists(st.integers(0, 4), max_size=8))
def test_taking_rows_of_a_chunk_takes_all_that_belongs_to_them(places):
    chunk = Chunk([Row(n, [n]) for n in range(5)], {1: list("abcde")}, list(range(10, 15)))
    chunk.values = {"x": list("ABCDE")}
    chunk.views = {"row": Rows({"x": list("ABCDE")})}
    chunk.found = [(n, ROW, Finding(str(n), "error", "m")) for n in range(5)]
    chunk.take(places)
    assert [row.number for row in chunk.rows] == places
    assert chunk.source[1] == ["abcde"[place] for place in places]
    assert chunk.values["x"] == chunk.views["row"].columns["x"] == ["ABCDE"[place] for place in places]
    assert chunk.positions == [10 + place for place in places]
    for place, _, finding in chunk.found:
        assert place == places.index(int(finding.rule))
    assert {int(finding.rule) for _, _, finding in chunk.found} == set(places)


def test_a_row_shows_every_field_and_refuses_what_is_not_clean():
    rows = Rows({"a": ["x", UNREADABLE], "b": NOT_COMPUTED})
    first, second = rows[0], rows[1]
    assert (first["a"], len(first), list(first), "a" in first, "z" in first) == ("x", 2, ["a", "b"], True, False)
    with pytest.raises(UnreadableField):
        second["a"]
    assert isinstance(second.refused, UnreadableField)
    with pytest.raises(FieldNotComputed):
        first.get("b", "default")
    with pytest.raises(UnknownField):
        first.get("z", "default")
    with pytest.raises(TypeError):
        first["a"] = "y"
    rows.put("b", [1, 2])
    assert (first["b"], second.cells(), repr(first)) == (1, [None, 2], "{'a': 'x', 'b': 1}")


@pytest.mark.parametrize(
    ("kind", "values", "failed", "expected"),
    [
        ("integer", [1, "x", "", None, True], (), [1, UNREADABLE, None, None, UNREADABLE]),
        ("integer", [1, 2], (1,), [1, UNREADABLE]),
        ("text", ["", "a", 5], (), ["", "a", UNREADABLE]),
        (None, ["a", 5, CellError("#N/A")], (), ["a", 5, UNREADABLE]),
        (None, ["a", ""], (), ["a", ""]),
    ],
)
def test_rules_see_clean_values_only(kind, values, failed, expected):
    assert list(clean_only(Field("x", type=kind), values, failed)) == expected


SHEETS = [
    SheetInfo(index=0, name="May"),
    SheetInfo(index=1, name="List", visibility="hidden"),
    SheetInfo(index=2, name="June", is_active=True),
]


@pytest.mark.parametrize(
    ("choice", "reads_hidden", "expected"),
    [
        ("all", False, [("May", True), ("List", False), ("June", True)]),
        ("all", True, [("May", True), ("List", True), ("June", True)]),
        ("active", False, [("June", True)]),
        (["List"], False, [("List", True)]),
        ("May", False, [("May", True)]),
        (["June", "May"], False, [("May", True), ("June", True)]),
    ],
)
def test_sheets_are_chosen_in_their_order_and_a_named_one_is_read_though_hidden(choice, reads_hidden, expected):
    found = chosen_sheets(SHEETS, choice, reads_hidden=reads_hidden)
    assert [(info.name, is_read) for info, is_read in found] == expected


def test_the_first_visible_sheet_stands_in_for_an_active_one():
    plain = [SheetInfo(index=0, name="A", visibility="hidden"), SheetInfo(index=1, name="B")]
    assert [info.name for info, _ in chosen_sheets(plain, "active", reads_hidden=False)] == ["B"]
    assert [info.name for info, _ in chosen_sheets(plain[:1], "active", reads_hidden=False)] == ["A"]


def test_a_sheet_that_is_not_there_is_answered_with_those_that_are():
    with pytest.raises(InputError, match='no sheet "Mai"; it has "May", "List", "June"'):
        list(chosen_sheets(SHEETS, "Mai", reads_hidden=False))
    many = [SheetInfo(index=n, name=f"S{n}") for n in range(9)]
    with pytest.raises(InputError, match='"S4" and more'):
        list(chosen_sheets(many, ["S0", "x"], reads_hidden=False))
    with pytest.raises(InputError, match="nor any other: leave the choice of sheets out"):
        list(chosen_sheets([SheetInfo(index=0, name=None)], "x", reads_hidden=False))


def currencies(*fields):
    found, made = [], Currencies()
    for name, currency, values, marks in fields:
        field = Field(name, **({"type": "money", "currency": currency} if currency else {}))
        found += [place for place, _ in made.add(field, Transformed(list(values), marks=dict(marks)))]
    return dict(made.of("c")), found


def test_currencies_of_a_row_must_agree_with_each_other_and_with_their_column():
    assert currencies(("a", "c", [1, 2], {0: "EUR"})) == ({0: "EUR"}, [])
    assert currencies(("a", "c", [1], {0: "$"}), ("b", "c", [2], {0: "CAD"})) == ({0: "CAD"}, [])
    assert currencies(("a", "c", [1], {0: "EUR"}), ("b", "c", [2], {0: "USD"})) == ({0: "EUR"}, [0])
    assert currencies(("a", "c", [1, 2], {0: "EUR", 1: "EUR"}), ("c", None, ["usd", "eur"], {}))[1] == [0]
    assert currencies(("a", "c", [1, 2], {0: "EUR", 1: "EUR"}), ("c", None, [5, "euros"], {}))[1] == []
    assert companion_names([ColumnRules(field=Field("a", type="money", currency="c"))]) == {"c"}


@given(st.lists(st.sampled_from(["info", "warning", "error"]), max_size=30), st.integers(0, 10))
def test_every_issue_is_counted_and_the_first_ones_are_kept(severities, cap):
    log = IssueLog(None, cap=cap)
    log.add(TableIssue(None, None, None, f"r{n % 3}", severity, "m") for n, severity in enumerate(severities))
    assert log.count == len(severities) == sum(log.rules.values())
    assert [issue.severity for issue in log.kept] == severities[:cap]
    assert {name: count for name, count in log.severities.items() if count} == {
        name: severities.count(name) for name in set(severities)
    }


def test_equal_titles_of_an_output_are_numbered_whatever_their_case():
    from ade_engine.configuration.model import Configuration

    columns = [MappedColumn(position=n, header=name, field=None, reason="no_candidate")
               for n, name in enumerate(["Total", "total", "TOTAL (2)", "", "Total"], start=1)]  # fmt: skip
    configuration = Configuration(name="x", fingerprint="0", columns=())
    titles = [column.title for column in lay_out(TableMapping(columns, []), configuration)]
    assert titles[0] == "Total"
    assert titles[3] == "Column D"
    assert len({title.casefold() for title in titles}) == 5
    assert all(one != other for one, other in pairwise(titles))
