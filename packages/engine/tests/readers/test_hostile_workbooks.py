"""Files made to hurt are refused with a clear error, or read without harm."""

from __future__ import annotations

import zipfile
from contextlib import closing

import pytest
from xlsx_parts import MAIN, sheet, strings, values

from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.limits import ReadLimits

SHEET = "xl/worksheets/sheet1.xml"
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def refused(path, **limits) -> InputError:
    with pytest.raises(InputError) as caught:
        read_everything(path, ReadLimits(**limits))
    message = str(caught.value)
    assert len(message) <= 240
    assert message.endswith(".")
    return caught.value


def read_everything(path, limits) -> None:
    with closing(open_workbook(path, limits=limits)) as workbook:
        for info in workbook.sheets:
            found = workbook.open_sheet(info)
            assert found.merged is not None
            assert list(found.rows()) is not None


@pytest.mark.req("E10")
def test_a_part_that_inflates_far_beyond_its_size_is_refused(build):
    path = build(parts={SHEET: sheet("") + " " * 40_000_000})
    assert refused(path).cause == "too_large"


def test_a_part_beyond_the_byte_limit_is_refused(build):
    path = build("".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 2000)))
    assert refused(path, part_bytes=10_000).cause == "too_large"


def test_too_many_parts_are_refused(build):
    path = build(parts={f"xl/media/{n}": "x" for n in range(100)})
    assert refused(path, entries=50).cause == "too_large"


def test_too_many_cells_are_refused(build):
    path = build("".join(f'<row r="{n}"><c r="Z{n}"><v>1</v></c></row>' for n in range(1, 200)))
    assert refused(path, cells=1000).cause == "too_large"


def test_a_row_too_long_to_hold_is_refused(build):
    path = build(f'<row r="1"><c r="A1" t="str"><v>{"x" * 2_000_000}</v></c></row>')
    assert refused(path, row_bytes=1_000_000).cause == "too_large"


def test_too_many_texts_are_refused(build):
    items = "".join(f"<si><t>text {n}</t></si>" for n in range(1000))
    path = build('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', sharedStrings=strings(items))
    assert refused(path, string_bytes=5000).cause == "too_large"


def test_too_many_merged_ranges_are_refused(build):
    merged = "".join(f'<mergeCell ref="A{n}:B{n}"/>' for n in range(1, 500))
    path = build(parts={SHEET: sheet("", behind=f"<mergeCells>{merged}</mergeCells>")})
    assert refused(path, merged_ranges=100).cause == "too_large"


@pytest.mark.parametrize("reference", ["XFE1", "ZZZ1"])
def test_a_cell_beyond_the_last_column_is_refused(build, reference):
    assert refused(build(f'<row r="1"><c r="{reference}"><v>1</v></c></row>')).cause == "too_large"


def test_a_row_beyond_the_last_one_is_refused(build):
    assert refused(build('<row r="1048577"><c r="A1048577"><v>1</v></c></row>')).cause == "too_large"


@pytest.mark.parametrize(
    "part", ["xl/workbook.xml", "xl/styles.xml", "xl/sharedStrings.xml", SHEET, "xl/_rels/workbook.xml.rels"]
)
def test_entities_are_never_declared(build, part):
    root = {"xl/styles.xml": "styleSheet", "xl/sharedStrings.xml": "sst", SHEET: "worksheet"}.get(part, "workbook")
    text = f'<?xml version="1.0"?>{BOMB}<{root} xmlns="{MAIN}"><t>&b;</t></{root}>'
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    error = refused(build(rows if part != SHEET else "", parts={part: text}))
    assert error.cause == "malformed"
    assert "entities" in str(error)


def test_xml_nested_without_end_is_refused(build):
    assert refused(build(styles=f'<styleSheet xmlns="{MAIN}">' + "<a>" * 5000)).cause == "malformed"


def test_a_sheet_cut_off_in_the_middle_is_refused(build):
    text = sheet('<row r="1"><c r="A1"><v>1</v></c></row>')
    assert refused(build(parts={SHEET: text[:-40]})).cause == "truncated"


def test_a_file_cut_off_in_the_middle_is_refused(build, tmp_path):
    whole = build('<row r="1"><c r="A1"><v>1</v></c></row>').read_bytes()
    path = tmp_path / "cut.xlsx"
    path.write_bytes(whole[: len(whole) // 2])
    assert refused(path).cause == "truncated"


def test_flipped_bytes_are_noticed(build, tmp_path):
    data = bytearray(
        build("".join(f'<row r="{n}"><c r="A{n}"><v>{n * n}</v></c></row>' for n in range(500))).read_bytes()
    )
    start = data.index(b"sheet1.xml") + 100
    data[start : start + 20] = b"\x00" * 20
    path = tmp_path / "flipped.xlsx"
    path.write_bytes(data)
    assert refused(path).cause == "truncated"


def test_invalid_utf_8_is_refused(build):
    text = sheet('<row r="1"><c r="A1" t="str"><v>?</v></c></row>').encode().replace(b"?", b"\xff\xfe")
    assert refused(build(parts={SHEET: text})).cause == "malformed"


def test_a_large_sheet_with_rows_in_disorder_is_refused_rather_than_read_wrongly(build):
    filler = "".join(f'<row r="{n}"><c r="A{n}" t="str"><v>{"x" * 1000}</v></c></row>' for n in range(2, 6000))
    assert refused(build(filler + '<row r="1"><c r="A1"><v>1</v></c></row>')).cause == "malformed"


def test_a_zip_member_with_a_password_is_called_encrypted(build, tmp_path):
    data = bytearray(build('<row r="1"><c r="A1"><v>1</v></c></row>').read_bytes())
    with zipfile.ZipFile(tmp_path / "book.xlsx") as archive:
        info = archive.getinfo(SHEET)
    central = data.index(b"PK\x01\x02", data.rindex(b"PK\x03\x04"))
    while data[central + 46 : central + 46 + len(SHEET)] != SHEET.encode():
        central = data.index(b"PK\x01\x02", central + 4)
    data[central + 8] |= 1
    data[info.header_offset + 6] |= 1
    path = tmp_path / "locked.xlsx"
    path.write_bytes(data)
    assert refused(path).cause == "encrypted"


@pytest.mark.parametrize("text", ["1_000", "nan", "inf", "1e999", "0x10", "٣٤", "9" * 5000])
def test_a_number_cell_that_holds_no_number_never_stops_the_run(build, text):
    found = values(build(f'<row r="1"><c r="A1"><v>{text}</v></c></row>'))
    assert len(found) == 1


def test_a_message_never_holds_what_stands_in_a_cell(build):
    error = refused(build('<row r="1"><c r="A1" t="s"><v>secret-99</v></c></row>'))
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    "content",
    [
        "<c>" * 300_000,
        '<c r="A1">' + "<v " * 300_000 + "</c>",
        '<c r="A1">' + "<f>" * 300_000 + "</c>",
        '<c r="A1" t="inlineStr"><is>' + "<rPh>" * 300_000 + "</is></c>",
        "<c " + "a" * 1_000_000 + "></c>",
        "<row " * 200_000,
        "--><![CDATA[]]>" * 1000,
    ],
)
def test_markup_made_to_be_searched_again_and_again_is_read_in_one_go(build, content):
    # Quadratic patterns would take hours here.
    assert values(build(f'<row r="1">{content}</row><row r="2"><c r="A2"><v>1</v></c></row>'))[-1:] == [[1]]


@pytest.mark.parametrize("content", ["<!--" * 100_000, "<![CDATA[" * 100_000, "<!x>"])
def test_sections_without_an_end_are_refused(build, content):
    assert refused(build(f'<row r="1">{content}</row>')).cause == "malformed"


def test_texts_without_an_end_are_read_in_one_go(build):
    rows = '<row r="1"><c r="A1" t="s"><v>0</v></c></row>'
    assert values(build(rows, sharedStrings=strings("<si><t>a</t></si>" + "<si>" * 500_000))) == [["a"]]


def test_merged_ranges_without_an_end_are_read_in_one_go(build):
    path = build(parts={SHEET: sheet('<row r="1"><c r="A1"><v>1</v></c></row>', behind="<mergeCell " * 200_000)})
    with closing(open_workbook(path)) as workbook:
        assert list(workbook.open_sheet(workbook.sheets[0]).merged) == []


@pytest.mark.req("E10")
@pytest.mark.parametrize(
    "encoding", ["bz2", "zlib", "hex", "base64", "uu", "rot13", "idna", "punycode", "undefined", "x"]
)
def test_a_part_in_an_encoding_that_is_none_is_refused(build, encoding):
    workbook = f'<?xml version="1.0" encoding="{encoding}"?><workbook xmlns="{MAIN}"><sheets/></workbook>'
    assert refused(build(parts={"xl/workbook.xml": workbook})).cause == "malformed"
