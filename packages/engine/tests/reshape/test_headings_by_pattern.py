"""A pattern of `from_group` says which rows are headings, and what gives no group to some rows is reported."""

import pytest

FIELDS = {
    "region": 'from_group=r"Region:? (.+)"',
    "team": 'from_group=r"Team (.+)"',
    "who": "",
    "what": "",
    "qty": 'type="integer"',
}
NESTED = [
    ("West", "C", [("Fay", "paid", 27), ("Cyd", "open", 92)]),
    ("West", "B", [("Fay", "late", 58)]),
    ("East", "A", [("Cyd", "open", 35), ("Ann", "paid", 18)]),
    ("North", "B", [("Bob", "late", 6)]),
]


def _document(*, gap):
    lines, last = ["Who,What,Qty"], None
    for region, team, rows in NESTED:
        if region != last:
            lines += [",,"] * (gap and last is not None) + [f"Region {region},,"]
        last = region
        lines += [f"Team {team},,", *(f"{who},{what},{qty}" for who, what, qty in rows)]
    return "\n".join(lines) + "\n"


def _rows(done, *names):
    return [tuple(row[rows[0].index(name)] for name in names) for rows in done.sheets.values() for row in rows[1:]]


def _verdict(done):
    verdict = done.result.artifact["verdict"]
    return verdict["verdict"], verdict["sentence"]


@pytest.mark.req("E3", "E7")
@pytest.mark.parametrize("gap", [False, True])
@pytest.mark.parametrize("settings", ["", '[rows]\nheadings = "alone"\n'])
def test_a_row_of_one_cell_that_matches_is_a_heading(run, gap, settings):
    done = run(_document(gap=gap), {**FIELDS, "settings.toml": settings})
    expected = [(region, team, *row) for region, team, rows in NESTED for row in rows]
    assert (_rows(done, *FIELDS), _verdict(done)[0]) == (expected, "ready")


@pytest.mark.req("E7")
def test_a_heading_that_stands_alone_is_no_note_and_no_title(run):
    files = {**FIELDS, "region": "from_group=True, group_level=1", "team": "from_group=True, group_level=2"}
    settings = '[rows]\nheadings = "alone"\n'
    done = run(_document(gap=True), {**files, "settings.toml": settings})
    expected = [(f"Region {region}", f"Team {team}", *row) for region, team, rows in NESTED for row in rows]
    assert _rows(done, *FIELDS) == expected


CAPTIONS = "{}\nOrder,Qty,Price\nH1,7,16\nH2,2,5\n{}{}\nB1,9,49\nB2,4,44.5\n"
ORDERS = {"order": "", "qty": 'type="integer"', "price": 'type="number"'}


@pytest.mark.req("E7")
@pytest.mark.parametrize("gap", ["", ",,\n", ",,\n,,\n"])
@pytest.mark.parametrize("captions", [("Branch Hull,,", "Branch Bath,,"), ("Branch:,Hull,", "Branch:,Bath,")])
@pytest.mark.parametrize("again", ["", "\nOrder,Qty,Price"])
def test_the_caption_above_a_table_is_the_heading_of_its_first_group(run, gap, captions, again):
    text = CAPTIONS.format(captions[0], gap, captions[1] + again)
    done = run(text, {"branch": 'from_group=r"Branch:? (.+)"', **ORDERS})
    assert (_rows(done, "branch", "order"), _verdict(done)[0]) == (
        [("Hull", "H1"), ("Hull", "H2"), ("Bath", "B1"), ("Bath", "B2")],
        "ready",
    )


@pytest.mark.req("E7")
@pytest.mark.parametrize("gap", ["", ",,\n", ",,\n,,\n"])
@pytest.mark.parametrize("captions", [("Branch Hull,,", "Branch Bath,,"), ("Branch:,Hull,", "Branch:,Bath,")])
def test_a_title_that_comes_again_inside_the_table_is_reported(run, gap, captions):
    text = CAPTIONS.format(captions[0], gap, captions[1])
    done = run(text, {"branch": 'from_title=r"Branch:? (.+)"', **ORDERS})
    assert _verdict(done)[0] == "check"
    row = 5 + gap.count("\n")
    told = f"may change at row {row}, inside the table: its pattern matches there too (from_title)"
    assert (None, "branch", "source", told) in done.issues


@pytest.mark.req("E7")
def test_rows_without_a_heading_are_reported_where_others_have_one(run):
    text = "Who,What,Qty\nAnn,open,1\nBob,paid,2\nRegion West,,\nFay,late,3\nCyd,open,4\n"
    done = run(text, {**FIELDS, "team": ""})
    assert _rows(done, "region") == [(None,), (None,), ("West",), ("West",)]
    told = "has no value in 2 rows: no heading above gives one (from_group)"
    assert (None, "region", "source", told) in done.issues
    assert _verdict(done)[0] == "check"


def test_a_default_and_rows_that_are_left_out_need_no_heading(run):
    text = "Who,What,Qty\nAnn,open,1\nBob,paid,2\nRegion West,,\nFay,late,3\nCyd,open,4\n"
    for fields in ({"region": FIELDS["region"] + ', default="none"'}, {"who": 'drop=["Ann", "Bob"]'}):
        done = run(text, {**FIELDS, "team": "", **fields})
        assert [rule for *_, rule, _ in done.issues if rule == "source"] == []
