"""Where rows go: tables of one name, several outputs, many documents in one; and how columns look."""

import csv
import json
import zipfile
from contextlib import closing

import pytest

from ade_engine import InputError, check_configuration, combine
from ade_engine.readers import open_workbook

STORES = {
    "Leeds": [["Order", "Qty"], ["L1", 1], ["L2", 2], [], [], ["Returned", "Reason"], ["L1", "broken"], ["L2", "late"]],
    "York": [["Order", "Qty", "Gift"], ["Y1", 3, "yes"], ["Y2", 4, "no"]],
}
FIELDS = {"order": 'aliases=["Returned"]', "qty": 'type="integer"', "reason": ""}
ORDER = '[output]\norder = ["order", "qty", "reason"]\n'
NAMED = """
[[output.table]]
name = "Sales"
has = ["qty"]

[[output.table]]
name = "Returns"
has = ["reason"]
fields = ["reason", "order"]
"""


def test_all_tables_go_to_one_sheet_with_their_origin(run):
    text = ORDER + 'tables = "one"\norigin = ["document", "sheet", "row"]\n'
    done = run(STORES, {**FIELDS, "settings.toml": text})
    assert done.sheets == {
        "Data": [
            ["order", "qty", "Document", "Sheet", "Row", "reason", "Gift"],
            ["L1", 1, "in.xlsx", "Leeds", 2], ["L2", 2, "in.xlsx", "Leeds", 3],
            ["L1", None, "in.xlsx", "Leeds", 7, "broken"], ["L2", None, "in.xlsx", "Leeds", 8, "late"],
            ["Y1", 3, "in.xlsx", "York", 2, None, "yes"], ["Y2", 4, "in.xlsx", "York", 3, None, "no"],
        ]
    }  # fmt: skip


def test_tables_that_a_hook_names_alike_are_appended(run):
    hook = "def before_write(table, output):\n    output.name = 'Returns' if 'Reason' in table.headers else 'Sales'\n"
    done = run(STORES, {**FIELDS, "hooks/name.py": hook, "settings.toml": ORDER + 'tables = "by_name"\n'})
    assert {name: len(rows) for name, rows in done.sheets.items()} == {"Sales": 5, "Returns": 3}
    assert [table["output"] for table in done.result.tables] == ["Sales", "Returns", "Sales"]
    assert {table["file"] for table in done.result.tables} == {"normalized.xlsx"}


def test_outputs_take_tables_by_their_fields_and_write_their_own(run):
    done = run(STORES, {**FIELDS, "settings.toml": ORDER + NAMED})
    assert done.sheets == {
        "Sales": [["order", "qty", "Gift"], ["L1", 1], ["L2", 2], ["Y1", 3, "yes"], ["Y2", 4, "no"]],
        "Returns": [["reason", "order"], ["broken", "L1"], ["late", "L2"]],
    }


def test_a_table_may_go_to_several_outputs(run):
    text = ORDER + '[[output.table]]\nname="All"\n[[output.table]]\nname="Orders"\nfields=["order"]\n'
    done = run({"S": STORES["York"]}, {**FIELDS, "settings.toml": text})
    assert done.sheets["Orders"] == [["order"], ["Y1"], ["Y2"]]
    assert len(done.sheets["All"]) == 3


def test_files_of_csv_are_named_in_the_artifact_where_tables_share_them(run):
    done = run(STORES, {**FIELDS, "settings.toml": ORDER + NAMED}, format="csv")
    assert list(done.sheets) == ["normalized-1-Sales.csv", "normalized-2-Returns.csv"]
    assert [table["file"] for table in done.result.tables] == [
        "normalized-1-Sales.csv", "normalized-2-Returns.csv", "normalized-1-Sales.csv",
    ]  # fmt: skip


def test_keys_are_compared_across_the_tables_of_one_output(run):
    sheets = {"A": [["Order", "Qty"], ["1", 1], ["2", 2]], "B": [["Order", "Qty"], ["2", 3], ["3", 4]]}
    rows = '[rows]\nkey = ["order"]\nduplicates = "first"\n'
    one = run(sheets, {**FIELDS, "settings.toml": ORDER + 'tables = "one"\n' + rows}, name="one")
    assert [row[0] for row in one.sheets["Data"][1:]] == ["1", "2", "3"]
    apart = run(sheets, {**FIELDS, "settings.toml": ORDER + rows}, name="apart")
    assert [len(rows) for rows in apart.sheets.values()] == [3, 3]


def test_issues_are_highlighted_in_shared_outputs(run):
    text = ORDER + 'tables = "one"\nhighlight = true\n'
    sheets = {"A": [["Note", "Qty"], ["x", 1], ["y", 2]], "B": [["Order", "Qty"], ["1", "many"], ["2", 2]]}
    done = run(sheets, {**FIELDS, "settings.toml": text})
    with zipfile.ZipFile(done.result.output_path) as parts:
        sheet = parts.read("xl/worksheets/sheet1.xml").decode()
    assert '<c r="A4" s="8" t="inlineStr"><is><t>many' in sheet


def test_number_formats_widths_filter_and_header(run):
    fields = {"order": "width=33", "qty": 'type="number", format="#,##0.00", minimum=2', "share": 'type="percent"'}
    text = "[output]\nfilter = true\nfreeze = false\nhighlight = true\n"
    done = run({"S": [["Order", "Qty", "Share"], ["a", 1, 0.5], ["b", 2.5, 0.25]]}, {**fields, "settings.toml": text})
    with closing(open_workbook(done.result.output_path)) as workbook:
        sheet = workbook.open_sheet(workbook.sheets[0])
        [_, first, second] = sheet.rows()
        looks = [[sheet.styles[style].number_format for style in row.styles] for row in (first, second)]
        fills = [[sheet.styles[style].filled for style in row.styles] for row in (first, second)]
    assert looks == [["General", "#,##0.00", "0.00%"]] * 2
    assert fills == [[False, True, False], [False, False, False]]
    with zipfile.ZipFile(done.result.output_path) as parts:
        markup = parts.read("xl/worksheets/sheet1.xml").decode()
    assert '<autoFilter ref="A1:C3"/>' in markup
    assert "<pane" not in markup
    assert '<col min="1" max="1" width="33"' in markup


@pytest.mark.parametrize("form", ["xlsx", "csv", "parquet"])
def test_combining_documents_equals_concatenating_their_outputs(run, tmp_path, form):
    if form == "parquet":
        pytest.importorskip("pyarrow")
    text = ORDER + 'tables = "by_name"\norigin = ["document"]\nmissing_fields = "empty"\n'
    parts = [
        run(
            {"S": rows}, {**FIELDS, "qty": 'type="number", format="0.0"', "settings.toml": text}, name=name, format=form
        )
        for name, rows in (
            ("jan", [["Order", "Qty"], ["007", 1.5], ["b", 2]]),
            ("feb", [["Gift", "Order", "Qty"], ["x", "c", 3.5], ["y", None, 4]]),
        )
    ]
    [path] = combine([part.result.artifact_path.parent for part in parts], tmp_path / f"all.{form}")
    if form == "xlsx":
        with closing(open_workbook(path)) as workbook:
            [info] = workbook.sheets
            rows = [row.values for row in workbook.open_sheet(info).rows()]
    elif form == "csv":
        rows = [[cell or None for cell in line] for line in csv.reader(path.read_text("utf-8").splitlines())]
    else:
        parquet = pytest.importorskip("pyarrow.parquet")
        table = parquet.read_table(path)
        rows = [table.column_names, *(list(line.values()) for line in table.to_pylist())]
    numbers = ["1.5", "2", "3.5", "4"] if form == "csv" else [1.5, 2, 3.5, 4]
    expected = [
        ["order", "qty", "reason", "Document", "Gift"],
        ["007", numbers[0], None, "jan.xlsx", None], ["b", numbers[1], None, "jan.xlsx", None],
        ["c", numbers[2], None, "feb.xlsx", "x"], [None, numbers[3], None, "feb.xlsx", "y"],
    ]  # fmt: skip
    assert [[*row, *[None] * (5 - len(row))] for row in rows] == expected


MISTAKES = {
    "no name": ('[[output.table]]\nhas = ["qty"]\n', "1: output.table needs a name"),
    "a field that is none in the second": (
        '[[output.table]]\nname = "A"\n\n[[output.table]]\nname = "B"\nfields = [\n  "order",\n  "qyt"]\n',
        "8: output.table.fields names no field qyt",
    ),
    "a key that is none in the second": (
        '[[output.table]]\nname = "A"\n[[output.table]]\nname = "B"\nfield = ["qty"]\n',
        "5: there is no setting output.table.field",
    ),
    "a name twice": (
        '[[output.table]]\nname = "A"\n[[output.table]]\nname = "A"\n',
        '4: there are two output tables "A"',
    ),
    "an origin that is none": (
        '[output]\norigin = ["page"]\n',
        '2: output.origin must be a list of "document", "sheet", "row"',
    ),
}


@pytest.mark.parametrize(("text", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_outputs_is_reported_with_its_line(rules, text, expected):
    [problem] = check_configuration(rules({**FIELDS, "settings.toml": text}))
    assert f"{problem.line}: {problem.message}" == expected


@pytest.mark.parametrize(
    ("artifact", "content"),
    [
        ([], b"a\n"),
        ({"outputs": [{"name": "T", "file": "../../elsewhere.csv"}]}, b"a\n"),
        ({"outputs": [{"name": "T", "file": "normalized.csv"}]}, b"\xff"),
        ({"outputs": [{"name": None, "file": "normalized.csv"}]}, b"a\n"),
    ],
)
def test_results_that_rules_replaced_are_not_combined_and_said_to_be_wrong(tmp_path, artifact, content):
    (tmp_path / "one").mkdir()
    (tmp_path / "one/artifact.json").write_text(json.dumps(artifact), encoding="utf-8")
    (tmp_path / "one/normalized.csv").write_bytes(content)
    (tmp_path / "elsewhere.csv").write_bytes(b"of others\n")
    with pytest.raises(InputError, match="do not have the form that a run writes"):
        combine([tmp_path / "one"], tmp_path / "all.csv")
    assert not (tmp_path / "all.csv").exists()


def test_an_output_is_an_excel_table_that_other_programs_read(run):
    openpyxl = pytest.importorskip("openpyxl")
    files = {"name": "", "qty": 'type="integer"', "settings.toml": "[output]\nexcel_tables = true\nfilter = true\n"}
    done = run({"Sales & more": [["Name", "Qty"], ["Ada", 1], ["Bob", 2]]}, files)
    [sheet] = openpyxl.load_workbook(done.result.output_paths[0]).worksheets
    [table] = sheet.tables.values()
    assert (table.ref, [column.name for column in table.tableColumns]) == ("A1:B3", ["name", "qty"])
    assert sheet.auto_filter.ref is None  # the table has the filter; a sheet with both is damaged for Excel
