"""ods sheets are read as a stream: values by their declared type, styles, repetitions."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, time, timedelta

import pytest
from binary_workbooks import ods
from xlsx_parts import read, values

from ade_engine.cells import CellError, Range
from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.limits import ReadLimits

CELL = '<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>'
TEXT = '<table:table-cell office:value-type="string"><text:p>007</text:p></table:table-cell>'


def cell(kind: str, *, text: str = "shown", style: str = "", **attributes: str) -> str:
    named = "".join(f' office:{key.replace("_", "-")}="{value}"' for key, value in attributes.items())
    styled = f' table:style-name="{style}"' if style else ""
    return f'<table:table-cell{styled} office:value-type="{kind}"{named}><text:p>{text}</text:p></table:table-cell>'


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


@pytest.mark.req("E2")
def test_values_keep_type_and_place(tmp_path):
    table = row("<table:table-cell/>", attributes='table:number-rows-repeated="2"') + row(
        "<table:table-cell/>", CELL, TEXT
    )
    assert [(one.number, one.values) for one in read(ods(tmp_path / "b.ods", table))] == [(3, [None, 1, "007"])]


@pytest.mark.req("E2")
@pytest.mark.parametrize(
    ("shown", "expected"), [("#N/A", CellError("#N/A")), ("Err:503", CellError("Err:503")), ("# 1", 0), ("0", 0)]
)
def test_a_formula_that_is_shown_as_an_error_is_not_the_number_beside_it(tmp_path, shown, expected):
    markup = cell("float", value="0", text=shown)
    formula = markup.replace("<table:table-cell", '<table:table-cell table:formula="oooc:=[.A1]/0"')
    assert values(ods(tmp_path / "b.ods", row(formula, markup))) == [[expected, 0]]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (cell("float", value="1.5"), 1.5),
        (cell("currency", value="7"), 7),
        (cell("percentage", value="0.25"), 0.25),
        (cell("boolean", boolean_value="true"), True),
        (cell("boolean", boolean_value="false"), False),
        (cell("date", date_value="2024-01-31"), date(2024, 1, 31)),
        (cell("date", date_value="2024-01-31T10:30:00.5"), datetime(2024, 1, 31, 10, 30, 0, 500_000)),  # noqa: DTZ001
        (cell("date", date_value="no date"), "shown"),
        (cell("time", time_value="PT10H30M05S"), time(10, 30, 5)),
        (cell("time", time_value="PT30H00M00S"), timedelta(hours=30)),
        (cell("time", time_value="PT02H00M00S", style="elapsed"), timedelta(hours=2)),
        (cell("time", time_value="-PT02H00M00S"), timedelta(hours=-2)),
        (cell("float", value="inf"), "shown"),
        (cell("string", string_value="stored"), "stored"),
        ("<table:table-cell><text:p>no type</text:p></table:table-cell>", "no type"),
    ],
)
def test_the_declared_type_tells_what_a_cell_holds(tmp_path, markup, expected):
    styles = (
        '<number:time-style style:name="N1" number:truncate-on-overflow="false"/>'
        '<style:style style:name="elapsed" style:family="table-cell" style:data-style-name="N1"/>'
    )
    found = values(ods(tmp_path / "b.ods", row(markup), automatic=styles))[0][0]
    assert found == expected
    assert type(found) is type(expected)


def test_an_error_is_no_text(tmp_path):
    error = (
        '<table:table-cell table:formula="of:=1/0" office:value-type="string" office:string-value="" '
        'calcext:value-type="error"><text:p>#DIV/0!</text:p></table:table-cell>'
    )
    assert values(ods(tmp_path / "b.ods", row(error))) == [[CellError("#DIV/0!")]]


def test_a_formula_without_a_result_is_counted(tmp_path, open_first):
    sheet = open_first(ods(tmp_path / "b.ods", row('<table:table-cell table:formula="of:=1+1"/>', CELL)))
    assert [one.values for one in sheet.rows()] == [[None, 1]]
    assert sheet.formulas_without_value == 1


def test_text_is_read_with_spaces_lines_and_links_but_without_comments(tmp_path):
    markup = (
        '<table:table-cell office:value-type="string"><office:annotation><text:p>a comment</text:p></office:annotation>'
        '<text:p>\n  first\n  <text:span>line</text:span><text:s text:c="2"/><text:a>link</text:a></text:p>'
        "<text:p>second<text:tab/>line<text:line-break/>third</text:p></table:table-cell>"
    )
    assert values(ods(tmp_path / "b.ods", row(markup))) == [["first line  link\nsecond\tline\nthird"]]


def test_spaces_in_a_row_are_kept_as_libreoffice_writes_them(tmp_path):
    # A cell of two fonts, and one of two paragraphs.
    fonts = "<text:p><text:span>(1)  </text:span><text:span> Note</text:span></text:p>"
    lines = "<text:p>  first</text:p><text:p>second  </text:p>"
    cells = [f'<table:table-cell office:value-type="string">{one}</table:table-cell>' for one in (fonts, lines)]
    assert values(ods(tmp_path / "b.ods", row(*cells))) == [["(1)   Note", "  first\nsecond  "]]


def test_a_table_within_a_cell_is_no_part_of_the_sheet(tmp_path):
    inner = f'<table:table table:name="Inner">{row(CELL, CELL)}</table:table>'
    outer = f'<table:table-cell office:value-type="string"><text:p>outer</text:p>{inner}</table:table-cell>'
    path = ods(tmp_path / "b.ods", row(outer, TEXT) + row(CELL))
    assert values(path) == [["outer", "007"], [1]]


def test_repetitions_are_written_out(tmp_path):
    repeated = CELL.replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="3"')
    table = row(repeated, attributes='table:number-rows-repeated="2"') + row(TEXT)
    assert values(ods(tmp_path / "b.ods", table)) == [[1, 1, 1], [1, 1, 1], ["007"]]


def test_a_cell_far_out_is_read(tmp_path):
    far = (
        row("<table:table-cell/>", attributes='table:number-rows-repeated="1048574"')
        + row('<table:table-cell table:number-columns-repeated="16383"/>', CELL)
        + row('<table:table-cell table:number-columns-repeated="16384"/>')
    )
    rows = read(ods(tmp_path / "b.ods", row(CELL) + far))
    assert [(one.number, len(one.values)) for one in rows] == [(1, 1), (1_048_576, 16_384)]


def test_a_cell_has_its_own_style_that_of_its_parents_or_that_of_its_column(tmp_path, open_first):
    def style(name: str, content: str, parent: str = "") -> str:
        parents = f' style:parent-style-name="{parent}"' if parent else ""
        return f'<style:style style:name="{name}" style:family="table-cell"{parents}>{content}</style:style>'

    filled = '<style:table-cell-properties look:background-color="#f00" look:border-top="none"/>'
    styles = (
        style("bold", '<style:text-properties look:font-weight="bold"/>', parent="Boxed")
        + style("filled", filled, parent="bold")
        + style("odd", '<style:text-properties look:font-style="italic"/><style:paragraph-properties '
                       'look:text-align="center" look:margin-left="0.706cm"/>')
        + style("circle", "", parent="circle")
    )  # fmt: skip
    boxed = style("Boxed", '<style:table-cell-properties look:border="0.5pt solid #000000"/>')
    named = f"<office:document-styles XMLNS><office:styles>{boxed}</office:styles></office:document-styles>"
    columns = '<table:table-column/><table:table-column table:default-cell-style-name="odd"/>'
    cells = [CELL, CELL, *[cell("float", value="1", style=name) for name in ("bold", "filled", "circle", "nowhere")]]
    sheet = open_first(ods(tmp_path / "b.ods", columns + row(*cells), automatic=styles, styles=named))
    (found,) = sheet.rows()
    assert [sheet.styles[index] for index in found.styles] == [
        PLAIN,
        Style(italic=True, centered=True, indent=2),
        Style(bold=True, border_top=True, border_bottom=True),
        Style(bold=True, border_bottom=True, filled=True),
        PLAIN,
        PLAIN,
    ]


def test_merged_ranges_hidden_rows_and_hidden_columns_are_known(tmp_path, open_first):
    columns = '<table:table-column/><table:table-column table:number-columns-repeated="2" table:visibility="collapse"/>'
    spanning = CELL.replace(
        "<table:table-cell", '<table:table-cell table:number-columns-spanned="3" table:number-rows-spanned="2"'
    )
    covered = '<table:covered-table-cell table:number-columns-repeated="2"/>'
    table = columns + row(spanning, covered) + row(CELL, attributes='table:visibility="filter"') + row(CELL, spanning)
    sheet = open_first(ods(tmp_path / "b.ods", table))
    assert sheet.merged == [Range(1, 1, 2, 3), Range(3, 2, 4, 4)]
    assert sheet.hidden_columns == {2, 3}
    assert [(one.values, one.is_hidden) for one in sheet.rows()] == [([1], False), ([1], True), ([1, 1], False)]


def test_sheets_have_their_name_visibility_and_activity(tmp_path, opened):
    hides = '<style:table-properties table:display="false"/>'
    styles = f'<style:style style:name="gone" style:family="table">{hides}</style:style>'
    settings = '<x xmlns:config="c"><config:config-item config:name="ActiveTable">Two</config:config-item></x>'
    hidden = f'<table:table table:name="One" table:style-name="gone">{row(CELL)}</table:table>'
    path = ods(tmp_path / "b.ods", hidden, row(TEXT), row(CELL), automatic=styles, settings=settings)
    workbook = opened(path)
    assert [(info.name, info.visibility, info.is_active) for info in workbook.sheets] == [
        ("One", "hidden", False),
        ("Two", "visible", True),
        ("Three", "visible", False),
    ]
    assert [one.values for one in workbook.open_sheet(workbook.sheets[1]).rows()] == [["007"]]


def refused(path, **limits) -> str:
    with pytest.raises(InputError) as caught:
        read_everything(path, ReadLimits(**limits))
    assert len(str(caught.value)) <= 240
    return caught.value.cause


def read_everything(path, limits) -> None:
    workbook = open_workbook(path, limits=limits)
    try:
        for info in workbook.sheets:
            assert list(workbook.open_sheet(info).rows()) is not None
    finally:
        workbook.close()


@pytest.mark.req("E10")
def test_repetitions_without_end_are_refused(tmp_path):
    repeated = CELL.replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="16384"')
    many = row(repeated, attributes='table:number-rows-repeated="1048576"')
    assert refused(ods(tmp_path / "b.ods", many)) == "too_large"
    assert refused(ods(tmp_path / "b.ods", row(repeated) * 300)) == "too_large"
    assert refused(ods(tmp_path / "b.ods", row(repeated, CELL))) == "too_large"


def test_documents_beyond_the_limits_are_refused(tmp_path):
    assert refused(ods(tmp_path / "b.ods", row(CELL)), part_bytes=100) == "too_large"
    assert refused(ods(tmp_path / "b.ods", row(CELL, CELL) * 20), cells=30) == "too_large"


def test_entities_are_refused(tmp_path):
    path = ods(tmp_path / "b.ods", row(CELL))
    _replace_content(path, b'<?xml version="1.0"?>', b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]>')
    assert refused(path) == "malformed"


@pytest.mark.parametrize("ending", [b"</table:table", b"</office:body", b"</table:table-row"])
def test_markup_that_was_cut_off_is_refused(tmp_path, ending):
    path = ods(tmp_path / "b.ods", row(CELL))
    _replace_content(path, ending, b"")
    assert refused(path) == "malformed"


def test_tables_nested_without_end_are_refused(tmp_path):
    assert refused(ods(tmp_path / "b.ods", "<table:table-row><table:table-cell>" * 200)) == "malformed"


def test_a_password_is_named_as_the_cause(tmp_path):
    manifest = '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>'
    assert refused(ods(tmp_path / "b.ods", row(CELL), manifest=manifest)) == "encrypted"


def test_a_document_without_a_table_is_empty(tmp_path):
    assert refused(ods(tmp_path / "b.ods")) == "empty"


def _replace_content(path, old: bytes, new: bytes) -> None:
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["content.xml"] = parts["content.xml"].replace(old, new)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
