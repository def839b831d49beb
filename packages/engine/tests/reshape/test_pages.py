"""A table that continues on another page, below its header once more, and rows that are named as totals."""

import pytest

FIELDS = {
    "account": 'from_label="Account"',
    "month": r'from_title=r"Statement (\S+)"',
    "day": "drop=[None]",
    "text": "",
    "amount": 'type="number"',
    "settings.toml": 'output.tables = "one"\nrows.total_names = ["Carried forward"]\n',
}
HEADER = ["Day", "Text", "Amount", "Balance"]
ROWS = [[f"{day:02}.03.", text, 10.5 * day, 1000 - day] for day, text in enumerate(["Rent", "Pay", "Fee"] * 4, start=1)]
TOP = [["First Bank"], ["Account:", "DE12"], ["Statement 3/2026"], []]


def _sheet(page):
    carried, brought = [None, "Carried forward", None, 7], [None, "Brought forward", None, 7]
    return [*TOP, HEADER, *ROWS[:6], carried, *page, HEADER, brought, *ROWS[6:]]


@pytest.mark.req("E3")
@pytest.mark.parametrize("page", [[["Page 2"]], [["Seite 2 von 3"]], [[], ["- 2 -"]], [[], []]])
def test_lines_above_the_first_page_hold_on_the_next_ones(run, page):
    done = run({"S": _sheet(page)}, FIELDS)
    header = done.rows[0]
    assert [row[header.index("day")] for row in done.rows[1:]] == [row[0] for row in ROWS]
    assert {(row[header.index("account")], row[header.index("month")]) for row in done.rows[1:]} == {("DE12", "3/2026")}
    assert done.issues == []


def test_a_table_with_lines_of_its_own_takes_nothing_from_the_one_above(run):
    done = run({"S": _sheet([[], [], ["Savings"]])}, FIELDS)
    header = done.rows[0]
    accounts = [row[header.index("account")] for row in done.rows[1:]]
    assert accounts == ["DE12"] * 6 + [None] * 6
    assert {field for _, field, rule, _ in done.issues if rule == "source"} == {"account", "month"}


def test_a_total_that_is_named_is_not_in_doubt(run):
    fields = {"pupil": "", "oral": 'type="number"', "written": 'type="number"'}
    rows = [[f"Pupil {n}", 1 + n % 3, 2 + n % 2] for n in range(6)]
    document = {"S": [["Pupil", "Oral", "Written"], *rows, ["Average", 2.3, 2.8]]}
    assert [rule for _, _, rule, _ in run(document, fields).issues] == ["structure.row_in_doubt"]
    named = run(document, fields | {"settings.toml": 'rows.total_names = ["Average"]\n'}, name="named")
    assert (len(named.rows), named.issues) == (7, [])
