"""An output as somebody looks at it: sorted, or only some of its rows, without any that is lost or made up."""

import csv
import json
from datetime import date, time, timedelta
from pathlib import Path

import pytest

from ade_engine import normalize
from ade_engine.errors import InputError
from ade_engine.preview import look
from ade_engine.protocol import Request
from ade_engine.sheet_view import View, sort_key, view_lines

FIELDS = """
from ade_engine import Field

fields = [
    Field("name", label="Name"),
    Field("day", label="Day", type="date"),
    Field("amount", label="Amount", type="number"),
]
"""
LINES = [
    ["Members of the club"],
    [],
    ["Name", "Day", "Amount"],
    ["ann", "2024-03-01", "10"],
    ["Bob", "soon", "9"],
    ["", "2024-03-03", "100"],
    ["Total", "", "119"],
    ["Zoë", "3 March 2024", ""],
    ["anna", "2024-03-05", "10"],
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return processed(tmp_path, LINES)


def processed(tmp_path: Path, rows: list[list[str]], settings: str = "") -> Path:
    """Return the folder of a run as a reader gets it."""
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELDS)
    (tmp_path / "rules/settings.toml").write_text(settings)
    given = tmp_path / "given"
    given.mkdir()
    with (given / "document.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    result = normalize(given / "document.csv", tmp_path / "out", configuration=tmp_path / "rules")
    assert result.failure is None, result.failure
    result.output_paths[0].rename(given / "output.xlsx")
    for path in (result.artifact_path, result.issues_path):
        path.rename(given / path.name)
    return given


def shown(folder: Path, sheet: int = 0, **view) -> list[tuple[int, list]]:
    """Return the rows of a view below its header: the number in the output, and the cells."""
    with view_lines(folder, sheet, View(**view), table=sheet) as (_, lines):
        found = []
        for place, line in lines:
            number, _, *cells = line.rstrip(b"\n").split(b"\t")
            assert int(number) == place == len(found) + 1
            found.append([plain(json.loads(cell)) if cell else None for cell in cells])
    assert found[0][0] == 1
    return [(row[0], row[1:]) for row in found[1:]]


def plain(cell):
    return cell["value"] if isinstance(cell, dict) else cell


def names(rows):
    return [cells[0] if cells else None for _, cells in rows]


def test_rows_are_sorted_by_a_column_and_those_without_a_value_come_last(folder):
    plain = shown(folder)
    assert [number for number, _ in plain] == list(range(2, len(plain) + 2))
    up, down = shown(folder, sort=1), shown(folder, sort=1, is_descending=True)
    assert names(up) == ["ann", "anna", "Bob", "Zoë", None]
    assert names(down) == ["Zoë", "Bob", "anna", "ann", None]
    assert sorted(up) == sorted(down) == sorted(plain)
    assert [cells[2:] for _, cells in shown(folder, sort=3)] == [[9], [10], [10], [100], []]
    assert names(shown(folder, sort=3, is_descending=True))[1:3] == ["ann", "anna"]  # equal ones stay in their order


def test_times_and_durations_are_sorted_by_their_length_and_not_as_texts():
    hours = [timedelta(hours=9), time(9, 30), timedelta(hours=10), timedelta(hours=30), timedelta(days=10)]
    mixed = [*hours[2:], *hours[:2]]
    assert sorted(mixed, key=sort_key) == hours
    assert sorted(["a", 7, date(2024, 1, 2), timedelta(0), True], key=sort_key) == [
        7,
        date(2024, 1, 2),
        timedelta(0),
        "a",
        True,
    ]


def test_rows_are_filtered_by_what_their_cells_contain_or_are(folder):
    assert names(shown(folder, conditions=[[1, False, "ANN"]])) == ["ann", "anna"]
    assert names(shown(folder, conditions=[[1, True, "Ann"]])) == ["ann"]
    assert names(shown(folder, conditions=[[1, True, ""]])) == [None]
    assert names(shown(folder, conditions=[[2, False, "2024-03-03"], [3, True, ""]])) == ["Zoë"]
    assert names(shown(folder, conditions=[[3, True, "10"]], sort=1, is_descending=True)) == ["anna", "ann"]


def test_only_rows_with_issues_or_with_changes_are_shown(folder):
    assert names(shown(folder, only="issues")) == ["Bob"]
    assert names(shown(folder, only="changes")) == ["ann", "Bob", None, "Zoë", "anna"]
    artifact = json.loads((folder / "artifact.json").read_text())
    table = artifact["sheets"][0]["tables"][0]
    table["output_columns"] = table["output_columns"][:1]
    (folder / "artifact.json").write_text(json.dumps(artifact))
    assert shown(folder, only="changes") == []  # no name was changed
    table["row_numbers"] = None
    (folder / "artifact.json").write_text(json.dumps(artifact))
    with pytest.raises(InputError, match="cannot be matched"):
        shown(folder, only="issues")


CHOSEN = """
[[output.table]]
name = "Days"
fields = ["day", "name"]
has = ["day"]

[[output.table]]
name = "People"
"""


def test_changes_are_those_of_the_columns_that_an_output_has(tmp_path):
    rows = [["Name", "Day", "Amount"], ["ann", "2024-03-01", "10"], ["bob", "2024-03-02", "20"]]
    given = processed(tmp_path, rows, '[[output.table]]\nname = "People"\nfields = ["name"]\n')
    table = json.loads((given / "artifact.json").read_text())["sheets"][0]["tables"][0]
    assert table["output_columns"] == [{"field": "name", "from": ["A"]}]
    assert shown(given, only="changes") == []


def test_rows_of_an_output_that_several_tables_share_are_matched_with_no_document(tmp_path):
    rows = [["Name", "Day"], ["ann", "soon"], ["bob", "2024-03-02"], [], [], [], ["Name", "Amount"], ["zoë", "much"]]
    given = processed(tmp_path, [row or ["", ""] for row in rows], CHOSEN)
    artifact = json.loads((given / "artifact.json").read_text())
    tables = artifact["sheets"][0]["tables"]
    assert [output["name"] for output in artifact["outputs"]] == ["Days", "People"]
    assert [(table["output"], table["row_numbers"]) for table in tables] == [("Days", None), ("People", None)]
    for sheet in (0, 1):
        with pytest.raises(InputError, match="cannot be matched"):
            shown(given, sheet, only="issues")


def test_a_text_that_became_the_same_value_of_its_type_is_a_change(folder):
    rows = shown(folder, only="changes", conditions=[[1, True, "anna"]])
    assert names(rows) == ["anna"]


def test_more_rows_than_can_be_sorted_are_refused_in_words(folder, monkeypatch):
    monkeypatch.setattr("ade_engine.sheet_view.MOST_SORTED_ROWS", 3)
    with pytest.raises(InputError, match="Filter the rows first") as refused:
        shown(folder, sort=1)
    assert refused.value.cause == "too_large"
    assert len(shown(folder, conditions=[[1, False, "a"]])) == 2  # without sorting nothing is held


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"sheets": [], "outputs": 7}', "no JSON", '{"outputs": [{"template": 1}], "sheets": []}']
)
def test_an_artifact_that_rules_wrote_is_refused(folder, text):
    (folder / "artifact.json").write_text(text)
    with pytest.raises(InputError, match="not what the engine writes"):
        shown(folder, only="issues")


def test_a_view_is_a_question_like_others(folder, tmp_path):
    (tmp_path / "answer").mkdir()
    options = {"question": "view", "sheet": 0, "table": 0, "view": {"sort": 1}}
    answer = look(
        Request(entry="look", input_path=str(folder), output_folder=str(tmp_path / "answer"), options=options)
    )
    assert (answer["last_row"], answer["is_whole"]) == (6, True)
