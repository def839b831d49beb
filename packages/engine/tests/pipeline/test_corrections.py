"""Corrections: what people decided about documents, as data that holds after the rules."""

import csv
import json
import re
import sys

import pytest

from ade_engine import explain, normalize
from ade_engine.configuration.check import static_problems
from ade_engine.configuration.corrections_file import (
    FILE,
    _line,
    add_correction,
    read_corrections,
    undo_correction,
    write_corrections,
)
from ade_engine.corrections import in_force
from ade_engine.errors import ConfigurationError

FIELDS = """
from ade_engine import Field

fields = [
    Field("member_id", label="Member ID", required=True, aliases=["Number"]),
    Field("email", label="Email", kind="email", pattern=r"[^@ ]+@[^@ ]+"),
    Field("joined_on", label="Joined on", type="date"),
]
"""
ADDRESS = """
from ade_engine import Field

fields = [Field("id"), Field("address", aliases=["Street", "Town"], {})]
"""
WHO = {"by": "Ada", "at": "2026-10-02T08:00:00Z", "document": "october.csv"}
HEADER = ["Member ID", "Contact", "Entry"]
ROWS = [[f"MB{number:04}", f"p{number}@x.org", f"2024-01-{number:02}"] for number in range(1, 13)]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELDS)
    return tmp_path / "rules"


@pytest.fixture
def run(folder, tmp_path):
    def run(rows, *corrections, **options):
        write_corrections(folder, [{"id": str(number), **WHO, **one} for number, one in enumerate(corrections)])
        with (tmp_path / "in.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder, format="csv", **options)
        with result.output_path.open(newline="", encoding="utf-8-sig") as file:
            return result, list(csv.reader(file))

    return run


def header(name, field, **more):
    return {"kind": "header", "header": name, "field": field, **more}


def test_a_header_is_given_to_a_field_and_the_result_is_ready(run):
    result, rows = run([HEADER, *ROWS], header("contact", "email"), header("Entry", "joined_on"))
    assert rows[0] == ["Member ID", "Email", "Joined on"]
    assert result.verdict == "ready"
    (table,) = result.tables
    assert [column["reason"] for column in table["columns"]] == ["best", "corrected", "corrected"]
    told = explain(result.artifact)
    assert 'Corrected by Ada on 2026-10-02: "contact" is Email.' in told
    assert "is email: a person decided it" in told


def test_a_later_correction_replaces_an_earlier_one_of_the_same_header(run):
    _, rows = run([HEADER, *ROWS], header("Contact", "joined_on"), header("CONTACT", "email"))
    assert rows[0] == ["Member ID", "Email", "Entry"]


def test_a_column_that_was_mapped_wrongly_lets_go_of_its_field(run):
    rows = [["Number", "Key", "Email"], *([row[0], f"K{row[0]}", row[1]] for row in ROWS)]
    result, output = run(rows, header("Key", "member_id"))
    assert output[0] == ["Member ID", "Email", "Number"]
    assert output[1][0] == "KMB0001"
    assert "a person chose another column for its field" in explain(result.artifact)


def test_a_header_or_a_column_is_left_out(run):
    _, by_header = run([HEADER, *ROWS], header("Entry", None))
    _, by_place = run([HEADER, *ROWS], {"kind": "column", "column": "B", "field": None})
    assert (by_header[0], by_place[0]) == (["Member ID", "Contact"], ["Member ID", "Entry"])


def test_a_column_without_a_header_is_given_to_a_field_by_its_position(run):
    rows = [["Member ID", "", "Email"], *([row[0], row[2], row[1]] for row in ROWS)]
    result, output = run(rows, {"kind": "column", "column": "B", "field": "joined_on"})
    assert output[0] == ["Member ID", "Email", "Joined on"]
    assert result.artifact["summary"]["columns"]["mapped"] == 3


def test_a_value_is_replaced_or_made_empty_and_the_artifact_names_none(run):
    rows = [["Member ID", "Email", "Joined on"], *ROWS]
    rows[1], rows[2] = [*rows[1][:2], "soon-enough"], [*rows[2][:2], "never-ever"]
    result, output = run(
        rows,
        {"kind": "value", "field": "joined_on", "value": "soon-enough", "new": "2024-05-01"},
        {"kind": "value", "field": "joined_on", "value": "never-ever", "new": None},
    )
    assert [row[2][:10] for row in output[1:3]] == ["2024-05-01", ""]
    assert result.verdict == "ready"
    assert not re.search("soon-enough|never-ever|2024-05-01", json.dumps(result.artifact))


def test_a_value_is_accepted_as_it_is_or_has_its_rows_left_out(run):
    rows = [["Member ID", "Email", "Joined on"], *([*row[:2], "soon"] for row in ROWS[:3]), *ROWS[3:]]
    rows[5] = [*rows[5][:2], "Never"]
    wrong, _ = run(rows)
    assert wrong.verdict == "check"
    result, output = run(
        rows,
        {"kind": "value", "field": "joined_on", "value": "soon", "outcome": "accept"},
        {"kind": "value", "field": "joined_on", "value": "Never", "outcome": "drop"},
    )
    assert (result.verdict, result.artifact["summary"]["issues"]["total"]) == ("ready", 0)
    assert [row[2] for row in output[1:4]] == ["soon"] * 3
    assert (len(output), [row[0] for row in output].count(rows[5][0])) == (len(rows) - 1, 0)
    assert result.tables[0]["reshaped"]["dropped"] == {"correction": 1}
    told = explain(result.artifact)
    assert "a value of Joined on is right as it is" in told
    assert "rows with a value of Joined on are left out" in told
    assert "1 row left out: a person decided it." in told
    assert not re.search("soon|Never", json.dumps(result.artifact))


@pytest.mark.parametrize(
    ("value", "left"), [("York", ["1"]), ("Main 1, Leeds", ["2", "3"]), ("main 1", ["1", "2", "3"])]
)
def test_rows_are_left_out_by_a_value_of_a_field_that_several_columns_feed(folder, run, value, left):
    (folder / "columns/all.py").write_text(ADDRESS.format("combine=', '"))
    rows = [["Id", "Street", "Town"], ["1", "Main 1", "Leeds"], ["2", "Main 1", "York"], ["3", "Main 2", "York"]]
    result, output = run(rows, {"kind": "value", "field": "address", "value": value, "outcome": "drop"})
    assert [row[0] for row in output[1:]] == left
    assert result.tables[0]["reshaped"]["dropped"].get("correction", 0) == 3 - len(left)


def test_a_value_of_several_columns_is_accepted_as_a_whole_or_by_its_parts(folder, run):
    (folder / "columns/all.py").write_text(ADDRESS.format("combine=' ', choices=['x']"))
    rows = [["Id", "Street", "Town"], ["1", "Main 1", "Leeds"], ["2", "Main 1", "York"], ["3", "Main 2", "York"]]
    whole = {"kind": "value", "field": "address", "value": "Main 1 Leeds", "outcome": "accept"}
    parts = [{**whole, "value": value} for value in ("Main 2", "York")]
    assert [issue["cell"] for issue in run(rows, whole)[0].tables[0]["issues"]] == ["B3", "B4"]
    assert [issue["cell"] for issue in run(rows, *parts)[0].tables[0]["issues"]] == ["B2", "B3"]


def test_rows_are_left_out_by_a_value_that_no_column_feeds(folder, run):
    (folder / "columns/all.py").write_text(
        "from ade_engine import Field\nfields = [Field('id'), Field('c', constant='k')]"
    )
    _, output = run(
        [["Id", "Town"], ["1", "York"], ["2", "Hull"]], {"kind": "value", "field": "c", "value": "k", "outcome": "drop"}
    )
    assert len(output) == 1


def test_what_is_said_last_about_a_value_holds(run):
    rows = [["Member ID", "Email", "Joined on"], *ROWS]
    rows[1] = [*rows[1][:2], "soon"]
    about = {"kind": "value", "field": "joined_on", "value": "soon"}
    _, output = run(rows, {**about, "outcome": "drop"}, {**about, "outcome": "accept"}, {**about, "new": "2024-05-01"})
    assert (len(output), output[1][2][:10]) == (len(rows), "2024-05-01")


@pytest.mark.parametrize("earlier", [{"outcome": "drop"}, {"outcome": "accept"}, {"new": "2024-01-31"}])
@pytest.mark.parametrize(
    ("later", "row_count", "written"),
    [
        ({"outcome": "drop"}, 12, "2024-01-02"),
        ({"outcome": "accept"}, 13, "soon"),
        ({"new": "2024-05-01"}, 13, "2024-05-01"),
    ],
)
def test_what_is_said_of_a_value_for_one_document_holds_before_what_the_configuration_says(
    run, earlier, later, row_count, written
):
    rows = [["Member ID", "Email", "Joined on"], *ROWS]
    rows[1] = [*rows[1][:2], "soon"]
    about = {"kind": "value", "field": "joined_on", "value": "soon"}
    _, output = run(rows, {**about, **earlier}, corrections=[{"id": "x", **about, **later}])
    assert (len(output), output[1][2][:10]) == (row_count, written)


def test_an_accepted_value_may_come_again_in_a_field_of_different_values(run, folder):
    (folder / "columns/all.py").write_text(FIELDS.replace("required=True", "unique=True"))
    rows = [["Member ID", "Email", "Joined on"], *ROWS, ROWS[0], ROWS[1]]
    wrong, _ = run(rows)
    accept = {"kind": "value", "field": "member_id", "value": ROWS[0][0], "outcome": "accept"}
    result, output = run(rows, accept)
    assert [len(one.tables[0]["issues"]) for one in (wrong, result)] == [2, 1]
    assert [row[0] for row in output] == [row[0] for row in rows]


def test_only_the_field_whose_value_is_accepted_is_without_issues(run):
    rows = [["Member ID", "Email", "Joined on"], *ROWS]
    rows[1] = [rows[1][0], "soon", "soon"]
    result, _ = run(rows, {"kind": "value", "field": "joined_on", "value": "soon", "outcome": "accept"})
    assert [issue["field"] for issue in result.tables[0]["issues"]] == ["email"]


def test_day_and_month_are_read_as_decided(run):
    rows = [["Member ID", "Email", "Joined on"], *([*row[:2], "03/04/2024"] for row in ROWS)]
    unclear, _ = run(rows)
    _, output = run(rows, {"kind": "field", "field": "joined_on", "day_first": True})
    assert (unclear.verdict, output[1][2][:10]) == ("check", "2024-04-03")


def test_rows_are_what_people_decided(run):
    rows = [["Members of the club", "", ""], ["Member ID", "Email", "Joined on"], *ROWS]
    result, output = run(rows, {"kind": "row", "row": 5, "label": "note"})
    (table,) = result.tables
    assert table["header"]["rows"] == [2]
    assert ROWS[2][0] not in [row[0] for row in output]


def test_corrections_of_one_document_hold_before_those_of_the_configuration(run):
    own = {"id": "x", **header("Contact", None)}
    _, output = run([HEADER, *ROWS], header("Contact", "email"), corrections=[own])
    assert output[0] == ["Member ID", "Entry"]
    again, _ = run([HEADER, *ROWS], header("Contact", "email"))
    assert [column["target"] for column in again.tables[0]["columns"]] == ["member_id", "email", None]


def test_a_wrong_correction_of_one_document_fails_the_run(folder, tmp_path):
    (tmp_path / "in.csv").write_text("Member ID,Email\n1,a@b\n")
    wrong = [{"id": "x", **header("Contact", "e_mail")}]
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder, corrections=wrong)
    assert (result.failure.code, result.failure.message) == (
        "configuration_error",
        "The correction x names no field e_mail.",
    )


def test_a_sheet_is_left_out(xlsx, folder, tmp_path):
    write_corrections(folder, [{"id": "1", "kind": "sheet", "sheet": "Old", "ignored": True, **WHO}])
    plan = xlsx.SheetPlan([["Member ID", "Email", "Joined on"], *ROWS])
    xlsx.write_workbook(tmp_path / "in.xlsx", {"Data": plan, "Old": plan})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=folder)
    assert [(sheet["name"], sheet["skipped"]) for sheet in result.artifact["sheets"]] == [
        ("Data", None),
        ("Old", "correction"),
    ]


def test_a_correction_is_added_and_undone_and_what_it_replaced_holds_again(folder):
    first, second = {"id": "a", **header("Contact", "email")}, {"id": "b", **header("Contact", None)}
    add_correction(folder, first)
    add_correction(folder, second)
    assert in_force(read_corrections(folder)[0]) == [second]
    assert undo_correction(folder, "b") == second
    assert in_force(read_corrections(folder)[0]) == [first]
    with pytest.raises(ConfigurationError, match="There is no correction b"):
        undo_correction(folder, "b")
    with pytest.raises(ConfigurationError, match="needs field"):
        add_correction(folder, {"id": "c", "kind": "header", "header": "x"})


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (header("Contact", "e_mail"), "the correction k names no field e_mail"),
        ({"kind": "heading"}, "the correction k has the kind heading"),
        (header("Contact", 3), "field of the correction k must be the name of a field, or null"),
        ({"kind": "column", "column": "c", "field": None}, "column of the correction k must be letters such as C"),
        ({"kind": "row", "row": 0, "label": "data"}, "row of the correction k must be a number of a row"),
        ({"kind": "row", "row": 1, "label": "dta"}, "label of the correction k must be one of title"),
        ({"kind": "field", "field": "email"}, "the correction k needs type or day_first"),
        ({"kind": "value", "field": "email", "value": "x"}, "the correction k needs either new or outcome"),
        (
            {"kind": "value", "field": "email", "value": "x", "new": None, "outcome": "drop"},
            "the correction k needs either new or outcome",
        ),
        (
            {"kind": "value", "field": "email", "value": "x", "outcome": "keep"},
            "outcome of the correction k must be one of accept, drop",
        ),
        (header("Contact", None, kept=1), "kept of the correction k must be true or false"),
        ({"kind": "new_field", "field": "A b", "label": "x"}, "field of the correction k must be a name such as"),
        ({"kind": "new_field", "field": "since"}, "the correction k needs label"),
        (header("Contact", None, fild="x"), "the correction k has a key fild, which header does not have"),
    ],
)
def test_a_wrong_correction_is_found_with_its_line(folder, entry, message):
    write_corrections(folder, [{"id": "fine", **header("Entry", None)}, {"id": "k", **entry}])
    (problem,) = static_problems(folder)
    assert problem.message.startswith(message)
    assert (problem.file, problem.line) == (FILE, 3)


def test_a_column_is_kept_as_it_is_and_no_longer_unknown(run):
    more = ["Remark", "Note", "Hint", "Mark"]
    rows = [["Member ID", "Email", "Joined on", *more], *([*row, "w", "x", "y", "z"] for row in ROWS)]
    unknown, _ = run(rows)
    kept = [header(name, None, kept=True) for name in more[:3]]
    result, output = run(rows, *kept, {"kind": "column", "column": "G", "field": None})
    assert (unknown.verdict, result.verdict) == ("check", "ready")
    assert output[0] == ["Member ID", "Email", "Joined on", *more[:3]]
    told = explain(result.artifact)
    assert '"Remark" is kept as it is' in told
    assert "a person keeps it unchanged" in told


def test_a_column_is_kept_where_the_configuration_leaves_unknown_ones_out(run, folder):
    (folder / "settings.toml").write_text('[mapping]\nunmapped = "drop"\n')
    rows = [["Member ID", "Email", "Joined on", "Remark", "Note"], *([*row, "w", "x"] for row in ROWS)]
    _, output = run(rows, header("Remark", None, kept=True))
    assert (output[0], output[1][3:]) == (["Member ID", "Email", "Joined on", "Remark"], ["w"])


def test_a_column_gets_a_field_of_its_own(run):
    new = {"kind": "new_field", "field": "since", "label": "Since", "type": "date"}
    rows = [["Member ID", "Email", "Joined on", "Begin"], *([*row, "soon"] for row in ROWS)]
    result, output = run(rows, new, header("Begin", "since"))
    assert output[0] == ["Member ID", "Email", "Joined on", "Since"]
    assert result.artifact["summary"]["issues"]["total"] == len(ROWS)
    own = [{"id": "n", **new}, {"id": "h", **header("Begin", "since")}]
    _, output = run(rows, corrections=own)
    assert output[0][-1] == "Since"


@pytest.mark.parametrize("entry", [{}, {"id": "a", "kind": "header", "header": "x", "field": "nowhere"}])
def test_of_very_many_wrong_corrections_the_first_twenty_are_problems(folder, entry):
    write_corrections(folder, [entry] * 2000)
    looks = 0

    def note(frame, event, _):
        nonlocal looks
        looks += event == "call" and frame.f_code is _line.__code__

    sys.setprofile(note)
    try:
        found = static_problems(folder)
    finally:
        sys.setprofile(None)
    assert [problem.code for problem in found] == ["bad-correction"] * 20
    assert looks <= 40  # to find the line of each takes a look through the whole file


def test_a_folder_of_corrections_without_mistakes_has_no_problems(folder):
    write_corrections(folder, [{"id": "a", "kind": "header", "header": "x", "field": "email"}] * 2000)
    assert static_problems(folder) == []


def test_half_a_character_is_a_problem_of_the_file(folder):
    (folder / FILE).write_text('{"version": 1, "corrections": [{"id": "a", "kind": "sheet", "sheet": "\\ud800"}]}')
    assert [(problem.file, problem.code) for problem in static_problems(folder)] == [(FILE, "syntax-error")]


@pytest.mark.parametrize(
    "more",
    ['"document": Infinity', '"document": ["a"]', '"by": 3', '"at": {"a": NaN}', '"new": NaN', '"new": 1e999'],
)
def test_what_is_no_text_or_no_number_in_a_correction_is_a_problem_of_the_file(folder, more):
    new = "" if "new" in more else ', "new": "b"'
    entry = f'{{"id": "a", "kind": "value", "field": "email", "value": "a"{new}, {more}}}'
    (folder / FILE).write_text(f'{{"version": 1, "corrections": [{entry}]}}')
    assert [(problem.file, problem.code) for problem in static_problems(folder)] == [(FILE, "bad-correction")]
