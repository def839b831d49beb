import os

import pytest

from ade_engine import ConfigurationError, check_configuration, load_configuration

HEAD = "from ade_engine import Field\nfield = Field('name')\n"


def codes(problems):
    return [(problem.code, problem.file, problem.line) for problem in problems]


def test_a_sound_configuration_has_no_problem(folder):
    text = HEAD + "def transform(value):\n    return value\ndef validate(value, row):\n    return None\n"
    assert check_configuration(folder({"columns/name.py": text})) == []


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("trasnform", "transform"),
        ("validat", "validate"),
        ("detct_mail", "detect_mail"),
        ("transform_colum", "transform_column"),
    ],
)
def test_a_typo_in_a_function_name_is_found_with_the_name_that_was_meant(folder, wrong, right):
    problems = check_configuration(folder({"columns/name.py": HEAD + f"def {wrong}(value):\n    return value\n"}))
    assert codes(problems) == [("unknown-function", "columns/name.py", 3)]
    assert problems[0].suggestion == f"Did you mean {right}?"


def test_a_typo_in_a_parameter_is_found_with_the_name_that_was_meant(folder):
    problems = check_configuration(folder({"columns/name.py": HEAD + "def transform(vaule):\n    return vaule\n"}))
    assert codes(problems) == [("unknown-parameter", "columns/name.py", 3)]
    assert problems[0].suggestion == "Did you mean value?"


def test_a_parameter_with_a_default_is_the_authors_own(folder):
    text = HEAD + "def transform(value, width=8):\n    return str(value).zfill(width)\n"
    assert check_configuration(folder({"columns/name.py": text})) == []


@pytest.mark.parametrize(
    ("function", "line"),
    [
        ("def transform(value):\n    value.strip()\n", 3),
        ("def validate(value):\n    return len(value) == 8\n", 4),
        ("def validate(value):\n    return False\n", 4),
        ("def detect_it(column):\n    return 'yes'\n", 4),
        ("def transform_column(values):\n    return None\n", 4),
    ],
)
def test_a_return_that_can_never_be_right_is_found(folder, function, line):
    problems = check_configuration(folder({"columns/name.py": HEAD + function}))
    assert codes(problems) == [("wrong-return", "columns/name.py", line)]
    assert problems[0].suggestion.startswith("Return")


def test_a_function_that_asks_for_nothing_is_found(folder):
    problems = check_configuration(folder({"columns/name.py": HEAD + "def validate(field):\n    return None\n"}))
    assert codes(problems) == [("wrong-signature", "columns/name.py", 3)]


def test_star_arguments_are_refused(folder):
    problems = check_configuration(folder({"columns/name.py": HEAD + "def transform(*args):\n    return args[0]\n"}))
    assert codes(problems) == [("wrong-signature", "columns/name.py", 3)]


def test_rules_in_a_file_without_a_field_cannot_be_reached(folder):
    problems = check_configuration(folder({"columns/name.py": "def detect_it(column):\n    return 1\n"}))
    assert codes(problems) == [("no-field", "columns/name.py", 1)]


def test_a_field_and_an_alias_may_be_given_once(folder):
    problems = check_configuration(
        folder(
            {
                "columns/a.py": "from ade_engine import Field\nfield = Field('a', aliases=['Start date'])\n",
                "columns/b.py": "from ade_engine import Field\nfield = Field('b', aliases=['start_date'])\n",
                "columns/c.py": "from ade_engine import Field\nfield = Field('a')\n",
            }
        )
    )
    assert codes(problems) == [("duplicate-alias", "columns/b.py", 2), ("duplicate-field", "columns/c.py", 2)]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("'stock'", "'bestand', aliases=['Stock']", "A name and a label count as aliases."),
        ("'bestand', aliases=['Stock']", "'total', label='Stock'", "A name and a label count as aliases."),
        ("'stock', aliases=['Qty']", "'bestand', aliases=['Qty']", "Keep it in one of them"),
    ],
)
def test_a_name_that_is_an_alias_of_another_field_comes_with_a_way_out(folder, first, second, said):
    files = {f"columns/{name}.py": f"from ade_engine import Field\nfield = Field({text})\n"
             for name, text in (("a", first), ("b", second))}  # fmt: skip
    [problem] = check_configuration(folder(files))
    assert problem.code == "duplicate-alias"
    assert problem.suggestion.startswith(said)


def test_a_label_and_a_hook_that_do_not_exist_are_found(folder):
    problems = check_configuration(
        folder(
            {
                "columns/name.py": HEAD,
                "row_types/totals.py": "def detect_sum(row):\n    return 1\n",
                "hooks/all.py": "def on_table_maped(table):\n    pass\n",
            }
        )
    )
    assert codes(problems) == [("unknown-hook", "hooks/all.py", 1), ("unknown-label", "row_types/totals.py", 1)]
    assert [problem.suggestion for problem in problems] == ["Did you mean on_table_mapped?", "Did you mean total?"]


def test_unknown_and_wrong_settings_are_found(folder):
    text = '[mapping]\ntreshold = 0.4\nunmapped = "throw"\n[outputs]\nx = 1\n'
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": text}))
    assert codes(problems) == [
        ("unknown-setting", "settings.toml", 2),
        ("bad-setting", "settings.toml", 3),
        ("unknown-setting", "settings.toml", 4),
    ]
    assert problems[0].suggestion == "Did you mean threshold?"


def test_ignored_headers_are_a_list_of_texts(folder):
    for text in ('"Notes"', '["Notes", ""]', "[1]"):
        problems = check_configuration(
            folder({"columns/name.py": HEAD, "settings.toml": f"[mapping]\nignore = {text}\n"})
        )
        assert [str(problem) for problem in problems] == [
            "settings.toml, line 2: mapping.ignore must be a list of headers."
        ]


def test_an_alias_that_is_ignored_is_a_warning(folder):
    field = "from ade_engine import Field\nfield = Field('a', aliases=['Start date'])\n"
    settings = '[mapping]\nignore = [\n  "Notes",\n  "start_date",\n]\n'
    problems = check_configuration(folder({"columns/a.py": field, "settings.toml": settings}))
    assert codes(problems) == [("ignored-alias", "settings.toml", 4)]
    assert [problem.severity for problem in problems] == ["warning"]


def test_a_folder_with_a_typo_in_its_name_is_found(folder):
    problems = check_configuration(
        folder({"column/name.py": HEAD, "hooks/all.py": "def on_table_end(table):\n    pass\n"})
    )
    assert codes(problems) == [("unknown-folder", "column", 1)]


def test_wrong_field_arguments_are_found(folder):
    text = "from ade_engine import Field\nfield = Field('name', requierd=True, type='int')\n"
    problems = check_configuration(folder({"columns/name.py": text}))
    assert [(p.code, p.suggestion) for p in problems] == [
        ("wrong-argument", "Did you mean required?"),
        ("wrong-argument", "Did you mean integer?"),
    ]


def test_a_message_that_shows_the_value_is_a_warning(folder):
    text = HEAD + 'def validate(value):\n    return f"{value} is wrong"\n'
    problems = check_configuration(folder({"columns/name.py": text}))
    assert [(problem.code, problem.severity) for problem in problems] == [("value-in-message", "warning")]


def test_nothing_is_executed_while_there_is_an_error_to_see(folder, tmp_path):
    trace = tmp_path / "trace"
    text = (
        f"import pathlib\npathlib.Path({str(trace)!r}).touch()\n" + HEAD + "def trasnform(value):\n    return value\n"
    )
    check_configuration(folder({"columns/name.py": text}))
    assert not trace.exists()


def test_what_only_shows_at_import_is_found_with_its_line(folder):
    text = HEAD + "SIZES = {}\nSIZE = SIZES['missing']\n"
    assert codes(check_configuration(folder({"columns/name.py": text}))) == [("import-error", "columns/name.py", 4)]


def test_a_file_that_is_no_text_and_one_that_is_no_toml_are_found(folder):
    root = folder({"columns/name.py": HEAD, "settings.toml": "[mapping\nthreshold = 1\n"})
    (root / "columns" / "zero.py").write_bytes(b"x = 1\0\n")
    assert [problem.code for problem in check_configuration(root)] == ["syntax-error", "syntax-error"]


def test_an_empty_folder_is_a_warning(folder):
    assert [(p.code, p.severity) for p in check_configuration(folder({}))] == [("empty-configuration", "warning")]


def test_a_misspelt_field_variable_is_found(folder):
    text = "from ade_engine import Field\nfeild = Field('name')\n"
    problems = check_configuration(folder({"columns/name.py": text}))
    assert [(p.code, p.line, p.suggestion) for p in problems] == [("no-field", 2, "Did you mean field?")]


def test_an_order_that_names_no_field_is_found(folder):
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": '[output]\norder = ["nam"]\n'}))
    assert [(p.code, p.suggestion) for p in problems] == [("bad-setting", "Did you mean name?")]


def test_a_function_nobody_calls_is_a_warning_and_a_helper_is_not(folder):
    text = HEAD + "def tidy(value):\n    return value\ndef lonely(value):\n    return value\n"
    text += "def transform(value):\n    return tidy(value)\n"
    problems = check_configuration(folder({"columns/name.py": text}))
    assert [(p.code, p.line, p.severity) for p in problems] == [("unreachable-rule", 5, "warning")]


def test_other_ways_to_write_a_field_are_understood(folder):
    files = {
        "shared.py": "from ade_engine import Field\nfield = Field('shared')\n",
        "columns/a.py": "from ade_engine import Field\nfield: Field = Field(name='a')\n",
        "columns/b.py": "from ..shared import field\n",
    }
    assert check_configuration(folder(files)) == []


def test_async_rules_and_positional_field_arguments_are_refused(folder):
    text = (
        "from ade_engine import Field\nfield = Field('name', 'Name')\nasync def transform(value):\n    return value\n"
    )
    problems = check_configuration(folder({"columns/name.py": text}))
    assert [p.code for p in problems] == ["wrong-argument", "wrong-signature"]


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ({"columns/a.py": "field = 7\n"}, "field must be a Field"),
        ({"columns/a.py": HEAD.replace("'name'", "'z' * 1")}, "already defined"),
        ({"columns/a.py": HEAD + "transform = lambda valu: valu\n"}, "asks for valu"),
        ({"row_types/total.py": "label = 'to' + 'tals'\ndef detect_it(row):\n    return 1\n"}, "no row label"),
    ],
)  # fmt: skip
def test_what_reading_cannot_see_is_found_by_importing(folder, files, part):
    problems = check_configuration(folder({"columns/z.py": HEAD.replace("name", "z"), **files}))
    assert part in " ".join(problem.message for problem in problems)


def test_a_syntax_error_in_a_helper_names_the_helper(folder):
    problems = check_configuration(folder({"shared.py": "def (:\n", "columns/a.py": "from ..shared import x\n" + HEAD}))
    assert [(p.code, p.file, p.line) for p in problems] == [("syntax-error", "shared.py", 1)]


def test_labels_may_differ_in_case_only_but_an_alias_is_of_one_field(folder):
    files = {
        "columns/a.py": HEAD.replace("name", "a").replace(")", ", label='Total')", 1),
        "columns/b.py": HEAD.replace("name", "b").replace(")", ", label='TOTAL')", 1),
        "columns/c.py": HEAD.replace("name", "c").replace(")", ", label='%Total', aliases=['E-Mail'])", 1),
    }
    assert check_configuration(folder(files)) == []
    for options in ("aliases=['total']", "label='Total'", "label='e mail'"):
        files["columns/d.py"] = HEAD.replace("name", "d").replace(")", f", {options})", 1)
        assert codes(check_configuration(folder(files))) == [("duplicate-alias", "columns/d.py", 2)]


@pytest.mark.parametrize(
    ("line", "message", "suggestion"),
    [
        ('encoding = "cp-1250"', "csv.encoding: there is no encoding 'cp-1250'", "Did you mean cp1250?"),
        ("encoding = 1250", "csv.encoding must be the name of an encoding", None),
        ('delimiter = "x"', "csv.delimiter must be a text of 1 to 3 characters other than letters", None),
        ('delimite = ";"', "there is no setting csv.delimite", "Did you mean delimiter?"),
    ],
)
def test_wrong_settings_of_csv_are_found(folder, line, message, suggestion):
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": f"[csv]\n{line}\n"}))
    assert [(p.line, p.message, p.suggestion) for p in problems] == [(2, message, suggestion)]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("automatic = 2", "mapping.automatic must be a number above 0 and at most 1"),
        ('suggest = "0.5"', "mapping.suggest must be a number above 0 and at most 1"),
        ("suggest = 0.97", "mapping.suggest must be at most mapping.automatic, which is 0.965"),
        ("automatic = 0.3", "mapping.suggest must be at most mapping.automatic, which is 0.3"),
    ],
)
def test_bars_of_mapping_that_cannot_hold_are_found(folder, lines, message):
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": f"[mapping]\n{lines}\n"}))
    assert [(p.line, p.message) for p in problems] == [(2, message)]


def test_bars_of_mapping_are_accepted(folder):
    text = "[mapping]\nautomatic = 0.8\nsuggest = 0.8\n"
    assert check_configuration(folder({"columns/name.py": HEAD, "settings.toml": text})) == []


def test_settings_of_csv_are_accepted(folder):
    text = '[csv]\nencoding = "Windows-1254"\ndelimiter = "\\t"\n'
    assert check_configuration(folder({"columns/name.py": HEAD, "settings.toml": text})) == []


@pytest.mark.parametrize("settings", ["# long\n" * 2001, f"# {'x' * 32 * 1024}"])
def test_settings_that_take_long_to_read_are_refused(folder, settings):
    [problem] = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": settings}))
    assert (problem.code, problem.file) == ("bad-setting", "settings.toml")
    assert "more than 32768 bytes or 2000 lines" in problem.message


def test_only_the_first_of_many_wrong_settings_are_reported(folder):
    many = "[output]\n" + "".join(f"a{number} = 1\n" for number in range(1900))
    problems = check_configuration(folder({"columns/name.py": HEAD, "settings.toml": many}))
    assert [problem.line for problem in problems] == list(range(2, 22))


LISTED = "from ade_engine import Field\nfields = [\n    Field('a'),\n    Field('b', type='date'),\n]\n"


def test_a_file_may_list_several_fields(folder):
    root = folder({"columns/all.py": LISTED, "columns/c.py": "from ade_engine import Field\nfield = Field('c')\n"})
    assert check_configuration(root) == []
    assert [field.name for field in load_configuration(root).fields] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LISTED.replace("type", "typ"), (4, "Field has no argument typ")),
        (LISTED.replace("'b'", "'a'"), (4, "field a is already defined in columns/all.py")),
        (
            LISTED + "def transform(value):\n    return value\n",
            (6, "transform belongs to none of the fields of this file"),
        ),
        (LISTED.replace("Field('a')", "1"), (2, "fields must be a list of Field(...)")),
    ],
)
def test_a_mistake_in_a_list_of_fields_is_reported_with_its_line(folder, text, expected):
    [problem] = check_configuration(folder({"columns/all.py": text}))
    assert (problem.line, problem.message) == expected


def _pipe(path, _):
    os.mkfifo(path)


def _link_out(path, outside):
    path.symlink_to(outside / "nowhere.py")


def _circle(path, _):
    path.symlink_to(path.name)


def _folder(path, _):
    path.mkdir()


@pytest.mark.req("S2")
@pytest.mark.parametrize("make", [_pipe, _link_out, _circle, _folder])
@pytest.mark.parametrize(
    "name", ["columns/x.py", "hooks/h.py", "helper.py", "settings.toml", "words.csv", "profiles.json"]
)
def test_what_is_no_plain_file_is_a_problem_and_is_not_waited_for(folder, tmp_path, make, name):
    rules = folder({"columns/name.py": HEAD})
    (rules / name).parent.mkdir(exist_ok=True)
    make(rules / name, tmp_path)
    assert codes(check_configuration(rules)) == [("unreadable-file", name, 1)]
    with pytest.raises(ConfigurationError, match=name):
        load_configuration(rules)


@pytest.mark.parametrize("make", [_pipe, _circle])
def test_a_rule_folder_that_is_none_is_a_problem(folder, tmp_path, make):
    rules = folder({"columns/name.py": HEAD})
    make(rules / "hooks", tmp_path)
    assert codes(check_configuration(rules)) == [("unreadable-file", "hooks", 1)]


@pytest.mark.parametrize(
    "files",
    [
        {"settings.toml": "".join(f'[[output.table]]\nname = "t{n}"\nhas = ["none{n}"]\n' for n in range(100))},
        {"columns/more.py": "from ade_engine import Field\nfields = ["
         + ",".join(f'Field("f{n}", lookup="none{n}.csv", lookup_by="name")' for n in range(100)) + "]\n"},
        {"hooks/rows.py": "def keep(row):\n    return " + " and ".join(f'row["none{n}"]' for n in range(100)) + "\n"},
    ],
    ids=["settings", "files", "rows"],
)  # fmt: skip
def test_only_the_first_of_many_wrong_names_are_reported_since_each_is_compared_with_all_names(folder, files):
    assert len(check_configuration(folder({"columns/name.py": HEAD, **files}))) == 20
