"""`row` has one meaning: the clean value of every field, in every function and for every source format."""

import json
from datetime import date

import pytest

from ade_engine import normalize

FIELD = "from ade_engine import Field\n"
QTY = FIELD + "field = Field('qty', type='integer')\n"
PRICE = (
    FIELD
    + """\
field = Field('price', type='number')

def transform(value):
    return value.removeprefix('£').replace(',', '') if isinstance(value, str) else value
"""
)
TOTAL = (
    FIELD
    + """\
field = Field('total')

def transform(row):
    return row['qty'] * row['price']
"""
)
ORDER = "[output]\norder = ['total', 'qty', 'price']\n"


@pytest.fixture
def run(tmp_path, configuration, contents):
    """Normalise a csv with the given rules; return the rows written and the issues as (cell, field, message)."""

    def normalise(text, files, name="in.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
        result = normalize(tmp_path / name, tmp_path / "out", configuration=configuration(files))
        assert result.failure is None, result.failure.message
        [rows] = contents(result.output_path).values()
        issues = [json.loads(line) for line in result.issues_path.read_text(encoding="utf-8").splitlines()]
        return rows, [(issue["cell"], issue["field"], issue["message"]) for issue in issues]

    return normalise


@pytest.mark.req("E11")
def test_a_computed_field_sees_typed_and_transformed_values(run):
    rows, issues = run(
        'Qty,Price\n8,"£1,122.05"\n2,£0.50\n3,7\n',
        {"columns/qty.py": QTY, "columns/price.py": PRICE, "columns/total.py": TOTAL, "settings.toml": ORDER},
    )
    assert rows == [["total", "qty", "price"], [8976.4, 8, 1122.05], [1.0, 2, 0.5], [21, 3, 7]]
    assert issues == []


@pytest.mark.req("E11")
def test_the_same_rule_gives_the_same_values_for_xlsx_and_csv(run, xlsx, tmp_path, configuration, contents):
    files = {"columns/qty.py": QTY, "columns/price.py": PRICE, "columns/total.py": TOTAL, "settings.toml": ORDER}
    from_csv, _ = run("Qty,Price\n8,1122.05\n2,0.5\n3,7\n", files)
    plan = xlsx.SheetPlan([["Qty", "Price"], [8, 1122.05], [2, 0.5], [3, 7]])
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": plan})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out2", configuration=configuration(files))
    assert contents(result.output_path)["S"] == from_csv


@pytest.mark.req("E11")
def test_fields_are_computed_after_those_they_read_whatever_their_order(run):
    files = {
        "columns/a_gross.py": FIELD
        + "field = Field('gross')\ndef transform(row):\n    return row['net'] + row['tax']\n",
        "columns/b_tax.py": FIELD + "field = Field('tax')\ndef transform(row):\n    return row.get('net') // 10\n",
        "columns/c_net.py": FIELD + "field = Field('net')\ndef transform(row):\n    return row['qty'] * 100\n",
        "columns/d_qty.py": QTY,
    }
    rows, issues = run("Qty,Word\n1,a\n2,b\n3,c\n", files)
    assert rows[1:] == [[110, 10, 100, 1, "a"], [220, 20, 200, 2, "b"], [330, 30, 300, 3, "c"]]
    assert issues == []


@pytest.mark.req("E11")
def test_a_helper_that_is_handed_the_row_is_looked_into(run):
    files = {
        "helpers.py": "def whole(line):\n    return ' '.join(filter(None, (line['first'], line['last'])))\n",
        "columns/a_greeting.py": FIELD + "from .. import helpers\nfield = Field('greeting')\n"
        "def transform(row):\n    return 'Dear ' + helpers.whole(row)\n",
        "columns/b_badge.py": FIELD + "from ..helpers import whole\nfield = Field('badge')\n"
        "def transform(row):\n    return whole(line=row)\n",
        "columns/first.py": FIELD + "field = Field('first')\ndef transform(value):\n    return value.title()\n",
        "columns/last.py": FIELD + "field = Field('last')\n",
    }
    rows, issues = run("First,Last,Born\nada,Byron,1815\nplato,,-428\n,Curie,1867\n", files)
    assert [row[:2] for row in rows[1:]] == [
        ["Dear Ada Byron", "Ada Byron"],
        ["Dear Plato", "Plato"],
        ["Dear Curie", "Curie"],
    ]
    assert issues == []


@pytest.mark.req("E11")
def test_source_has_the_cells_as_they_were_read(run):
    seen = (
        FIELD + "field = Field('seen')\ndef transform(row, source):\n    return f\"{row['qty']!r} {source['qty']!r}\"\n"
    )
    rows, _ = run("Qty,Word\n007,a\n2,b\n3,c\n", {"columns/a.py": seen, "columns/qty.py": QTY})
    assert [row[0] for row in rows[1:]] == ["7 '007'", "2 '2'", "3 '3'"]


def test_a_field_sees_its_own_value_as_it_is_before_its_transform(run):
    own = FIELD + "field = Field('qty', type='integer')\ndef transform(row):\n    return row['qty'] + 1\n"
    rows, issues = run("Qty,Word\n1,a\n2,b\n3,c\n", {"columns/qty.py": own})
    assert [row[0] for row in rows[1:]] == [2, 3, 4]
    assert issues == []


@pytest.mark.req("E11")
def test_nothing_is_computed_from_a_value_that_is_not_valid(run):
    files = {
        "columns/a_double.py": FIELD + "field = Field('double')\n"
        "def transform(row):\n    return (row['total'] or 0) * 2\n",
        "columns/b_total.py": FIELD + "field = Field('total')\n"
        "def transform(row):\n    return row['qty'] * row['price']\n",
        "columns/price.py": FIELD + "field = Field('price', type='number')\n",
        "columns/qty.py": QTY,
    }
    rows, issues = run("Qty,Price\n2,4\n3,none yet\n5,6\n", files)
    assert rows[1:] == [[16, 8, 4, 2], [None, None, "none yet", 3], [60, 30, 6, 5]]
    assert issues == [
        ("A3", "double", "was not computed, because total has no valid value in this row"),
        ("A3", "total", "was not computed, because price has no valid value in this row"),
        ("B3", "price", "is not a number"),
    ]


def test_an_error_left_by_a_formula_is_no_value_to_compute_with(xlsx, tmp_path, configuration, contents):
    files = {
        "columns/a.py": FIELD + "field = Field('label')\ndef transform(row):\n    return f\"<{row['code']}>\"\n",
        "columns/code.py": FIELD + "field = Field('code')\n",
    }
    cells = [["Code", "Word"], ["x", "a"], [xlsx.Error("#DIV/0!"), "b"], ["z", "c"]]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan(cells)})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=configuration(files))
    assert [row[0] for row in contents(result.output_path)["S"][1:]] == ["<x>", None, "<z>"]
    assert result.tables[0]["issue_counts"]["rules"] == {"cell.error": 1, "col.label.transform": 1}


def test_a_check_of_the_row_is_left_out_where_a_value_is_not_valid(run):
    checked = QTY + "def validate(row):\n    if row['qty'] > row['price']:\n        return 'is more than the price'\n"
    price = FIELD + "field = Field('price', type='number')\n"
    _, issues = run("Qty,Price\n9,4\n3,none\nx,1\n", {"columns/qty.py": checked, "columns/price.py": price})
    assert issues == [
        ("A2", "qty", "is more than the price"),
        ("B3", "price", "is not a number"),
        ("A4", "qty", "is not a number"),
    ]


def test_a_rule_cannot_change_the_row_of_others(run):
    files = {
        "columns/a.py": FIELD + "field = Field('sneaky')\ndef transform(row):\n    row['qty'] = 0\n    return 1\n",
        "columns/qty.py": QTY,
    }
    rows, issues = run("Qty,Word\n1,a\n2,b\n3,c\n", files)
    assert [row[1] for row in rows[1:]] == [1, 2, 3]
    assert len(issues) == 3


def test_asking_a_row_for_an_unknown_field_is_never_an_empty_value(run):
    code = "field = Field('odd')\nN = ['qtty']\ndef transform(row):\n    return [row.get(name) for name in N][0] or 0\n"
    rows, issues = run("Qty,Word\n1,a\n2,b\n3,c\n", {"columns/odd.py": FIELD + code, "columns/qty.py": QTY})
    assert [row[0] for row in rows[1:]] == [None] * 3
    assert issues[0][2] == "the rule asks for a field that does not exist (columns/odd.py, line 5)"


WHOLE = (
    "field = Field('{name}'{more})\ndef transform(row):\n    return len([v for v in row.values() if v is not None])\n"
)


def test_a_field_that_reads_the_whole_row_is_computed_last(run):
    files = {
        "columns/a_count.py": FIELD + WHOLE.format(name="count", more=""),
        "columns/b_twice.py": FIELD + "field = Field('twice')\ndef transform(row):\n    return row['qty'] * 2\n",
        "columns/qty.py": QTY,
    }
    rows, _ = run("Qty,Word\n1,a\n2,b\n3,c\n", files)
    assert [row[:2] for row in rows[1:]] == [[2, 2], [2, 4], [2, 6]]


def test_a_field_read_before_it_is_computed_stops_the_run(tmp_path, configuration):
    files = {
        "columns/a_count.py": FIELD + WHOLE.format(name="count", more=", reads=['qty']"),
        "columns/b_twice.py": FIELD + "field = Field('twice')\ndef transform(row):\n    return row['count'] * 2\n",
        "columns/qty.py": QTY,
    }
    (tmp_path / "in.csv").write_text("Qty,Word\n1,a\n2,b\n3,c\n")
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration(files))
    assert result.failure.code == "configuration_error"
    assert result.failure.message == (
        "columns/a_count.py, line 4: count reads twice, which is computed later. "
        'Name it in the field: Field("count", reads=["twice"]).'
    )


def test_a_constant_needs_no_argument(run):
    constant = FIELD + "field = Field('currency')\ndef transform():\n    return 'EUR'\n"
    named = FIELD + "field = Field('from_field')\ndef transform(field):\n    return field.name\n"
    rows, _ = run("Qty,Word\n1,a\n2,b\n3,c\n", {"columns/a.py": constant, "columns/b.py": named, "columns/qty.py": QTY})
    assert [row[:2] for row in rows[1:]] == [["EUR", "from_field"]] * 3


@pytest.mark.req("E6")
def test_a_cell_that_two_rules_change_is_one_changed_value(tmp_path, configuration):
    doubled = FIELD + "field = Field('qty', type='integer')\ndef transform(value):\n    return value * 2\n"
    (tmp_path / "in.csv").write_text("Qty,Word\n1,a\n2,b\n0,c\n")
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration({"columns/qty.py": doubled}))
    assert result.tables[0]["transform"]["qty"] == {
        "changed": 3,
        "rules": {"col.qty.transform": 2, "type.integer": 3},
    }
    assert result.artifact["summary"]["values_changed"] == 3


def test_validators_see_the_same_row_as_transforms(run):
    seen = FIELD + "field = Field('seen')\ndef transform(row):\n    return f\"{row['day']} {row['qty']}\"\n"
    day = (
        FIELD + "from datetime import date\nfield = Field('day', type='date')\n"
        "def validate(row):\n    if row['seen'] != f\"{row['day']} {row['qty']}\" or type(row['day']) is not date:\n"
        "        return 'differs'\n"
    )
    rows, issues = run("Qty,Day\n1,2024-01-05\n2,2024-02-06\n3,2024-03-07\n", {
        "columns/seen.py": seen, "columns/qty.py": QTY, "columns/day.py": day,
    })  # fmt: skip
    assert rows[1][0] == date(2024, 1, 5)
    assert [row[2] for row in rows[1:]] == ["2024-01-05 1", "2024-02-06 2", "2024-03-07 3"]
    assert issues == []


DECORATED = """\
from functools import wraps
from ade_engine import Field

field = Field('area', type='number')

def forgiving(rule):
    @wraps(rule)
    def inner(*given, **named):
        try:
            return rule(*given, **named)
        except Exception:
            return None
    return inner

@forgiving
def transform(row):
    return row['qty'] * row['price']
"""
FORGIVING = """\
from ade_engine import Field

field = Field('area', type='number')

def transform(row):
    try:
        return row['qty'] * row['price']
    except Exception:
        return 0
"""


@pytest.mark.req("E11")
def test_a_decorated_rule_is_computed_after_the_fields_it_reads(run):
    files = {"columns/qty.py": QTY, "columns/price.py": PRICE, "columns/area.py": DECORATED}
    rows, issues = run("Qty,Price\n2,1.5\n3,2.5\n4,3\n", files)
    assert rows == [["area", "price", "qty"], [3.0, 1.5, 2], [7.5, 2.5, 3], [12, 3, 4]]
    assert issues == []


@pytest.mark.req("E11")
@pytest.mark.parametrize("rule", [DECORATED, FORGIVING])
def test_a_rule_that_catches_everything_does_not_hide_a_value_that_is_not_of_its_type(run, rule):
    files = {"columns/qty.py": QTY, "columns/price.py": PRICE, "columns/area.py": rule}
    rows, issues = run("Qty,Price\n2,1.5\nmany,2.5\n4,3\n", files)
    assert rows[2] == [None, 2.5, "many"]
    assert ("A3", "area", "was not computed, because qty has no valid value in this row") in issues


@pytest.mark.req("E11")
def test_a_rule_that_catches_everything_does_not_hide_a_field_that_is_computed_later(tmp_path, configuration):
    hidden = FORGIVING.replace("row['qty'] * row['price']", "operator.getitem(row, 'total')")
    hidden = hidden.replace("'number')", "'number', reads=['qty'])").replace("from", "import operator\nfrom", 1)
    total = TOTAL.replace("row['qty'] * row['price']", "row['area']")
    files = {"columns/qty.py": QTY, "columns/area.py": hidden, "columns/total.py": total}
    (tmp_path / "in.csv").write_text("Qty,Price\n2,1.5\n3,2.5\n4,3\n")
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration(files))
    assert result.failure is not None
    assert "area reads total, which is computed later" in result.failure.message
