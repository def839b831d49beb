"""Single cells that people corrected: converted, checked and counted like any value, and never another cell's."""

import csv
import json

import pytest

from ade_engine import explain, normalize
from ade_engine.configuration.check import static_problems
from ade_engine.configuration.corrections_file import FILE, write_corrections
from ade_engine.corrections import in_force

FIELDS = """
from ade_engine import Field

fields = [
    Field("member_id", label="Member ID"),
    Field("joined_on", label="Joined on", type="date", required=True),
    Field("amount", label="Amount", type="money"),
    Field("branch", label="Branch", constant="North"),
]
"""
HEADER = ["Member ID", "Joined on", "Amount", "Remark"]


def rows(count=3):
    return [HEADER, *([f"MB{n:06}", f"2024-03-{n:02}", str(10 * n), f"note {n}"] for n in range(1, count + 1))]


def cell(name, new, **more):
    return {"kind": "cell", "cell": name, "new": new, **more}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELDS)
    return tmp_path / "rules"


@pytest.fixture
def run(folder, tmp_path):
    def run(lines, *corrections, settings=""):
        (folder / "settings.toml").write_text(settings)
        made = [{"id": str(number), "by": "Ada", **one} for number, one in enumerate(corrections)]
        with (tmp_path / "in.csv").open("w", newline="") as file:
            csv.writer(file).writerows(lines)
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder, format="csv", corrections=made)
        assert result.failure is None, result.failure
        outputs = []
        for path in result.output_paths:
            with path.open(newline="", encoding="utf-8-sig") as file:
                outputs.append(list(csv.reader(file)))
        return result, outputs[0]

    return run


def void(result):
    return [
        issue["message"]
        for sheet in result.artifact["sheets"]
        for issue in sheet["issues"]
        if issue["rule"] == "correction"
    ]


def test_a_corrected_cell_is_converted_and_validated_like_any_value_of_its_field(run):
    _, output = run(rows(), cell("B3", "5 April 2024"), cell("C2", "EUR 1,234.50"))
    assert [line[1] for line in output[1:]] == ["2024-03-01", "2024-04-05", "2024-03-03"]
    assert output[1][2] == "1234.5"
    wrong, _ = run(rows(), cell("B3", "soon"))
    [issue] = [one for one in wrong.tables[0]["issues"] if one["cell"] == "B3"]
    assert issue["rule"] == "type.date"
    empty, _ = run(rows(), cell("B3", None))
    assert [(one["cell"], one["rule"]) for one in empty.tables[0]["issues"]] == [("B3", "required")]


def test_a_column_that_feeds_no_field_can_be_corrected_and_keeps_its_kind(run):
    result, output = run(rows(), cell("D4", "put right"))
    assert [line[-1] for line in output[1:]] == ["note 1", "note 2", "put right"]
    assert result.tables[0]["corrected_cells"] == 1


def test_corrected_cells_are_counted_without_their_values(run):
    result, _ = run(rows(), cell("A2", "MB9"), cell("A3", "MB8"), cell("B3", "2024-12-24"))
    table = result.tables[0]
    assert table["corrected_cells"] == 3
    assert table["transform"]["member_id"] == {"changed": 2, "rules": {"correction": 2}}
    assert table["transform"]["joined_on"]["rules"]["correction"] == 1
    assert table["transform"]["joined_on"]["changed"] == 3
    told = result.artifact_path.read_text() + result.issues_path.read_text()
    assert "MB9" not in told
    assert "2024-12-24" not in told
    assert result.artifact["configuration"]["corrections"][0]["place"] == {"cell": "A2"}
    assert "Corrected by Ada: A2 is replaced." in explain(result.artifact)


def test_a_cell_that_holds_something_else_by_now_is_left_and_reported(run):
    result, output = run(rows(), cell("A2", "MB9", found="MB000001"), cell("A3", "MB8", found="MB000001"))
    assert [line[0] for line in output[1:]] == ["MB9", "MB000002", "MB000003"]
    assert void(result) == ["the correction of A3 was not made: the document has another value there by now"]
    assert result.artifact["verdict"]["verdict"] != "ready"


@pytest.mark.parametrize("place", ["A1", "A40", "ZZ2"])
def test_a_cell_that_no_table_reads_is_reported(run, place):
    result, output = run(rows(), cell(place, "x"))
    assert output[1:] == run(rows())[1][1:]
    assert void(result) == [
        f"the correction of {place} was not made: it is in no row and column of a table that is read"
    ]


def test_a_cell_of_a_sheet_that_is_not_there_is_reported(run):
    result, _ = run(rows(), cell("A2", "x", sheet="Old"))
    assert void(result) == ['the correction of A2 was not made: the document has no sheet "Old"']


def test_a_value_that_comes_from_no_cell_is_corrected_by_its_row_and_field(run):
    own = {"kind": "cell", "row": 3, "field": "branch", "new": "South"}
    result, output = run(rows(), own)
    place = output[0].index("Branch")
    assert [line[place] for line in output[1:]] == ["North", "South", "North"]
    assert result.tables[0]["transform"]["branch"]["rules"] == {"constant": 3, "correction": 1}
    assert result.tables[0]["transform"]["branch"]["changed"] == 3
    assert "Branch in row 3 is replaced" in explain(result.artifact)
    other, output = run(rows(), {**own, "found": "West"})
    assert output[2][place] == "North"
    assert void(other) == [
        "the correction of branch in row 3 was not made: the document has another value there by now"
    ]


def test_a_value_given_to_a_field_is_converted_to_its_type(run):
    _, output = run(rows(), {"kind": "cell", "row": 2, "field": "amount", "new": "EUR 7.50"})
    assert output[1][2] == "7.5"
    wrong, output = run(rows(), {"kind": "cell", "row": 2, "field": "amount", "new": "much"})
    assert output[1][2] == "much"
    assert [(one["cell"], one["rule"]) for one in wrong.tables[0]["issues"]] == [("C2", "type.money")]


def test_a_cell_is_corrected_far_into_a_long_table(run):
    result, output = run(
        [HEADER, *([f"MB{n:06}", "2024-03-01", str(n), ""] for n in range(1, 3001))], cell("A2500", "x")
    )
    assert [place for place, line in enumerate(output, 1) if line[0] == "x"] == [2500]
    assert result.tables[0]["row_numbers"] == [[2, 3000]]


def test_a_row_that_goes_on_in_the_next_one_is_corrected_as_a_whole(run, folder):
    text = FIELDS.replace(
        'Field("member_id", label="Member ID")', 'Field("member_id", label="Member ID", join_lines=" ")'
    )
    (folder / "columns/all.py").write_text(text)
    lines = [HEADER, ["one", "2024-03-01", "1", "x"], ["more", "", "", ""], ["two", "2024-03-02", "2", "y"]]
    _, output = run(lines, cell("A2", "all of it", found="one"))
    assert [line[0] for line in output[1:]] == ["all of it", "two"]
    result, _ = run(lines, cell("A3", "x"))
    assert len(void(result)) == 1


def test_rows_of_the_output_tell_which_rows_of_the_sheet_they_are(run):
    lines = [*rows(2), [], ["MB000009", "2024-03-09", "90", "x"], ["Total", "", "120", ""]]
    result, output = run(lines)
    numbers = [first + n for first, count in result.tables[0]["row_numbers"] for n in range(count)]
    assert len(numbers) == len(output) - 1
    assert [lines[number - 1][0] for number in numbers] == [line[0] for line in output[1:]]


def test_of_rows_with_one_key_the_last_is_the_one_that_is_named(run):
    lines = [*rows(3), ["MB000001", "2024-05-05", "7", "x"]]
    result, _ = run(lines, settings='[rows]\nkey = ["member_id"]\nduplicates = "last"\n')
    assert result.tables[0]["row_numbers"] == [[3, 3]]


def test_in_a_configuration_a_cell_names_its_document_and_holds_for_it_alone(folder, run):
    entry = {"id": "1", "by": "Ada", **cell("A2", "MB9"), "document": "in.csv"}
    write_corrections(folder, [entry])
    result, output = run(rows())
    assert output[1][0] == "MB9"
    write_corrections(folder, [{**entry, "document": "other.csv"}])
    result, output = run(rows())
    assert output[1][0] == "MB000001"
    assert (void(result), result.artifact["configuration"]["corrections"]) == ([], [])
    write_corrections(folder, [{key: value for key, value in entry.items() if key != "document"}])
    assert [problem.message for problem in static_problems(folder) if problem.file == FILE] == [
        "the correction 1 needs document: a cell is of one document"
    ]


def test_the_later_of_two_corrections_of_a_cell_holds():
    first, second = ({"id": str(n), **cell("A2", str(n))} for n in (1, 2))
    assert in_force([first, second, {"id": "3", **cell("A3", "3")}]) == [second, {"id": "3", **cell("A3", "3")}]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"new": 1}, "needs either cell, or row and field"),
        ({"cell": "A2"}, "needs new"),
        ({"cell": "A2", "row": 2, "field": "amount", "new": 1}, "needs either cell, or row and field"),
        ({"row": 2, "new": 1}, "needs either cell, or row and field"),
        ({"cell": "a2", "new": 1}, "must be a cell such as C7"),
        ({"cell": "A0", "new": 1}, "must be a cell such as C7"),
        ({"cell": "A2", "new": [1]}, "must be a text, a number, true, false or null"),
    ],
)
def test_what_a_correction_of_a_cell_lacks_is_said(folder, entry, message):
    text = json.dumps({"version": 1, "corrections": [{"id": "1", "kind": "cell", "document": "in.csv", **entry}]})
    (folder / FILE).write_text(text)
    assert any(message in problem.message for problem in static_problems(folder))


def test_a_value_without_a_cell_is_put_into_one_of_two_tables_side_by_side_and_reported(run):
    lines = rows(8)
    beside = [[*line[:3], "", "", *line[:3]] for line in lines]
    result, _ = run(beside, {"kind": "cell", "row": 3, "field": "branch", "new": "South"})
    assert [table["corrected_cells"] for table in result.tables] == [1, 0]
    assert void(result) == [
        "the correction of branch in row 3 was made once: "
        "another table has a row of that number, too, which is left as it is"
    ]
