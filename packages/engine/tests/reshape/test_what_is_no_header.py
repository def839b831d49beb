"""Rows that a configuration says are labels or headings are no part of the header next to them."""

import pytest

from ade_engine.headings import is_heading_below

FORM = 'from_label="Employee"'
HOURS = {"employee": FORM, "month": 'from_label="Month"', "day": 'type="integer"', "hours": 'type="number"'}
DAYS = [[day, 8.0, 16.5, 8] for day in range(1, 6)]
HEADER = ["Day", "Start", "End", "Hours"]


@pytest.mark.req("E3")
@pytest.mark.parametrize(
    "labels",
    [
        [["Employee", "Ann", None, "Month", "2026-05"]],
        [["Employee:", "Ann"], ["Month: 2026-05"]],
        [["Employee: Ann", None, "Month: 2026-05"]],
        [["Dept:", "Sales", "Employee", "Ann"], ["Month", "2026-05"]],
    ],
)
@pytest.mark.parametrize("gap", [[], [[]]])
def test_labels_right_above_a_header_are_no_part_of_it(run, labels, gap):
    done = run({"S": [["Timesheet"], *labels, *gap, HEADER, *DAYS]}, HOURS)
    [header, *rows] = done.rows
    assert [(row[header.index("employee")], row[header.index("month")]) for row in rows] == [("Ann", "2026-05")] * 5
    assert done.table["header"]["rows"] == [2 + len(labels) + len(gap)]
    assert done.issues == []


def test_a_column_that_is_called_like_a_label_stays_a_header(run):
    fields = {"currency": 'from_label="Currency"', "amount": 'type="number"'}
    done = run("Currency,Amount\nEUR,5\nUSD,6\nEUR,7\n", fields)
    assert done.rows == [["amount", "currency"], [5, "EUR"], [6, "USD"], [7, "EUR"]]


BUDGET = """\
Code,Position,2026,2027
A,Sport,,
A.1,Teams,,
A.1.1,Coaches,1000,1100
A.1.2,Buses,200,250
B,Office,,
B.1,Staff,,
B.1.1,Pay,10,20
"""
PLAN = {
    "area": r'from_group=r"\S+ (.+)", group_level=1',
    "code": 'type="text"',
    "position": "",
    "year": 'type="integer"',
    "plan": 'type="integer"',
    "settings.toml": 'rows.headings = "without_values"\nunpivot = {columns = "year", name = "year", value = "plan"}\n',
}


@pytest.mark.req("E3")
@pytest.mark.parametrize("nested", [True, False])
def test_a_heading_right_below_the_header_is_none_of_its_rows(run, nested):
    text = BUDGET if nested else BUDGET.replace("A.1,Teams,,\n", "").replace("B.1,Staff,,\n", "")
    done = run(text, PLAN)
    assert [row[0] for row in done.rows[1:]] == ["Sport"] * 4 + ["Office"] * 2
    assert done.table["header"]["rows"] == [1]
    assert done.issues == []


@pytest.mark.parametrize(
    ("cells", "above", "below"),
    [
        (["", "", "Plan", "Actual"], ["Code", "Position", "2026", None], [1, "a", 2, 3]),
        (["Code", "Position", None], ["Report", None, None], ["a", "b", 1]),
        ([1, "Sport", None], ["Code", "Position", "2026"], ["a", "b", 1]),
        (["Code", "Name", None, None], ["", "Town", "2026", "2027"], ["Total", "x", "y", "z"]),
    ],
)
def test_rows_that_may_belong_to_a_header(cells, above, below):
    assert not is_heading_below(cells, above, below)
