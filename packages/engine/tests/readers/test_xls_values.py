"""Every cell of an xls file has the value and the type that the file says, whatever version wrote it."""

from __future__ import annotations

import struct
from datetime import date, datetime, time, timedelta

import pytest
from xls_files import (
    BIFF_5,
    EOF,
    TEXT_FOLLOWS,
    biff,
    blank,
    boolean,
    cell_format,
    chart,
    compound,
    error,
    formula,
    formula_text,
    label,
    label_5,
    label_sst,
    number,
    number_format,
    record,
    short_number,
    short_numbers,
    special,
    sst,
    texts,
    unicode_text,
    xls,
)
from xlsx_parts import read, values

from ade_engine.cells import CellError
from ade_engine.readers.findings import NOT_A_DATE, UNKNOWN_CHARACTERS
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.xls_text import TextDecoder, encoding_of


@pytest.mark.req("E2", "E5")
def test_values_keep_type_and_place(tmp_path):
    cells = number(1, 1, 7.0) + number(1, 2, 1.5) + label(3, 1, "007") + error(3, 2, 0x2A) + boolean(3, 3, 1)
    rows = read(xls(tmp_path / "book.xls", cells))
    assert [(row.number, row.values) for row in rows] == [
        (2, [None, 7, 1.5]),
        (4, [None, "007", CellError("#N/A"), True]),
    ]
    assert type(rows[0].values[1]) is int


@pytest.mark.req("E2", "E5")
def test_numbers_of_an_embedded_chart_are_no_cells(tmp_path):
    cells = label(0, 0, "Name") + number(1, 0, 1) + chart(number(0, 0, 99) + number(5, 5, 98)) + number(2, 0, 3)
    assert values(xls(tmp_path / "book.xls", cells)) == [["Name"], [1], [3]]


def test_text_of_one_byte_a_character_ignores_the_code_page(tmp_path):
    code_page = record(0x42, struct.pack("<H", 1252))
    shared = sst(1, struct.pack("<HB", 5, 0) + b"Title")
    assert values(xls(tmp_path / "book.xls", label_sst(0, 0, 0), before=code_page + shared)) == [["Title"]]


def test_a_shared_text_may_go_on_in_the_next_record_in_another_width(tmp_path):
    shared = sst(
        3,
        unicode_text("one") + struct.pack("<HB", 6, 0) + b"nar",
        b"\x01" + "row".encode("utf-16-le") + unicode_text("three")[:-4],
        b"\x00ee",
    )
    cells = label_sst(0, 0, 0) + label_sst(0, 1, 1) + label_sst(0, 2, 2)
    assert values(xls(tmp_path / "book.xls", cells, before=shared)) == [["one", "narrow", "three"]]


def test_a_character_of_two_code_units_may_be_cut_in_two(tmp_path):
    whole = unicode_text("a😀")
    shared = sst(1, whole[:-2], b"\x01" + whole[-2:])
    assert values(xls(tmp_path / "book.xls", label_sst(0, 0, 0), before=shared)) == [["a😀"]]


def test_formatting_and_reading_aids_are_no_part_of_a_text(tmp_path):
    rich = struct.pack("<HBH", 4, 0x08, 2) + b"rich" + bytes(8)
    spoken = struct.pack("<HBI", 3, 0x05, 6) + "東京都".encode("utf-16-le") + bytes(6)
    both = struct.pack("<HBHI", 4, 0x0C, 1, 10) + b"both" + bytes(3)
    shared = sst(4, rich + spoken + both, bytes(11) + unicode_text("end"))
    cells = b"".join(label_sst(0, column, column) for column in range(4))
    assert values(xls(tmp_path / "book.xls", cells, before=shared)) == [["rich", "東京都", "both", "end"]]


def test_short_numbers_are_integers_floats_or_hundredths(tmp_path):
    upper_half = struct.unpack("<ii", struct.pack("<d", -1.5))[1]
    cells = short_number(0, 0, 7 << 2 | 2) + short_numbers(0, 1, -7 << 2 | 2, 1234 << 2 | 3, upper_half, 500 << 2 | 3)
    (row,) = values(xls(tmp_path / "book.xls", cells))
    assert row == [7, -7, 12.34, -1.5, 5]
    assert [type(value) for value in row] == [int, int, float, float, int]


def test_a_formula_has_its_stored_result(tmp_path):
    array = record(0x0221, bytes(14))
    cells = (
        formula(0, 0, 2.5)
        + formula(0, 1, special(1, 1))
        + formula(0, 2, special(2, 0x07))
        + formula(0, 3, special(3))
        + formula(0, 4, TEXT_FOLLOWS)
        + formula_text("yes")
        + formula(0, 5, TEXT_FOLLOWS)
        + array
        + formula_text("array")
        + formula(1, 0, TEXT_FOLLOWS)
        + record(0x0207, unicode_text("long text")[:-4])
        + record(0x3C, b"\x00xt")
    )
    found = values(xls(tmp_path / "book.xls", cells))
    assert found == [[2.5, True, CellError("#DIV/0!"), None, "yes", "array"], ["long text"]]


def test_a_formula_without_its_text_is_counted(tmp_path, open_first):
    sheet = open_first(xls(tmp_path / "book.xls", formula(0, 0, TEXT_FOLLOWS) + number(0, 1, 1)))
    assert [row.values for row in sheet.rows()] == [[None, 1]]
    assert sheet.formulas_without_value == 1


@pytest.mark.parametrize(
    ("code", "serial", "expected"),
    [
        ("d/m/yyyy", 45292, date(2024, 1, 1)),
        ("d/m/yyyy", 45292.25, datetime(2024, 1, 1, 6)),  # noqa: DTZ001 - sheets know no zones
        ("h:mm", 0.75, time(18)),
        ("[h]:mm", 1.25, timedelta(hours=30)),
        ("[h]:mm", -0.5, timedelta(hours=-12)),
        ("0.00", 45292, 45292),
    ],
)
def test_number_formats_tell_dates_from_numbers(tmp_path, code, serial, expected):
    before = number_format(200, code) + cell_format() + cell_format(number_format=200)
    cells = number(0, 0, serial, 1) + formula(0, 1, float(serial), 1)
    assert values(xls(tmp_path / "book.xls", cells, before=before)) == [[expected, expected]]


def test_the_1904_date_system_is_followed(tmp_path):
    before = record(0x22, b"\x01\x00") + cell_format() + cell_format(number_format=14)
    assert values(xls(tmp_path / "book.xls", number(0, 0, 43830, 1), before=before)) == [[date(2024, 1, 1)]]


def test_a_number_that_is_no_date_stays_a_number_and_is_reported(tmp_path, open_first):
    before = cell_format() + cell_format(number_format=14)
    sheet = open_first(xls(tmp_path / "book.xls", number(0, 0, -5, 1) + number(1, 0, 3e6, 1), before=before))
    assert [row.values for row in sheet.rows()] == [[-5], [3_000_000]]
    assert list(sheet.findings) == [NOT_A_DATE]


def test_a_sheet_of_real_dates_has_no_finding(tmp_path, open_first):
    sheet = open_first(xls(tmp_path / "book.xls", number(0, 0, 5, 1), before=cell_format() + cell_format()))
    assert [row.values for row in sheet.rows()] == [[5]]
    assert list(sheet.findings) == []


def test_rows_in_disorder_are_put_in_order(tmp_path):
    cells = number(2, 0, 3) + number(0, 1, 1.5) + number(2, 1, 4) + number(0, 0, 1)
    found = [(row.number, row.values) for row in read(xls(tmp_path / "book.xls", cells))]
    assert found == [(1, [1, 1.5]), (3, [3, 4])]


def test_of_two_records_for_a_cell_the_last_one_counts(tmp_path):
    cells = number(0, 0, 1) + number(0, 1, 2) + number(0, 0, 3) + blank(0, 3, 0)
    assert values(xls(tmp_path / "book.xls", cells)) == [[3, 2]]


@pytest.mark.parametrize(("code_page", "encoding"), [(1251, "cp1251"), (932, "cp932"), (10000, "mac-roman")])
def test_texts_up_to_excel_95_are_decoded_by_their_code_page(tmp_path, code_page, encoding):
    text = {"cp1251": "Привет", "cp932": "日本", "mac-roman": "café"}[encoding]
    before = record(0x42, struct.pack("<H", code_page))
    path = tmp_path / "book.xls"
    stream = biff(label_5(0, 0, text.encode(encoding)), before=before, version=BIFF_5)
    path.write_bytes(compound(Book=stream))
    assert values(path) == [[text]]


@pytest.mark.parametrize("code_page", [0, 21010, 65535])
def test_a_code_page_that_nobody_knows_means_windows_1252(tmp_path, code_page):
    before = record(0x42, struct.pack("<H", code_page))
    path = xls(tmp_path / "book.xls", label_5(0, 0, "Größe".encode("cp1252")), before=before, version=BIFF_5)
    assert values(path) == [["Größe"]]


def test_without_a_code_page_excel_95_means_windows_1252(tmp_path):
    assert values(xls(tmp_path / "book.xls", label_5(0, 0, b"\x80 5"), version=BIFF_5)) == [["€ 5"]]


def test_characters_that_cannot_be_decoded_are_reported(tmp_path, open_first):
    sheet = open_first(xls(tmp_path / "book.xls", label_5(0, 0, b"a\x81b"), version=BIFF_5))
    assert [row.values for row in sheet.rows()] == [["a\ufffdb"]]
    assert list(sheet.findings) == [UNKNOWN_CHARACTERS]


def old_sheet(kind: int, version: int, records: bytes) -> bytes:
    return record(kind, struct.pack("<HH", version, 0x10)) + records + EOF


def test_a_sheet_of_excel_2_is_read(tmp_path):
    def cell(kind: int, column: int, content: bytes, look: bytes = bytes(3)) -> bytes:
        return record(kind, struct.pack("<HH", 0, column) + look + content)

    formats = b"".join(record(0x1E, bytes((len(code),)) + code) for code in (b"General", b"d-mmm-yy"))
    cells = (
        cell(2, 0, struct.pack("<H", 7))
        + cell(3, 1, struct.pack("<d", 1.5))
        + cell(4, 2, b"\x04text")
        + cell(5, 3, b"\x01\x00")
        + cell(6, 4, TEXT_FOLLOWS + bytes(1))
        + record(7, b"\x03yes")
        + cell(3, 5, struct.pack("<d", 45292), b"\x00\x01\x00")
    )
    path = tmp_path / "book.xls"
    path.write_bytes(old_sheet(0x0009, 2, formats + cells))
    assert values(path) == [[7, 1.5, "text", True, "yes", date(2024, 1, 1)]]


@pytest.mark.parametrize(
    ("bof", "format_kind", "prefix", "xf"), [(0x0209, 0x1E, b"", 0x0243), (0x0409, 0x041E, b"\0\0", 0x0443)]
)
def test_sheets_of_excel_3_and_4_are_read(tmp_path, bof, format_kind, prefix, xf):
    codes = (b"General", b"d-mmm-yy")
    formats = b"".join(record(format_kind, prefix + bytes((len(code),)) + code) for code in codes)
    looks = record(xf, bytes(12)) + record(xf, b"\x00\x01" + bytes(10))
    cells = label_5(0, 0, b"text") + short_number(0, 1, 7 << 2 | 2) + number(0, 2, 45292, 1)
    path = tmp_path / "book.xls"
    path.write_bytes(old_sheet(bof, 0, formats + looks + cells))
    assert values(path) == [["text", 7, date(2024, 1, 1)]]


def test_all_sheets_of_an_excel_4_workbook_are_read(tmp_path, opened):
    def sheet(name: bytes, value: float) -> bytes:
        part = old_sheet(0x0409, 0, number(0, 0, value))
        return record(0x8F, struct.pack("<I", len(part)) + bytes((len(name),)) + name) + part

    head = record(0x0409, struct.pack("<HH", 0, 0x100))
    position = len(head) + 8
    path = tmp_path / "book.xlw"
    path.write_bytes(head + record(0x8E, struct.pack("<I", position)) + sheet(b"One", 1) + sheet(b"Two", 2) + EOF)
    workbook = opened(path)
    assert [info.name for info in workbook.sheets] == ["One", "Two"]
    assert values(path) == [[1], [2]]


def test_a_stream_without_a_container_is_read(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(biff(label_sst(0, 0, 0), before=texts("bare")))
    assert values(path) == [["bare"]]


def test_texts_beyond_the_memory_for_them_are_read_all_the_same(tmp_path, opened):
    names = [f"name {index}" for index in range(3000)]
    cells = b"".join(label_sst(index, 0, index) for index in range(3000))
    path = xls(tmp_path / "book.xls", cells, before=sst(3000, b"", *map(unicode_text, names)))
    workbook = opened(path, limits=ReadLimits(string_memory_bytes=10))
    assert [row.values for row in workbook.open_sheet(workbook.sheets[0]).rows()] == [[name] for name in names]


@pytest.mark.parametrize(
    ("code_page", "encoding"),
    [(1252, "cp1252"), (1251, "cp1251"), (932, "cp932"), (367, "ascii"), (10000, "mac-roman"), (32768, "mac-roman"),
     (32769, "cp1252"), (21010, "cp1252"), (0, "cp1252")],
)  # fmt: skip
def test_a_code_page_means_an_encoding_that_there_is(code_page, encoding):
    assert encoding_of(code_page) == encoding


def test_texts_of_old_workbooks_are_decoded_by_code_page_and_of_new_ones_as_unicode():
    old, new = TextDecoder(5, "cp1251"), TextDecoder(8)
    assert old.short(b"\x02\xc4\xe0", 0) == "Да"
    assert old.long(b"\x02\x00\xc4\xe0", 0) == "Да"
    assert new.short(b"\x02\x01" + "Да".encode("utf-16-le"), 0) == "Да"
    assert new.long(b"\x02\x00\x00\xc4\xe0", 0) == "Äà"
    assert new.short(b"\x00", 0) == ""
    assert (old.is_damaged, new.is_damaged) == (False, False)
    damaged = TextDecoder(5, "cp932")
    assert damaged.short(b"\x01\x81", 0) == "\ufffd"
    assert damaged.is_damaged
