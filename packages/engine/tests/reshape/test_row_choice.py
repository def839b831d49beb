"""Which rows are written: by value, by hook, by key; and what becomes of totals."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ResourceLimitExceeded, check_configuration, explain, row_choice
from ade_engine.readers.base import Row
from ade_engine.row_choice import HeldRows, SeenKeys
from ade_engine.structure.tables import SideRow
from ade_engine.totals import TotalsCheck

ORDERS = "Order,State,Qty\nA1,paid,5\nA2,void,6\nA1,paid,7\nA3,,8\n,paid,9\n"
FIELDS = {"order": "", "state": "", "qty": 'type="integer"', "settings.toml": '[output]\norder = ["order", "state"]\n'}


def _orders(done):
    return [(row[0], row[2]) for row in done.rows[1:]]


def test_rows_are_dropped_by_a_clean_value_and_counted(run):
    done = run(ORDERS, {**FIELDS, "state": 'replace={"void": "cancelled"}, drop=["cancelled", None]'})
    assert _orders(done) == [("A1", 5), ("A1", 7), (None, 9)]
    assert done.table["reshaped"]["dropped"] == {"drop.state": 2}
    assert done.table["rows"] == {"read": 5, "written": 3, "skipped": 0}
    assert "2 rows left out: state is one of the values to drop." in explain(done.result.artifact)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ('"state": \'drop=["VOID"]\'', ["A1", "A2", "A3"]),
        ('"state": \'drop=["VOID"], ignore_case=True\'', ["A1", "A3"]),
        ('"state": \'keep=["VOID", None], ignore_case=True\'', ["A2", "A3"]),
        ('"qty": \'type="integer", drop=["6"]\'', ["A1", "A3"]),
        ('"qty": \'type="number", drop=[6]\'', ["A1", "A3"]),
    ],
)
def test_values_that_select_rows_are_compared_as_they_are_written(run, options, expected):
    files = {"order": "", "state": "", "qty": "", **ast.literal_eval(f"{{{options}}}")}
    done = run("Order,State,Qty\nA1,paid,5\nA2,  void ,6\nA3,,7\n", files)
    assert [row[done.rows[0].index("order")] for row in done.rows[1:]] == expected


def test_a_filter_and_its_complement_give_all_rows(run):
    kept = run(ORDERS, {**FIELDS, "state": 'keep=["paid"]'}, name="kept")
    others = run(ORDERS, {**FIELDS, "state": 'drop=["paid"]'}, name="others")
    every = run(ORDERS, {**FIELDS, "state": ""}, name="every")
    assert sorted(map(str, kept.rows[1:] + others.rows[1:])) == sorted(map(str, every.rows[1:]))
    assert len(kept.rows) == 4


def test_a_hook_keeps_rows_by_a_condition(run):
    files = {**FIELDS, "hooks/rows.py": "def keep(row):\n    return row['qty'] > 5\n"}
    done = run(ORDERS, files)
    assert [qty for _, qty in _orders(done)] == [6, 7, 8, 9]
    assert done.table["reshaped"]["dropped"] == {"hook.keep": 1}


def test_a_row_that_is_left_out_has_no_issues_and_one_the_rule_cannot_judge_stays(run):
    files = {**FIELDS, "hooks/rows.py": "def keep(row):\n    return row['qty'] > 5\n"}
    done = run("Order,State,Qty\nA1,paid,1\nA2,void,many\n", {**files, "order": "required=True"})
    assert _orders(done) == [("A2", "many")]
    assert [(cell, rule) for cell, _, rule, _ in done.issues] == [("C3", "type.integer")]


def test_an_exception_in_keep_is_an_issue_of_the_row_which_stays(run):
    done = run(ORDERS, {**FIELDS, "hooks/rows.py": "def keep(row):\n    return 10 / (row['qty'] - 5)\n"})
    assert len(done.rows) == 6
    assert done.issues == [("A2", None, "hook.keep", "the rule raised ZeroDivisionError (hooks/rows.py, line 2)")]


KEY = '[output]\norder = ["order", "state"]\n[rows]\nkey = ["order", "state"]\nduplicates = "{}"\n'


@pytest.mark.parametrize(
    ("word", "expected"), [("first", [5, 6, 8, 9]), ("last", [6, 7, 8, 9]), ("report", [5, 6, 7, 8, 9])]
)
def test_duplicates_by_key(run, word, expected):
    done = run(ORDERS, {**FIELDS, "settings.toml": KEY.format(word)})
    assert [qty for _, qty in _orders(done)] == expected
    assert done.table["reshaped"]["dropped"] == ({} if word == "report" else {"duplicates": 1})
    issues = [("A4", "order", "duplicates", "the key of this row is also in row 2")] if word == "report" else []
    assert done.issues == issues


def test_rows_with_an_empty_key_are_no_duplicates(run):
    done = run(
        "Order,Qty\n,1\n,2\nA,3\nA,4\n", {**FIELDS, "settings.toml": '[rows]\nkey=["order"]\nduplicates="first"\n'}
    )
    assert len(done.rows) == 4


def test_keys_and_rows_that_wait_are_bounded(monkeypatch):
    monkeypatch.setattr(row_choice, "MOST_KEYS", 2)
    monkeypatch.setattr(row_choice, "MOST_HELD", 2)
    seen, held = SeenKeys(), HeldRows()
    for number in range(2):
        seen.add(number)
        held.add(number, ())
    with pytest.raises(ResourceLimitExceeded, match="up to 2 rows"):
        seen.add(3)
    with pytest.raises(ResourceLimitExceeded, match="Only 2 rows"):
        held.add(3, ())


SALES = [
    ["Item", "Shop", "Amount"],
    ["Region North"],
    ["a", "x", "1.000,50 €"], ["b", "y", "20,00 €"], ["c", "y", "5,00 €"], ["Sum Region North", None, "1.025,50 €"],
    ["Region South"],
    ["d", "x", "30,00 €"], ["e", "y", "40,00 €"], ["f", "y", "6,00 €"], ["Sum Region South", None, "77,00 €"],
    ["Grand total", None, "1.101,50 €"],
]  # fmt: skip
MONEY = {"item": "", "shop": "", "amount": 'type="money", decimal=","'}


def test_a_total_that_is_not_the_sum_of_its_rows_is_an_issue(run):
    done = run({"S": SALES}, {**MONEY, "settings.toml": "[rows]\nverify_totals = true\n"})
    assert done.issues == [("C11", "amount", "totals", "is not the sum of the rows it totals")]
    assert done.table["reshaped"]["totals"] == {"checked": 3, "wrong": 1}
    assert len(done.rows) == 7
    assert "3 totals compared with the rows, 1 wrong." in explain(done.result.artifact)


@pytest.mark.parametrize(("gross", "wrong"), [("119.00", []), ("120.00", ["D6", "D7"])])
def test_a_total_may_add_up_the_totals_right_above_it(run, gross, wrong):
    rows = "1,pen,2,20.00\n2,cup,4,30.00\n3,bag,5,50.00\n"
    text = f"Pos,Article,Qty,Amount\n{rows},Net,,100.00\n,VAT 19 %,,19.00\n,Total,,{gross}\n"
    fields = {
        "pos": "",
        "article": "",
        "qty": "",
        "amount": 'type="number"',
        "settings.toml": "rows.verify_totals = true\n",
    }
    done = run(text, fields)
    assert len(done.rows) == 4
    assert [cell for cell, _, rule, _ in done.issues if rule == "totals"] == wrong


def test_totals_are_kept_in_a_table_of_their_own(run):
    done = run({"S": SALES}, {**MONEY, "settings.toml": '[rows]\ntotals = "separate"\n'})
    assert len(done.sheets["S"]) == 7
    assert done.sheets["S totals"] == [
        ["amount", "item", "shop"], [1025.5, "Sum Region North"], [77, "Sum Region South"], [1101.5, "Grand total"],
    ]  # fmt: skip


@given(st.lists(st.lists(st.integers(-10_000, 10_000), min_size=1, max_size=5), min_size=1, max_size=6), st.data())
def test_right_totals_of_any_groups_pass_in_chunks_of_any_size(groups, data):
    rows, sides, number = [], [], 0
    for group in groups:
        rows += [Row(number + place, [value / 100]) for place, value in enumerate(group, start=1)]
        number += len(group)
        sides.append(SideRow("total", Row(number := number + 1, [sum(group) / 100]), []))
    sides.append(SideRow("total", Row(number + 1, [sum(map(sum, groups)) / 100]), []))
    check = TotalsCheck({1: lambda value: value})
    check.note(sides)
    while rows:
        size = data.draw(st.integers(1, len(rows)))
        check.add(rows[:size])
        del rows[:size]
    check.finish()
    assert check.wrong == []
    assert check.checked == len(groups) + 1


MISTAKES = {
    "a key that is no field": ("[rows]\n\nkey = [\n 'a',\n 'orde']\n", "settings.toml:5: rows.key names no field orde"),
    "a word that is none": (
        "[rows]\nduplicates = 'frist'\n",
        "settings.toml:2: rows.duplicates must be one of report, first, last",
    ),
    "a setting that is none": ("[rows]\ntotal = 'drop'\n", "settings.toml:2: there is no setting rows.total"),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_the_settings_is_reported_with_its_line(rules, text, expected):
    [problem] = check_configuration(rules({"a": "", "settings.toml": text}))
    assert f"{problem.file}:{problem.line}: {problem.message}" == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def keep(row):\n    row['a']\n", (1, "keep returns nothing")),
        ("def keep(row):\n    return row['b'] > 1\n", (2, "there is no field b")),
        ("def keep(value):\n    return True\n", (1, "keep asks for value, which is not given")),
        ("def kepe(row):\n    return True\n", (1, "there is no hook kepe")),
        ("def expand(row):\n    return 1\n", (2, "expand returns a number")),
    ],
)
def test_a_mistake_in_a_hook_of_rows_is_reported_with_its_line(rules, text, expected):
    [problem] = check_configuration(rules({"a": "", "hooks/rows.py": text}))
    assert (problem.file, problem.line, problem.message) == ("hooks/rows.py", *expected)
