import csv
import gc
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from ade_engine import explain, load_configuration, normalize

NAME = "from ade_engine import Field\nfield = Field('name', label='Name', aliases=['Who'])\n"
AGE = "from ade_engine import Field\nfield = Field('age', type='integer', minimum=0)\n"


@pytest.fixture
def people_csv(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("Who,Age,Shoe\nAda,36,38\nBruno,-1,44\nChiara,old,39\nDilan,20,40\n")
    return path


@pytest.mark.req("E1")
def test_a_run_leaves_workbook_artifact_and_issues(people_csv, tmp_path, configuration, contents):
    folder = configuration(
        {"columns/name.py": NAME, "columns/age.py": AGE, "settings.toml": '[output]\norder = ["name", "age"]\n'}
    )
    result = normalize(people_csv, tmp_path / "out", configuration=folder, run_id="run-7")
    assert result.status == "succeeded"
    assert contents(result.output_path) == {
        "Table": [
            ["Name", "age", "Shoe"],
            ["Ada", 36, "38"],
            ["Bruno", -1, "44"],
            ["Chiara", "old", "39"],
            ["Dilan", 20, "40"],
        ]
    }
    lines = [json.loads(line) for line in result.issues_path.read_text(encoding="utf-8").splitlines()]
    assert [(line["cell"], line["rule"]) for line in lines] == [
        ("B3", "minimum"),
        ("B4", "type.integer"),
    ]
    artifact = json.loads(result.artifact_path.read_text(encoding="utf-8"))
    assert artifact == result.artifact
    assert artifact["run"] == {"id": "run-7", "status": "succeeded", "failure": None}
    assert artifact["sheets"][0]["tables"][0]["transform"] == {
        "name": {"changed": 0, "rules": {}},
        "age": {"changed": 3, "rules": {"type.integer": 3}},
    }


def test_a_document_whose_name_is_not_utf8_is_normalised(tmp_path, configuration):
    path = tmp_path / os.fsdecode(b"m\xe4rz.csv")
    try:
        path.write_text("Who,Age\nAda,36\nBruno,20\n", encoding="utf-8")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    folder = configuration({"columns/age.py": AGE, "settings.toml": '[output]\norigin = ["document"]\n'})
    result = normalize(path, tmp_path / "out", configuration=folder, format="csv")
    assert result.status == "succeeded"
    assert json.loads(result.artifact_path.read_bytes())["input"]["name"] == "m\N{REPLACEMENT CHARACTER}rz.csv"
    assert "m\N{REPLACEMENT CHARACTER}rz.csv" in result.output_path.read_text(encoding="utf-8")


def test_events_tell_the_story_in_order(people_csv, tmp_path, configuration):
    events = []
    normalize(people_csv, tmp_path / "out", configuration=configuration({"columns/age.py": AGE}), events=events.append)
    assert [event["event"] for event in events] == [
        "run.started", "sheet.started", "table.found", "table.mapped", "table.finished", "run.finished"
    ]  # fmt: skip
    json.dumps(events)


def test_progress_is_told_while_rows_stream_by(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("Name,Age\n" + "".join(f"Ada,{number}\n" for number in range(21_000)))
    events = []
    normalize(path, tmp_path / "out", events=events.append)
    assert [event["rows"] for event in events if event["event"] == "rows.progress"] == [10_240, 20_480]


def test_a_document_that_cannot_be_read_is_a_failed_run_with_an_artifact(tmp_path):
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 and no more")
    result = normalize(tmp_path / "broken.xlsx", tmp_path / "out")
    assert result.status == "failed"
    assert result.failure.code == "input_error"
    assert len(result.failure.message) <= 240
    assert result.output_path is None
    assert json.loads(result.artifact_path.read_text())["run"]["failure"]["code"] == "input_error"


def test_a_broken_configuration_is_a_failed_run_that_leaves_no_output(people_csv, tmp_path, configuration):
    folder = configuration({"columns/name.py": NAME + "def detect_it(column):\n    return 1 / 0\n"})
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert (result.status, result.failure.code) == ("failed", "configuration_error")
    assert "columns/name.py, line 4" in result.failure.message
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["artifact.json", "issues.ndjson"]


@pytest.mark.req("E2")
def test_sheets_can_be_chosen(samples, tmp_path):
    def names(sheets):
        result = normalize(samples / "sheets_with_other_names.xlsx", tmp_path, sheets=sheets)
        return [sheet["name"] for sheet in result.artifact["sheets"]]

    assert names(None) == names("all") == ["London", "Berlin", "Paris"]
    assert names("active") == ["London"]
    assert names(["Paris", "Berlin"]) == ["Berlin", "Paris"]


def test_a_sheet_that_is_not_there_is_named(samples, tmp_path):
    result = normalize(samples / "offset.xlsx", tmp_path, sheets=["Nowhere"])
    assert result.failure.code == "input_error"
    assert "Nowhere" in result.failure.message


@pytest.mark.req("E4")
def test_unmapped_columns_are_kept_or_dropped_by_choice(people_csv, tmp_path, configuration, contents):
    def header(settings):
        folder = configuration({"columns/name.py": NAME, "settings.toml": settings})
        return contents(normalize(people_csv, tmp_path / "out", configuration=folder).output_path)["Table"][0]

    assert header("") == ["Name", "Age", "Shoe"]
    assert header('[mapping]\nunmapped = "drop"\n') == ["Name"]


def test_an_ignored_column_is_not_in_the_output_and_the_artifact_says_why(
    people_csv, tmp_path, configuration, contents
):
    folder = configuration({"columns/name.py": NAME, "settings.toml": '[mapping]\nignore = ["shoe"]\n'})
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert "Shoe" not in contents(result.output_path)["Table"][0]
    shoe = next(column for column in result.tables[0]["columns"] if column["header"] == "Shoe")
    assert (shoe["target"], shoe["reason"]) == (None, "ignored")


def test_missing_fields_can_be_written_as_empty_columns(people_csv, tmp_path, configuration, contents):
    other = "from ade_engine import Field\nfield = Field('city', required=True)\n"
    settings = '[output]\nmissing_fields = "empty"\norder = ["city", "name"]\n[mapping]\nunmapped = "drop"\n'
    folder = configuration({"columns/name.py": NAME, "columns/city.py": other, "settings.toml": settings})
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert contents(result.output_path)["Table"][0] == ["city", "Name"]
    assert [(issue["cell"], issue["rule"]) for issue in result.tables[0]["issues"]] == [(None, "required")]


def test_csv_output_is_written_on_request(people_csv, tmp_path):
    result = normalize(people_csv, tmp_path / "out", format="csv")
    assert result.output_path.suffix == ".csv"
    assert result.output_path.read_text(encoding="utf-8-sig").splitlines()[1].startswith("Ada")


def test_an_issues_sheet_is_added_on_request(people_csv, tmp_path, configuration, contents):
    folder = configuration(
        {"columns/age.py": AGE, "settings.toml": "[output]\nissues_sheet = true\nhighlight = true\n"}
    )
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    found = contents(result.output_path)
    assert list(found) == ["Table", "Issues"]
    assert found["Issues"][0] == ["Sheet", "Cell", "Field", "Rule", "Severity", "Message"]
    assert len(found["Issues"]) == 1 + result.issue_count


def test_hooks_see_each_moment_and_can_decide(people_csv, tmp_path, configuration, contents):
    folder = configuration(
        {
            "columns/name.py": NAME,
            "columns/age.py": AGE,
            "hooks/all.py": """\
                def on_workbook_start(workbook, context):
                    context.state["seen"] = [workbook.format]
                def on_sheet_start(sheet, context):
                    context.state["seen"].append("sheet")
                def on_table_start(table, context):
                    context.state["seen"].append(table.headers)
                def on_table_mapped(mapping):
                    mapping.assign("Shoe", "age")
                def before_write(output):
                    output.name = "People"
                    output.drop("Age (2)")
                def on_table_end(summary, context):
                    return [("info", f"{summary['rows']} rows, {len(context.state['seen'])} moments"), "second"]
                def on_workbook_end(summary, context):
                    assert summary["tables"] == 1
                """,
        }
    )
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert result.failure is None
    assert contents(result.output_path) == {
        "People": [["age", "Name"], [38, "Ada"], [44, "Bruno"], [39, "Chiara"], [40, "Dilan"]]
    }
    assert [(column["target"], column["reason"]) for column in result.tables[0]["columns"]] == [
        ("name", "best"), (None, "hook"), ("age", "hook")
    ]  # fmt: skip
    assert [issue["message"] for issue in result.tables[0]["issues"]] == ["4 rows, 3 moments", "second"]


def test_a_hook_that_raises_is_named_without_what_it_said(people_csv, tmp_path, configuration, caplog):
    folder = configuration(
        {"columns/name.py": NAME, "hooks/all.py": "def on_table_end(table):\n    raise ValueError('Ada')\n"}
    )
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert result.failure.message == "hooks/all.py, line 2: the hook raised ValueError"
    assert "Ada" not in json.dumps(result.artifact)
    [_, trace] = caplog.text.split("Traceback", 1)
    assert 'File "hooks/all.py", line 2, in on_table_end' in trace
    assert trace.endswith("ValueError\n")
    assert "pipeline.py" not in trace


def test_a_hook_can_leave_tables_and_sheets_out(samples, tmp_path, configuration):
    folder = configuration(
        {"columns/name.py": NAME, "hooks/a.py": "def on_table_start(table):\n    return 'Order no' in table.headers\n"}
    )
    result = normalize(samples / "stacked_tables.xlsx", tmp_path / "a", configuration=folder)
    assert [table["range"] for table in result.tables] == ["A10:F17"]
    folder = configuration({"hooks/a.py": "def on_sheet_start(sheet):\n    return sheet.name != 'Berlin'\n"})
    result = normalize(samples / "sheets_with_other_names.xlsx", tmp_path / "b", configuration=folder)
    assert [table["sheet"] for table in result.tables] == ["London", "Paris"]


@pytest.mark.req("E3")
def test_row_rules_add_evidence_that_can_decide(xlsx, tmp_path, configuration):
    data = [[f"item {number}", number] for number in range(8)]
    data[3] = ["~~ carried over ~~", 3]
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Thing", "Count"), *data])})
    folder = configuration(
        {
            "columns/name.py": NAME,
            "row_types/total.py": "def detect_carried(row):\n    return 9.0 if row.first.startswith('~~') else None\n",
        }
    )
    plain = normalize(tmp_path / "in.xlsx", tmp_path / "a").tables[0]
    ruled = normalize(tmp_path / "in.xlsx", tmp_path / "b", configuration=folder).tables[0]
    assert (plain["rows"]["written"], plain["totals_rows"]) == (8, [])
    assert (ruled["rows"]["written"], ruled["totals_rows"]) == (7, [5])


def test_computed_and_combined_fields_are_made_of_several_columns(tmp_path, configuration, contents):
    (tmp_path / "in.csv").write_text(
        "First,Last,Street,street\nAda,Weber,Hill 1,Back\nBo,Silva,Hill 2,\nCy,Young,Dale 3,\n"
    )
    field = "from ade_engine import Field\n"
    folder = configuration(
        {
            "columns/first.py": field + "field = Field('first')\n",
            "columns/last.py": field + "field = Field('last')\n",
            "columns/whole.py": field
            + "field = Field('whole')\ndef transform(row):\n    return f\"{row['first']} {row['last']}\"\n",
            "columns/street.py": field + "field = Field('street', aliases=['Street'], combine=', ')\n",
            "settings.toml": '[output]\norder = ["whole", "street", "first", "last"]\n',
        }
    )
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder)
    rows = contents(result.output_path)["Table"]
    assert rows[:3] == [
        ["whole", "street", "first", "last"],
        ["Ada Weber", "Hill 1, Back", "Ada", "Weber"],
        ["Bo Silva", "Hill 2", "Bo", "Silva"],
    ]
    assert result.tables[0]["transform"]["street"] == {"changed": 1, "rules": {"combine": 1}}


def test_a_document_without_a_table_succeeds_with_none(tmp_path, contents):
    (tmp_path / "note.csv").write_text("just one line of text\n")
    result = normalize(tmp_path / "note.csv", tmp_path / "out")
    assert result.status == "succeeded"
    assert result.output_path.exists()


def test_formulas_whose_result_was_never_stored_are_an_issue_of_the_sheet(xlsx, tmp_path):
    data = [[f"item {number}", number] for number in range(6)]
    xlsx.write_workbook(tmp_path / "full.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Thing", "Count"), *data])})
    data[2][1] = xlsx.Formula("1+1", None)
    xlsx.write_workbook(tmp_path / "in.xlsx", {"S": xlsx.SheetPlan([xlsx.bold("Thing", "Count"), *data])})
    assert normalize(tmp_path / "full.xlsx", tmp_path / "a").artifact["summary"]["formulas_without_value"] == 0
    result = normalize(tmp_path / "in.xlsx", tmp_path / "b")
    assert result.artifact["summary"]["formulas_without_value"] == 1
    assert "1 formula had no stored result" in explain(result.artifact)
    sheet = result.artifact["sheets"][0]
    assert [(issue["sheet"], issue["rule"], issue["severity"]) for issue in sheet["issues"]] == [
        ("S", "formula.no_value", "warning")
    ]
    assert sheet["issue_counts"]["total"] == result.artifact["summary"]["issues"]["warning"] == 1
    assert json.loads(result.issues_path.read_text())["rule"] == "formula.no_value"


def test_issues_are_capped_in_the_artifact_and_complete_in_the_file(tmp_path, configuration):
    (tmp_path / "in.csv").write_text("Name,Age\n" + "Ada,x\n" * 500)
    folder = configuration({"columns/age.py": AGE.replace(", minimum=0", "")})
    result = normalize(tmp_path / "in.csv", tmp_path / "out", configuration=folder, issue_cap=20)
    table = result.tables[0]
    assert len(table["issues"]) == 20
    assert table["issue_counts"]["total"] == 500
    assert len(result.issues_path.read_text().splitlines()) == 500


def test_an_output_format_that_does_not_exist_is_refused_before_anything_is_written(people_csv, tmp_path):
    with pytest.raises(ValueError, match="xlsx, csv, parquet"):
        normalize(people_csv, tmp_path / "out", format="pdf")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("body", "line"), [("return 1 / 0", 2), ("return row.first", 1)])
def test_a_row_rule_that_fails_stops_the_run_with_its_place(people_csv, tmp_path, configuration, body, line):
    folder = configuration({"columns/name.py": NAME, "row_types/note.py": f"def detect_it(row):\n    {body}\n"})
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    assert result.failure.code == "configuration_error"
    assert result.failure.message.startswith(f"row_types/note.py, line {line}: row.note.it ")
    assert "Ada" not in result.failure.message


def test_a_row_rule_sees_the_row_and_its_neighbours(people_csv, tmp_path, configuration):
    rule = """\
        def detect_it(row, sheet, context):
            seen = context.state.setdefault("seen", [])
            seen.append((row.number, row.filled, list(row.above)[:1], list(row.below)[:1], row.texts[0]))
            return None
        """
    check = """\
        def on_workbook_end(context):
            assert context.state["seen"][1] == (2, ["Ada", "36", "38"], ["Who"], ["Bruno"], "Ada")
        """
    folder = configuration({"columns/name.py": NAME, "row_types/note.py": rule, "hooks/check.py": check})
    assert normalize(people_csv, tmp_path / "out", configuration=folder).failure is None


@pytest.mark.parametrize(
    ("hook", "part"),
    [
        ("def on_table_mapped(mapping):\n    mapping.assign('Shoe', 'size')\n", "not a field"),
        ("def on_table_mapped(mapping):\n    mapping.assign('Hat', None)\n", "does not have"),
    ],
)
def test_a_hook_that_asks_for_what_is_not_there_is_told(people_csv, tmp_path, configuration, hook, part):
    folder = configuration({"columns/name.py": NAME, "hooks/all.py": hook})
    message = normalize(people_csv, tmp_path / "out", configuration=folder).failure.message
    assert message.startswith("hooks/all.py, line 2: ")
    assert part in message


FULL_AGE = 'from ade_engine import Field\nfield = Field("age", label="Age in years", aliases=["Age"])\n'
CONTACT = 'from ade_engine import Field\nfield = Field("contact", label="Contact person")\n'


@pytest.mark.req("E7")
@pytest.mark.parametrize(
    ("word", "left", "issues"),
    [
        ("age", ["Name", "Shoe"], []),
        ("Age in years", ["Name", "Shoe"], []),
        ("AGE IN YEARS", ["Name", "Shoe"], []),
        ("Shoe", ["Age in years", "Name"], []),
        ("contact", ["Age in years", "Name", "Shoe"], []),
        ("Contact person", ["Age in years", "Name", "Shoe"], []),
        ("Hat", ["Age in years", "Name", "Shoe"], []),
        ("contatc", ["Age in years", "Name", "Shoe"], ['there is no column "contatc" to drop. Did you mean contact?']),
    ],
)
def test_a_column_is_dropped_by_field_or_header_and_one_that_is_absent_fails_nothing(
    people_csv, tmp_path, configuration, contents, word, left, issues
):
    hook = f"def before_write(output):\n    assert output.fields == ['age', 'name']\n    output.drop({word!r})\n"
    files = {"columns/name.py": NAME, "columns/age.py": FULL_AGE, "columns/contact.py": CONTACT, "hooks/all.py": hook}
    result = normalize(people_csv, tmp_path / "out", configuration=configuration(files))
    assert result.failure is None
    assert next(iter(contents(result.output_path).values()))[0] == left
    assert [issue["message"] for issue in result.tables[0]["issues"]] == issues


def test_a_loaded_configuration_can_be_used_again(people_csv, tmp_path, configuration):
    loaded = load_configuration(configuration({"columns/age.py": AGE}))
    results = [normalize(people_csv, tmp_path / place, configuration=loaded) for place in "ab"]
    assert results[0].artifact == results[1].artifact


@pytest.mark.req("E5", "E6")
def test_cells_beyond_the_table_far_down_are_told(tmp_path):
    lines = ["Name,City,Age", *(f"Ada {number},Bonn,{number}" for number in range(4000))]
    lines[3500] += ",beyond"
    (tmp_path / "in.csv").write_text("\n".join(lines))
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    [issue] = result.tables[0]["issues"]
    assert (issue["rule"], issue["severity"]) == ("structure.wider_rows", "warning")
    assert issue["message"].startswith("1 row has cells right of the table's last column")


def test_repeated_values_of_a_unique_field_are_highlighted(people_csv, tmp_path, configuration):
    field = "from ade_engine import Field\nfield = Field('name', aliases=['Who'], unique=True)\n"
    people_csv.write_text("Who,Age\nAda,36\nBo,37\nAda,38\nCy,39\nBo,40\n")
    folder = configuration({"columns/name.py": field, "settings.toml": "[output]\nhighlight = true\n"})
    result = normalize(people_csv, tmp_path / "out", configuration=folder)
    with zipfile.ZipFile(result.output_path) as archive:
        markup = archive.read("xl/worksheets/sheet1.xml").decode()
    assert re.findall(r'<c r="([A-Z]+[0-9]+)" s="8"', markup) == ["A4", "A6"]
    assert [issue["cell"] for issue in result.tables[0]["issues"]] == ["A4", "A6"]


def test_a_run_starts_without_modules_it_rarely_needs():
    code = "import sys, ade_engine.pipeline, ade_engine.readers.xlsx, ade_engine.writers.xlsx; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pyarrow", "ssl", "urllib.request", "http.client", "tomllib", "tempfile"}
    assert heavy.isdisjoint(loaded)


def test_a_failed_run_leaves_no_output_of_an_earlier_one_beside_its_artifact(tmp_path):
    document, out = tmp_path / "people.csv", tmp_path / "out"
    document.write_text("name,email\nAda,ada@example.org\nBob,bob@example.org\n")
    assert normalize(document, out).status == "succeeded"
    (out / "normalized notes.xlsx").write_text("somebody's own")

    document.write_bytes(b"")

    assert normalize(document, out).status == "failed"
    assert sorted(path.name for path in out.iterdir()) == ["artifact.json", "issues.ndjson", "normalized notes.xlsx"]


TURKISH = "Ad;Şehir;Tutar\nAyşe Yılmaz;İzmir;12\nÖzgür Çağlar;Muğla;15\nIşık Doğan;Iğdır;7\nSüheyla Güneş;Ağrı;9\n"  # noqa: RUF001


def test_the_artifact_and_its_explanation_name_the_encoding(tmp_path):
    (tmp_path / "in.csv").write_bytes(TURKISH.encode("cp1254"))
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    assert result.artifact["input"]["encoding"] == "cp1254"
    assert result.artifact["input"]["other_encoding"] is None
    assert "The text was read as cp1254." in explain(result.artifact)


def test_the_encoding_of_the_call_wins_over_that_of_the_settings(tmp_path, configuration):
    (tmp_path / "in.csv").write_bytes(TURKISH.encode("cp1254"))
    root = configuration({"settings.toml": '[csv]\nencoding = "cp1250"\ndelimiter = ";"\n'})
    by_settings = normalize(tmp_path / "in.csv", tmp_path / "a", configuration=root)
    by_call = normalize(tmp_path / "in.csv", tmp_path / "b", configuration=root, encoding="windows-1254")
    assert by_settings.artifact["input"]["encoding"] == "cp1250"
    assert by_call.artifact["input"]["encoding"] == "cp1254"
    assert [column["header"] for column in by_call.artifact["sheets"][0]["tables"][0]["columns"]][1] == "Şehir"


def test_an_unknown_encoding_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(ValueError, match="Did you mean cp1254"):
        normalize(tmp_path / "missing.csv", tmp_path / "out", encoding="cp-1254")


@pytest.mark.req("E5")
def test_what_is_doubtful_about_a_csv_file_is_an_issue_of_the_sheet(tmp_path):
    lines = [
        "id,name,town",
        *[f"{number},Bärbel Müller,Köln" for number in range(20)],
        '20,"Ben,Ulm',
        "21,Cy,Ulm,extra",
    ]
    (tmp_path / "in.csv").write_bytes("\n".join(lines).encode("cp1252") + b"\n22,J\x81rgen,K\xf6ln\n")
    result = normalize(tmp_path / "in.csv", tmp_path / "out")
    rules = {issue["rule"] for issue in result.artifact["sheets"][0]["issues"]}
    assert rules == {"csv.broken_quotes", "csv.uneven_rows", "encoding.undecodable"}
    assert "J" not in "".join(issue["message"] for issue in result.artifact["sheets"][0]["issues"])


@pytest.mark.parametrize(("setting", "written"), [("false", "=1+1"), ("true", "'=1+1")])
def test_formulas_in_csv_outputs_are_escaped_when_the_settings_say_so(tmp_path, configuration, setting, written):
    (tmp_path / "names.csv").write_text("Name,City\nAda,=1+1\nGrace,Leeds\nLin,York\n", encoding="utf-8")
    settings = f'[output]\nformat = "csv"\nescape_formulas = {setting}\n'
    folder = configuration({"settings.toml": settings})
    result = normalize(tmp_path / "names.csv", tmp_path / "out", configuration=folder)
    with result.output_path.open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1] == ["Ada", written]


def test_a_run_leaves_the_garbage_collector_of_its_caller_as_it_was(people_csv, tmp_path):
    before = gc.get_threshold()
    gc.set_threshold(123, 7, 8)
    try:
        normalize(people_csv, tmp_path / "out")
        assert gc.get_threshold() == (123, 7, 8)
        during = set()
        gc.set_threshold(0, 7, 8)  # switched off
        normalize(people_csv, tmp_path / "out", events=lambda _: during.add(gc.get_threshold()))
        assert during | {gc.get_threshold()} == {(0, 7, 8)}
    finally:
        gc.set_threshold(*before)
