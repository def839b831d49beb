"""A row that may be a record is in the output, or the result is one to check and names the row."""

import csv
import random

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
@pytest.mark.parametrize("count", [2, 3, 8, 25, 2500])
@pytest.mark.parametrize("keep", [(0, 1), (0, 3), (0, 1, 2), (0, 2)], ids=str)
@pytest.mark.parametrize("gap", [1, 2])
def test_an_incomplete_record_below_a_blank_row_is_written_or_named(run, count, keep, gap):
    rows = [member(number) for number in range(count)]
    rows[-1] = [cell if c in keep else "" for c, cell in enumerate(rows[-1])]
    written, verdict, sentence = run([MEMBERS, *rows[:-1], *[[""] * 4] * gap, rows[-1]])
    assert written == count or (verdict, f"ow {count + gap + 1} " in sentence) == ("check", True), sentence


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("count", [3, 25])
@pytest.mark.parametrize(
    "cells",
    [
        ["Prepared by:", "Ada", "", "2024-01-31"],
        ["Source: our register", "", "", "2024-01-31"],
        ["Contact", "Ada Moreau", "", ""],
        ["Page 1", "of 3", "", ""],
    ],
    ids=" ".join,
)
def test_a_note_of_several_cells_that_is_left_out_is_not_in_doubt(run, count, cells):
    rows = [member(number) for number in range(count)]
    written, verdict, _ = run([MEMBERS, *rows, [""] * 4, cells])
    assert written > count or verdict == "ready"


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


@pytest.fixture
def sparse(tmp_path, configuration):
    """Run lists of two columns, the second of which is often empty; return what is written, and the verdict."""

    def run(first, values, comments):
        with (tmp_path / "in.csv").open("w", newline="") as file:
            csv.writer(file).writerows([[first, "Comment"], *zip(values, comments, strict=True)])
        fields = f"fields = [Field('first', label='{first}'), Field('comment', label='Comment')]\n"
        folder = configuration({"columns/all.py": "from ade_engine import Field\n" + fields})
        artifact = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder).artifact
        return artifact["summary"]["rows"]["written"], artifact["verdict"]

    return run


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["Amount", "City", "Email"])
def test_no_record_of_a_sparse_list_is_lost_unnoticed(sparse, seed, kind):
    pick = random.Random(seed)
    count = pick.choice([10, 20, 40])
    value = {
        "Amount": lambda n: f"{pick.randrange(100, 99_999) / 100:.2f}",
        "City": lambda n: pick.choice(["Oslo", "Bern", "Rome", "Wien", "Paris", "Lyon"]),
        "Email": lambda n: f"{pick.choice(['ada', 'bo', 'charles'])}{n}@example.org",
    }[kind]
    comments = [pick.choice(["", "", "ok", "see mail from Anna"]) for _ in range(count)]
    written, verdict = sparse(kind, [value(n) for n in range(count)], comments)
    assert written == count or verdict["verdict"] != "ready", verdict["sentence"]


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("seed", range(150))
def test_no_record_of_small_numbers_is_lost_unnoticed_as_a_total(tmp_path, configuration, seed):
    pick = random.Random(seed)
    count = pick.choice([4, 5, 6, 8, 12, 20, 40])
    rows = [[f"Ward {n}", pick.randrange(5, 60), pick.randrange(20), pick.randrange(4)] for n in range(count)]
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["Ward", "Beds", "Free", "Closed"], *rows])
    fields = ", ".join(f"Field('{name.lower()}', label='{name}')" for name in ("Ward", "Beds", "Free", "Closed"))
    folder = configuration({"columns/all.py": f"from ade_engine import Field\nfields = [{fields}]\n"})
    artifact = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder).artifact
    lost = artifact["summary"]["rows"]["written"] < count
    assert not lost or artifact["verdict"]["verdict"] == "check"


@pytest.mark.req("E3", "E7")
def test_rows_outside_of_all_tables_are_named_when_they_are_written_like_records(sparse):
    values = [f"{number}.50" for number in range(100, 140)]
    written, verdict = sparse("Amount", values, ["ok", "", "ok", *[""] * 37])
    assert written == 40 or "written like records above" in verdict["sentence"]


def test_a_record_between_the_header_and_the_header_once_more_is_named(run):
    header = ["ID", "Name", "Item", "Amount", "Day"]
    names, items = ("Ada", "Cid", "Dora", "Eve", "Bob", "Al"), ("pen", "notes", "care", "cup", "pad", "cup")
    pairs = enumerate(zip(names, items, (423, 185, 399, 183, 416, 34), strict=True), start=1)
    first, second, third, *others = [[f"K{number:05}", *item, f"2024-03-{number:02}"] for number, item in pairs]
    rows = [["Report of May"], header, first, header, second, header, third, header, *others[:2], header, others[2]]
    more = "".join(f"Field({name.lower()!r}, label={name!r}), " for name in ("ID", "Name"))
    more += "Field('amount', label='Amount', type='number'), Field('day', label='Day', type='date'), "
    settings = '[verdict]\noptional = ["qty", "price"]\n'
    written, verdict, sentence = run(rows, rules="sales", more=more, settings=settings)
    assert written == 6 or (verdict, "Row 3 was treated as a part of the header" in sentence) == ("check", True)


@pytest.mark.parametrize("count", [3, 20])
def test_a_record_of_one_cell_above_the_header_of_another_table_is_named(run, count):
    rows = [MEMBERS, *map(member, range(count)), ["MB000070", "", "", ""], MEMBERS, *map(member, range(count))]
    written, verdict, sentence = run(rows)
    named = f"Row {count + 2} was treated as a title"
    assert written == 2 * count + 1 or (verdict, named in sentence) == ("check", True)


def test_a_title_right_below_another_table_is_no_record(run):
    _, verdict, _ = run([MEMBERS, *map(member, range(5)), ["Members of York"], MEMBERS, *map(member, range(5))])
    assert verdict == "ready"


def test_a_record_among_the_notes_below_a_table_is_named(run):
    rows = [MEMBERS, *map(member, range(4)), ["Source: own"], ["MB000070", "", "", "2024-01-01"], ["* end of list"]]
    written, verdict, sentence = run(rows)
    assert written >= 5 or (verdict, "Row 7 was treated as a note" in sentence) == ("check", True)


@pytest.mark.req("E3")
@pytest.mark.parametrize("count", [3, 30, 2500])
@pytest.mark.parametrize("text", ["Page 1 of 1", "Seite 2 von 3", "Page 4"])
@pytest.mark.parametrize("gap", [0, 1])
def test_a_page_number_below_a_table_is_no_record(run, count, text, gap):
    rows = [*map(member, range(count)), *[[""] * 4] * gap, [text, "", "", ""]]
    assert run([MEMBERS, *rows])[0] == count


@pytest.mark.req("E3")
def test_records_that_are_called_pages_are_kept(run):
    assert run([MEMBERS, *([f"Page {number}", *member(number)[1:]] for number in range(1, 9))])[0] == 8
    assert run([MEMBERS, *([f"Page {number}", "", "", ""] for number in range(1, 9)), member(1)])[0] == 9
