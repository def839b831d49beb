"""Golden results of the sample workbooks, with the configuration each is meant for."""

import runpy
import sys

import pytest

from ade_engine import check_configuration, normalize

PEOPLE = ["member_id", "first_name", "last_name", "email", "joined_on"]
ORDERS = ["order_number", "ordered_on", "customer", "item", "quantity", "unit_price"]

GOLDEN = [
    ("title_above_header.xlsx", "people", [("Members", "A4:E12", [4], PEOPLE, 8)]),
    ("offset.xlsx", "people", [("Members", "D5:H12", [5], PEOPLE, 7)]),
    ("side_by_side.xlsx", "orders", [("Both", "H1:M7", [1], ORDERS, 6)]),
    ("stacked_tables.xlsx", "orders", [("Report", "A10:F17", [10], ORDERS, 7)]),
    ("transposed.xlsx", "people", [("Members", "A3:H7", [], PEOPLE, 7)]),
    ("merged_headers.xlsx", "people", [("Members", "A1:E10", [1, 2], PEOPLE, 8)]),
    ("totals_and_notes.xlsx", "orders", [("Orders", "A1:F9", [1], ORDERS, 8)]),
    ("group_rows.xlsx", "orders", [("Orders", "A1:F11", [1], ORDERS, 8)]),
    ("blank_rows.xlsx", "people", [("Members", "A1:E12", [1], PEOPLE, 8)]),
    ("without_header.xlsx", "people", [("Export", "A1:E10", [], ["member_id", None, None, "email", None], 10)]),
    ("dates_of_1904.xlsx", "people", [("Members", "A1:E9", [1], PEOPLE, 8)]),
    ("hidden_rows_and_sheets.xlsx", "people", [("Members", "A1:E9", [1], PEOPLE, 8)]),
    ("formulas_and_errors.xlsx", "orders", [("Orders", "A1:G9", [1], [*ORDERS, "amount"], 8)]),
    (
        "sheets_with_other_names.xlsx",
        "people",
        [(sheet, "A1:E7", [1], PEOPLE, 6) for sheet in ("London", "Berlin", "Paris")],
    ),
    ("values_with_issues.xlsx", "people", [("Members", "A1:E9", [1], PEOPLE, 8)]),
]


@pytest.mark.req("E1", "E3", "E4")
@pytest.mark.parametrize(("name", "rules", "expected"), GOLDEN)
def test_sample_gives_its_golden_tables(samples, tmp_path, name, rules, expected):
    result = normalize(samples / name, tmp_path, configuration=samples / "configurations" / rules)
    assert result.failure is None
    found = [
        (t["sheet"], t["range"], t["header"]["rows"], [c["target"] for c in t["columns"]], t["rows"]["written"])
        for t in result.tables
    ]
    assert found == expected


def test_samples_are_what_their_script_makes(samples, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(samples))
    made = runpy.run_path(str(samples / "make.py"))
    sys.modules.pop("xlsx", None)
    made["main"](tmp_path)
    for name in made["SAMPLES"]:
        assert (tmp_path / name).read_bytes() == (samples / name).read_bytes(), name


def test_the_readme_names_every_sample(samples):
    readme = (samples / "README.md").read_text(encoding="utf-8")
    files = [*samples.glob("*.xlsx"), *samples.glob("*.csv")]
    assert len(files) >= 10
    assert [path.name for path in files if f"`{path.name}`" not in readme] == []


@pytest.mark.parametrize("name", ["people", "orders"])
def test_sample_configurations_are_sound(samples, name):
    assert check_configuration(samples / "configurations" / name) == []


def test_dates_of_1904_come_out_as_the_days_they_mean(samples, tmp_path, contents):
    old = normalize(samples / "dates_of_1904.xlsx", tmp_path / "a", configuration=samples / "configurations" / "people")
    new = normalize(
        samples / "title_above_header.xlsx", tmp_path / "b", configuration=samples / "configurations" / "people"
    )
    assert contents(old.output_path) == contents(new.output_path)


def test_issues_of_the_sample_point_to_their_cells(samples, tmp_path):
    result = normalize(
        samples / "values_with_issues.xlsx", tmp_path, configuration=samples / "configurations" / "people"
    )
    found = [(issue["cell"], issue["field"], issue["rule"], issue["severity"]) for issue in result.tables[0]["issues"]]
    assert found == [
        ("D3", "email", "pattern", "error"),
        ("C6", "last_name", "required", "error"),
        ("E7", "joined_on", "type.date", "error"),
        ("A4", "member_id", "unique", "error"),
    ]
