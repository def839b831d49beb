"""A rectangle that a person calls a table: it takes the place of the tables that it overlaps."""

import csv
import json

import pytest

from ade_engine import explain, normalize
from ade_engine.configuration.check import static_problems
from ade_engine.configuration.corrections_file import FILE, write_corrections
from ade_engine.corrections import in_force
from ade_engine.structure.found import WINDOW

FIELDS = """
from ade_engine import Field

fields = [
    Field("member_id", label="Member ID"),
    Field("email", label="Email"),
    Field("amount", label="Amount", type="number"),
]
"""
HEADER = ["Member ID", "Email", "Amount"]


def member(number):
    return [f"MB{number:06}", f"p{number}@x.org", str(number)]


def rectangle(place, header_rows=1, **more):
    return {"kind": "range", "range": place, "header_rows": header_rows, **more}


def row(number, label):
    return {"kind": "row", "row": number, "label": label}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "rules/columns").mkdir(parents=True)
    (tmp_path / "rules/columns/all.py").write_text(FIELDS)
    return tmp_path / "rules"


@pytest.fixture
def run(folder, tmp_path):
    def run(rows, *corrections):
        write_corrections(folder, [{"id": str(number), "by": "Ada", **one} for number, one in enumerate(corrections)])
        with (tmp_path / "in.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder, format="csv")
        outputs = []
        for path in result.output_paths:
            with path.open(newline="", encoding="utf-8-sig") as file:
                outputs.append(list(csv.reader(file)))
        return result, outputs

    return run


def ranges(result):
    return [(table["range"], table["header"]["rows"]) for table in result.tables]


def test_a_range_ends_a_table_where_a_person_says(run):
    rows = [HEADER, *map(member, range(1, 21))]
    result, (output,) = run(rows, rectangle("A1:C11"))
    assert ranges(result) == [("A1:C11", [1])]
    assert [line[0] for line in output[1:]] == [member(n)[0] for n in range(1, 11)]


def test_a_range_widens_a_table_over_a_blank_row_and_one_that_was_a_table_of_its_own(run):
    rows = [HEADER, *map(member, range(1, 6)), [], [], ["Title of more"], HEADER, *map(member, range(6, 12))]
    apart, _ = run(rows)
    assert len(apart.tables) == 2
    result, (output,) = run(rows, rectangle("A1:C16"))
    assert ranges(result) == [("A1:C16", [1])]
    assert [line[0] for line in output[1:]].count("MB000011") == 1
    assert result.tables[0]["rows"]["written"] >= 11


def test_a_range_leaves_out_columns_beside_it(run):
    rows = [["Key", *HEADER, "Remark"], *([str(n), *member(n), "x"] for n in range(1, 13))]
    result, (output,) = run(rows, rectangle("B1:D13"))
    assert ranges(result) == [("B1:D13", [1])]
    assert output[0] == HEADER


@pytest.mark.parametrize(
    ("place", "count", "header"), [("A2:C14", 1, [2]), ("A1:C14", 2, [1, 2]), ("A3:C14", 0, []), ("A1:C14", 1, [1])]
)
def test_the_header_of_a_range_has_as_many_rows_as_a_person_says(run, place, count, header):
    rows = [["Person", "Person", "Money"], HEADER, *map(member, range(1, 13))]
    result, _ = run(rows, rectangle(place, count))
    (table,) = result.tables
    assert table["header"]["rows"] == header
    assert table["rows"]["written"] == 14 - int(place[1]) + 1 - count
    assert (table["confidence"], table["header"]["confidence"]) == (1.0, 1.0)


def test_totals_and_repeated_headers_in_a_range_are_left_out_as_ever(run):
    total = ["Total", "", str(sum(range(1, 13)))]
    rows = [HEADER, *map(member, range(1, 7)), HEADER, *map(member, range(7, 13)), total]
    result, (output,) = run(rows, rectangle("A1:C15"))
    (table,) = result.tables
    assert (table["totals_rows"], table["repeated_header_rows"]) == ([15], [8])
    assert len(output) == 13
    result, (output,) = run(rows, rectangle("A1:C15"), row(15, "data"))
    assert output[-1][0] == "Total"


def test_what_is_said_of_the_header_later_holds(run):
    rows = [["Club"], ["Of members"], HEADER, *map(member, range(1, 13))]
    result, _ = run(rows, rectangle("A2:C15"), row(2, "title"), row(3, "header"))
    assert ranges(result) == [("A3:C15", [3])]
    assert result.tables[0]["title_rows"] == [2]
    result, _ = run(rows, row(5, "header"), rectangle("A3:C15"))
    assert ranges(result) == [("A3:C15", [3])]


def test_a_later_range_replaces_those_that_it_overlaps_and_no_others(run):
    rows = [HEADER, *map(member, range(1, 9)), [], [], [], HEADER, *map(member, range(9, 17))]
    first, second, later = rectangle("A1:C5"), rectangle("A13:C17"), rectangle("A1:C7")
    assert in_force([first, second, later]) == [second, later]
    result, _ = run(rows, first, second, later)
    assert ranges(result) == [("A1:C7", [1]), ("A13:C17", [13])]
    told = [entry["message"] for entry in result.artifact["configuration"]["corrections"]]
    assert told == ["A13:C17 is a table with 1 header row", "A1:C7 is a table with 1 header row"]


def test_tables_that_no_range_overlaps_stay_as_they_were_found(run):
    blank = [[]] * 3
    rows = [HEADER, *map(member, range(1, 9)), *blank, HEADER, *map(member, range(9, 17))]
    result, _ = run(rows, rectangle("A13:C15"))
    assert ranges(result) == [("A1:C9", [1]), ("A13:C15", [13])]
    result, _ = run(rows, rectangle("F20:G30"))
    assert ranges(result) == [("A1:C9", [1]), ("A13:C21", [13])]


@pytest.mark.parametrize("count", [WINDOW - 1, WINDOW, 3 * WINDOW])
def test_a_long_range_is_read_to_its_last_row(run, count):
    rows = [["Members"], HEADER, *map(member, range(count + 50))]
    result, (output,) = run(rows, rectangle(f"A2:C{count + 2}"), row(count - 20, "note"))
    (table,) = result.tables
    assert (table["range"], table["note_rows"]) == (f"A2:C{count + 2}", [count - 20])
    expected = [line[0] for number, line in enumerate(rows, 1) if 2 < number <= count + 2 and number != count - 20]
    assert [line[0] for line in output[1:]] == expected


def test_a_range_far_beside_the_rows_of_another_table_is_read(run):
    """Its rows begin after more rows than are judged at once."""
    rows = [HEADER, *map(member, range(WINDOW + 100))]
    for number, more in enumerate([HEADER, *map(member, range(9))], WINDOW + 20):
        rows[number] = [*rows[number], "", "", *more]
    result, _ = run(rows, rectangle(f"A1:C{len(rows)}"), rectangle(f"F1:H{len(rows)}"))
    assert ranges(result) == [(f"A1:C{len(rows)}", [1]), (f"F{WINDOW + 21}:H{WINDOW + 30}", [])]


def test_a_range_of_one_sheet_leaves_the_others_alone(xlsx, folder, tmp_path):
    write_corrections(folder, [{"id": "1", **rectangle("A1:C6", sheet="Data")}])
    plan = xlsx.SheetPlan([HEADER, *([*member(n)[:2], n] for n in range(1, 13))])
    xlsx.write_workbook(tmp_path / "in.xlsx", {"Data": plan, "Other": plan})
    result = normalize(tmp_path / "in.xlsx", tmp_path / "out", configuration=folder)
    assert ranges(result) == [("A1:C6", [1]), ("A1:C13", [1])]
    told = explain(result.artifact)
    assert 'A1:C6 of sheet "Data" is a table with 1 header row' in told
    assert "MB0000" not in told + json.dumps(result.artifact)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"range": "B4-F20", "header_rows": 1}, "range of the correction k must be a range such as B4:F20"),
        ({"range": "F20:B4", "header_rows": 1}, "range of the correction k must be a range such as B4:F20"),
        ({"range": "B4:F20"}, "the correction k needs header_rows"),
        ({"range": "B4:F20", "header_rows": True}, "header_rows of the correction k must be a number from 0 to 100"),
        ({"range": "B4:F5", "header_rows": 3}, "header_rows of the correction k must be no more than its range has"),
    ],
)
def test_a_wrong_range_is_found_with_its_line(folder, entry, message):
    write_corrections(folder, [{"id": "k", "kind": "range", **entry}])
    (problem,) = static_problems(folder)
    assert (problem.file, problem.line) == (FILE, 2)
    assert problem.message.startswith(message)


@pytest.mark.req("E7")
@pytest.mark.parametrize(
    ("document", "verdict"), [("in.csv", "ready"), ("last_month.csv", "check"), (None, "check")], ids=str
)
def test_rows_below_a_range_that_was_drawn_elsewhere_are_named(run, document, verdict):
    about = {"document": document} if document else {}
    result, _ = run([HEADER, *map(member, range(20))], rectangle("A1:C11", **about))
    assert (result.artifact["summary"]["rows"]["written"], result.artifact["verdict"]["verdict"]) == (10, verdict)
    assert ("Rows 12, 13, 14 and 7 more" in result.artifact["verdict"]["sentence"]) == (verdict == "check")
