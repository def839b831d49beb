"""Two more families of documents, with declarations alone: a hierarchical budget, and a bank statement."""

from datetime import date

import pytest

from ade_engine import check_configuration

HEAD = "from ade_engine import Field\n"
BUDGET = {
    "columns/all.py": HEAD
    + """\
fields = [
    Field("area", from_group=True, group_level=1),
    Field("unit", from_group=True, group_level=2),
    Field("position", extract=r"\\S.*"),
    Field("year", type="integer"),
    Field("plan", type="integer"),
]
""",
    "settings.toml": '[rows]\nheadings = "alone"\nverify_totals = true\n'
    '[unpivot]\npattern = \'Plan (\\d{4})\'\nname = "year"\nvalue = "plan"\n',
}
STATEMENT = {
    "columns/all.py": HEAD
    + """\
fields = [
    Field("account", from_label="Account"),
    Field("date", type="date", formats=["%d.%m.%Y"], drop=[None]),
    Field("description", join_lines=" "),
    Field("debit", type="number"),
    Field("credit", type="number"),
    Field("balance", type="number"),
]
""",
}


def _budget(pad, wrong=0):
    units = {
        "Administration": {
            "Mayor": [("Salaries", 100, 110), ("Travel", 20, 25)],
            "Registry": [("Postage", 7, 8), ("Rent", 80, 85)],
        },
        "Schools": {
            "Primary": [("Salaries", 300, 310), ("Books", 30, 35)],
            "Secondary": [("Salaries", 400, 420), ("Books", 50, 55)],
        },
    }
    rows = [["Municipal budget 2026"], [], ["Position", "Plan 2025", "Plan 2026"]]
    for area, parts in units.items():
        rows.append([area])
        of_area = [0, 0]
        for unit, entries in parts.items():
            rows += [[f"{pad}{unit}"], *([f"{pad}{pad}{name}", one, two] for name, one, two in entries)]
            sums = [sum(entry[place] for entry in entries) for place in (1, 2)]
            rows.append([f"{pad}Subtotal {unit}", *sums])
            of_area = [before + more for before, more in zip(of_area, sums, strict=True)]
        rows.append([f"Total {area}", *of_area])
    return [*rows, ["Grand total", 987, 1048 + wrong]]


@pytest.mark.parametrize("pad", ["", "   "], ids=["flat", "indented"])
def test_a_hierarchical_budget_with_subtotals_of_each_level(run, pad):
    done = run({"Budget": _budget(pad)}, BUDGET)
    assert len(done.rows) == 1 + 8 * 2
    assert done.rows[1] == ["Administration", "Mayor", "Salaries", 2025, 100]
    assert done.rows[-1] == ["Schools", "Secondary", "Books", 2026, 55]
    assert {(row[0], row[1]) for row in done.rows[1:]} == {
        ("Administration", "Mayor"), ("Administration", "Registry"), ("Schools", "Primary"), ("Schools", "Secondary"),
    }  # fmt: skip
    assert sum(row[4] for row in done.rows[1:]) == 987 + 1048
    assert done.table["reshaped"]["totals"] == {"checked": 14, "wrong": 0}
    assert done.issues == []


def test_a_wrong_total_of_a_hierarchical_budget_is_an_issue(run):
    done = run({"Budget": _budget("", wrong=1)}, BUDGET)
    assert [(cell, field, rule) for cell, field, rule, _ in done.issues] == [("C24", "plan", "totals")]


def test_a_heading_that_begins_less_deep_closes_the_deeper_ones(run):
    rows = [["Position", "Plan 2025"], ["Parks"], ["   Trees"], ["      Salaries", 3], ["      Tools", 4],
            ["Pool"], ["   Salaries", 5], ["   Water", 6]]  # fmt: skip
    done = run({"Budget": rows}, BUDGET)
    assert [row[:3] for row in done.rows[1:]] == [
        ["Parks", "Trees", "Salaries"], ["Parks", "Trees", "Tools"], ["Pool", None, "Salaries"], ["Pool", None, "Water"]
    ]  # fmt: skip


NUMBERED = """\
Code,Position,2025,2026
1,Administration,,
1.1,Mayor,,
1.1.1,Salaries,100,110
1.1.2,Travel,20,25
,Subtotal 1.1,120,135
1.2,Registry,,
1.2.1,Postage,7,8
1.2.2,Rent,80,85
,Subtotal 1.2,87,93
,Total 1,207,228
2,Pool,,
2.1,Water,3,4
2.2,Heating,30,40
,Total 2,33,44
,Grand total,240,272
"""


def test_headings_with_numbers_have_the_levels_of_their_numbers(run):
    files = {
        "columns/all.py": BUDGET["columns/all.py"].replace(
            '    Field("position"', '    Field("code"),\n    Field("position"'
        ),
        "settings.toml": '[rows]\nheadings = "without_values"\nverify_totals = true\n'
        '[unpivot]\ncolumns = "year"\nname = "year"\nvalue = "plan"\n',
    }
    done = run(NUMBERED, files)
    assert [row[:4] for row in done.rows[1::2]] == [
        ["1 Administration", "1.1 Mayor", "1.1.1", "Salaries"],
        ["1 Administration", "1.1 Mayor", "1.1.2", "Travel"],
        ["1 Administration", "1.2 Registry", "1.2.1", "Postage"],
        ["1 Administration", "1.2 Registry", "1.2.2", "Rent"],
        ["2 Pool", None, "2.1", "Water"],
        ["2 Pool", None, "2.2", "Heating"],
    ]
    assert done.table["reshaped"]["totals"] == {"checked": 10, "wrong": 0}
    assert done.issues == []


def test_a_row_without_values_is_a_heading_and_one_with_any_is_none(run):
    text = "Item,Unit,Price\nFruit,fresh,\napple,kg,2\npear,,3\nDrinks,,\nwater,l,1\n"
    files = {
        "group": "from_group=True", "item": "", "unit": "", "price": 'type="number"',
        "settings.toml": 'rows.headings = "without_values"\noutput.order = ["group", "item", "unit", "price"]\n',
    }  # fmt: skip
    done = run(text, files)
    assert done.rows[1:] == [
        ["Fruit fresh", "apple", "kg", 2], ["Fruit fresh", "pear", None, 3], ["Drinks", "water", "l", 1]
    ]  # fmt: skip


STATEMENT_ROWS = """\
First National Bank,,,,
Account:,DE12 3456 7890,,,
,,,,
Date,Description,Debit,Credit,Balance
,Opening balance,,,"1,000.00"
02.03.2026,Card payment,25.50,,974.50
,SUPERMARKET 0042,,,
,LONDON GB,,,
03.03.2026,Salary,,"2,500.00","3,474.50"
,ACME LTD,,,
05.03.2026,Direct debit,120.00,,"3,354.50"
,ELECTRIC CO,,,
,Balance carried forward,,,"3,354.50"
,Balance brought forward,,,"3,354.50"
09.03.2026,Card payment,11.00,,"3,343.50"
,BOOKSHOP,,,
12.03.2026,Interest,,0.75,"3,344.25"
,Closing balance,,,"3,344.25"
"""


def test_a_bank_statement_with_balance_lines_and_descriptions_of_several_lines(run):
    done = run(STATEMENT_ROWS, STATEMENT)
    assert [row[1:] for row in done.rows[1:]] == [
        [date(2026, 3, 2), "Card payment SUPERMARKET 0042 LONDON GB", 25.5, None, 974.5],
        [date(2026, 3, 3), "Salary ACME LTD", None, 2500, 3474.5],
        [date(2026, 3, 5), "Direct debit ELECTRIC CO", 120, None, 3354.5],
        [date(2026, 3, 9), "Card payment BOOKSHOP", 11, None, 3343.5],
        [date(2026, 3, 12), "Interest", None, 0.75, 3344.25],
    ]
    assert {row[0] for row in done.rows[1:]} == {"DE12 3456 7890"}
    assert done.table["reshaped"]["dropped"] == {"drop.date": 4, "join_lines": 5}
    assert done.table["rows"]["read"] == 14
    assert done.issues == []


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025])
def test_lines_are_joined_across_chunks(run, count):
    lines = "".join(f"0{1 + n % 9}.03.2026,Item {n},{n}.00,,\n,line {n},,,\n" for n in range(count))
    done = run(f"Date,Description,Debit,Credit,Balance\n{lines}", STATEMENT)
    assert len(done.rows) == count + 1
    assert [row[2] for row in done.rows[1:]] == [f"Item {n} line {n}" for n in range(count)]


def test_a_source_that_gives_a_table_nothing_is_an_issue(run):
    files = {"period": r'from_title=r"Report (\d+)"', "name": "", "qty": ""}
    done = run("Sales of March,\n,\nName,Qty\nAda,1\nBob,2\n", files)
    assert [(field, rule) for _, field, rule, _ in done.issues] == [("period", "source")]


@pytest.mark.parametrize("files", [BUDGET, STATEMENT], ids=["budget", "statement"])
def test_a_family_has_no_problems_and_no_functions(rules, files):
    assert check_configuration(rules(files)) == []
    assert not any("def " in text for text in files.values())


def test_totals_that_look_like_data_are_told_by_their_names(run):
    text = "Item,Shop,Qty\npen,a,1\ncup,b,2\nTo carry over:,a,9\nbag,a,3\n"
    files = {"item": "", "shop": "", "qty": 'type="integer"', "settings.toml": '[rows]\ntotal_names = ["carry over"]\n'}
    done = run(text, files)
    assert [row[0] for row in done.rows[1:]] == ["pen", "cup", "bag"]
    assert done.table["totals_rows"] == [4]
