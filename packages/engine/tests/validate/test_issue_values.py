"""The values that issues are about, read from the document and counted."""

import json

import pytest

from ade_engine import issue_values, normalize
from ade_engine.issue_values import count_values
from ade_engine.protocol import ISSUES


def line(cell, **more):
    about = {"sheet": None, "field": "joined", "rule": "type.date", "severity": "error", "message": "is no date"}
    return json.dumps({**about, "cell": cell, **more})


@pytest.fixture
def count(tmp_path):
    def count(document, *lines):
        (tmp_path / "in.csv").write_text(document, encoding="utf-8")
        (tmp_path / ISSUES).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return count_values(tmp_path / "in.csv", tmp_path / ISSUES)

    return count


def groups(found):
    return [(one["field"], one["rule"], one["value"], one["count"], one["cells"][0]["cell"]) for one in found["groups"]]


def test_cells_of_one_value_are_counted_together_errors_and_the_most_frequent_first(count):
    document = "joined,mail\nsoon,a\n later ,b\nsoon,a\n,a\n"
    found = count(
        document,
        line("B2", field="mail", rule="pattern", severity="warning"),
        line("A3"), line("A4"), line("A2"), line("A5", rule="required"),
        line("B4", field="mail", rule="pattern", severity="warning"),
        line("B5", field="mail", rule="pattern", severity="warning"),
    )  # fmt: skip
    assert groups(found) == [
        ("joined", "type.date", "soon", 2, "A2"),
        ("joined", "type.date", "later", 1, "A3"),
        ("joined", "required", None, 1, "A5"),
        ("mail", "pattern", "a", 3, "B2"),
    ]
    assert (found["group_count"], found["is_complete"]) == (4, True)


def test_what_is_no_issue_of_a_cell_is_passed_over(count):
    wrong = ["", "nonsense", "[]", "{}", "5", line(None), line("A0"), line("A" + "9" * 5000), line("A2", field=None)]
    assert groups(count("joined\nsoon\n", *wrong, line("A2"), line("A2", sheet="Other"))) == [
        ("joined", "type.date", "soon", 1, "A2")
    ]


def test_cells_beyond_the_end_of_a_sheet_are_empty(count):
    assert groups(count("joined\nsoon\n", line("C2"), line("A9"))) == [("joined", "type.date", None, 2, "C2")]


def test_the_first_cells_of_a_value_are_named(count):
    found = count("joined\n" + "soon\n" * 30, *(line(f"A{row}") for row in range(2, 32)))
    (group,) = found["groups"]
    assert (group["count"], [one["cell"] for one in group["cells"]]) == (30, [f"A{row}" for row in range(2, 22)])


def test_only_so_many_issues_and_groups_are_listed(count, monkeypatch):
    monkeypatch.setattr(issue_values, "MOST_ISSUES", 3)
    monkeypatch.setattr(issue_values, "MOST_GROUPS", 2)
    found = count("joined\na\nb\nc\nd\n", *(line(f"A{row}") for row in range(2, 6)))
    assert (len(found["groups"]), found["group_count"], found["is_complete"]) == (2, 3, False)


def test_a_value_as_it_is_listed_corrects_its_cells(tmp_path):
    """Numbers, dates and texts are named as corrections compare them."""
    rules = tmp_path / "rules"
    (rules / "columns").mkdir(parents=True)
    (rules / "columns/n.py").write_text(
        'from ade_engine import Field\n\nfield = Field("n", label="N", choices=["x"])\n'
    )
    (tmp_path / "in.csv").write_text("ID,N\na,7\nb,7.0\nc, 2024-01-02 \nd,true\n" + "e,x\n" * 10)
    wrong = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=rules)
    found = count_values(tmp_path / "in.csv", tmp_path / "out" / ISSUES)
    assert wrong.artifact["summary"]["issues"]["total"] == 4
    corrections = [
        {"id": str(number), "kind": "value", "field": "n", "value": one["value"], "outcome": "accept"}
        for number, one in enumerate(found["groups"])
    ]
    right = normalize(tmp_path / "in.csv", tmp_path / "again", configuration=rules, corrections=corrections)
    assert right.artifact["summary"]["issues"]["total"] == 0
