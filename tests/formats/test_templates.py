"""A workbook of the configuration is filled: formulas, styles, names and charts of it hold for all rows."""

import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl  # type: ignore[import-untyped]
import pytest
from openpyxl.chart import BarChart, Reference  # type: ignore[import-untyped]
from openpyxl.comments import Comment  # type: ignore[import-untyped]
from openpyxl.formatting.rule import CellIsRule  # type: ignore[import-untyped]
from openpyxl.styles import Font, PatternFill  # type: ignore[import-untyped]
from openpyxl.workbook.defined_name import DefinedName  # type: ignore[import-untyped]
from openpyxl.worksheet.datavalidation import DataValidation  # type: ignore[import-untyped]
from openpyxl.worksheet.table import Table  # type: ignore[import-untyped]

from ade_engine import Result, check_configuration, combine, explain, normalize
from ade_engine.cells import column_letters
from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.sheet_view import View, view_lines
from ade_engine.templates.references import Shift, by_row, copied, moved

FIELDS = """from ade_engine import Field

fields = [
    Field("item", label="Item"),
    Field("amount", label="Amount EUR", type="number"),
    Field("due", type="date"),
]
"""
SETTINGS = '[output]\ntemplate = "report.xlsx"\n'
DOCUMENT = "Item,Amount EUR,Due\npen,100,2026-12-31\ncup,26.5,2027-02-01\nink,3,2027-03-01\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration with three fields, a document for it, and a place for a template."""
    (tmp_path / "rules" / "columns").mkdir(parents=True)
    (tmp_path / "rules" / "columns" / "all.py").write_text(FIELDS, "utf-8")
    (tmp_path / "rules" / "settings.toml").write_text(SETTINGS, "utf-8")
    (tmp_path / "document.csv").write_text(DOCUMENT, "utf-8")
    return tmp_path


def report() -> Any:
    """A title and a sum above the header in row 4, the model in row 5, sums below, and another sheet."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Report"
    rows: dict[int, list[Any]] = {
        1: ["Monthly report"],
        2: ["Sum", "=SUM(B5:B5)"],
        4: ["Item", "Amount EUR", "With VAT", "Due"],
        5: ["sample", 1, "=B5*(1+B$8)"],
        6: ["Sum", "=SUM(B5:B5)", "=SUM(C5:C5)"],
        8: ["VAT", 0.19],
    }
    for number, values in rows.items():
        for column, value in enumerate(values, 1):
            sheet.cell(number, column, value)
    sheet["A1"].font = Font(bold=True, size=16)
    sheet["A5"].font = Font(italic=True)
    sheet["B5"].number_format = "#,##0.00"
    sheet["D5"].fill = PatternFill("solid", fgColor="FF00FF00")
    sheet.freeze_panes = "A5"
    sheet.column_dimensions["A"].width = 33
    other = book.create_sheet("Summary")
    other["A1"], other["A2"] = "=SUM(Report!B5:B5)", "=Report!B8*2"
    return book


def filled(folder: Path, book: Any, **options: Any) -> tuple[Result, Any]:
    book.save(folder / "rules" / "report.xlsx")
    result = normalize(folder / "document.csv", folder / "out", configuration=folder / "rules", **options)
    assert result.failure is None, result.failure.message
    return result, None if options else openpyxl.load_workbook(folder / "out" / "normalized.xlsx")


def values(sheet: Any, area: str) -> list[list[object]]:
    return [[cell.value for cell in row] for row in sheet[area]]


def part(folder: Path, name: str) -> str:
    with zipfile.ZipFile(folder / "out" / "normalized.xlsx") as archive:
        return archive.read(name).decode()


@pytest.mark.req("E11")
def test_rows_replace_the_model_and_formulas_around_them_reach_all_rows(folder: Path) -> None:
    result, book = filled(folder, report())
    sheet = book["Report"]
    assert values(sheet, "A1:B2") == [["Monthly report", None], ["Sum", "=SUM(B5:B7)"]]
    assert [row[:3] for row in values(sheet, "A4:D8")] == [
        ["Item", "Amount EUR", "With VAT"],
        ["pen", 100, "=B5*(1+B$10)"],
        ["cup", 26.5, "=B6*(1+B$10)"],
        ["ink", 3, "=B7*(1+B$10)"],
        ["Sum", "=SUM(B5:B7)", "=SUM(C5:C7)"],
    ]
    assert values(sheet, "A10:B10") == [["VAT", 0.19]]
    assert values(book["Summary"], "A1:A2") == [["=SUM(Report!B5:B7)"], ["=Report!B10*2"]]
    assert sheet.freeze_panes == "A5"
    assert sheet.column_dimensions["A"].width == 33
    assert (sheet["A1"].font.b, sheet["A7"].font.i, sheet["B7"].number_format) == (True, True, "#,##0.00")
    assert (sheet["D7"].fill.fgColor.rgb, sheet["D7"].number_format) == ("FF00FF00", "yyyy\\-mm\\-dd")
    assert sheet["D7"].value.isoformat() == "2027-03-01T00:00:00"
    [output] = result.artifact["outputs"]
    assert output["template"] == {
        "file": "report.xlsx", "is_new_sheet": False, "header_row": 4, "rows": 3, "left_out": [],
        "columns": {"A": "Item", "B": "Amount EUR", "D": "due"},
    }  # fmt: skip
    assert 'The template report.xlsx was filled: 3 rows below row 4 of sheet "Report"' in explain(result.artifact)
    assert result.artifact["verdict"]["verdict"] == "ready"


def test_names_charts_rules_notes_and_merged_cells_go_along(folder: Path) -> None:
    book = report()
    sheet = book["Report"]
    book.defined_names["Amounts"] = DefinedName("Amounts", attr_text="Report!$B$5")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=4, max_row=5), titles_from_data=True)
    sheet.add_chart(chart, "F12")
    sheet.conditional_formatting.add("B5", CellIsRule("greaterThan", ["$B$8"], fill=PatternFill(bgColor="FFFF0000")))
    choice = DataValidation("list", formula1='"pen,cup"')
    choice.add("A5")
    sheet.add_data_validation(choice)
    sheet.merge_cells("A10:C10")
    sheet["A8"].comment = Comment("of the state", "somebody")
    sheet.auto_filter.ref = "A4:D5"
    _, done = filled(folder, book)
    sheet = done["Report"]
    assert done.defined_names["Amounts"].attr_text == "Report!$B$5:$B$7"
    assert "<f>'Report'!$B$5:$B$7</f>" in part(folder, "xl/charts/chart1.xml")
    assert "<row>13</row>" in part(folder, "xl/drawings/drawing1.xml")
    [formatted] = sheet.conditional_formatting
    assert (str(formatted.sqref), formatted.rules[0].formula) == ("B5:B7", ["$B$10"])
    assert [str(one.sqref) for one in sheet.data_validations.dataValidation] == ["A5:A7"]
    assert [str(area) for area in sheet.merged_cells.ranges] == ["A12:C12"]
    assert (sheet["A10"].comment.text, sheet["A8"].comment) == ("of the state", None)
    assert sheet.auto_filter.ref == "A4:D7"


def test_an_excel_table_is_as_long_as_its_rows_and_keeps_its_totals(folder: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["Item", "Amount EUR"],
        ["a", 1],
        ["b", 2],
        ["c", 3],
        ["d", 4],
        ["Sum", "=SUBTOTAL(109,B2:B5)"],
        ["below"],
    ):
        sheet.append(row)
    table = Table(displayName="Items", ref="A1:B6", totalsRowCount=1)
    sheet.add_table(table)
    result, done = filled(folder, book)
    assert values(done.active, "A1:B6") == [
        ["Item", "Amount EUR"], ["pen", 100], ["cup", 26.5], ["ink", 3], ["Sum", "=SUBTOTAL(109,B2:B4)"],
        ["below", None],
    ]  # fmt: skip
    assert done.active.tables["Items"].ref == "A1:B5"
    assert result.artifact["outputs"][0]["template"]["left_out"] == ["due"]
    assert result.artifact["verdict"]["sentence"] == "The template has no column for due."


def test_a_document_without_rows_leaves_one_empty_row(folder: Path) -> None:
    (folder / "rules" / "columns" / "all.py").write_text(FIELDS.replace('"Item")', '"Item", keep=["none"])'), "utf-8")
    _, done = filled(folder, report())
    assert values(done["Report"], "A5:C6") == [[None, None, None], ["Sum", "=SUM(B5:B5)", "=SUM(C5:C5)"]]


def test_cells_beside_the_rows_stay_where_they_are(folder: Path) -> None:
    book = report()
    book["Report"]["G5"], book["Report"]["H5"] = "beside", "=B6"
    _, done = filled(folder, book)
    assert values(done["Report"], "G5:H6") == [["beside", "=B8"], [None, None]]


def test_outputs_go_to_the_sheets_of_their_names_and_others_to_new_ones(folder: Path) -> None:
    text = (
        "\nissues_sheet = true\nhighlight = true\n"
        '[[output.table]]\nname = "summary"\nfields = ["item"]\nhas = ["item"]\n'
        '[[output.table]]\nname = "Report"\nhas = ["item"]\n'
    )
    (folder / "rules" / "settings.toml").write_text(SETTINGS + text, "utf-8")
    (folder / "document.csv").write_text(DOCUMENT.replace("26.5", "many"), "utf-8")
    book = report()
    book["Summary"]["B6"] = "Item"
    _, done = filled(folder, book)
    assert done.sheetnames == ["Report", "Summary", "Issues"]
    assert values(done["Summary"], "B6:B9") == [["Item"], ["pen"], ["cup"], ["ink"]]
    assert done["Report"]["B6"].fill.fgColor.rgb == "FFFFE699"
    assert done["Issues"]["A1"].font.b
    assert done["Issues"].max_row == 2


def test_a_filled_workbook_is_one_that_the_engine_reads_and_combines(folder: Path) -> None:
    filled(folder, report())
    combine([folder / "out", folder / "out"], folder / "all.xlsx")
    sheet = openpyxl.load_workbook(folder / "all.xlsx")["Report"]
    assert values(sheet, "A1:C1") == [["Item", "Amount EUR", "due"]]
    assert [row[0] for row in values(sheet, "A2:C7")] == ["pen", "cup", "ink"] * 2
    assert (sheet["B2"].number_format, sheet.max_row) == ("#,##0.00", 7)


def test_the_same_rows_give_the_same_bytes_and_csv_needs_no_template(folder: Path) -> None:
    filled(folder, report())
    first = (folder / "out" / "normalized.xlsx").read_bytes()
    normalize(folder / "document.csv", folder / "again", configuration=folder / "rules")
    assert (folder / "again" / "normalized.xlsx").read_bytes() == first
    result, _ = filled(folder, report(), format="csv")
    assert "template" not in result.artifact["outputs"][0]


def test_formulas_that_cells_share_become_their_own(folder: Path) -> None:
    """Spreadsheet programs write the formula of a column once; openpyxl does not."""
    report().save(folder / "rules" / "report.xlsx")
    cells = (
        '<row r="20"><c r="A20"><f t="shared" ref="A20:A21" si="0">B20+B$8</f><v>7</v></c></row>'
        '<row r="21"><c r="A21"><f t="shared" si="0"/><v>8</v></c></row></sheetData>'
    )
    rewritten(folder / "rules" / "report.xlsx", {"xl/worksheets/sheet1.xml": ("</sheetData>", cells)})
    normalize(folder / "document.csv", folder / "out", configuration=folder / "rules")
    sheet = openpyxl.load_workbook(folder / "out" / "normalized.xlsx")["Report"]
    assert values(sheet, "A22:A23") == [["=B22+B$10"], ["=B23+B$10"]]
    assert "<v>7</v>" not in part(folder, "xl/worksheets/sheet1.xml")


def rewritten(path: Path, changes: dict[str, tuple[str, str]], new: dict[str, bytes] | None = None) -> None:
    """Change texts in the parts of a workbook, and add parts."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for name, (old, text) in changes.items():
        assert old.encode() in parts[name]
        parts[name] = parts[name].replace(old.encode(), text.encode(), 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {**parts, **(new or {})}.items():
            archive.writestr(name, content)


def told(folder: Path) -> list[str]:
    return [str(problem) for problem in check_configuration(folder / "rules")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ('template = "my_report.xlsx"', "there is no file my_report.xlsx. Did you mean report.xlsx?"),
        ('template = "report.xls"', "output.template must be an xlsx file of the configuration folder."),
        ('template = "../report.xlsx"', "output.template must be an xlsx file of the configuration folder."),
        ('template = "report.xlsx"\nformat = "csv"', 'output.template needs output.format = "xlsx".'),
        ('template = "report.xlsx"\n[[output.table]]\nname = "Reports"\n[[output.table]]\nname = "Summary"',
         "report.xlsx has no sheet Reports for that output. Did you mean Report?"),
        ('template = "report.xlsx"\n[[output.table]]\nname = "Report"\n[[output.table]]\nname = "Summary"',
         "sheet Summary of report.xlsx has no header that names a field."),
    ],
)  # fmt: skip
def test_check_says_what_is_wrong_with_the_setting(folder: Path, settings: str, message: str) -> None:
    report().save(folder / "rules" / "report.xlsx")
    (folder / "rules" / "settings.toml").write_text(f"[output]\n{settings}\n", "utf-8")
    assert told(folder) == [f"settings.toml, line 2: {message}"]


RELATION = '<Relationship Id="x1" Type="http://x/{kind}" Target="{target}"{mode}/></Relationships>'


@pytest.mark.parametrize(
    ("kind", "mode", "what"),
    [
        ("vbaProject", "", "macros"),
        ("externalLink", "", "links to other workbooks"),
        ("connections", "", "connections to data elsewhere"),
        ("oleObject", "", "embedded objects"),
        ("image", ' TargetMode="External"', "links to other files"),
    ],
)
def test_check_refuses_a_template_that_does_something_or_leads_elsewhere(
    folder: Path, kind: str, mode: str, what: str
) -> None:
    report().save(folder / "rules" / "report.xlsx")
    new = RELATION.format(kind=kind, target="x.bin", mode=mode)
    rewritten(folder / "rules" / "report.xlsx", {"xl/_rels/workbook.xml.rels": ("</Relationships>", new)})
    assert told(folder) == [f"settings.toml, line 2: report.xlsx has {what}, which a template must not have."]


def test_check_refuses_what_is_no_workbook_and_what_unpacks_to_too_much(folder: Path) -> None:
    path = folder / "rules" / "report.xlsx"
    path.write_text("Item,Amount\n", "utf-8")
    assert "report.xlsx cannot be used as a template: The file is damaged or incomplete" in told(folder)[0]
    report().save(path)
    rewritten(path, {}, {"xl/media/a.bin": bytes(40 * 1024 * 1024)})
    assert "report.xlsx cannot be used as a template: The file unpacks to 40 MB" in told(folder)[0]
    path.write_bytes(bytes(1024 * 1024 + 1))
    assert "report.xlsx has more than 1024 KB" in told(folder)[0]


def test_check_refuses_entities_and_merged_cells_where_rows_go(folder: Path) -> None:
    path = folder / "rules" / "report.xlsx"
    report().save(path)
    entity = '<!DOCTYPE x [<!ENTITY a "b">]><worksheet '
    rewritten(path, {"xl/worksheets/sheet1.xml": ("<worksheet ", entity)})
    assert "declares a document type or entities" in told(folder)[0]
    book = report()
    book["Report"].merge_cells("A5:B5")
    book.save(path)
    assert "report.xlsx has merged cells A5:B5 in sheet Report where rows go. Unmerge them" in told(folder)[0]


def test_check_warns_of_fields_without_a_header_and_headers_without_a_field(folder: Path) -> None:
    book = report()
    book["Report"]["D4"], book["Report"]["E4"] = None, None
    book["Report"]["B4"] = "Amuont EUR"
    book.save(folder / "rules" / "report.xlsx")
    assert [line.removeprefix("settings.toml, line 2: report.xlsx: ") for line in sorted(told(folder))] == [
        '"Amuont EUR" in sheet Report names no field, so its cells stay empty. Did you mean Amount EUR?',
        "no header names the field amount, so it is not written. Add a header, or write Field(…, output=False).",
        "no header names the field due, so it is not written. Add a header, or write Field(…, output=False).",
    ]


def test_an_earlier_result_is_a_template_whose_sheets_all_stay(folder: Path) -> None:
    (folder / "rules" / "settings.toml").write_text(SETTINGS + "issues_sheet = true\n", "utf-8")
    filled(folder, report())
    for _ in range(2):
        (folder / "rules" / "report.xlsx").write_bytes((folder / "out" / "normalized.xlsx").read_bytes())
        result = normalize(folder / "document.csv", folder / "out", configuration=folder / "rules")
        assert result.failure is None

    with zipfile.ZipFile(folder / "out" / "normalized.xlsx") as archive:
        names = archive.namelist()
    assert len(set(names)) == len(names)
    book = openpyxl.load_workbook(folder / "out" / "normalized.xlsx")
    assert book.sheetnames[:2] == ["Report", "Summary"]
    assert [sheet.max_row for sheet in book.worksheets[2:]] == [
        1,
        1,
        1,
    ]  # three sheets of issues, none taken for another


def test_check_warns_of_records_that_would_stay_below_the_new_ones(folder: Path) -> None:
    filled(folder, report())
    (folder / "rules" / "report.xlsx").write_bytes((folder / "out" / "normalized.xlsx").read_bytes())

    problems = [str(problem.message) for problem in check_configuration(folder / "rules")]

    assert [text for text in problems if "look" in text] == [
        "report.xlsx: rows 6 to 7 look like records in sheet Report and will be below the new ones"
    ]


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/workbook.xml", 'sheetId="1"', 'sheetId="x"'),
        ("xl/worksheets/sheet1.xml", '<row r="5"', '<row r="A"'),
        ("xl/worksheets/sheet2.xml", ' r="A1"', ""),
        ("xl/styles.xml", "cellXfs", "otherXfs"),
        ("xl/styles.xml", 'numFmtId="4"', 'numFmtId="\u00b2"'),
    ],
)
def test_a_damaged_template_is_a_problem_of_the_configuration(folder: Path, part: str, old: str, new: str) -> None:
    template = folder / "rules" / "report.xlsx"
    report().save(template)
    with zipfile.ZipFile(template) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert old in parts[part].decode()
    with zipfile.ZipFile(template, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content.decode().replace(old, new) if name == part else content)

    problems = check_configuration(folder / "rules")
    result = normalize(folder / "document.csv", folder / "out", configuration=folder / "rules")

    assert [problem.severity for problem in problems if "report.xlsx" in problem.message] == ["error"] or not problems
    assert result.failure is None or result.failure.code == "configuration_error"
    assert (result.failure is None) == (not problems)


def test_another_template_is_another_fingerprint(folder: Path) -> None:
    result, _ = filled(folder, report())
    before = result.artifact["configuration"]["fingerprint"]
    book = report()
    book["Report"]["A1"] = "Another title"
    result, _ = filled(folder, book)
    assert result.artifact["configuration"]["fingerprint"] != before


@pytest.mark.parametrize(
    ("formula", "after"),
    [
        ("SUM(B5:B5)", "SUM(B5:B104)"),
        ("B5", "B5"),
        ("B4:B6", "B4:B105"),
        ("$B$6+B7:B9+5:5+A:A", "$B$105+B106:B108+5:104+A:A"),
        ("Data!B6+'My Data'!B6+Other!B6", "Data!B105+'My Data'!B6+Other!B6"),
        ('"B6 is"&LOG10(B6)&Table1[B6]&TAXES2024&B6.x', '"B6 is"&LOG10(B105)&Table1[B6]&TAXES2024&B6.x'),
        ("INDEX(B5:INDEX(B:B,9),1)", "INDEX(B5:INDEX(B:B,9),1)"),
        ("IF(A6=\"its B6\",1E5,'B6'!B6)", "IF(A105=\"its B6\",1E5,'B6'!B6)"),
    ],
)
def test_references_move_as_in_a_spreadsheet_program(formula: str, after: str) -> None:
    assert moved(formula, {"data": Shift(5, 5, 100)}, "Data") == after


def test_formulas_are_filled_down_and_copied_with_their_relative_references() -> None:
    text, distances = by_row("B5*$C5+D4-E$9+SUM(F$5:F5)&5%", 5, {"data": Shift(5, 5, 10)}, "Data")
    assert text % tuple(7 + by for by in distances) == "B7*$C7+D6-E$18+SUM(F$5:F7)&5%"
    assert copied("B5+$B5+B$5", rows=2, columns=1, letters=column_letters) == "C7+$B7+C$5"


def test_a_table_that_shrinks_takes_what_is_below_along() -> None:
    shift = {"data": Shift(2, 6, 2)}
    assert moved("SUM(B2:B6)+B7+B3:B4", shift, "Data") == "SUM(B2:B3)+B4+B3:B3"


def test_the_engine_reads_what_it_filled(folder: Path) -> None:
    filled(folder, report())
    book = open_workbook(folder / "out" / "normalized.xlsx")
    rows = {row.number: row.values for row in book.open_sheet(book.sheets[0]).rows()}
    book.close()
    assert rows[6][:2] == ["cup", 26.5]


def test_a_filled_sheet_is_sorted_without_what_the_template_has_around_its_rows(folder: Path) -> None:
    book = report()
    book.move_sheet("Summary", -1)
    result, _ = filled(folder, book)
    given = folder / "given"
    given.mkdir()
    (folder / "document.csv").rename(given / "document.csv")
    result.output_paths[0].rename(given / "output.xlsx")
    for path in (result.artifact_path, result.issues_path):
        path.rename(given / path.name)

    def shown(**view: Any) -> list[list[Any]]:
        with view_lines(given, 1, View(**view), table=1) as (_, lines):
            rows = [line.rstrip(b"\n").split(b"\t")[2:4] for _, line in lines]
        return [[json.loads(cell) if cell else None for cell in row] for row in rows][-4:]

    assert shown(sort=2) == [[4, "Item"], [7, "ink"], [6, "cup"], [5, "pen"]]
    assert shown(conditions=[[1, False, "u"]])[-2:] == [[4, "Item"], [6, "cup"]]
    with pytest.raises(InputError, match="cannot be matched"):
        shown(only="changes")  # the columns of a template are in an order of their own
