"""The verdict on a result: ready, check or not usable, and one sentence that says why."""

import csv

import pytest

from ade_engine import explain, normalize
from ade_engine.configuration.check import static_problems
from ade_engine.configuration.model import Settings
from ade_engine.verdict import judge

FIELDS = """
from ade_engine import Field

fields = [
    Field("member_id", label="Member ID", required=True, unique=True, pattern=r"MB\\d{6}"),
    Field("name", label="Name"),
    Field("email", label="Email", pattern=r"[^@ ]+@[^@ ]+"),
    Field("joined_on", label="Joined on", type="date"),
    Field("status", label="Status", choices=["active", "left"]),
]
"""
HEADER = ["Member ID", "Name", "Email", "Joined on", "Status"]
ROWS = [
    [f"MB{number:06}", f"Person {number}", f"p{number}@x.org", f"2024-01-{number:02}", "active"]
    for number in range(1, 21)
]


@pytest.fixture
def run(tmp_path, configuration):
    def run(rows, *, settings="", fields=FIELDS, name="in.csv"):
        with (tmp_path / name).open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        rules = configuration({"columns/all.py": fields, "settings.toml": settings})
        return normalize(tmp_path / name, tmp_path / "out", configuration=rules)

    return run


def verdict(result):
    found = result.artifact["verdict"]
    return found["verdict"], [reason["code"] for reason in found["reasons"]], found["sentence"]


def changed(places, rows=ROWS):
    """Return the rows with other cells: {(row, column): value}."""
    return [[places.get((row, column), cell) for column, cell in enumerate(cells)] for row, cells in enumerate(rows)]


def renamed(**names):
    return [names.get(header.replace(" ", "_").lower(), header) for header in HEADER]


def test_the_right_document_is_ready(run):
    assert verdict(run([HEADER, *ROWS])) == ("ready", [], "All 5 fields were found, and no cell has an issue.")


def test_a_sentence_names_the_fields_that_were_lost_and_the_headers_that_are_new(run):
    header = renamed(email="Contact", joined_on="Colour")
    rows = changed({(row, column): "?" for row in range(20) for column in (2, 3)})
    word, codes, sentence = verdict(run([header, *rows]))
    assert (word, codes[0]) == ("check", "fields_missing")
    assert sentence.startswith("Email and Joined on were not found; Contact and Colour are new")


def test_a_sentence_names_all_new_headers_where_only_some_are_likely_to_be_what_was_lost(run):
    rows = changed({(row, 2): "?" for row in range(20)})
    result = run([renamed(email="Contact", joined_on="Begin"), *rows])
    columns = result.artifact["sheets"][0]["tables"][0]["columns"]
    assert [column["header"] for column in columns if column["suggestions"]] == ["Begin"]
    assert verdict(result)[2].startswith("Email and Joined on were not found; Contact and Begin are new")


def test_a_document_without_a_required_field_is_not_usable(run):
    rows = [[f"{number}", *row[1:]] for number, row in enumerate(ROWS)]
    word, codes, sentence = verdict(run([renamed(member_id="Line"), *rows]))
    assert (word, codes[0]) == ("not_usable", "required_missing")
    assert sentence.startswith("Member ID was not found; Line is new")


def test_a_required_field_whose_cells_are_mostly_invalid_is_not_usable(run):
    rows = changed({(row, 0): f"X{row}" for row in range(15)})
    assert verdict(run([HEADER, *rows]))[:2] == ("not_usable", ["required_invalid", "values_invalid"])


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([["Dear Ann"], ["thank you for the list you sent."], ["Please add the dates."], ["Kim"]], "no_table"),
        ([["Fruit", "Colour"], ["apple", "red"], ["plum", "blue"]], "nothing_mapped"),
    ],
)
def test_a_document_of_another_kind_is_not_usable(run, rows, code):
    word, codes, _ = verdict(run(rows))
    assert (word, codes) == ("not_usable", [code])


def test_a_bad_cell_is_checked_unless_the_settings_allow_it(run):
    rows = changed({(3, 2): "nobody"})
    assert verdict(run([HEADER, *rows])) == ("check", ["values_invalid"], "1 cell has an issue in Email.")
    allowed = run([HEADER, *rows], settings="[verdict]\nissues = 0.01\n")
    assert verdict(allowed) == ("ready", [], "All 5 fields were found, and 1 of 100 cells has an issue.")


def test_a_value_that_is_not_among_the_choices_is_checked_whatever_the_share(run):
    found = run([HEADER, *changed({(3, 4): "paused"})], settings="[verdict]\nissues = 0.5\n")
    assert verdict(found)[:2] == ("check", ["values_new"])


def test_totals_that_do_not_add_up_are_checked(run):
    fields = 'from ade_engine import Field\nfields = [Field("item"), Field("amount", type="number")]\n'
    rows = [["Item", "Amount"], ["a", "1"], ["b", "2"], ["c", "3"], ["Total", "7"]]
    found = run(rows, fields=fields, settings="[rows]\nverify_totals = true\n")
    assert verdict(found) == ("check", ["totals_wrong"], "1 total does not add up.")


def test_columns_that_are_mostly_unknown_are_checked_unless_they_are_ignored(run):
    more = ["A1", "B1", "C1", "D1", "E1", "F1"]
    rows = [[*HEADER, *more], *([*row, *"abcdef"] for row in ROWS)]
    assert verdict(run(rows)) == ("check", ["columns_unknown"], "6 of 11 columns match no field of this configuration.")
    assert verdict(run(rows, settings=f"[mapping]\nignore = {more}\n"))[0] == "ready"
    assert verdict(run(rows, settings="[verdict]\nunknown = 0.9\n"))[0] == "ready"


def test_optional_fields_may_be_missing(run):
    rows = [[row[0], *row[2:]] for row in [HEADER, *ROWS]]
    assert verdict(run(rows))[:2] == ("check", ["fields_missing"])
    assert verdict(run(rows, settings='[verdict]\noptional = ["name"]\n'))[0] == "ready"


def test_a_field_that_its_source_leaves_empty_is_checked_unless_it_may_be_missing(run):
    fields = FIELDS.replace("fields = [", 'fields = [\n    Field("client", from_label="Client"),')
    word, codes, sentence = verdict(run([HEADER, *ROWS], fields=fields))
    assert (word, codes) == ("check", ["sheet_issues"])
    assert sentence.startswith("Client has no value in this table")
    result = run([HEADER, *ROWS], fields=fields, settings='[verdict]\noptional = ["client"]')
    assert verdict(result)[:2] == ("ready", [])
    assert verdict(run([["Client", "Acme"], [], HEADER, *ROWS], fields=fields))[:2] == ("ready", [])


def test_a_table_without_any_field_beside_the_others_is_checked(xlsx, tmp_path, configuration):
    other = [["Fruit", "Weight"], ["apple", 1], ["plum", 2], ["pear", 3]]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"Data": xlsx.SheetPlan([HEADER, *ROWS]), "Fruit": xlsx.SheetPlan(other)})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=configuration({"columns/all.py": FIELDS}))
    assert verdict(result) == ("check", ["tables_unknown"], "No column of Fruit is a field of this configuration.")


def test_names_of_fields_prove_a_header_that_looks_improbable_and_guesses_are_checked(run):
    artifact = run([HEADER, *ROWS]).artifact
    (table,) = artifact["sheets"][0]["tables"]
    table["header"]["confidence"], table["confidence"] = 0.3, 0.2
    assert judge(artifact, Settings()).verdict == "ready"
    table["columns"][2]["confidence"] = 0.96
    found = judge(artifact, Settings())
    assert (found.verdict, found.sentence) == ("check", "Email is probably Email.")
    for column in table["columns"]:
        column["contributions"] = []
    assert {reason.code for reason in judge(artifact, Settings()).reasons} == {
        "header_uncertain",
        "range_uncertain",
        "mapping_uncertain",
    }


def test_a_verdict_contains_no_cell_value_and_is_explained(run):
    result = run([HEADER, *changed({(3, 2): "secret-value"})])
    assert "secret-value" not in str(result.artifact["verdict"])
    assert "Check: 1 cell has an issue in Email." in explain(result.artifact)


def test_a_failed_run_has_no_verdict(tmp_path):
    (tmp_path / "in.xlsx").write_bytes(b"PK\x03\x04 not a zip")
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out")
    assert (result.status, result.verdict, result.artifact["verdict"]) == ("failed", None, None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ("[verdict]\nissues = 2\n", "verdict.issues must be a number from 0 to 1"),
        ("[verdict]\nheader = true\n", "verdict.header must be a number from 0 to 1"),
        ('[verdict]\noptional = "name"\n', "verdict.optional must be a list of names"),
        ('[verdict]\noptional = ["nmae"]\n', "verdict.optional names no field nmae"),
        ("[verdict]\nissue = 0\n", "there is no setting verdict.issue"),
    ],
)
def test_wrong_verdict_settings_are_found(configuration, settings, message):
    folder = configuration({"columns/all.py": FIELDS, "settings.toml": settings})
    (problem,) = static_problems(folder)
    assert (problem.message, problem.line) == (message, 2)
