"""Sheets, rows and cells are found however a program spells them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xlsx_parts import MAIN, OFFICE, default_parts, read, relations, sheet, strings, values

from ade_engine.cells import Range
from ade_engine.errors import InputError
from ade_engine.readers.limits import ReadLimits

SHEET = "xl/worksheets/sheet1.xml"


def plain_rows(count: int, first: int = 1) -> str:
    return "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(first, first + count))


@pytest.mark.req("E2")
def test_rows_and_cells_without_references_count_on(build):
    assert [
        (row.number, row.values)
        for row in read(build("<row><c><v>1</v></c><c><v>2</v></c></row><row/><row><c><v>3</v></c></row>"))
    ] == [
        (1, [1, 2]),
        (3, [3]),
    ]


def test_gaps_are_none_and_trailing_blanks_are_cut(build):
    cells = '<c r="B2"><v>1</v></c><c r="D2"><v>2</v></c><c r="E2" s="1"/>'
    rows = read(build(f'<row r="2">{cells}</row><row r="5"><c r="A5" s="1"/></row>'))
    assert [(row.number, row.values) for row in rows] == [(2, [None, 1, None, 2])]


def test_rows_in_disorder_are_put_in_order_and_equal_numbers_become_one(build):
    rows = (
        '<row r="3"><c r="A3"><v>3</v></c></row><row r="1"><c r="B1"><v>2</v></c><c r="A1"><v>1</v></c></row>'
        '<row r="3"><c r="B3"><v>4</v></c></row>'
    )
    assert [(row.number, row.values) for row in read(build(rows))] == [(1, [1, 2]), (3, [3, 4])]


def test_a_cell_that_comes_twice_keeps_its_last_value(build):
    assert values(build('<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>')) == [[2]]


@pytest.mark.parametrize("count", [3, 300])
def test_a_namespace_prefix_changes_nothing(build, count):
    rows = "".join(f'<x:row r="{n}"><x:c r="A{n}"><x:v>{n}</x:v></x:c></x:row>' for n in range(1, count + 1))
    text = f'<x:worksheet xmlns:x="{MAIN}"><x:sheetData>{rows}</x:sheetData></x:worksheet>'
    assert values(build(parts={SHEET: text})) == [[n] for n in range(1, count + 1)]


def test_strict_namespaces_single_quotes_comments_and_line_breaks_change_nothing(build):
    text = (
        "<?xml version='1.0'?>\n<worksheet xmlns='http://purl.oclc.org/ooxml/spreadsheetml/main'>\n<!-- x -->\n"
        "<sheetData>\n <row r='1'>\n  <c t='str' r='A1'>\n   <v>a</v>\n  </c>\n"
        " <!-- <c r='B1'><v>9</v></c> -->\n </row>\n</sheetData></worksheet>"
    )
    assert values(build(parts={SHEET: text})) == [["a"]]


def test_utf_16_parts_are_read(build):
    text = '<?xml version="1.0" encoding="UTF-16"?>' + sheet('<row r="1"><c r="A1" t="str"><v>ä</v></c></row>')
    assert values(build(parts={SHEET: text.encode("utf-16")})) == [["ä"]]


def test_part_names_may_differ_in_case_and_slashes(build):
    parts = default_parts()
    renamed = dict.fromkeys(parts) | {name.replace("/", "\\").upper(): data for name, data in parts.items()}
    renamed["XL\\WORKSHEETS\\SHEET1.XML"] = sheet(plain_rows(2))
    assert values(build(parts=renamed)) == [[1], [2]]


def test_relationship_targets_may_be_absolute(build):
    parts = {
        "_rels/.rels": relations(("r1", "officeDocument", "/xl/workbook.xml")),
        "xl/_rels/workbook.xml.rels": relations(("r1", "worksheet", "/xl/worksheets/sheet1.xml")),
        SHEET: sheet(plain_rows(1)),
    }
    assert values(build(parts=parts)) == [[1]]


def test_chart_sheets_and_missing_sheets_are_not_listed(build, opened):
    workbook = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><bookViews><workbookView activeTab="2"/></bookViews><sheets>'
        '<sheet name="Chart" r:id="r7"/><sheet name="Gone" r:id="r8"/><sheet name="One" state="hidden" r:id="r1"/>'
        '<sheet name="Deep" state="veryHidden" r:id="r1"/></sheets></workbook>'
    )
    targets = relations(
        ("r1", "worksheet", "worksheets/sheet1.xml"),
        ("r7", "chartsheet", "worksheets/sheet1.xml"),
        ("r8", "worksheet", "worksheets/gone.xml"),
    )
    found = opened(build(parts={"xl/_rels/workbook.xml.rels": targets}, workbook=workbook)).sheets
    assert [(info.index, info.name, info.visibility, info.is_active) for info in found] == [
        (2, "One", "hidden", True),
        (3, "Deep", "very_hidden", False),
    ]


def test_merged_ranges_and_hidden_columns_are_known_before_the_rows(build, open_first):
    text = sheet(
        plain_rows(5),
        before='<dimension ref="A1:XFD1048576"/><cols><col min="2" max="3" hidden="1"/><col min="5" max="5"/></cols>',
        behind='<mergeCells count="2"><mergeCell ref="A1:C1"/><mergeCell ref="B2:B4"/></mergeCells>',
    )
    found = open_first(build(parts={SHEET: text}))
    assert found.merged == [Range(1, 1, 1, 3), Range(2, 2, 4, 2)]
    assert found.hidden_columns == {2, 3}


@pytest.mark.parametrize("count", [2, 400])
def test_hidden_rows_are_marked(build, count):
    rows = "".join(
        f'<row r="{n}"{" hidden=" + chr(34) + "1" + chr(34) if n % 2 else ""}><c r="A{n}"><v>1</v></c></row>'
        for n in range(1, count + 1)
    )
    assert [row.is_hidden for row in read(build(rows))] == [n % 2 == 1 for n in range(1, count + 1)]


def test_a_sheet_can_be_read_again_from_the_top(build, open_first):
    found = open_first(build(plain_rows(50)))
    assert list(found.rows()) == list(found.rows())


def test_a_lone_cell_in_the_last_corner_is_cheap(build):
    rows = read(build('<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'))
    assert [(row.number, len(row.values), row.values[-1]) for row in rows] == [(1048576, 16384, 1)]


def test_new_columns_further_down_are_found(build):
    wide = "".join(
        f'<row r="{n}"><c r="A{n}"><v>1</v></c><c r="C{n}"><v>2</v></c><c r="AB{n}"><v>3</v></c></row>'
        for n in range(20_001, 30_001)
    )
    found = values(build(plain_rows(20_000) + wide))
    assert len(found) == 30_000
    assert found[-1] == [1, None, 2, *[None] * 24, 3]


def test_texts_beyond_the_memory_bound_come_from_disk(build, open_first):
    items = "".join(f"<si><t>text {n} ä</t></si>" for n in range(500))
    rows = "".join(f'<row r="{n + 1}"><c r="A{n + 1}" t="s"><v>{499 - n}</v></c></row>' for n in range(500))
    found = open_first(build(rows, sharedStrings=strings(items)), limits=ReadLimits(string_memory_bytes=1000))
    assert [row.values for row in found.rows()] == [[f"text {499 - n} ä"] for n in range(500)]


@pytest.mark.parametrize("reference", ["-1", "5", "x"])
def test_a_reference_to_a_text_that_is_not_there_is_refused(build, reference):
    with pytest.raises(InputError, match="does not hold") as caught:
        values(
            build(
                f'<row r="1"><c r="A1" t="s"><v>{reference}</v></c></row>', sharedStrings=strings("<si><t>a</t></si>")
            )
        )
    assert caught.value.cause == "malformed"


# Both ways of reading a row must agree, whatever mixture of cells a sheet has.
cell_markup = st.sampled_from(
    [
        "",
        '<c r="{ref}"><v>12</v></c>',
        '<c r="{ref}"><v>1.5</v></c>',
        '<c r="{ref}" t="str"><v>a &amp; b</v></c>',
        '<c r="{ref}" t="b"><v>1</v></c>',
        '<c r="{ref}" s="3"/>',
        '<c r="{ref}"></c>',
        '<c r="{ref}"><f>1+1</f><v>2</v></c>',
        '<c r="{ref}"><f t="shared" ref="A1:A2" si="0">1+1</f><v>2</v></c>',
        '<c r="{ref}"><f t="shared" si="0"/><v>2</v></c>',
        '<c r="{ref}"><f>1+1</f></c>',
        '<c r="{ref}" t="inlineStr"><is><t>x</t></is></c>',
        '<c r="{ref}" t="inlineStr"><is><r><t>ri</t></r><r><t>ch</t></r></is></c>',
        '<c r="{ref}" t="e"><v>#N/A</v></c>',
        '<c r="{ref}" t="str"><v xml:space="preserve"> y </v></c>',
    ]
)


@given(st.lists(st.lists(cell_markup, min_size=1, max_size=5), min_size=1, max_size=30))
def test_reading_by_pattern_and_cell_by_cell_agree(shapes):
    from ade_engine.readers.number_formats import Calendar
    from ade_engine.readers.xlsx_rows import RowReader
    from ade_engine.readers.xlsx_styles import Styles
    from ade_engine.readers.xlsx_values import Values

    pieces = []
    for number in range(1, 301):
        cells = shapes[number % len(shapes)]
        body = "".join(cell.format(ref=f"{'ABCDE'[index]}{number}") for index, cell in enumerate(cells))
        pieces.append(f'<row r="{number}">{body}')
    limits = ReadLimits()
    plain = Values(strings=[], styles=Styles(), calendar=Calendar())
    singly = RowReader(plain, limits=limits)
    expected = [row for piece in pieces for row in singly.read([piece])]
    at_once = RowReader(plain, limits=limits)
    found = at_once.read(pieces[:100]) + at_once.read(pieces[100:150]) + at_once.read(pieces[150:])
    assert [(row.number, row.values, row.styles) for row in found] == [
        (row.number, row.values, row.styles) for row in expected
    ]
    assert at_once.formulas_without_value == singly.formulas_without_value
