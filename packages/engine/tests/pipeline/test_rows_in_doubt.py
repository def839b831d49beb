"""A row that may be a record is in the output, or the result is one to check and names the row."""

import csv

import pytest

from ade_engine import normalize

MEMBERS = ["Member ID", "Name", "Email", "Joined on"]
SALES = ["Item", "Qty", "Price"]
RULES = {
    "members": "fields = [Field('member_id', label='Member ID'), Field('name', label='Name'), "
    "Field('email', label='Email'), Field('joined_on', label='Joined on')]\n",
    "sales": "fields = [Field('item', label='Item'), Field('qty', label='Qty'), Field('price', label='Price')]\n",
}


def member(number):
    return [f"MB{number:06}", f"Person {number}", f"p{number}@x.org", f"2024-01-{number % 28 + 1:02}"]


def sale(number):
    return [f"Thing {chr(65 + number % 26)}{number}", 3 * number + 1, round(1.7 * number + 0.5, 2)]


@pytest.fixture
def run(tmp_path, configuration):
    def run(rows, *, rules="members", more="", settings=""):
        with (tmp_path / "in.csv").open("w", newline="") as file:
            csv.writer(file).writerows(rows)
        text = "from ade_engine import Field\n" + RULES[rules].replace("fields = [", f"fields = [{more}")
        folder = configuration({"columns/all.py": text, "settings.toml": settings})
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder)
        verdict = result.artifact["verdict"]
        return result.artifact["summary"]["rows"]["written"], verdict["verdict"], verdict["sentence"]

    return run


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("count", [3, 8, 25, 60])
@pytest.mark.parametrize(
    "cells",
    [
        ["MB000001"],
        ["New member"],
        ["", "", "a@x.org"],
        ["", "2019", "2020", "2021"],
        ["MB000001", "2019", "2020", "2021"],
        ["Unknown"] * 4,
        ["Average"],
        ["Total", "", "", "2024-01-02"],
        ["Grand total", "Person 1", "", ""],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("place", ["first", "second", "last"])
def test_a_damaged_record_is_written_or_named(run, count, cells, place):
    rows = [member(number) for number in range(count)]
    at = {"first": 0, "second": 1, "last": count - 1}[place]
    rows[at] = cells + [""] * (4 - len(cells))
    written, verdict, sentence = run([MEMBERS, *rows])
    assert written == count or (verdict, f"ow {at + 2} " in sentence) == ("check", True), sentence


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("count", [3, 8, 25, 60])
@pytest.mark.parametrize("name", ["Average", "Total", "Grand total", "Sum", "Total Oil Ltd", "Sub-total"])
@pytest.mark.parametrize("place", [0, 1, -1])
def test_a_record_that_is_called_a_total_and_adds_nothing_up_is_written_or_named(run, count, name, place):
    rows = [sale(number) for number in range(count)]
    rows[place] = [name, 987_654, 0.01]
    written, verdict, sentence = run([SALES, *rows], rules="sales")
    named = f"Row {range(2, count + 2)[place]} was treated as a total without matching rows and may be a record"
    assert written == count or (verdict, sentence.startswith(named)) == ("check", True), sentence


@pytest.mark.parametrize("count", [3, 25, 60])
@pytest.mark.parametrize("name", ["Total", "Grand total", "Average"])
def test_a_total_that_adds_up_is_left_out_of_a_ready_result(run, count, name):
    rows = [sale(number) for number in range(count)]
    value = sum(row[1] for row in rows) / (count if name == "Average" else 1)
    written, verdict, _ = run([SALES, *rows, [name, value, ""]], rules="sales")
    assert (written, verdict) == (count, "ready")


@pytest.mark.parametrize("style", ["1.234,50 €", "$1,234.50", "(1,234.50)"])
def test_totals_add_up_in_any_notation(run, style):
    text = {"1.234,50 €": ("1.234,50 €", "3.703,50 €"), "$1,234.50": ("$1,234.50", "$3,703.50")}
    one, three = text.get(style, ("(1,234.50)", "(3,703.50)"))
    rows = [SALES, ["A", "x", one], ["B", "y", one], ["C", "z", one], ["Total", "", three]]
    assert run(rows, rules="sales")[:2] == (3, "ready")


def test_totals_that_repeat_are_sure_though_their_rows_have_no_numbers(run):
    rows = [[f"{letter}{number}", "", ""] for letter in "ABC" for number in range(4)]
    for place in (12, 8, 4):
        rows.insert(place, [f"{rows[place - 1][0][0]} Total", 40 + place, 7.5])
    written, verdict, sentence = run([SALES, *rows], rules="sales")
    assert "may be a record" not in sentence
    assert written == 12 or verdict == "check"


def test_headings_that_repeat_or_that_a_field_takes_are_sure(run):
    first, second = [member(number) for number in range(4)], [member(number) for number in range(4, 9)]
    north, south = ["North", "", "", ""], ["South", "", "", ""]
    assert run([MEMBERS, north, *first, south, *second])[:2] == (9, "ready")
    written, verdict, sentence = run([MEMBERS, north, *first, *second])
    assert (written, verdict) == (9, "check")
    assert sentence == (
        "Row 2 was treated as the heading of a group and may be a record; it is not among the rows of the output."
    )
    taken = "Field('region', label='Region', from_group=True), "
    assert run([MEMBERS, north, *first, *second], more=taken)[:2] == (9, "ready")


def test_a_heading_that_is_written_as_the_data_is_in_doubt_though_others_repeat(run):
    rows = [member(number) for number in range(12)]
    rows[0], rows[6] = ["MB000000", "", "", ""], ["North", "", "", ""]
    written, verdict, sentence = run([MEMBERS, *rows])
    assert written == 12 or (verdict, "Row 2 " in sentence) == ("check", True)


def test_a_second_line_that_tells_columns_apart_or_is_bold_is_a_header(run, xlsx, tmp_path):
    stacked = [["Town", "People", "", "Homes", ""], ["", "2019", "2020", "2019", "2020"]]
    towns = [[f"Town {number}", number * 7, number * 8, number * 2, number * 3] for number in range(1, 20)]
    (tmp_path / "towns.csv").write_text("\n".join(",".join(map(str, row)) for row in [*stacked, *towns]))
    result = normalize(tmp_path / "towns.csv", tmp_path / "out")
    assert "may be a record" not in result.artifact["verdict"]["sentence"]
    [table] = result.tables
    assert table["header"]["rows"] == [1, 2]
    rows = [xlsx.bold(*MEMBERS), xlsx.bold("(key)", "(first)", "(work)", "(UTC)"), *map(member, range(20))]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan(rows)})
    [table] = normalize(tmp_path / "in.xlsx", tmp_path / "out").tables
    assert (table["header"]["rows"], table["issue_counts"]["rules"]) == ([1, 2], {})


def test_a_rule_of_the_configuration_settles_what_a_row_is(tmp_path, configuration):
    rows = [MEMBERS, ["North", "", "", ""], *map(member, range(9))]
    (tmp_path / "in.csv").write_text("\n".join(",".join(row) for row in rows))
    rule = "def detect_north(row):\n    return 1 if row.values[0] == 'North' else 0\n"
    files = {"columns/all.py": "from ade_engine import Field\n" + RULES["members"]}
    for more, expected in (({}, "check"), ({"row_types/group.py": rule}, "ready")):
        result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=configuration({**files, **more}))
        assert result.artifact["verdict"]["verdict"] == expected


@pytest.mark.parametrize("last", [["Zoe Z.", "", 5], ["", "", 7]])
def test_far_down_a_row_without_the_word_is_in_doubt(run, last):
    rows = [sale(number) for number in range(3000)]
    written, verdict, sentence = run([SALES, *rows, last], rules="sales")
    assert written == 3001 or not last[0] or (verdict, "Row 3002 " in sentence) == ("check", True)


def test_a_total_below_texts_counts_the_rows(run):
    rows = [member(number) for number in range(24)]
    assert run([MEMBERS, *rows, ["Grand total", "", "", 24]])[:2] == (24, "ready")
    written, verdict, sentence = run([MEMBERS, *rows, ["Grand total", "", "", 25]])
    assert written == 25 or (verdict, "Row 26 " in sentence) == ("check", True)
