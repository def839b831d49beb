"""The names that rules use: fields of a row, and names that must be defined somewhere."""

import pytest

from ade_engine import ConfigurationError, check_configuration, load_configuration

HEAD = "from ade_engine import Field\nfield = Field('name')\n"


@pytest.mark.parametrize(
    "read", ["row['amont']", "row.get('amont')", "source['amont']", "[row['amont'] for _ in 'x'][0]"]
)
def test_a_field_that_does_not_exist_is_found_where_it_is_read(folder, read):
    code = f"def validate(row, source):\n    return {read}\n"
    files = {"columns/name.py": HEAD + code, "columns/amount.py": HEAD.replace("name", "amount")}
    [problem] = check_configuration(folder(files))
    assert (problem.code, problem.file, problem.line) == ("unknown-field", "columns/name.py", 4)
    assert problem.suggestion == "Did you mean amount?"


def test_a_row_that_is_the_functions_own_variable_is_not_checked(folder):
    code = "def validate(value, row):\n    for row in [{'x': 1}]:\n        row['x']\n"
    assert check_configuration(folder({"columns/name.py": HEAD + code})) == []


def test_a_field_read_by_a_helper_must_exist_too(folder):
    code = "def transform(row):\n    return _sum(row)\n\ndef _sum(row):\n    return row['amont']\n"
    files = {"columns/name.py": HEAD + code, "columns/amount.py": HEAD.replace("name", "amount")}
    [problem] = check_configuration(folder(files))
    assert (problem.file, problem.line) == ("columns/name.py", 3)
    assert "name reads amont, which is not a field. Did you mean amount?" in problem.message


@pytest.mark.parametrize(
    "code",
    [
        "def transform(value):\n    return lookup(value)\n",
        "def transform(value):\n    return [lookup for _ in value]\n",
        "def transform(value):\n    def inner():\n        return lookup\n    return inner()\n",
        "class Helper:\n    def at(self):\n        return lookup\n",
    ],
)
def test_a_name_that_nothing_defines_is_found(folder, code):
    [problem] = check_configuration(folder({"columns/name.py": HEAD + code + "LOOKUPS = {}\n"}))
    assert (problem.code, problem.file, problem.severity) == ("undefined-name", "columns/name.py", "error")
    assert "lookup is not defined" in problem.message


@pytest.mark.parametrize(
    "code",
    [
        "import re\ndef transform(value):\n    return re.sub('a', 'b', value)\n",
        "def transform(value):\n    return _later(value)\ndef _later(value):\n    return value\n",
        "try:\n    import a\nexcept ImportError:\n    a = None\ndef transform(value):\n    return a or value\n",
        "def transform(value):\n    global seen\n    seen = value\n    return seen\n",
        "from os.path import *\ndef transform(value):\n    return basename(value)\n",
        "def transform(value):\n    return __file__ + str(len(value))\n",
        "from __future__ import annotations\ndef transform(value: Unknown):\n    return value\n",
        "def transform(value):\n    x = 1\n    return (lambda y: x + y)(2) + max(z for z in [1])\n",
        "class Part:\n    size = 1\n    double = size * 2\ndef transform(value):\n    return Part.double\n",
    ],
)
def test_names_that_are_defined_somewhere_are_fine(folder, code):
    head = HEAD if "__future__" not in code else ""
    assert check_configuration(folder({"columns/name.py": code + HEAD if not head else HEAD + code})) == []


def test_an_undefined_name_in_a_helper_file_is_found(folder):
    files = {"shared.py": "def tidy(value):\n    return strp(value)\n", "columns/name.py": HEAD}
    [problem] = check_configuration(folder(files))
    assert (problem.code, problem.file, problem.line) == ("undefined-name", "shared.py", 2)


@pytest.mark.req("E11")
def test_fields_that_read_each_other_are_an_error_with_file_and_line(folder):
    def computed(name, read):
        return HEAD.replace("name", name) + f"\n\ndef transform(row):\n    return row['{read}']\n"

    files = {"columns/a.py": computed("a", "b"), "columns/b.py": computed("b", "c"), "columns/c.py": computed("c", "a")}
    [problem] = check_configuration(folder(files))
    assert (problem.file, problem.line, problem.severity) == ("columns/a.py", 5, "error")
    assert "fields cannot be computed from each other: a reads b, b reads c, c reads a" in problem.message
    with pytest.raises(ConfigurationError, match="computed from each other"):
        load_configuration(folder(files))


@pytest.mark.req("E11")
def test_two_fields_that_read_the_whole_row_must_declare_what_they_read(folder):
    def computed(name, more=""):
        head = HEAD.replace("name", name).replace(")", f"{more})")
        return head + "def transform(row):\n    return sum(row.values())\n"

    [problem] = check_configuration(folder({"columns/a.py": computed("a"), "columns/b.py": computed("b")}))
    assert 'The code of a does not show which fields it reads: name them in Field("a", reads=[...])' in problem.message
    declared = computed("a", ", reads=['b']")
    assert [p.message for p in check_configuration(folder({"columns/a.py": declared, "columns/b.py": computed("b")}))]
    files = {
        "columns/a.py": declared,
        "columns/b.py": computed("b", ", reads=['c']"),
        "columns/c.py": HEAD.replace("name", "c"),
    }
    assert check_configuration(folder(files)) == []
    files["columns/b.py"] = computed("b", ", reads=['d']")
    assert "b reads d, which is not a field" in check_configuration(folder(files))[0].message
