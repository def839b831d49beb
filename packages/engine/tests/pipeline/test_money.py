"""Currencies and percentages of whole documents: nothing that changes what a number means is lost silently."""

import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine import check_configuration, normalize, table_run

FIELD = "from ade_engine import Field\nfield = Field({})\n"
FEW = settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def columns(**fields):
    return {f"columns/{name}.py": FIELD.format(f"{name!r}, {options}") for name, options in fields.items()}


@pytest.fixture
def run(tmp_path, configuration, contents):
    """Normalise a csv; return the rows written and the issues as (cell, field, rule, severity)."""

    def normalise(text, files):
        (tmp_path / "in.csv").write_text(text, encoding="utf-8")
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration(files))
        assert result.failure is None, result.failure.message
        [rows] = contents(result.output_path).values()
        issues = [json.loads(line) for line in result.issues_path.read_text(encoding="utf-8").splitlines()]
        return rows, [(issue["cell"], issue["field"], issue["rule"], issue["severity"]) for issue in issues]

    return normalise


AMOUNT = "type='money', decimal='.'"
WITH_CURRENCY = {
    "a_amount": "label='Amount', type='money', decimal='.', currency='currency'",
    "currency": "label='Currency'",
}


@pytest.mark.req("E5")
def test_amounts_in_several_currencies_without_a_field_for_them_are_issues(run):
    rows, issues = run("Item,Amount\na,£5\nb,7\nc,£6\nd,€5\ne,GBP 3\n", columns(amount=AMOUNT))
    assert [row[0] for row in rows[1:]] == [5, 7, 6, 5, 3]
    assert issues == [("B5", "amount", "money.currency", "error")]


def test_a_dollar_sign_is_the_dollar_that_others_in_the_column_name(run):
    _, issues = run("Item,Amount\na,$5\nb,USD 7\nc,$6\nd,CAD 5\ne,$7\n", columns(amount=AMOUNT))
    assert issues == [("B5", "amount", "money.currency", "error")]


def test_a_currency_field_gets_the_currency_of_each_amount(run):
    text = "Item,Amount\na,£5\nb,7\nc,(6.50 EUR)\nd,$5\ne,CHF 1'200.50\n"
    rows, issues = run(text, columns(**WITH_CURRENCY))
    assert rows[0] == ["Amount", "Currency", "Item"]
    assert [row[:2] for row in rows[1:]] == [[5, "GBP"], [7, None], [-6.5, "EUR"], [5, "$"], [1200.5, "CHF"]]
    assert issues == []


def test_a_currency_column_of_the_document_wins_and_a_contradiction_is_an_issue(run):
    text = "Item,Amount,Currency\na,£5,GBP\nb,€7,USD\nc,$6,CAD\nd,€5,\ne,8,SEK\n"
    rows, issues = run(text, columns(**WITH_CURRENCY))
    assert [row[:2] for row in rows[1:]] == [[5, "GBP"], [7, "USD"], [6, "CAD"], [5, "EUR"], [8, "SEK"]]
    assert issues == [("C3", "currency", "money.currency", "error")]


def test_a_currency_column_that_holds_no_currency_is_left_to_its_own_rules(run):
    rule = "from ade_engine import Field\nfield = Field('currency')\n\ndef transform(value):\n    return len(value)\n"
    files = columns(amount="type='money', currency='currency'") | {"columns/currency.py": rule}
    rows, issues = run("Item,Amount,Currency\na,£5,Pounds\nb,£7,Sterling\n", files)
    assert [row[:2] for row in rows[1:]] == [[5, 6], [7, 8]]
    assert issues == []


def test_two_amounts_of_a_row_share_a_currency_field_only_when_they_agree(run):
    fields = {
        "net": "label='Net', type='money', currency='unit'",
        "gross": "label='Gross', type='money', currency='unit'",
        "unit": "label='Unit'",
    }
    rows, issues = run("Net,Gross\n5 €,6 €\n5,6 €\n5 €,6 $\n", columns(**fields))
    assert [row[2] for row in rows[1:]] == ["EUR", "EUR", "$"]
    assert issues == [("A4", "net", "money.currency", "error")]


def test_rules_of_the_currency_field_see_the_currency(run):
    rule = "from ade_engine import Field\nfield = Field('currency')\n\ndef transform(value):\n"
    files = columns(amount="type='money', currency='currency'")
    files["columns/currency.py"] = rule + "    return {'$': 'USD'}.get(value, value)\n"
    rows, issues = run("Amount,Item\n$5,a\n€6,b\n", files)
    assert [row[:2] for row in rows[1:]] == [[5, "USD"], [6, "EUR"]]
    assert issues == []


def test_a_currency_that_a_transform_uncovers_is_kept_too(run):
    rule = FIELD.format("'amount', type='money', currency='unit'") + "\ndef transform(value):\n"
    files = columns(unit="label='Unit'")
    files["columns/amount.py"] = rule + "    return value.removeprefix('about ') if isinstance(value, str) else value\n"
    rows, _ = run("Item,Amount\na,£6\nb,about €5\nc,£7\n", files)
    assert [row[:2] for row in rows[1:]] == [[6, "GBP"], [5, "EUR"], [7, "GBP"]]


@pytest.mark.parametrize(
    ("other", "message"),
    [({}, "not a field"), ({"currency_code": ""}, "Did you mean"), ({"currency": "type='number'"}, "text")],
)
def test_a_currency_field_must_be_there_and_hold_text(configuration, other, message):
    folder = configuration(columns(amount="type='money', currency='currency'", **other))
    [problem] = check_configuration(folder)
    assert (problem.file, problem.code) == ("columns/amount.py", "import-error")
    assert message in problem.message


@pytest.mark.req("E5")
def test_the_same_percentage_is_the_same_number_from_text_and_from_a_cell(run, xlsx, tmp_path, configuration, contents):
    files = columns(rate="type='percent'")
    from_text, _ = run("Item,Rate\na,19 %\nb,7 %\n", files)
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([["Item", "Rate"], ["a", 0.19], ["b", 0.07]])})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=configuration(files))
    assert (
        next(iter(contents(result.output_path).values())) == from_text == [["rate", "Item"], [0.19, "a"], [0.07, "b"]]
    )


def test_a_number_beyond_one_without_percent_sign_is_a_warning(run, xlsx, tmp_path, configuration):
    cells = [["Item", "Rate"], ["a", 0.19], ["b", 19], ["c", "150 %"], ["d", -2.5]]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan(cells)})
    for options, found in (("type='percent'", ["B3", "B5"]), ("type='percent', minimum=-3, maximum=20", [])):
        folder = configuration(columns(rate=options))
        result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=folder)
        issues = [json.loads(line) for line in result.issues_path.read_text(encoding="utf-8").splitlines()]
        assert [issue["cell"] for issue in issues] == found
        assert {issue["severity"] for issue in issues} <= {"warning"}


@pytest.mark.parametrize("highlight", [False, True])
def test_a_percentage_is_shown_as_one(run, tmp_path, configuration, highlight):
    settings_file = {"settings.toml": f"[output]\nhighlight = {str(highlight).lower()}\n"}
    rows, _ = run("Item,Rate\na,19 %\nb,n/a\nc,\nd,7 %\n", columns(rate="type='percent'") | settings_file)
    assert [row[0] for row in rows[1:]] == [0.19, "n/a", None, 0.07]
    with zipfile.ZipFile(tmp_path / "out" / "normalized.xlsx") as archive:
        sheet, styles = (archive.read(f"xl/{name}").decode() for name in ("worksheets/sheet1.xml", "styles.xml"))
    assert '<c r="A2" s="7"><v>0.19</v></c>' in sheet
    assert styles.split("<cellXfs")[1].split("<xf ")[8].startswith('numFmtId="10"')


@FEW
@given(size=st.integers(1, 7))
def test_chunks_do_not_change_which_currency_is_another(run, size):
    text = "Item,Amount\na,$5\nb,USD 7\nc,6\nd,CAD 5\ne,€ 4\nf,$3\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_run, "CHUNK_ROWS", size)
        _, issues = run(text, columns(amount=AMOUNT))
    assert [cell for cell, *_ in issues] == ["B5", "B6"]


def test_a_cell_of_several_lines_of_digits_is_an_issue_and_stops_no_run(run):
    rows, issues = run('Item,Qty\na,7\nb,"1\n2"\nc,9\n', columns(qty="type='integer'"))
    assert [row[0] for row in rows[1:]] == [7, "1\n2", 9]
    assert issues == [("B3", "qty", "type.integer", "error")]
