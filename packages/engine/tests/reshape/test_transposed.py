"""Documents whose fields are rows, from the document to the output: turned, reported, corrected."""

import random
from datetime import date, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ade_engine import check_configuration, explain
from ade_engine.structure import turned

FIELDS = {
    "name": "required=True",
    "member_id": "unique=True",
    "birth_date": 'type="date"',
    "city": "",
    "amount": 'type="number"',
}
NAMES = ("Name", "Member ID", "Birth date", "City", "Amount")
TURN = '[tables]\ntransposed = "turn"\n'
CARDS = [
    ["Members of the circle"],
    [],
    ["Name", "Ada Moreau", "Bruno Silva", "Chiara Young"],
    ["Member ID", "MB1", "MB2", "MB1"],
    ["Birth date", date(1980, 1, 2), date(1975, 5, 6), date(1990, 11, 12)],
    ["City", "Lyon", None, "Oslo"],
    ["Amount", 100.5, "much", 300],
]
ROWS = [
    ["Ada Moreau", "MB1", date(1980, 1, 2), "Lyon", 100.5],
    ["Bruno Silva", "MB2", date(1975, 5, 6), None, "much"],
    ["Chiara Young", "MB1", date(1990, 11, 12), "Oslo", 300],
]
ISSUES = [
    ("C7", "amount", "type.number", "is not a number"),
    ("D4", "member_id", "unique", "must be unique, but column B holds the same value"),
]
SMALL = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def configured(text="", **fields):
    order = '[output]\norder = ["name", "member_id", "birth_date", "city", "amount"]\n'
    return {**FIELDS, **fields, "settings.toml": order + text}


def as_csv(rows):
    return "".join(",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows)


def drawn(place, header_rows=1, **more):
    return {"id": "1", "kind": "range", "range": place, "sheet": "S", "header_rows": header_rows, **more}


def test_a_turned_table_gives_its_records_as_rows_with_issues_in_the_cells_of_the_document(run):
    done = run({"S": CARDS}, configured(TURN))
    assert done.rows[0] == ["name", "member_id", "birth_date", "city", "amount"]
    assert [row[:5] for row in done.rows[1:]] == ROWS
    assert done.issues == ISSUES
    assert [(column["source"], column["target"]) for column in done.table["columns"]] == [
        ("3", "name"), ("4", "member_id"), ("5", "birth_date"), ("6", "city"), ("7", "amount"),
    ]  # fmt: skip
    assert (done.table["range"], done.table["header"]["rows"], done.table["title_rows"]) == ("A3:D7", [], [1])
    assert done.table["transposed"]["header_columns"] == ["A"]


def test_it_says_where_a_row_comes_from(run):
    done = run({"S": CARDS}, configured('origin = ["sheet", "row"]\n' + TURN))
    assert [row[-2:] for row in done.rows] == [["Sheet", "Row"], ["S", "B"], ["S", "C"], ["S", "D"]]


def test_a_turned_table_can_be_ready(run):
    rows = [*CARDS[:3], ["Member ID", "MB1", "MB2", "MB3"], *CARDS[4:6], ["Amount", 1, 2, 3]]
    done = run({"S": rows}, configured(TURN))
    assert done.result.artifact["verdict"]["verdict"] == "ready"


def test_a_table_that_looks_transposed_is_never_ready(run):
    done = run({"S": CARDS}, configured())
    verdict = done.result.artifact["verdict"]
    assert verdict["verdict"] != "ready"
    assert verdict["sentence"].startswith(
        'S A3:D7 looks transposed: its first column holds the names of fields; set [tables] transposed to "turn"'
    )
    [reason] = [reason for reason in verdict["reasons"] if reason["code"] == "table_transposed"]
    assert (reason["verdict"], reason["places"]) == ("check", ["S A3:D7"])


def test_nothing_else_is_needed_for_check(run):
    rows = [["Name", "Ada Moreau", "Bruno Silva"], ["City", "Lyon", "Oslo"], ["Amount", 1, 2], ["Years", 3, 4]]
    files = {"name": "", "city": "", "settings.toml": "[verdict]\nheader = 0\nrange = 0\nunknown = 1\n"}
    files["settings.toml"] += 'optional = ["name", "city"]\n'
    done = run({"S": rows, "T": [["Name", "City"], *([f"P{n} Q", "Lyon"] for n in range(9))]}, files)
    codes = [reason["code"] for reason in done.result.artifact["verdict"]["reasons"]]
    assert "table_transposed" in codes
    assert done.result.artifact["verdict"]["verdict"] == "check"


def test_the_explanation_says_it_in_words(run):
    told = explain(run({"S": CARDS}, configured()).result.artifact)
    assert "A3:D7 looks transposed: its first column holds the names of fields, because" in told
    assert "its first column holds names of fields (+4.00)" in told
    told = explain(run({"S": CARDS}, configured(TURN)).result.artifact)
    assert "It was turned: it looks transposed" in told
    assert "Column A holds the names of its fields." in told
    assert 'Row 5 "Birth date" is birth_date' in told
    assert "It has no header row" not in told


def test_a_person_says_that_a_table_is_transposed(run):
    done = run({"S": CARDS}, configured(), corrections=[drawn("A3:D7", transposed=True)])
    assert [row[:5] for row in done.rows[1:]] == ROWS
    assert done.issues == ISSUES
    assert done.table["transposed"]["decided_by"] == "correction"
    words = 'A3:D7 of sheet "S" is a table whose fields are rows, with 1 column of names'
    assert words in explain(done.result.artifact)


def test_a_person_says_that_it_is_not(run):
    done = run({"S": CARDS}, configured(TURN), corrections=[drawn("A3:D7")])
    assert done.table["transposed"] is None
    assert done.table["header"]["rows"] == [3]


def test_a_row_of_a_turned_table_can_be_mapped_by_a_person(run):
    rows = [*CARDS[:5], ["Place", "Lyon", "Oslo", "Rome"], CARDS[6]]
    entry = {"id": "1", "kind": "column", "column": "6", "field": "city"}
    done = run({"S": rows}, configured(TURN), corrections=[entry])
    assert [row[3] for row in done.rows[1:]] == ["Lyon", "Oslo", "Rome"]
    letters = run({"S": rows}, configured(TURN), corrections=[{**entry, "column": "F"}], name="letters")
    assert letters.table["columns"][3]["target"] is None


def test_one_source_is_turned_and_another_is_not(run):
    own = '[[source]]\ncontains = "circle"\n[source.tables]\ntransposed = "turn"\n'
    done = run({"S": CARDS}, configured(own))
    assert done.table["transposed"]["is_turned"]
    other = run({"S": [["Others"], *CARDS[1:]]}, configured(own), name="other")
    assert not other.table["transposed"]["is_turned"]


def test_titles_above_a_turned_table_are_sources_of_values(run):
    done = run({"S": CARDS}, {"circle": 'from_title=r"Members of the (.+)"', **configured(TURN)})
    assert {row[done.rows[0].index("circle")] for row in done.rows[1:]} == {"circle"}


def test_a_rectangle_that_is_too_large_is_read_as_it_is_and_reported(run, monkeypatch):
    monkeypatch.setattr(turned, "MOST_CELLS", 10)
    done = run({"S": CARDS}, configured(), corrections=[drawn("A3:D7", transposed=True)])
    assert done.table["transposed"]["is_too_large"]
    assert not done.table["transposed"]["is_turned"]
    assert "is too large to be turned" in done.result.artifact["verdict"]["sentence"]
    assert "It is too large to be turned" in explain(done.result.artifact)


def test_a_corrected_cell_of_a_turned_table_is_the_one_of_the_document(run):
    def cell(name, new, **more):
        return {"id": name, "kind": "cell", "cell": name, "new": new, "sheet": "S", **more}

    done = run({"S": CARDS}, configured(TURN), corrections=[cell("B6", "Nice", found="Lyon"), cell("D7", "7")])
    assert [row[3:5] for row in done.rows[1:]] == [["Nice", 100.5], [None, "much"], ["Oslo", 7]]
    assert done.table["corrected_cells"] == 2
    assert [issue["rule"] for issue in done.result.artifact["sheets"][0]["issues"]] == []


def test_a_value_without_a_cell_is_not_put_into_the_column_with_the_number_of_its_row(run):
    given = {"id": "1", "kind": "cell", "row": 2, "field": "city", "new": "Nice", "sheet": "S"}
    done = run({"S": CARDS}, configured(TURN), corrections=[given])
    assert [row[:5] for row in done.rows[1:]] == ROWS
    assert done.table["corrected_cells"] == 0
    [issue] = done.result.artifact["sheets"][0]["issues"]
    assert issue["rule"] == "correction"


def test_totals_of_a_turned_table_are_columns(run):
    rows = [["Name", "Ada Moreau", "Bruno Silva", "Total"], ["City", "Lyon", "Oslo"], ["Amount", 1, 2, 3]]
    done = run({"S": rows}, configured(TURN))
    assert [row[0] for row in done.rows[1:]] == ["Ada Moreau", "Bruno Silva"]
    assert done.table["transposed"]["left_out_columns"] == ["D"]
    assert done.table["rows"] == {"read": 3, "written": 2, "skipped": 1}
    assert "Column D of it: totals, headings or notes, not data." in explain(done.result.artifact)


def test_wrong_words_are_problems_of_the_configuration(rules):
    folder = rules({"name": "", "settings.toml": '[tables]\ntransposed = "yes"\nturned = true\n'})
    assert [(problem.line, problem.message) for problem in check_configuration(folder)] == [
        (2, "tables.transposed must be one of report, turn, always, never"),
        (3, "there is no setting tables.turned"),
    ]


@SMALL
@given(seed=st.integers(0, 1000), is_csv=st.booleans())
def test_a_turned_document_gives_the_output_of_the_upright_one(run, seed, is_csv):
    pick = random.Random(seed)
    rows = [
        [f"Ada {pick.choice('XYZ')}oreau", f"MB{n}", date(1980, 1, 1) + timedelta(pick.randint(0, 9000)),
         pick.choice(("Lyon", "Oslo", None)), pick.choice((pick.randint(1, 900), "much"))]
        for n in range(pick.randint(2, 9))
    ]  # fmt: skip
    upright = [list(NAMES), *rows]
    across = [[name, *(row[place] for row in rows)] for place, name in enumerate(NAMES)]
    first, second = (as_csv(one) if is_csv else {"S": one} for one in (upright, across))
    one, other = run(first, configured(TURN), name="upright"), run(second, configured(TURN), name="across")
    assert one.table["transposed"] is None
    assert other.table["transposed"]["is_turned"]
    assert other.rows == one.rows
    assert [(field, rule) for _, field, rule, _ in other.issues] == [(field, rule) for _, field, rule, _ in one.issues]
