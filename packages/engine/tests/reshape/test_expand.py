"""The hook expand makes several rows of one, and fields are made from what it yielded."""

HEAD = "from ade_engine import Field\n"
SIZES = """\
def expand(row):
    for part in (row["sizes"] or "").split(","):
        size, _, qty = part.strip().partition(":")
        yield {"size": size or None, "qty": qty or None}
"""
TOTAL = """\
field = Field("total", type="number", drop=[12])

def transform(row):
    if row["qty"] is not None and row["price"] is not None:
        return row["qty"] * row["price"]
"""
FIELDS = {
    "sizes": "output=False",
    "size": "",
    "qty": 'type="integer"',
    "price": 'type="number"',
    "columns/total.py": HEAD + TOTAL,
    "hooks/rows.py": SIZES,
    "settings.toml": '[output]\norder = ["size", "qty", "price", "total"]\n',
}


def test_fields_are_computed_from_what_was_yielded(run):
    done = run('Sizes,Price\n"S:2, M:1",9.5\nL:3,1\n,1\nL:4,3\n', FIELDS)
    assert done.rows[1:] == [["S", 2, 9.5, 19], ["M", 1, 9.5, 9.5], ["L", 3, 1, 3], [None, None, 1]]
    assert done.issues == []
    assert done.table["reshaped"]["dropped"] == {"drop.total": 1}
    assert done.table["transform"]["total"] == {"changed": 4, "rules": {"col.total.transform": 4}}


def test_what_was_yielded_is_looked_up(run):
    fields = {
        "codes": "output=False",
        "code": 'type="text"',
        "kind": 'from_field="code", extract=r"^[a-z]"',
        "label": 'lookup="labels.csv", lookup_by="code"',
        "labels.csv": "code,label\na1,Bus\nb2,Car\n",
        "hooks/rows.py": 'def expand(row):\n    for code in row["codes"].split(";"):\n        yield {"code": code}\n',
    }
    done = run("Who,Codes\nAnn,a1;b2\nBob,b2;c3\n", fields | {"who": ""})
    assert done.rows == [
        ["code", "kind", "label", "who"],
        ["a1", "a", "Bus", "Ann"],
        ["b2", "b", "Car", "Ann"],
        ["b2", "b", "Car", "Bob"],
        ["c3", "c", None, "Bob"],
    ]
    assert done.issues == [("A3", "label", "lookup", "was not found: code is not in labels.csv")]


def test_a_computed_field_that_is_yielded_stays_as_it_is(run):
    code = 'def expand(row):\n    yield {"qty": 2}\n    yield {"qty": 3, "total": 0}\n'
    done = run("Sizes,Price\nx,9.5\ny,1\n", FIELDS | {"hooks/rows.py": code})
    assert [row[1:] for row in done.rows[1:]] == [[2, 9.5, 19], [3, 9.5, 0], [2, 1, 2], [3, 1, 0]]


def test_what_cannot_be_converted_is_an_issue_and_computes_nothing(run):
    done = run("Sizes,Price\nS:two,9.5\nM:1,1\n", FIELDS)
    assert done.rows[1:] == [["S", "two", 9.5], ["M", 1, 1, 1]]
    assert [(cell, field, rule) for cell, field, rule, _ in done.issues] == [
        ("A2", "qty", "type.integer"),
        ("A2", "total", "col.total.transform"),
    ]


def test_a_row_that_the_hook_fails_for_stays_as_it_was(run):
    code = 'def expand(row):\n    yield {"qty": 2}\n    if row["sizes"] == "x":\n        raise ValueError\n'
    done = run("Sizes,Qty,Price\nx,7,9.5\ny,8,1\n", FIELDS | {"hooks/rows.py": code})
    assert [row[1:] for row in done.rows[1:]] == [[7, 9.5, 66.5], [2, 1, 2]]
    assert [(cell, rule) for cell, _, rule, _ in done.issues] == [("A2", "hook.expand")]


def test_the_currency_of_an_amount_stays(run):
    fields = {
        "qty": 'type="integer"',
        "amount": 'type="money", currency="unit"',
        "unit": "",
        "hooks/rows.py": 'def expand(row):\n    yield {"qty": 1, "amount": row["amount"] / 2}\n',
    }
    done = run("Qty,Amount\n2,10 €\n3,8 €\n", fields)
    assert done.rows == [["amount", "qty", "unit"], [5, 1, "EUR"], [4, 1, "EUR"]]
