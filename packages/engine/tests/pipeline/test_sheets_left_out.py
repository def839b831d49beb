"""What a document holds and the output does not, and the other way round: hidden sheets, rows and columns, and text."""

import json

import pytest

from ade_engine import normalize
from ade_engine.explain import explain

HEADER = ["Name", "City", "Joined on", "Amount"]
ROWS = [["Ann", "Rome", "2024-01-02", 1.5], ["Bob", "Oslo", "2024-01-03", 2], ["Kim", "Lima", "2024-01-04", 3]]
NOTES = [["How to use this file"], ["Fill in the yellow cells only."], ["Send it to the office by Friday."]]


@pytest.fixture
def run(xlsx, tmp_path):
    def run(plans, **options):
        xlsx.write_workbook(tmp_path / "in.xlsx", plans)
        return normalize(tmp_path / "in.xlsx", tmp_path / "out", **options)

    return run


@pytest.fixture
def plan(xlsx):
    return lambda **options: xlsx.SheetPlan([xlsx.bold(*HEADER), *ROWS], **options)


@pytest.mark.req("E2", "E7")
@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_not_read_and_named_in_artifact_summary_and_explanation(run, plan, contents, state):
    result = run({"Data": plan(), "Lists": plan(state=state)})
    assert [(sheet["name"], sheet["skipped"]) for sheet in result.artifact["sheets"]] == [
        ("Data", None),
        ("Lists", "hidden"),
    ]
    counts = {"total": 2, "read": 1, "skipped": 1, "hidden": 1, "without_table": 0}
    assert result.artifact["summary"]["sheets"] == counts
    assert list(contents(result.output_path)) == ["Data"]
    assert 'Sheet "Lists" was not read: it is hidden.' in explain(result.artifact)
    assert result.issue_count == 0


@pytest.mark.req("E2")
def test_a_hidden_sheet_is_read_when_it_is_named_or_the_settings_say_so(run, plan, configuration, contents):
    sheets = {"Data": plan(), "Lists": plan(state="hidden"), "More": plan(state="veryHidden")}
    assert list(contents(run(sheets, sheets=["Lists"]).output_path)) == ["Lists"]
    name = "from ade_engine import Field\nfield = Field('name')\n"
    folder = configuration({"columns/name.py": name, "settings.toml": '[sheets]\nhidden = "read"\n'})
    assert list(contents(run(sheets, configuration=folder).output_path)) == ["Data", "Lists", "More"]
    (folder / "settings.toml").write_text('[sheets]\nread = ["More", "Data"]\nhidden = "skip"\n')
    result = run(sheets, configuration=folder)
    assert list(contents(result.output_path)) == ["Data", "More"]
    assert result.artifact["summary"]["sheets"]["hidden"] == 1


@pytest.mark.req("E7")
def test_a_document_whose_tables_may_all_be_hidden_says_so_as_a_warning(run, plan, xlsx):
    result = run({"Readme": xlsx.SheetPlan(NOTES), "Data": plan(state="hidden")})
    found = [(sheet["name"], sheet["issue_counts"]["rules"]) for sheet in result.artifact["sheets"]]
    assert found == [("Readme", {"structure.no_table": 1}), ("Data", {"sheet.hidden": 1})]
    assert result.artifact["summary"]["issues"] == {"total": 2, "info": 0, "warning": 2, "error": 0}
    lines = [json.loads(line) for line in result.issues_path.read_text().splitlines()]
    assert [(issue["sheet"], issue["rule"], issue["cell"]) for issue in lines] == [
        ("Readme", "structure.no_table", None),
        ("Data", "sheet.hidden", None),
    ]


@pytest.mark.req("E3", "E7")
def test_a_sheet_of_text_is_an_issue_and_an_empty_one_is_not(run, plan, xlsx):
    result = run({"Data": plan(), "Notes": xlsx.SheetPlan(NOTES), "Empty": xlsx.SheetPlan([[" "]])})
    assert [len(sheet["tables"]) for sheet in result.artifact["sheets"]] == [1, 0, 0]
    [issue] = result.artifact["sheets"][1]["issues"]
    assert (issue["rule"], issue["severity"], issue["sheet"]) == ("structure.no_table", "info", "Notes")
    assert issue["message"] == "no table found: text only; nothing of it is in the output"
    assert result.artifact["sheets"][2]["issues"] == []
    assert result.artifact["summary"]["sheets"]["without_table"] == 1
    assert 'Sheet "Notes": no table found: text only' in explain(result.artifact)
    assert 'Sheet "Empty": no table was found.' in explain(result.artifact)


def test_single_cells_that_form_no_table_are_not_called_text(run, xlsx):
    result = run({"Sheet": xlsx.SheetPlan([["Rate"], None, None, [12.5]])})
    assert result.tables == []
    [issue] = result.artifact["sheets"][0]["issues"]
    assert issue["message"] == "no table found: cells that do not form a table; nothing of it is in the output"
    assert issue["severity"] == "warning"


def test_numbers_that_form_no_table_are_a_warning_beside_other_tables_too(run, plan, xlsx):
    result = run({"Sheet": xlsx.SheetPlan([["Rate"], None, None, [12.5]]), "Data": plan()})
    assert [issue["severity"] for issue in result.artifact["sheets"][0]["issues"]] == ["warning"]


def test_a_sheet_whose_tables_a_hook_left_out_has_no_issue(run, plan, configuration):
    hook = "def on_table_start(table):\n    return False\n"
    name = "from ade_engine import Field\nfield = Field('name')\n"
    folder = configuration({"columns/name.py": name, "hooks/none.py": hook})
    assert run({"Data": plan()}, configuration=folder).issue_count == 0


@pytest.mark.req("E2", "E7")
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_artifact_names_table_and_file(run, plan, kind):
    result = run({"Leeds": plan(), "東京": plan(), "Lima": plan()}, format=kind)
    expected = [f"normalized-1-Leeds.{kind}", f"normalized-2.{kind}", f"normalized-3-Lima.{kind}"]
    assert [(table["output"], table["file"]) for table in result.tables] == list(
        zip(["Leeds", "東京", "Lima"], expected, strict=True)
    )
    assert [path.name for path in result.output_paths] == expected
    single = run({"Leeds": plan()}, format=kind)
    assert [table["file"] for table in single.tables] == [f"normalized.{kind}"]
    assert [path.name for path in result.output_path.parent.glob("normalized*")] == [f"normalized.{kind}"]


def test_all_tables_of_a_workbook_are_in_one_file(run, plan):
    result = run({"Leeds": plan(), "Lima": plan()})
    assert [(table["output"], table["file"]) for table in result.tables] == [
        ("Leeds", "normalized.xlsx"),
        ("Lima", "normalized.xlsx"),
    ]


@pytest.mark.req("E7")
def test_hidden_rows_and_columns_are_read_and_counted(run, plan, xlsx, contents):
    result = run({"Data": plan(hidden_rows=[3, 4], hidden_columns=[2, 9])})
    [table] = result.tables
    assert table["hidden"] == {"rows": 2, "columns": ["B"]}
    assert result.artifact["summary"]["hidden"] == {"rows": 2, "columns": 1}
    assert len(contents(result.output_path)["Data"]) == 4
    text = explain(result.artifact)
    assert "2 rows of the data are hidden in the document." in text
    assert "Column B is hidden in the document." in text
    assert result.issue_count == 0


@pytest.mark.parametrize(
    ("last", "is_told"),
    [("A-17", True), (2024, True), ("Source: the office", False)],
)
@pytest.mark.parametrize("count", [3, 1500])
@pytest.mark.parametrize("width", [2, 4])
def test_a_lone_cell_right_below_a_table_is_data_or_makes_the_result_one_to_check(
    run, xlsx, last, is_told, count, width
):
    more = [f"More {number}" for number in range(width - 2)]
    data = ([f"Person {number}", number, *[7 * number] * len(more)] for number in range(count))
    rows = [["Name", "Amount", *more], *data, [last]]
    result = run({"S": xlsx.SheetPlan(rows)})
    [table] = result.tables
    told = [issue["rule"] for issue in table["issues"]]
    if table["rows"]["written"] == count:
        assert told == ["structure.row_below"] * is_told
        assert not is_told or "was treated as a note" in result.artifact["verdict"]["sentence"]
    else:
        assert (table["rows"]["written"], is_told) == (count + 1, True)
