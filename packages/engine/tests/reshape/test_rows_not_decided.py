"""A row is never left out by a value that could not be converted or computed: it is written, with its issue."""

import pytest

ROWS = "Order,Paid,Received\nA1,5,\nA2,,7\nA3,9OO.00,\nA4,,\n"
MOVEMENTS = {
    "order": "",
    "paid": 'type="money", output=False',
    "received": 'type="money", output=False',
}
NET = """
def transform(row):
    if row["received"] is not None or row["paid"] is not None:
        return (row["received"] or 0) - (row["paid"] or 0)
"""


def _names(done, field="order"):
    return [row[done.rows[0].index(field)] for row in done.rows[1:]]


def _computed(options):
    return f'from ade_engine import Field\nfield = Field("net", {options})\n{NET}'


@pytest.mark.req("E7")
@pytest.mark.parametrize("options", ['type="money", drop=[None]', 'type="money", keep=[-5, 7]', "drop=[None]"])
def test_a_computed_value_with_an_input_that_is_invalid_leaves_no_row_out(run, options):
    done = run(ROWS, {**MOVEMENTS, "columns/net.py": _computed(options)})
    assert _names(done) == ["A1", "A2", "A3"]
    assert {cell for cell, *_ in done.issues} >= {"B4"}


@pytest.mark.req("E7")
@pytest.mark.parametrize("options", ["drop=[None]", 'keep=["north"]', 'drop=["south", None]'])
def test_a_lookup_that_fails_leaves_no_row_out(run, options):
    area = f'lookup="areas.csv", lookup_by="customer", {options}'
    files = {"customer": "", "area": area, "areas.csv": "Customer,Area\nC1,north\nC2,south\n"}
    done = run("Customer,Qty\nC1,5\nC9,7\n,8\n", files)
    assert _names(done, "customer") == ["C1", "C9"]
    assert [rule for _, field, rule, _ in done.issues if field == "area"] == ["lookup"]


@pytest.mark.req("E7")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('type="integer", keep=[5]', ["A1", "A2"]),
        ('type="integer", drop=[5]', ["A2", "A3"]),
        ('type="integer", drop=["5O"]', ["A1", "A3"]),  # a text that somebody lists is meant
        ('type="integer", keep=["5O"]', ["A2"]),
    ],
)
def test_a_value_that_could_not_be_converted_is_compared_with_nothing_but_itself(run, options, expected):
    done = run("Order,Qty\nA1,5\nA2,5O\nA3,7\n", {"order": "", "qty": options})
    assert _names(done) == expected


@pytest.mark.req("E7")
def test_what_is_made_from_a_field_that_could_not_be_converted_leaves_no_row_out(run):
    files = {
        "order": "",
        "due": 'type="date", formats=["%d.%m.%Y"]',
        "month": r'from_field="due", extract=r"^\d{4}-(\d\d)", drop=[None]',
    }
    done = run("Order,Due\nA1,01.02.2026\nA2,O1.03.2026\nA3,\n", files)
    assert _names(done) == ["A1", "A2"]


def test_a_value_of_its_own_is_judged_whatever_its_base_is(run):
    files = {"order": "", "due": 'type="integer"', "state": 'from_field="due", drop=["void"]'}
    done = run("Order,Due,State\nA1,5O,void\nA2,5O,\nA3,1,paid\n", files)
    assert _names(done) == ["A2", "A3"]
