"""What stands in a cell of xlsx is what comes out, with its type."""

# ruff: noqa: DTZ001 - spreadsheets know no zones

from __future__ import annotations

from datetime import date, datetime, time, timedelta

import pytest
from xlsx_parts import MAIN, OFFICE, Build, read, strings, styles, values

from ade_engine.cells import CellError
from ade_engine.readers.findings import NOT_A_DATE


def row(*cells: str, number: int = 1) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def one(build: Build, cell: str, **names: str) -> object:
    """Return the value of a single cell, read both alone and among many rows of the same shape."""
    alone = values(build(row(cell), **names))
    many = "".join(row(cell.replace('A1"', f'A{n}"'), number=n) for n in range(1, 200))
    among = values(build(many, **names))
    assert among == alone * 199
    return alone[0][0] if alone else None


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("7", 7),
        ("-7", -7),
        ("7.0", 7),
        ("1E5", 100000),
        ("1E+20", 1e20),
        ("9007199254740994.0", 9007199254740994.0),
        ("0.1", 0.1),
        ("12345678901234567890", 12345678901234567890),
        ("1.7976931348623157E+308", 1.7976931348623157e308),
    ],
)
def test_a_whole_number_is_an_int_however_it_is_written_and_all_else_is_a_float(build, text, expected):
    found = one(build, f'<c r="A1"><v>{text}</v></c>')
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.req("E5")
def test_text_that_looks_like_a_number_stays_text(build):
    assert one(build, '<c r="A1" t="s"><v>0</v></c>', sharedStrings=strings("<si><t>007</t></si>")) == "007"
    assert one(build, '<c r="A1" t="inlineStr"><is><t>1e5</t></is></c>') == "1e5"
    assert one(build, '<c r="A1" t="str"><f>A2</f><v>0042</v></c>') == "0042"


@pytest.mark.req("E5")
@pytest.mark.parametrize(("markup", "expected"), [("1", True), ("0", False), ("true", True), ("false", False)])
def test_booleans_are_booleans(build, markup, expected):
    assert one(build, f'<c r="A1" t="b"><v>{markup}</v></c>') is expected


@pytest.mark.req("E5")
def test_an_error_cell_is_neither_text_nor_nothing(build):
    assert one(build, '<c r="A1" t="e"><f>1/0</f><v>#DIV/0!</v></c>') == CellError("#DIV/0!")


def test_a_formula_gives_its_stored_result(build):
    assert one(build, '<c r="A1"><f t="shared" si="0"/><v>3</v></c>') == 3
    assert one(build, '<c r="A1" t="str"><f>"a"&amp;"b"</f><v>ab</v></c>') == "ab"


def test_formulas_without_a_stored_result_are_counted(build, open_first):
    rows = "".join(row(f'<c r="A{n}"><v>1</v></c><c r="B{n}"><f>A{n}</f></c>', number=n) for n in range(1, 300))
    sheet = open_first(build(rows))
    assert [found.values for found in sheet.rows()] == [[1]] * 299
    assert sheet.formulas_without_value == 299


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<t>a &amp; b &lt; c</t>", "a & b < c"),
        ("<t>&#228;&#xF6;</t>", "äö"),
        ('<t xml:space="preserve">  two blanks </t>', "  two blanks "),
        ("<t>  also without the word  </t>", "  also without the word  "),
        ("<r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r>", "rich text"),
        ("<t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh>", "東京"),
        ("<t>line_x000D_\nnext</t>", "line\r\nnext"),
        ("<t>_x005F_x000D_</t>", "_x000D_"),
        ("<t>_xD83D__xDE00_</t>", "😀"),
        ("<t>half _xD83D_</t>", "half _xD83D_"),
        ("<t>one\r\ntwo\rthree</t>", "one\ntwo\nthree"),
        ("<t><![CDATA[a < b & c]]></t>", "a < b & c"),
        ("<t></t>", None),
        ("<t/>", None),
        ("", None),
    ],
)
def test_texts_are_decoded_alike_shared_and_inline(build, markup, expected):
    shared = strings(f"<si>{markup}</si>")
    assert one(build, '<c r="A1" t="s"><v>0</v></c>', sharedStrings=shared) == expected
    assert one(build, f'<c r="A1" t="inlineStr"><is>{markup}</is></c>') == expected


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("code", "serial", "expected"),
    [
        ("yyyy-mm-dd", "43831", date(2020, 1, 1)),
        ("yyyy-mm-dd", "43831.5", datetime(2020, 1, 1, 12)),
        ("dd/mm/yyyy hh:mm", "43831", datetime(2020, 1, 1)),
        ("hh:mm:ss", "0.75", time(18)),
        ("hh:mm:ss", "1.75", datetime(1900, 1, 1, 18)),
        ("[h]:mm", "1.5", timedelta(hours=36)),
        ("[mm]:ss", "0.001", timedelta(seconds=86.4)),
        ("mmm yy", "36526", date(2000, 1, 1)),
        ("[$-409]d\\-mmm\\-yyyy;@", "36526", date(2000, 1, 1)),
        ("&quot;day&quot; 0", "36526", 36526),
        ("[Red]0.00", "5", 5),
        ("General", "36526", 36526),
        ("#,##0 \\d\\a\\y\\s", "5", 5),
        ("yyyy-mm-dd", "0", time(0)),
        ("yyyy-mm-dd", "0.25", time(6)),
        ("yyyy-mm-dd", "1", date(1900, 1, 1)),
        ("yyyy-mm-dd", "59", date(1900, 2, 28)),
        ("yyyy-mm-dd", "60", 60),
        ("yyyy-mm-dd", "61", date(1900, 3, 1)),
        ("yyyy-mm-dd", "-1", -1),
        ("yyyy-mm-dd", "2958465", date(9999, 12, 31)),
        ("yyyy-mm-dd", "2958466", 2958466),
        ("mm:ss.0", "0.000694444444444", time(0, 1)),
        ("yyyy-mm-dd hh:mm", "43831.5208333333", datetime(2020, 1, 1, 12, 30)),
    ],
)
def test_the_number_format_tells_dates_from_numbers(build, code, serial, expected):
    found = one(build, f'<c r="A1" s="1"><v>{serial}</v></c>', styles=styles(code))
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.req("E5")
@pytest.mark.parametrize(("serial", "findings"), [("-1", [NOT_A_DATE]), ("60", [NOT_A_DATE]), ("61", [])])
def test_a_number_that_is_no_date_is_reported(build, opened, serial, findings):
    row = f'<row r="1"><c r="A1" s="1"><v>{serial}</v></c></row>'
    workbook = opened(build(row, styles=styles("yyyy-mm-dd")))
    for _ in range(2):  # what was read before is remembered, but the report is of each sheet
        sheet = workbook.open_sheet(workbook.sheets[0])
        assert len(list(sheet.rows())) == 1
        assert list(sheet.findings) == findings


@pytest.mark.req("E5")
@pytest.mark.parametrize("number", [14, 15, 16, 17, 22, 27, 30, 36, 50, 58])
def test_built_in_formats_of_all_locales_are_dates(build, number):
    found = one(build, '<c r="A1" s="1"><v>43831</v></c>', styles=styles(cells=f'<xf numFmtId="{number}"/>'))
    assert isinstance(found, date)


@pytest.mark.req("E5")
def test_the_1904_system_counts_from_1904(build):
    workbook = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><workbookPr date1904="1"/>'
        '<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets></workbook>'
    )
    cells = '<c r="A1" s="1"><v>0</v></c><c r="B1" s="1"><v>42369</v></c>'
    assert values(build(row(cells), workbook=workbook, styles=styles("yyyy-mm-dd"))) == [
        [date(1904, 1, 1), date(2020, 1, 1)]
    ]


def test_iso_dates_are_read_by_their_type(build):
    assert one(build, '<c r="A1" t="d"><v>2020-02-03</v></c>') == date(2020, 2, 3)
    assert one(build, '<c r="A1" t="d"><v>2020-02-03T04:05:06</v></c>') == datetime(2020, 2, 3, 4, 5, 6)
    assert one(build, '<c r="A1" t="d"><v>sometime</v></c>') == "sometime"


def test_columns_of_changing_types_keep_each_value(build):
    kinds = [
        '<c r="A{n}"><v>1</v></c>',
        '<c r="A{n}" t="b"><v>1</v></c>',
        '<c r="A{n}" t="inlineStr"><is><t>x</t></is></c>',
    ]
    kinds.append("")
    rows = "".join(row(kinds[n % 4].format(n=n), f'<c r="B{n}"><v>{n}</v></c>', number=n) for n in range(1, 400))
    expected = [[[1, True, "x", None][n % 4], n] for n in range(1, 400)]
    assert values(build(rows)) == expected


def test_styles_tell_how_cells_look(build, open_first):
    text = styles(
        fonts="<font/><font><b/><i/></font><font><b val='0'/></font>",
        fills='<fill/><fill><patternFill patternType="solid"/></fill>',
        cells='<xf fontId="1" fillId="1" borderId="1"><alignment horizontal="center" indent="2"/></xf><xf fontId="2"/>',
    )
    sheet = open_first(build(row('<c r="A1" s="1"><v>1</v></c><c r="B1" s="2"><v>1</v></c>'), styles=text))
    found = next(sheet.rows())
    look, plain = (sheet.styles[index] for index in found.styles)
    assert (look.bold, look.italic, look.filled, look.border_top, look.centered, look.indent) == (*[True] * 5, 2)
    assert not plain.bold


def test_a_style_number_that_does_not_exist_means_plain(build):
    assert read(build(row('<c r="A1" s="99"><v>43831</v></c>')))[0].values == [43831]
