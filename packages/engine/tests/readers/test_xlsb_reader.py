"""xlsb sheets are read as a stream, with the same values and styles as xlsx."""

from __future__ import annotations

import struct
from datetime import date

import pytest
from binary_workbooks import (
    wide,
    xlsb,
    xlsb_cell,
    xlsb_error,
    xlsb_number,
    xlsb_record,
    xlsb_row,
    xlsb_sheet,
)
from xlsx_parts import read, values

from ade_engine.cells import CellError, Range
from ade_engine.errors import InputError
from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.findings import NOT_A_DATE
from ade_engine.readers.limits import ReadLimits


def look(*, number_format: int = 0, font: int = 0, fill: int = 0, border: int = 0, align: int = 0, indent: int = 0):
    return xlsb_record(47, struct.pack("<HHHHHBBI", 0, number_format, font, fill, border, 0, indent, align))


def font(*, bold: bool = False, italic: bool = False) -> bytes:
    return xlsb_record(43, struct.pack("<HHH", 200, 2 * italic, 700 if bold else 400) + bytes(20))


def fill(pattern: int) -> bytes:
    return xlsb_record(45, struct.pack("<I", pattern) + bytes(64))


def border(top: int, bottom: int) -> bytes:
    return xlsb_record(46, bytes([0, top]) + bytes(9) + bytes([bottom]) + bytes(39))


def style_part(
    *looks: bytes, formats: bytes = b"", fonts: bytes = b"", fills: bytes = b"", borders: bytes = b""
) -> bytes:
    outer = xlsb_record(626) + look(font=1) + xlsb_record(627)  # the named styles behind, which cells do not refer to
    return formats + fonts + fills + borders + outer + xlsb_record(617) + b"".join(looks) + xlsb_record(618)


@pytest.mark.req("E2")
def test_values_keep_type_and_place(tmp_path):
    cells = (
        xlsb_row(1)
        + xlsb_number(1, 7.0)
        + xlsb_number(2, 1.5)
        + xlsb_error(3, 0x07)
        + xlsb_cell(4, 4, b"\x01")
        + xlsb_cell(2, 5, struct.pack("<i", 1234 << 2 | 3))
        + xlsb_cell(6, 6, wide("inline"))
        + xlsb_cell(62, 7, b"\x00" + wide("rich"))
        + xlsb_cell(7, 8, struct.pack("<I", 1))
        + xlsb_cell(8, 9, wide("formula") + bytes(10))
        + xlsb_cell(9, 10, struct.pack("<d", 3) + bytes(10))
        + xlsb_cell(10, 11, b"\x00" + bytes(10))
        + xlsb_cell(11, 12, b"\x2a" + bytes(10))
        + xlsb_cell(1, 13)
    )
    texts = (
        xlsb_record(159) + xlsb_record(19, b"\x00" + wide("a")) + xlsb_record(19, b"\x01" + wide("shared") + bytes(9))
    )
    (row,) = read(xlsb(tmp_path / "book.xlsb", cells, texts=texts))
    assert row.number == 2
    assert row.values[:4] == [None, 7, 1.5, CellError("#DIV/0!")]
    assert row.values[4:] == [True, 12.34, "inline", "rich", "shared", "formula", 3, False, CellError("#N/A")]


def test_number_formats_tell_dates_from_numbers(tmp_path, open_first):
    formats = xlsb_record(44, struct.pack("<H", 200) + wide("d/m/yyyy"))
    styles = style_part(look(), look(number_format=200), look(number_format=14), formats=formats)
    cells = xlsb_row(0) + xlsb_number(0, 45292, 1) + xlsb_number(1, 45292, 2) + xlsb_number(2, -3, 1)
    sheet = open_first(xlsb(tmp_path / "book.xlsb", cells, styles=styles))
    assert [row.values for row in sheet.rows()] == [[date(2024, 1, 1), date(2024, 1, 1), -3]]
    assert list(sheet.findings) == [NOT_A_DATE]


def test_the_1904_date_system_is_followed(tmp_path):
    before = xlsb_record(153, struct.pack("<I", 1) + bytes(8))
    styles = style_part(look(), look(number_format=14))
    path = xlsb(tmp_path / "book.xlsb", xlsb_row(0) + xlsb_number(0, 43830, 1), styles=styles, before=before)
    assert values(path) == [[date(2024, 1, 1)]]


def test_a_cell_has_its_font_fill_borders_and_alignment(tmp_path, open_first):
    styles = style_part(
        look(),
        look(font=1, fill=2),
        look(font=2, border=1, align=2),
        look(indent=3, fill=1),
        fonts=font() + font(bold=True) + font(italic=True),
        fills=fill(0) + fill(17) + fill(1),
        borders=border(0, 0) + border(1, 2),
    )
    cells = xlsb_row(0) + b"".join(xlsb_number(index, 1, index) for index in range(4)) + xlsb_number(5, 1, 99)
    sheet = open_first(xlsb(tmp_path / "book.xlsb", cells, styles=styles))
    (row,) = sheet.rows()
    assert [sheet.styles[index] for index in row.styles] == [
        PLAIN,
        Style(bold=True, filled=True),
        Style(italic=True, border_top=True, border_bottom=True, centered=True),
        Style(indent=3),
        PLAIN,
        PLAIN,
    ]


def test_merged_ranges_hidden_rows_and_hidden_columns_are_known(tmp_path, open_first):
    columns = xlsb_record(60, struct.pack("<IIIIH", 1, 2, 0, 0, 1))
    merged = xlsb_record(176, struct.pack("<IIII", 0, 1, 0, 3))
    cells = xlsb_row(0, is_hidden=True) + xlsb_number(0, 1) + xlsb_row(1) + xlsb_number(0, 2)
    sheet = open_first(xlsb(tmp_path / "book.xlsb", xlsb_sheet(cells, before=columns, behind=merged)))
    assert sheet.merged == [Range(1, 1, 2, 4)]
    assert sheet.hidden_columns == {2, 3}
    assert [(row.values, row.is_hidden) for row in sheet.rows()] == [([1], True), ([2], False)]


def test_what_stands_behind_the_cells_is_no_cell(tmp_path):
    behind = xlsb_number(0, 99)
    assert values(xlsb(tmp_path / "book.xlsb", xlsb_sheet(xlsb_row(0) + xlsb_number(0, 1), behind=behind))) == [[1]]


def test_of_two_records_for_a_cell_the_last_one_counts(tmp_path):
    cells = xlsb_row(0) + xlsb_number(0, 1) + xlsb_number(1, 2) + xlsb_number(0, 3)
    assert values(xlsb(tmp_path / "book.xlsb", cells)) == [[3, 2]]


def refused(path, open_first, **limits) -> str:
    with pytest.raises(InputError) as caught:
        list(open_first(path, limits=ReadLimits(**limits)).rows())
    assert len(str(caught.value)) <= 240
    return caught.value.cause


def test_a_sheet_of_all_rows_and_columns_is_read(tmp_path):
    cells = xlsb_row(0) + xlsb_number(0, 1.0) + xlsb_row(1048575) + xlsb_number(16383, 1.0)
    assert [len(row) for row in values(xlsb(tmp_path / "book.xlsb", cells))] == [1, 16384]


@pytest.mark.req("E10")
@pytest.mark.parametrize(
    ("cells", "cause"),
    [
        (xlsb_row(0) + xlsb_number(0x7FFFFFFF, 1.0), "too_large"),
        (xlsb_row(0x7FFFFFFF) + xlsb_number(0, 1.0), "truncated"),
        (xlsb_row(1) + xlsb_number(0, 1) + xlsb_row(0) + xlsb_number(0, 1), "truncated"),
        (xlsb_row(0) + xlsb_cell(7, 0, struct.pack("<I", 9)), "truncated"),
        (xlsb_row(0) + xlsb_cell(6, 0, struct.pack("<I", 0x7FFFFFFF)), "truncated"),
        (xlsb_row(0) + xlsb_cell(5, 0, b"\x00"), "truncated"),
        (b"\xff" * 40, "truncated"),
    ],
)
def test_damage_and_excess_are_an_input_error(tmp_path, open_first, cells, cause):
    assert refused(xlsb(tmp_path / "book.xlsb", cells), open_first) == cause


def test_too_many_cells_are_refused(tmp_path, open_first):
    cells = b"".join(xlsb_row(row) + xlsb_number(200, 1) for row in range(20))
    assert refused(xlsb(tmp_path / "book.xlsb", cells), open_first, cells=1000) == "too_large"
