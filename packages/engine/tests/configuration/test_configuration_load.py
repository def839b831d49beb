import sys

import pytest

from ade_engine import ConfigurationError, check_configuration, load_configuration, manifest

MEMBER = """\
    from ade_engine import Field

    field = Field("member_id", label="Member ID", required=True, aliases=["Employee ID", "Member #"])

    def detect_pattern(column):
        return 0.9 * column.share_matching(r"[A-Z]{2}\\d{6}")

    def transform(value):
        return value.strip().upper()

    def validate(value):
        if len(value) != 8:
            return "must have 8 characters"
    """


@pytest.mark.req("E7")
def test_a_column_rule_of_under_ten_lines_is_a_whole_configuration(folder):
    configuration = load_configuration(folder({"columns/member_id.py": MEMBER}))
    rules = configuration.columns[0]
    assert rules.field.name == "member_id"
    assert [function.rule for function in rules.detectors] == ["col.member_id.pattern"]
    assert rules.transform is not None
    assert [function.rule for function in rules.validators] == ["col.member_id.validate"]


def test_files_of_a_folder_can_import_each_other_by_relative_imports(folder):
    root = folder(
        {
            "shared.py": "def clean(value):\n    return value.strip()\n",
            "columns/name.py": """\
                from ade_engine import Field
                from ..shared import clean
                field = Field("name")
                def transform(value):
                    return clean(value)
                """,
        }
    )
    configuration = load_configuration(root)
    assert configuration.columns[0].transform.call(" x ") == "x"


def test_loading_leaves_the_search_path_and_the_folder_as_they_were(folder, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    root = folder(
        {
            "shared.py": "X = 1\n",
            "columns/name.py": "from ade_engine import Field\nfrom ..shared import X\nfield = Field('name')\n",
        }
    )
    path_before, files_before = list(sys.path), sorted(root.rglob("*"))
    load_configuration(root)
    assert sys.path == path_before
    assert sorted(root.rglob("*")) == files_before
    assert sys.dont_write_bytecode is False


def test_each_file_is_executed_once_even_when_another_imports_it(folder, tmp_path):
    trace = tmp_path / "trace"
    root = folder(
        {
            "columns/a.py": "from ade_engine import Field\nfrom .b import SIZE\nfield = Field('a')\n",
            "columns/b.py": f"""\
                from pathlib import Path
                from ade_engine import Field
                trace = Path({str(trace)!r})
                trace.write_text(trace.read_text() + "x" if trace.exists() else "x")
                SIZE = 1
                field = Field("b")
                """,
        }
    )
    load_configuration(root)
    assert trace.read_text() == "x"


def test_two_folders_with_equal_file_names_do_not_mix(folder, tmp_path):
    first = load_configuration(folder({"columns/name.py": "from ade_engine import Field\nfield = Field('one')\n"}))
    second = load_configuration(folder({"columns/name.py": "from ade_engine import Field\nfield = Field('two')\n"}))
    assert (first.fields[0].name, second.fields[0].name) == ("one", "two")


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("from ade_engine import Field\nfield = Field('name'\n", 2, "not Python"),
        ("from ade_engine import Field\nimport nothing_like_this\nfield = Field('name')\n", 2, "ModuleNotFoundError"),
        ("from ade_engine import Field\nkind = 'num' + 'bers'\nfield = Field('name', type=kind)\n", 3, "ValueError"),
        (
            "from ade_engine import Field\nfield = Field('name')\n\ndef transform(valu):\n    return valu\n",
            4,
            "Did you mean value?",
        ),
    ],
)
def test_an_error_names_file_and_line(folder, text, line, part):
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(folder({"columns/name.py": text}))
    assert (caught.value.file, caught.value.line) == ("columns/name.py", line)
    assert part in str(caught.value)


@pytest.mark.req("B8")
@pytest.mark.parametrize(
    ("code", "line", "kind"),
    [
        (
            "from functools import cache\n@cache\ndef transform(value):\n    return value.upper()",
            5,
            "_lru_cache_wrapper",
        ),
        ("from functools import partial\ntransform = partial(int, base=16)", 4, "partial"),
        ("validate = str.isupper", 3, "method_descriptor"),
        ("class detect_code:\n    pass", 3, "type"),
    ],
)
def test_a_rule_that_is_no_plain_function_is_an_error_and_not_left_out(folder, code, line, kind):
    root = folder({"columns/x.py": f"from ade_engine import Field\nfield = Field('x')\n{code}\n"})
    with pytest.raises(ConfigurationError, match=rf"columns/x\.py, line {line}: \w+ must be a function, not {kind}"):
        load_configuration(root)
    assert [(problem.file, problem.line) for problem in check_configuration(root)] == [("columns/x.py", line)]


def test_a_missing_folder_is_a_configuration_error(tmp_path):
    with pytest.raises(ConfigurationError, match="no configuration folder"):
        load_configuration(tmp_path / "nowhere")


def test_fields_come_in_the_order_of_the_settings_and_then_by_file(folder):
    files = {f"columns/{name}.py": f"from ade_engine import Field\nfield = Field('{name}')\n" for name in "abc"}
    root = folder({**files, "settings.toml": '[output]\norder = ["c"]\n'})
    assert [field.name for field in load_configuration(root).fields] == ["c", "a", "b"]


def test_the_fingerprint_follows_the_content_and_not_the_place(folder, tmp_path):
    root = folder({"columns/member_id.py": MEMBER})
    before = load_configuration(root).fingerprint
    moved = root.rename(tmp_path / "elsewhere")
    assert load_configuration(moved).fingerprint == before
    (moved / "columns" / "member_id.py").write_text((moved / "columns" / "member_id.py").read_text() + "\n")
    assert load_configuration(moved).fingerprint != before


@pytest.mark.req("B8")
def test_the_manifest_lists_fields_and_functions_with_their_places(folder):
    root = folder(
        {
            "columns/member_id.py": MEMBER,
            "row_types/total.py": "def detect_sum(row):\n    return 1.0\n",
            "hooks/report.py": "def on_table_end(summary):\n    return None\n",
            "requirements.txt": "# nothing\npython-stdnum==1.20\n",
        }
    )
    found = manifest(load_configuration(root))
    assert found["fields"][0]["detectors"] == [
        {"rule": "col.member_id.pattern", "file": "columns/member_id.py", "line": 5, "parameters": ["column"]}
    ]
    assert found["row_types"][0]["rule"] == "row.total.sum"
    assert found["hooks"][0]["rule"] == "hook.on_table_end"
    assert found["requirements"] == ["python-stdnum==1.20"]
