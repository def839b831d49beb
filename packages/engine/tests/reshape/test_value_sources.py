"""A value comes from a group heading, a line above the table, a name, a file or another field."""

from datetime import date

import pytest

from ade_engine import ConfigurationError, check_configuration, load_configuration
from ade_engine.readers.base import Row
from ade_engine.structure.tables import SideRow
from ade_engine.table_facts import Headings

INVOICES = [
    ["Ostwind Handel AG"],
    ["Invoice list 03/2026"],
    ["Client:", "Delta"],
    [],
    ["Customer", "Invoice", "Amount"],
    ["Region North"],
    ["C1", "R-1", 10.5],
    ["C2", "R-2", 20],
    ["Region South"],
    ["C3", "R-3", 30],
    ["C9", "R-4", 40],
]
BASE = {"customer": "", "invoice": "", "amount": 'type="number"'}


def test_a_group_heading_is_a_value_of_the_rows_below_it(run):
    done = run({"S": INVOICES}, {**BASE, "region": 'from_group=r"Region (.+)"'})
    assert [row[-1] for row in done.rows] == ["region", "North", "North", "South", "South"]
    assert done.table["transform"]["region"]["rules"] == {"from_group": 4}
    assert done.issues == []


def test_a_heading_right_below_another_is_a_level_deeper():
    texts = {1: "Europe", 2: "France", 5: "Spain", 7: "Asia", 8: "Japan", 10: "China"}
    headings = Headings()
    headings.add(SideRow("group", Row(number, [text]), [text]) for number, text in texts.items())
    assert headings.above([Row(3, ["a"]), Row(4, ["b"]), Row(6, ["c"])]) == [
        ("Europe", "France"), ("Europe", "France"), ("Europe", "Spain"),
    ]  # fmt: skip
    assert headings.above([Row(9, ["d"])]) == [("Asia", "Japan")]
    assert headings.above([Row(11, ["e"]), Row(12, ["f"])]) == [("Asia", "China"), ("Asia", "China")]


def test_headings_are_right_beyond_the_window_of_the_first_pass(run):
    rows: list[list[object]] = [["Item", "Amount"]]
    for group in range(40):
        rows.append([f"Group {group}"])
        rows += [[f"i{group}-{number}", number] for number in range(120)]
    done = run({"S": rows}, {"item": "", "amount": "", "group": 'from_group=r"\\d+"'})
    assert all(item.split("-")[0] == f"i{group}" for _, group, item in done.rows[1:])
    assert len(done.rows) == 1 + 40 * 120


def test_lines_above_the_table_the_sheet_and_the_document_are_values(run):
    fields = {
        "month": r'from_title=r"Invoice list (\d\d/\d{4})"',
        "client": 'from_label="Client"',
        "store": "from_sheet=True",
        "period": r'from_document=r"_(\d{4}-\d\d)"',
        "unit": 'constant="EUR"',
    }
    done = run({"Leeds": INVOICES}, {**BASE, **fields}, name="wind_2026-03")
    rows = [dict(zip(done.rows[0], row, strict=True)) for row in done.rows[1:]]
    assert {tuple(row[name] for name in fields) for row in rows} == {("03/2026", "Delta", "Leeds", "2026-03", "EUR")}


def test_a_column_of_the_table_wins_over_another_source(run):
    done = run("Item,Region\na,West\nb,\nc,East\n", {"item": "", "region": 'constant="none"'})
    assert done.rows == [["item", "region"], ["a", "West"], ["b", "none"], ["c", "East"]]


def test_empty_cells_are_filled_from_above_and_then_by_a_default(run):
    done = run(
        "Name,City,State\nAda,Rome,\nBob,,open\nCy,,\nDee,Bonn,\n",
        {"name": "", "city": "fill_down=True", "state": 'default="unknown"'},
    )
    assert done.rows[1:] == [
        ["Rome", "Ada", "unknown"], ["Rome", "Bob", "open"], ["Rome", "Cy", "unknown"], ["Bonn", "Dee", "unknown"],
    ]  # fmt: skip
    assert done.table["transform"]["city"]["rules"] == {"fill_down": 2}
    assert done.table["transform"]["state"]["rules"] == {"default": 3}


def test_a_field_that_is_not_filled_from_headings_of_groups_says_so(run):
    table = "Team,Player,Goals\nReds,,\n,Ann,3\n,Bo,2\nBlues,,\n,Cy,1\n,Di,5\n"
    done = run(table, {"team": "fill_down=True", "player": "", "goals": 'type="integer"'})
    assert [(field, rule) for _, field, rule, _ in done.issues] == [("team", "fill_down")]
    assert done.result.artifact["verdict"]["verdict"] == "check"
    done = run(table, {"team": "from_group=True", "player": "", "goals": 'type="integer"'})
    assert (done.issues, done.result.artifact["verdict"]["verdict"]) == ([], "ready")


def test_one_column_is_split_into_fields_and_the_helper_is_not_written(run):
    done = run(
        'Contact,Qty\n"Miller, Ann",1\n"O\'Neil, Pat",2\nPlato,3\n',
        {
            "contact": "output=False",
            "last": 'from_field="contact", split=",", part=1',
            "first": 'from_field="contact", split=",", part=2',
            "initial": r'from_field="first", extract=r"^\w"',
            "qty": 'type="integer"',
        },
    )
    assert done.rows == [
        ["first", "initial", "last", "qty"],
        ["Ann", "A", "Miller", 1],
        ["Pat", "P", "O'Neil", 2],
        [None, None, "Plato", 3],
    ]


def test_a_part_that_a_pattern_takes_has_no_spaces_around_it(run):
    fields = {
        "who": "output=False",
        "name": r'from_field="who", extract=r"^[^<]+"',
        "mail": r'from_field="who", extract="<(.*)>"',
    }
    done = run("Who,Qty\nAnn Lee <a@x.org>,1\nBo < >,2\nCy,3\n", fields | {"qty": ""})
    assert done.rows[1:] == [["a@x.org", "Ann Lee", "1"], [None, "Bo", "2"], [None, "Cy", "3"]]


def test_a_misspelt_word_that_would_be_replaced_has_the_choice_it_becomes_for_its_nearest(run):
    files = {"name": "", "state": "choices=['active', 'locked'], replace={'aktiv': 'active', 'gesperrt': 'locked'}"}
    done = run("name,state\na,aktv\nb,gespert\nc,aktiv\nd,offen\n", files)
    assert [(cell, message.partition("; ")[2]) for cell, _, _, message in done.issues] == [
        ("B2", 'the nearest is "active"'), ("B3", 'the nearest is "locked"'), ("B5", ""),
    ]  # fmt: skip


def test_words_are_replaced_and_the_nearest_choice_is_only_proposed(run):
    done = run(
        "Id,State\n1,Bezahlt \n2,offen\n3,ofen\n4,PAID\n5,piad\n",
        {
            "id": "",
            "state": 'choices=["paid", "open"], replace={"bezahlt": "paid", "offen": "open"}, ignore_case=True',
        },
    )
    assert [row[1] for row in done.rows[1:]] == ["paid", "open", "ofen", "paid", "piad"]
    assert done.issues == [
        ("B4", "state", "choices", 'is not one of the field\'s choices; the nearest is "open"'),
        ("B6", "state", "choices", 'is not one of the field\'s choices; the nearest is "paid"'),
    ]


def test_words_come_from_a_csv_file(run):
    files = {"id": "", "state": 'replace="states.csv"', "states.csv": "word,state\nbezahlt,paid\noffen,open\n"}
    assert [row[1] for row in run("Id,State\n1,bezahlt\n2,offen\n3,new\n", files).rows[1:]] == ["paid", "open", "new"]


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_a_key_is_looked_up_in_a_file_and_one_that_is_missing_is_an_issue(run, rules, xlsx, suffix):
    fields = {"customer": "", "segment": f'lookup="customers.{suffix}", lookup_by="customer"', "qty": 'type="integer"'}
    if suffix == "csv":
        fields["customers.csv"] = "Customer,Segment,Other\nC1,Retail,x\nC2,Public,y\n"
    else:
        folder = rules({"qty": ""})
        plan = xlsx.SheetPlan([["Customer", "Segment"], ["C1", "Retail"], ["C2", "Public"]])
        xlsx.write_workbook(folder / "customers.xlsx", {"S": plan})
    done = run("Customer,Qty\nC1,1\nC9,2\nC2,3\n,4\n", fields)
    assert done.rows == [
        ["customer", "qty", "segment"], ["C1", 1, "Retail"], ["C9", 2], ["C2", 3, "Public"], [None, 4],
    ]  # fmt: skip
    message = f"was not found: customer is not in customers.{suffix}"
    assert done.issues == [("A3", "segment", "lookup", message)]


def test_a_date_above_the_table_keeps_its_type(run):
    rows = [["Report"], ["As of:", date(2026, 3, 31)], [], ["Item", "Qty"], ["a", 1], ["b", 2], ["c", 3]]
    done = run({"S": rows}, {"item": "", "qty": "", "as_of": 'type="date", from_label="As of"'})
    assert done.issues == []
    assert {row[0] for row in done.rows[1:]} == {date(2026, 3, 31)}


HEAD = "from ade_engine import Field\n"
MISTAKES = {
    "a field that does not exist": (
        'field = Field(\n    "a",\n    from_field="bb", split=",", part=1)\n',
        "columns/a.py:4: from_field names no field bb | Did you mean b?",
    ),
    "a file that does not exist": (
        'field = Field("a", lookup="cusomers.csv",\n    lookup_by="b")\n',
        "columns/a.py:2: lookup names no file cusomers.csv | Did you mean customers.csv?",
    ),
    "a key that comes twice": (
        'field = Field("a", lookup="customers.csv", lookup_by="b", lookup_value="Segment")\n',
        "customers.csv:4: row 2 has the same key. Keep one of them",
    ),
    "a column that the file does not have": (
        'field = Field("a", lookup="customers.csv", lookup_by="b", lookup_value="Sement")\n',
        "customers.csv:1: there is no column Sement. Did you mean Segment?",
    ),
    "two sources": (
        'field = Field("a", from_sheet=True,\n  constant=1)\n',
        "columns/a.py:2: ValueError: from_sheet and constant exclude each other: a value has one source",
    ),
    "a pattern that is none": (
        'field = Field("a", from_title="(")\n',
        "columns/a.py:2: ValueError: from_title is not a regular expression: missing ), unterminated subpattern at "
        "position 0",
    ),
    "a default of another type": (
        'field = Field("a", type="date", default="soon")\n',
        "columns/a.py:2: the default of a is not a date",
    ),
    "a misspelled argument": (
        'field = Field("a", from_grup=True)\n',
        "columns/a.py:2: Field has no argument from_grup | Did you mean from_group?",
    ),
    "half of a pair": (
        'field = Field("a", split=",")\n',
        "columns/a.py:2: ValueError: split and part need each other",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_reported_with_its_line(rules, text, expected):
    folder = rules({"b": "", "columns/a.py": HEAD + text, "customers.csv": "b,Segment\n1,x\n2,y\n1,z\n"})
    [problem] = check_configuration(folder)
    advice = f" | {problem.suggestion}" if problem.suggestion else ""
    assert f"{problem.file}:{problem.line}: {problem.message}{advice}" == expected


def test_what_a_field_looks_up_is_part_of_the_fingerprint(rules):
    files = {"b": "", "a": 'lookup="customers.csv", lookup_by="b"', "customers.csv": "b,a\n1,x\n"}
    before = load_configuration(rules(files)).fingerprint
    rules({"tests/one/expected.csv": "a\n"})
    assert load_configuration(rules(files)).fingerprint == before
    assert load_configuration(rules({**files, "customers.csv": "b,a\n1,y\n"})).fingerprint != before


def test_fields_that_are_made_from_each_other_are_an_error(rules):
    folder = rules({"a": 'from_field="b", split=",", part=1', "b": 'from_field="a", split=",", part=1'})
    with pytest.raises(ConfigurationError, match="a reads b, b reads a"):
        load_configuration(folder)


@pytest.mark.parametrize("constant", [0, False, 0.0])
def test_a_constant_of_nothing_is_still_a_constant(run, constant):
    done = run("Item,Qty\na,1\nb,2\n", {"item": "", "qty": "", "share": f"constant={constant!r}"})
    assert done.rows == [["item", "qty", "share"], ["a", "1", constant], ["b", "2", constant]]


def test_a_whole_number_that_was_computed_is_the_same_as_one_that_was_read(run):
    computed = 'field = Field("k", type="number")\ndef transform(row):\n    return row["a"] * row["b"]\n'
    files = {
        "columns/all.py": f'{HEAD}fields = [Field("a", type="number"), Field("b", type="number")]\n',
        "columns/k.py": HEAD + computed,
        "settings.toml": 'rows.key = ["k"]\nrows.duplicates = "first"\n',
    }
    document = "A,B\n2.5,2\n5,1\n10,0.5\n10,0.25\n"
    done = run(document, files, format="csv")
    assert [str(row[-1]) for row in done.rows] == ["k", "5", "2.5"]
    unique = files["columns/k.py"].replace('"number")', '"number", unique=True)')
    done = run(document, {**files, "columns/k.py": unique, "settings.toml": ""}, name="unique")
    assert [cell for cell, _, rule, _ in done.issues if rule == "unique"] == ["A3", "A4"]
