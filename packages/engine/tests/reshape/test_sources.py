"""One configuration serves several senders: [[source]] sections by document, sheet or content."""

import pytest

from ade_engine import check_configuration

FIELDS = {"name": "", "amount": 'type="number"', "columns/country.py": ""}
COUNTRY = """\
from ade_engine import Field
field = Field("country")
def transform(context):
    return context.settings["country"]
"""
SETTINGS = """\
[rules]
country = "?"

[[source]]
document = "*_de.csv"
[source.aliases]
name = ["Kunde"]
amount = ["Betrag"]
[source.mapping]
unmapped = "drop"
[source.rules]
country = "DE"

[[source]]
contains = "Old system"
aliases = {name = ["Nm"]}
"""


HEADERS = ["amount", "country", "name"]
DOCUMENTS = [
    ("list_de", "Kunde,Betrag,Notiz\nEva,1,x\nOlaf,2,y\n", [HEADERS, [1, "DE", "Eva"], [2, "DE", "Olaf"]]),
    (
        "list_us",
        "Name,Amount,Note\nEva,1,x\nOlaf,2,y\n",
        [[*HEADERS, "Note"], [1, "?", "Eva", "x"], [2, "?", "Olaf", "y"]],
    ),
    (
        "legacy",
        "Old system 7,,\n,,\nNm,Amount,Note\nEva,1,x\nOlaf,2,y\nAda,3,z\n",
        [[*HEADERS, "Note"], [1, "?", "Eva", "x"], [2, "?", "Olaf", "y"], [3, "?", "Ada", "z"]],
    ),
]


@pytest.mark.parametrize(("name", "text", "expected"), DOCUMENTS)
def test_a_source_is_selected_by_document_or_content(run, name, text, expected):
    done = run(text, {**FIELDS, "columns/country.py": COUNTRY, "settings.toml": SETTINGS}, name=name)
    assert done.rows == expected


def test_a_source_of_one_sheet_leaves_the_others_alone(run):
    text = '[[source]]\nsheet = "Nord*"\naliases = {name = ["Kunde"]}\n'
    text += '[source.rows]\nkey = ["name"]\nduplicates = "first"\n'
    rows = [["Kunde", "Amount"], ["Eva", 1], ["Eva", 2], ["Ada", 3]]
    fields = {"name": "", "amount": 'type="number"', "settings.toml": text}
    done = run({"Nord 1": rows, "West": rows}, fields)
    assert done.sheets == {
        "Nord 1": [["amount", "name"], [1, "Eva"], [3, "Ada"]],
        "West": [["amount", "Kunde"], [1, "Eva"], [2, "Eva"], [3, "Ada"]],
    }


MISTAKES = {
    "nothing selects it": ('[[source]]\naliases = {name = ["x"]}\n', "1: source needs document, sheet or contains"),
    "a field that is none in the second": (
        '[[source]]\ndocument = "a"\n[[source]]\ndocument = "b"\n[source.aliases]\namount = ["A"]\nnmae = ["x"]\n',
        "7: source.aliases.nmae names no field nmae",
    ),
    "a setting that is none": (
        '[[source]]\ndocument = "a"\n\n[source.mapping]\ntreshold = 0.4\n',
        "5: there is no setting mapping.treshold",
    ),
    "a key that is none": ('[[source]]\nfile = "a"\nsheet = "b"\n', "2: there is no setting source.file"),
    "a section for documents": (
        '[[source]]\nsheet = "a"\n[source.csv]\nencoding = "cp1250"\n',
        "3: source.csv applies to whole documents, not to tables",
    ),
    "a key of rows that is no field": (
        '[[source]]\nsheet = "a"\n[source.rows]\nkey = ["nam"]\n',
        "4: source.rows.key names no field nam",
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_a_source_is_reported_with_its_line(rules, text, expected):
    [problem] = check_configuration(rules({"name": "", "amount": "", "settings.toml": text}))
    assert f"{problem.line}: {problem.message}" == expected
