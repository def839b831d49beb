"""Each problem names the line that is wrong, once, and in words without places of this machine."""

import pytest

from ade_engine import ConfigurationError, check_configuration, load_configuration, normalize

HEAD = "from ade_engine import Field\n"
FIELD = f'{HEAD}field = Field("a")\n'
MISTAKES = {
    "a list in one line": (
        {"settings.toml": '# order of things\n[mapping]\nthreshold = 0.5\n[output]\norder = ["name", "region"]\n'},
        "settings.toml:5: output.order names no field region",
    ),
    "an entry of a list over several lines": (
        {"settings.toml": '[output]\norder = [\n  "name",  # a comment\n  # "region",\n  "region",\n]\n'},
        "settings.toml:5: output.order names no field region",
    ),
    "the last entry of such a list": (
        {"settings.toml": '[output]\norder = ["name",\n  "region"]\n'},
        "settings.toml:3: output.order names no field region",
    ),
    "an inline table": (
        {"settings.toml": '\noutput = {order = ["region"]}\n'},
        "settings.toml:2: output.order names no field region",
    ),
    "a dotted key": (
        {"settings.toml": '\n\noutput.order = ["region"]\n'},
        "settings.toml:3: output.order names no field region",
    ),
    "a key that begins another one": (
        {"settings.toml": "[rules]\norder_by = 1\n[output]\norder = 1\n"},
        "settings.toml:4: output.order must be a list of names",
    ),
    "a key of the same name in another table": (
        {"settings.toml": '[rules]\nformat = 1\n[output]\nformat = "pdf"\n'},
        "settings.toml:4: output.format must be one of xlsx, csv, parquet",
    ),
    "a table that a comment and a key name too": (
        {"settings.toml": "# [outputs]\n[rules]\noutputs = 1\n[outputs]\n"},
        "settings.toml:4: there is no settings table [outputs]",
    ),
    "a text that looks like settings": (
        {"settings.toml": '[rules]\ntext = """\n[output]\norder = 1\n"""\n[output]\norder = 1\n'},
        "settings.toml:7: output.order must be a list of names",
    ),
    "a quoted key": (
        {"settings.toml": '["output"]\r\n"highlight" = "yes"\r\n'},
        "settings.toml:2: output.highlight must be true or false",
    ),
    "an answer that is neither yes nor no": (
        {"settings.toml": '[output]\nescape_formulas = "yes"\n'},
        "settings.toml:2: output.escape_formulas must be true or false",
    ),
    "a key above all tables": (
        {"settings.toml": "\nthreshold = 0.4\n"},
        "settings.toml:2: threshold is in no settings table",
    ),
    "what is no TOML": (
        {"settings.toml": "[output]\nformat = csv\n"},
        "settings.toml:2: this is not TOML: Invalid value",
    ),
    "TOML that ends too early": (
        {"settings.toml": '[output]\norder = [\n "name"\n'},
        "settings.toml:3: this is not TOML: Unclosed array",
    ),
    "what is no UTF-8": ({"settings.toml": b'[sheets]\nread = ["\xe4"]\n'}, "settings.toml:2: this is not UTF-8"),
    "a name that is not there": (
        {"columns/a.py": f'{HEAD}\nfield = Field("a", label=LABEL)\n'},
        "columns/a.py:3: NameError: name 'LABEL' is not defined",
    ),
    "fields that are named field": (
        {"columns/a.py": f"{HEAD}\nfield = [Field('a'), Field('b')]\n"},
        "columns/a.py:3: field must be a Field(...); several are a list named fields",
    ),
    "a choice of another type": (
        {"columns/a.py": f"{HEAD}\nfields = [Field('a', type='integer', choices=[1, '2'])]\n"},
        "columns/a.py:3: the choice '2' of a must be written as 2: its type is integer",
    ),
    "a choice that is no value of the type": (
        {"columns/a.py": f"{HEAD}\n\nfield = Field('a', type='number', choices=['much'])\n"},
        "columns/a.py:4: the default or a choice of a is not a number",
    ),
    "a field that is none": ({"columns/a.py": f"{HEAD}\nfield = 'a'\n"}, "columns/a.py:3: field must be a Field(...)"),
    "a field that is defined twice by a computed name": (
        {"columns/b.py": f'{HEAD}\nfield = Field("b")\n', "columns/c.py": f'{HEAD}\nB = "b"\nfield = Field(B + "")\n'},
        "columns/c.py:4: field b is already defined in columns/b.py",
    ),
    "a computed label": (
        {"row_types/a.py": '\nlabel = "to" + "tl"\n\ndef detect_a(row):\n    return 1\n'},
        "row_types/a.py:2: there is no row label totl",
    ),
    "a null byte": (
        {"columns/a.py": b"import re\n\x00\n"},
        "columns/a.py:2: this is not Python: source code string cannot contain null bytes",
    ),
    "a helper that is no Python": (
        {"columns/a.py": "from ..helpers import clean\n" + FIELD, "helpers.py": "\ndef clean(x)\n    return x\n"},
        "helpers.py:2: this is not Python: expected ':'",
    ),
    "a hidden helper that is no Python": (
        {"columns/a.py": "from ._clean import clean\n" + FIELD, "columns/_clean.py": "\n\nclean = (\n"},
        "columns/_clean.py:3: this is not Python: '(' was never closed",
    ),
    "a helper that lacks a name": (
        {"columns/a.py": "from ..helpers import clean\n" + FIELD, "helpers.py": "X = 1\n"},
        "columns/a.py:1: ImportError: cannot import name 'clean' from 'helpers' (helpers.py)",
    ),
    "a helper that is imported as if it were installed": (
        {"columns/a.py": "import helpers\n" + FIELD, "helpers.py": "X = 1\n"},
        "columns/a.py:1: ModuleNotFoundError: No module named 'helpers'. Write: from .. import helpers",
    ),
    "code that is made at import": (
        {"columns/a.py": f'\n\nx = eval("1 +")\n{FIELD}'},
        "columns/a.py:3: SyntaxError: invalid syntax",
    ),
    "an error without a text": ({"columns/a.py": f"assert 1 == 2\n{FIELD}"}, "columns/a.py:1: AssertionError"),
    "a file that ends the process": (
        {"columns/a.py": f"import sys\nsys.exit(3)\n{FIELD}"},
        "columns/a.py:2: SystemExit: 3",
    ),
    "a function that asks for too little": (
        {"columns/a.py": f'{HEAD}field = Field("a")\n\n\ndef validate(table):\n    return None\n'},
        "columns/a.py:5: validate must ask for value or row or source",
    ),
}  # fmt: skip


def write(folder, files):
    for path, content in {"columns/name.py": FIELD.replace('"a"', '"name"'), **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.mark.req("E7")
@pytest.mark.parametrize(("files", "line"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_named_with_its_line(tmp_path, files, line):
    found = check_configuration(write(tmp_path, files))
    assert [f"{problem.file}:{problem.line}: {problem.message}" for problem in found] == [line]


def test_a_helper_is_imported_the_way_the_message_says(tmp_path):
    files = {
        "columns/a.py": f"from .. import helpers\n{HEAD}field = Field(helpers.NAME)\n",
        "helpers.py": "NAME = 'a'\n",
    }
    assert [field.name for field in load_configuration(write(tmp_path, files)).fields] == ["a", "name"]


def test_requirements_that_are_no_utf_8_break_nothing(tmp_path):
    load_configuration(write(tmp_path, {"requirements.txt": b"# \xe4\npolars\n"}))


@pytest.mark.req("E7")
@pytest.mark.parametrize("call", ["mapping.assign('Name', 'nobody')", "mapping.assign('Nowhere', 'name')", "1 / 0"])
def test_a_hook_that_fails_is_named_with_the_line_that_failed(tmp_path, call):
    hook = f"def on_table_mapped(mapping):\n    found = 1\n    {call}\n"
    rules = write(tmp_path / "rules", {"hooks/shape.py": hook})
    (tmp_path / "in.csv").write_text("Name,Age\nAda,36\nGrace,45\n")
    failure = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=rules).failure
    assert failure.message.startswith("hooks/shape.py, line 3: ")


def test_the_loader_names_the_place_once(tmp_path):
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(write(tmp_path, {"columns/a.py": "field = nothing\n"}))
    assert str(caught.value) == "columns/a.py, line 1: NameError: name 'nothing' is not defined"
