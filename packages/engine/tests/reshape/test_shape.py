"""Columns become rows, one row becomes several, and nothing is lost or invented on the way."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine import ConfigurationError, check_configuration, explain, load_configuration, normalize
from ade_engine.chunk import Chunk
from ade_engine.configuration.settings_shape import Unpivot
from ade_engine.readers.base import Row
from ade_engine.structure import TableColumn
from ade_engine.unpivot import Unpivoting

FIELDS = {"centre": "", "month": "", "amount": 'type="number"'}
ORDER = '[output]\norder = ["centre", "month", "amount"]\n[mapping]\nunmapped = "drop"\n'
BUDGET = [
    ["Budget FY26"], [],
    ["Centre", "Jan", "Feb", "March", "Total"],
    ["C10", 1, 2, None, 3], ["C11", 4, 5, 6, 15], ["C12", 7, "x", 9, 16],
]  # fmt: skip


def test_month_columns_become_rows(run):
    done = run(
        {"S": BUDGET}, {**FIELDS, "settings.toml": ORDER + '[unpivot]\ncolumns="month"\nname="month"\nvalue="amount"\n'}
    )
    assert done.rows == [
        ["centre", "month", "amount"],
        ["C10", "Jan", 1], ["C10", "Feb", 2],
        ["C11", "Jan", 4], ["C11", "Feb", 5], ["C11", "March", 6],
        ["C12", "Jan", 7], ["C12", "Feb", "x"], ["C12", "March", 9],
    ]  # fmt: skip
    assert done.issues == [("C6", "amount", "type.number", "is not a number")]
    assert done.table["reshaped"] == {
        "dropped": {"unpivot.empty": 1}, "added": {"unpivot": 6}, "totals": {"checked": 0, "wrong": 0},
    }  # fmt: skip
    assert 'Column B "Jan" is not mapped: its cells become rows.' in explain(done.result.artifact)


def test_levels_of_a_stacked_header_are_values(run):
    rows = [
        [None, "H1", "H1", "H2", "H2"],
        ["Centre", "Jan", "Feb", "Jul", "Aug"],
        [None, "kEUR", "kEUR", "kEUR", "kEUR"],
        *([f"C{number}", number, 2.5, 3.5, 4.5] for number in range(1, 9)),
    ]
    unpivot = '[unpivot]\ncolumns = "month"\nname = "month"\nvalue = "amount"\nlevels = {half = 1}\n'
    done = run({"S": rows}, {**FIELDS, "half": "", "settings.toml": ORDER + unpivot})
    assert done.table["header"]["rows"] == [1, 2, 3]
    assert done.rows[:5] == [
        ["centre", "month", "amount", "half"],
        ["C1", "Jan", 1, "H1"], ["C1", "Feb", 2.5, "H1"], ["C1", "Jul", 3.5, "H2"], ["C1", "Aug", 4.5, "H2"],
    ]  # fmt: skip


YEARS = """\
,2025,,2026,,
Centre,Jan,Feb,Jan,Feb,Total
C1,1,2,3,4,10
C2,5,6,7,8,26
C3,9,10,11,12,42
"""
BY_MONTH = '[unpivot]\ncolumns = "month"\nname = "month"\nvalue = "amount"\n'


def test_a_label_above_several_headers_holds_for_all_of_them(run):
    done = run(YEARS, {**FIELDS, "year": 'type="integer"', "settings.toml": ORDER + BY_MONTH + "levels = {year = 1}\n"})
    assert done.rows[1:5] == [
        ["C1", "Jan", 1, 2025], ["C1", "Feb", 2, 2025], ["C1", "Jan", 3, 2026], ["C1", "Feb", 4, 2026],
    ]  # fmt: skip
    assert done.issues == []


def test_columns_of_one_name_all_become_rows_and_are_reported(run):
    done = run(YEARS, {**FIELDS, "settings.toml": ORDER + BY_MONTH})
    assert [row[1:] for row in done.rows[1:5]] == [["Jan", 1], ["Feb", 2], ["Jan", 3], ["Feb", 4]]
    message = "columns that become rows have the same name, such as Jan: levels tell them apart"
    assert done.issues == [(None, None, "unpivot", message)]


def test_a_label_in_the_middle_of_its_columns_holds_for_each_turn_of_their_names(run):
    text = ",,2025,,,2026,\nCentre,Q1,Q2,Q3,Q1,Q2,Q3\n" + "".join(f"C{n},1,2,3,4,5,6\n" for n in range(4))
    unpivot = '[unpivot]\ncolumns = "quarter"\nname = "month"\nvalue = "amount"\nlevels = {year = 1}\n'
    done = run(text, {**FIELDS, "year": 'type="integer"', "settings.toml": ORDER + unpivot})
    assert [row[1:] for row in done.rows[1:7]] == [
        ["Q1", 1, 2025], ["Q2", 2, 2025], ["Q3", 3, 2025], ["Q1", 4, 2026], ["Q2", 5, 2026], ["Q3", 6, 2026],
    ]  # fmt: skip
    assert done.issues == []


def test_a_label_in_the_middle_of_columns_whose_names_do_not_repeat_is_reported(run):
    text = ",,2025,,,2026\nCentre,Q1,Q2,Q3,Q1,Q2\n" + "".join(f"C{n},1,2,3,4,5\n" for n in range(4))
    unpivot = '[unpivot]\ncolumns = "quarter"\nname = "month"\nvalue = "amount"\nlevels = {year = 1}\n'
    done = run(text, {**FIELDS, "year": "", "settings.toml": ORDER + unpivot})
    [issue] = done.issues
    assert issue == (None, None, "unpivot", "Q1 has no label for year above it: labels hold from their column on")


def test_several_value_fields_share_a_row(run):
    rows = [["Centre", "Jan Plan", "Jan Actual", "Feb Plan", "Feb Actual"], ["C1", 1, 2, 3, 4], ["C2", 5, 6, 7, None]]
    unpivot = '[unpivot]\ncolumns = "month"\nname = "month"\nvalue = {Plan = "plan", Actual = "actual"}\n'
    fields = {"centre": "", "month": "", "plan": 'type="number"', "actual": 'type="number"'}
    order = '[output]\norder = ["centre", "month", "plan", "actual"]\n'
    done = run({"S": rows}, {**fields, "settings.toml": order + unpivot})
    assert done.rows[1:] == [["C1", "Jan", 1, 2], ["C1", "Feb", 3, 4], ["C2", "Jan", 5, 6], ["C2", "Feb", 7]]


PLANS = '[mapping]\nunmapped = "drop"\n{}[unpivot]\ncolumns = "month"\nname = "month"\n{}\n'
PLAN_FIELDS = {"centre": "", "month": "", "plan": 'type="number"', "actual": 'type="number"'}
PLAN_VALUES = 'value = {Plan = "plan", Actual = "actual"}'
BETWEEN = (
    "{} between columns that become rows, and not in the output; name columns that are not needed in mapping.ignore"
)


def test_a_listed_header_that_no_column_has_is_reported(run):
    text = "Centre,Mon,Tue,Weds,Thu\nC1,8,7,6,5\nC2,1,2,3,4\n"
    listed = '[unpivot]\ncolumns = ["Mon", "tue", "Wed", "Thu"]\nname = "month"\nvalue = "amount"\n'
    done = run(text, {**FIELDS, "settings.toml": ORDER + listed})
    assert [message for *_, message in done.issues] == [
        "no column is called Wed, which unpivot lists",
        BETWEEN.format("Weds is"),
    ]
    assert done.result.verdict == "check"
    complete = run(text.replace("Weds", "WED"), {**FIELDS, "settings.toml": ORDER + listed}, name="complete")
    assert complete.issues == []


def test_a_label_that_lacks_the_column_of_a_field_is_reported(run):
    text = "Centre,Jan Plan,Jan Actual,Feb Budget,Feb Actual\nC1,1,2,3,4\nC2,5,6,7,8\n"
    done = run(text, {**PLAN_FIELDS, "settings.toml": PLANS.format("", PLAN_VALUES)})
    assert [message for *_, message in done.issues] == [
        "Feb has no column for plan, which others have",
        BETWEEN.format("Feb Budget is"),
    ]
    assert done.result.verdict == "check"


def test_columns_left_out_between_those_that_become_rows_are_reported_unless_they_are_ignored(run):
    text = "Centre,Jan,H1,,Feb,Mix,Mar,Note\nC1,1,2,,3,4,5,a\nC2,5,6,,7,8,9,b\nC3,5,6,,7,8,9,c\n"
    fields = {"centre": "", "month": "", "amount": 'type="number"'}
    done = run(text, {**fields, "settings.toml": PLANS.format("", 'value = "amount"')})
    assert [message for *_, message in done.issues] == [BETWEEN.format("H1 and Mix are")]
    assert done.result.verdict == "check"
    ignored = PLANS.format('ignore = ["H1", "Mix"]\n', 'value = "amount"')
    assert run(text, {**fields, "settings.toml": ignored}, name="ignored").issues == []
    kept = ignored.replace('"drop"', '"keep"').replace(', "Mix"', "")
    done = run(text, {**fields, "settings.toml": kept}, name="kept")
    assert done.issues == []
    assert "Mix" in done.rows[0]


@pytest.mark.parametrize(
    ("setting", "headers", "names"),
    [
        ('columns = "year"', ["2023", "2024"], ["2023", "2024"]),
        ('columns = "quarter"', ["Q1", "Q2 2026"], ["Q1", "Q2 2026"]),
        ('columns = "month"', ["2026-01", "Februar"], ["2026-01", "Februar"]),
        ('columns = "B:C"', ["one", "two"], ["one", "two"]),
        ('columns = ["One", "Two"]', ["one", "two"], ["one", "two"]),
        (r"pattern = '^Week (\d+)$'", ["Week 1", "Week 12"], ["1", "12"]),
    ],
)
def test_columns_are_selected_by_kind_position_header_or_pattern(run, setting, headers, names):
    rows = [["Centre", *headers, "Note"], ["C1", 1.5, 2, "n"], ["C2", 3, 4, "m"], ["C3", 5, 6, "k"]]
    done = run({"S": rows}, {**FIELDS, "settings.toml": f'{ORDER}[unpivot]\n{setting}\nname="month"\nvalue="amount"\n'})
    assert [row[1] for row in done.rows[1:]] == names * 3
    assert [row[2] for row in done.rows[1:]] == [1.5, 2, 3, 4, 5, 6]


def test_a_table_without_such_columns_is_written_as_it_is(run):
    unpivot = '[unpivot]\ncolumns="month"\nname="month"\nvalue="amount"\n'
    done = run({"S": [["Centre", "Amount"], ["C1", 1], ["C2", 2]]}, {**FIELDS, "settings.toml": unpivot})
    assert done.rows == [["amount", "centre"], [1, "C1"], [2, "C2"]]


_cell = st.one_of(st.none(), st.integers(-99, 99), st.sampled_from(["", "x"]))


@given(
    st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(*[_cell] * width), min_size=1, max_size=8)),
    st.booleans(),
)
def test_unpivoting_keeps_every_value_and_its_row(cells, keeps_empty):
    width = len(cells[0])
    columns = [TableColumn(1, "Key", ("Key",))]
    columns += [TableColumn(number + 2, f"W{number}", (f"W{number}",)) for number in range(width)]
    wanted = Unpivot(pattern=r"W(\d)", name="n", values={"": "v"}, levels={}, keeps_empty=keeps_empty)
    unpivot = Unpivoting(wanted, columns)
    rows = [Row(number, [f"k{number}", *line]) for number, line in enumerate(cells, start=1)]
    source = dict(enumerate(zip(*(row.values for row in rows), strict=True), start=1))
    long = unpivot.apply(Chunk(rows, source))
    expected = [
        (f"k{row}", str(place), value)
        for row, line in enumerate(cells, start=1)
        for place, value in enumerate(line)
        if keeps_empty or value not in (None, "")
    ]
    names, values = long.source[unpivot.sources["n"]], long.source[unpivot.sources["v"]]
    assert list(zip(long.source[1], names, values, strict=True)) == expected
    numbers = [value for value in values if isinstance(value, int)]
    assert sum(numbers) == sum(value for line in cells for value in line if isinstance(value, int))
    assert [row.number for row in long.rows] == [int(key[1:]) for key, _, _ in expected]
    assert len(long.rows) == len(rows) + unpivot.counts["added"] - unpivot.counts["empty"]


def test_totals_of_unpivoted_columns_are_verified(run):
    rows = [
        ["Centre", "Jan", "Feb"], ["C1", 1, 2], ["C2", 3, 4], ["C3", 5, 6], ["Total", 9, 13],
    ]  # fmt: skip
    text = ORDER + '[unpivot]\ncolumns="month"\nname="month"\nvalue="amount"\n[rows]\nverify_totals=true\n'
    done = run({"S": rows}, {**FIELDS, "settings.toml": text})
    assert [(cell, rule) for cell, _, rule, _ in done.issues] == [("C5", "totals")]


EXPAND = """\
def expand(row):
    for tag in (row["tags"] or "").split(";"):
        if tag:
            yield {"tag": tag.strip()}
"""


def test_one_row_becomes_several(run):
    fields = {"item": "", "tags": "output=False", "tag": 'choices=["a", "b"]', "hooks/rows.py": EXPAND}
    done = run("Item,Tags\n1,a; b\n2,\n3,c\n", fields)
    assert done.rows == [["item", "tag"], ["1", "a"], ["1", "b"], ["3", "c"]]
    assert done.issues == [("A4", "tag", "choices", "is not one of the field's choices")]
    assert done.table["reshaped"]["dropped"] == {"hook.expand": 1}
    assert done.table["reshaped"]["added"] == {"hook.expand": 1}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("yield {'tga': 1}", "expand yields tga, which is not a field"),
        ("yield 1", "expand must yield dicts, not int"),
        ("yield {'tag': object()}", "expand yields a value that no cell can hold"),
    ],
)
def test_a_mistake_in_what_is_yielded_stops_the_run(rules, tmp_path, code, message):
    (tmp_path / "in.csv").write_text("Item,Tag\n1,a\n2,b\n", encoding="utf-8")
    folder = rules({"item": "", "tag": "", "hooks/rows.py": f"def expand(row):\n    {code}\n"})
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder)
    assert result.failure is not None
    assert result.failure.message == f"hooks/rows.py, line 1: {message}"


def test_the_row_itself_can_be_yielded(run):
    code = "def expand(row):\n    yield row\n    yield {'qty': 0}\n"
    done = run("Item,Qty\na,1\nb,2\n", {"item": "", "qty": 'type="integer"', "hooks/rows.py": code})
    assert done.rows[1:] == [["a", 1], ["a", 0], ["b", 2], ["b", 0]]


MISTAKES = {
    "no value": ('[unpivot]\ncolumns = "month"\n', "1: unpivot needs value, the field that gets the cells"),
    "no columns": ('\n[unpivot]\nvalue = "amount"\n', "2: unpivot needs columns or pattern, and not both"),
    "a kind that is none": (
        '[unpivot]\nvalue = "amount"\ncolumns = "months"\n',
        '3: unpivot.columns must be month, quarter, year, date, "C:H" or a list of headers',
    ),
    "a value that is no field": (
        '[unpivot]\ncolumns = "month"\n\nvalue = "amuont"\n',
        "4: unpivot.value names no field amuont",
    ),
    "a level that is no field": (
        '[unpivot]\ncolumns = "month"\nvalue = "amount"\nlevels = {half = 1}\n',
        "4: unpivot.levels names no field half",
    ),
    "a key that is none": (
        '[unpivot]\ncolumns = "month"\nvalue = "amount"\nnames = "month"\n',
        "4: there is no setting unpivot.names",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_unpivot_is_reported_with_its_line(rules, text, expected):
    [problem] = check_configuration(rules({**FIELDS, "settings.toml": text}))
    assert f"{problem.line}: {problem.message}" == expected
    with pytest.raises(ConfigurationError):
        load_configuration(rules({}))


@settings(max_examples=10)
@given(st.lists(st.dates(date(2000, 1, 1), date(2030, 1, 1)), min_size=1, max_size=4, unique=True))
def test_headers_that_are_dates_keep_their_type(days):
    columns = [TableColumn(number, str(day), (day,)) for number, day in enumerate(days, start=1)]
    wanted = Unpivot(columns="month", name="n", values={"": "v"}, levels={})
    long = Unpivoting(wanted, columns).apply(Chunk([Row(1, list(range(len(days))))], {n: [n] for n in range(1, 5)}))
    assert long.source[-1] == days


TIMESHEET = [
    ["Timesheet March 2026"], [],
    ["Employee", "Project", *range(1, 8), "Sum"],
    ["Ann", "P1", 8, 8, None, 4, 8, None, None, 28],
    ["Ann", "P2", None, None, 8, 4, None, None, None, 12],
    ["Bob", "P1", 8, 8, 8, 8, 8, None, None, 40],
    ["Cy", "P1", 8, 8, 8, 8, 8, None, None, 40],
    ["Total", None, 24, 24, 24, 24, 24, None, None, 120],
]  # fmt: skip


def test_a_header_of_numbers_is_found_by_the_names_of_fields_in_it(run):
    files = {
        "columns/all.py": 'from ade_engine import Field\nfields = [Field("employee"), Field("project"), '
        'Field("day", type="integer"), Field("hours", type="number")]\n',
        "settings.toml": 'mapping.unmapped = "drop"\nrows.verify_totals = true\n'
        'unpivot = {pattern = \'^[0-9]+$\', name = "day", value = "hours"}\n',
    }
    done = run({"March": TIMESHEET}, files)
    assert done.rows[1:4] == [["Ann", "P1", 1, 8], ["Ann", "P1", 2, 8], ["Ann", "P1", 4, 4]]
    assert done.table["header"]["rows"] == [3]
    assert "because it has names of fields (+3.00)" in explain(done.result.artifact)
    assert done.table["reshaped"]["totals"] == {"checked": 5, "wrong": 0}
    assert done.issues == []


@pytest.mark.parametrize("days", [7, 20])
def test_a_header_of_one_name_and_of_columns_that_become_rows_is_found(run, days):
    hours = [[name, *[8] * (days - 2), None, 4, 8 * (days - 2) + 4] for name in ("Ann", "Bob", "Cy")]
    files = {
        "columns/all.py": 'from ade_engine import Field\nfields = [Field("employee"), '
        'Field("day", type="integer"), Field("hours", type="number")]\n',
        "settings.toml": 'mapping.unmapped = "drop"\n'
        'unpivot = {pattern = \'^[0-9]+$\', name = "day", value = "hours"}\n',
    }
    done = run({"March": [["Employee", *range(1, days + 1), "Sum"], *hours]}, files)
    assert done.table["header"]["rows"] == [1]
    assert done.rows[1:3] == [["Ann", 1, 8], ["Ann", 2, 8]]
    assert len(done.rows) == 1 + 3 * (days - 1)
    assert done.result.verdict == "ready"


def test_numbers_alone_are_no_header_because_columns_with_numbers_as_headers_become_rows(run):
    files = {**FIELDS, "settings.toml": 'unpivot = {pattern = \'^[0-9]+$\', name = "month", value = "amount"}\n'}
    rows = [["Centre", "Amount", "More"], ["C1", 7, 8], ["C2", 9, 3], ["C3", 4, 5], ["C4", 2, 6]]
    done = run({"S": rows}, files)
    assert done.table["header"]["rows"] == [1]
    assert done.table["rows"]["written"] == 4


PAIRS = {
    "order": "",
    "product": "",
    "qty": 'type="integer"',
    "settings.toml": 'unpivot = {pattern = \'^\\d+$\', value = {Product = "product", Qty = "qty"}}\n',
}


@pytest.mark.parametrize("header", ["{} {}", "{}{}", "{}_{}", "{} no. {}"])
def test_columns_that_are_numbered_become_a_row_for_each_number(run, header):
    names = ",".join(header.format(word, number) for number in (1, 2) for word in ("Product", "Qty"))
    fields = PAIRS | {"settings.toml": PAIRS["settings.toml"].replace("^", "" if "no." in header else "^")}
    done = run(f"Order,{names}\nA,pen,1,cup,2\nB,bag,3,,\n", fields)
    assert done.rows == [["order", "product", "qty"], ["A", "pen", 1], ["A", "cup", 2], ["B", "bag", 3]]
    assert done.issues == []


def test_a_table_without_a_column_that_becomes_rows_says_so(run):
    settings = PAIRS["settings.toml"].replace("^", "^(?:Product|Qty) ")
    done = run("Order,Product 1,Qty 1\nA,pen,1\nB,bag,3\n", PAIRS | {"settings.toml": settings})
    message = "no column of this table becomes rows: no header has the word Product or Qty and without it matches"
    assert done.issues == [(None, None, "unpivot", f"{message} unpivot.pattern")]


@pytest.mark.parametrize("wrong", [0, 1])
def test_totals_that_stand_above_their_rows_are_compared_with_these(run, wrong):
    lines = [
        "Group,Item,Qty", f"Grand total,,{60 + wrong}", "Total North,,30", "North,pen,10", "North,cup,20",
        "Total South,,30", "South,bag,5", "South,ink,25",
    ]  # fmt: skip
    settings = '[rows]\nverify_totals = true\ntotal_names = ["total"]\n'
    done = run("\n".join(lines) + "\n", {"group": "", "item": "", "qty": 'type="integer"', "settings.toml": settings})
    assert [row[1] for row in done.rows] == ["item", "pen", "cup", "bag", "ink"]
    assert [(cell, rule) for cell, _, rule, _ in done.issues] == [("C2", "totals")] * wrong
    assert done.table["reshaped"]["totals"] == {"checked": 3, "wrong": wrong}
