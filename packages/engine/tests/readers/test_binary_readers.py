"""xls, xlsb and ods are read through a library, which is kept from what would hurt it."""

from __future__ import annotations

import os
import struct

import pytest
from binary_workbooks import (
    biff,
    compound,
    dimensions,
    error,
    label,
    number,
    ods,
    record,
    xls,
    xlsb,
    xlsb_error,
    xlsb_number,
    xlsb_row,
)

from ade_engine.cells import CellError
from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.calamine import _guarded
from ade_engine.readers.limits import ReadLimits
from conftest import read, values


def refused(path, **limits) -> str:
    with pytest.raises(InputError) as caught:
        open_workbook(path, limits=ReadLimits(**limits))
    assert len(str(caught.value)) <= 240
    return caught.value.cause


@pytest.mark.req("E2", "E5")
def test_xls_values_keep_type_and_place(tmp_path):
    cells = dimensions(5, 3) + number(1, 1, 7.0) + number(1, 2, 1.5) + label(3, 1, "007") + error(3, 2, 0x2A)
    rows = read(xls(tmp_path / "book.xls", cells))
    assert [(row.number, row.values) for row in rows] == [(2, [None, 7, 1.5]), (4, [None, "007", CellError("#N/A")])]
    assert type(rows[0].values[1]) is int


def test_xls_hidden_rows_and_columns_are_known(tmp_path, opened):
    hidden_row = record(0x0208, struct.pack("<HHHHHHHH", 0, 0, 1, 0, 0, 0, 0x20, 0))
    hidden_column = record(0x7D, struct.pack("<HHHHHH", 1, 2, 0, 0, 1, 0))
    workbook = opened(xls(tmp_path / "book.xls", dimensions(1, 1) + hidden_column + hidden_row + number(0, 0, 1)))
    sheet = workbook.open_sheet(workbook.sheets[0])
    assert sheet.hidden_columns == {2, 3}
    assert [row.is_hidden for row in sheet.rows()] == [True]


def test_xls_dimensions_that_lie_reserve_no_memory(tmp_path):
    path = xls(tmp_path / "book.xls", dimensions(0x7FFFFFFF, 0xFFFF) + number(0, 0, 1))
    assert values(path) == [[1]]


def test_xls_that_spans_too_much_is_refused(tmp_path):
    cells = dimensions(1, 1) + number(0, 0, 1) + number(65535, 255, 1)
    assert refused(xls(tmp_path / "book.xls", cells)) == "too_large"


def test_xls_with_more_texts_than_bytes_is_refused(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1), before=record(0xFC, struct.pack("<II", 1, 0x7FFFFFFF)))
    assert refused(path) == "truncated"


def test_a_password_is_named_as_the_cause(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1), before=record(0x2F, bytes(6)))
    assert refused(path) == "encrypted"
    path.write_bytes(compound(EncryptionInfo=b"", EncryptedPackage=b"x"))
    assert refused(path) == "encrypted"


def test_a_password_is_named_even_when_the_container_is_damaged(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1), before=record(0x2F, bytes(6)))
    for damaged in (bytearray(path.read_bytes()), bytearray(compound(EncryptionInfo=b"", EncryptedPackage=b"x"))):
        damaged[44:48] = b"\xff\xff\x00\x00"  # more sectors than the file has
        path.write_bytes(damaged)
        assert refused(path) == "encrypted"


def test_other_documents_in_the_same_container_are_refused(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(compound(WordDocument=b"x"))
    assert refused(path) == "unsupported"
    path.write_bytes(compound(Something=b"x"))
    assert refused(path) == "unsupported"


@pytest.mark.parametrize("length", [8, 100, 600, 1500, 3000])
def test_an_xls_cut_off_anywhere_is_an_input_error(tmp_path, length):
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=biff(number(0, 0, 1)))[:length])
    assert refused(path) in ("truncated", "malformed", "unsupported")


def test_excel_4_and_older_are_told_apart_from_damage(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(record(0x0009, struct.pack("<HH", 2, 0x10)) + b"\x99" * 50)
    assert refused(path) == "unsupported"


def test_an_xls_too_large_to_hold_is_refused(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    assert refused(path, buffered_sheet_bytes=1000) == "too_large"


CELL = '<table:table-cell office:value-type="float" office:value="1"><text:p>1</text:p></table:table-cell>'
TEXT = '<table:table-cell office:value-type="string"><text:p>007</text:p></table:table-cell>'


@pytest.mark.req("E2")
def test_ods_values_keep_type_and_place(tmp_path):
    table = (
        '<table:table-row table:number-rows-repeated="2"><table:table-cell/></table:table-row>'
        f"<table:table-row><table:table-cell/>{CELL}{TEXT}</table:table-row>"
    )
    assert [(row.number, row.values) for row in read(ods(tmp_path / "b.ods", table))] == [(3, [None, 1, "007"])]


def test_ods_repetitions_that_span_too_much_are_refused(tmp_path):
    row = f"<table:table-row>{CELL}</table:table-row>"
    far = (
        '<table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row>'
        f'<table:table-row><table:table-cell table:number-columns-repeated="16383"/>{CELL}</table:table-row>'
    )
    assert refused(ods(tmp_path / "b.ods", row + far)) == "too_large"
    repeated = CELL.replace("<table:table-cell", '<table:table-cell table:number-columns-repeated="16384"')
    many = f'<table:table-row table:number-rows-repeated="1048576">{repeated}</table:table-row>'
    assert refused(ods(tmp_path / "c.ods", many)) == "too_large"


def test_ods_beyond_the_byte_limit_is_refused(tmp_path):
    assert refused(ods(tmp_path / "b.ods", CELL), buffered_sheet_bytes=100) == "too_large"


def test_ods_entities_are_refused(tmp_path):
    path = ods(tmp_path / "b.ods", "<!DOCTYPE x>")
    assert refused(path) == "malformed"


@pytest.mark.req("E2")
def test_xlsb_values_keep_type_and_place(tmp_path):
    cells = xlsb_row(1) + xlsb_number(1, 7.0) + xlsb_number(2, 1.5) + xlsb_error(3, 0x07)
    rows = read(xlsb(tmp_path / "book.xlsb", cells))
    assert [(row.number, row.values) for row in rows] == [(2, [None, 7, 1.5, CellError("#DIV/0!")])]


def test_xlsb_that_spans_too_much_is_refused(tmp_path):
    cells = xlsb_row(0) + xlsb_number(0, 1.0) + xlsb_row(1048575) + xlsb_number(16383, 1.0)
    assert refused(xlsb(tmp_path / "book.xlsb", cells)) == "too_large"


def test_xlsb_cells_beyond_the_last_column_are_refused(tmp_path):
    cells = xlsb_row(0) + xlsb_number(0, 1.0) + xlsb_number(0x7FFFFFFF, 1.0)
    assert refused(xlsb(tmp_path / "book.xlsb", cells)) == "too_large"


def test_a_damaged_xlsb_is_an_input_error(tmp_path):
    with pytest.raises(InputError):
        read(xlsb(tmp_path / "book.xlsb", b"\xff" * 40))


def test_a_chain_of_sectors_without_end_never_reaches_the_library(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    fat = len(data) - 512
    for start in (0, 4, 28):
        looped = bytearray(data)
        looped[fat + start : fat + start + 4] = struct.pack("<I", start // 4)
        path.write_bytes(looped)
        assert refused(path) == "truncated"


@pytest.mark.parametrize("offset", [40, 44, 64, 72])
def test_more_sectors_than_the_file_has_never_reach_the_library(tmp_path, offset):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    data[offset : offset + 4] = struct.pack("<I", 0x01000000)
    path.write_bytes(data)
    assert refused(path) == "truncated"


def test_what_the_library_says_when_it_panics_is_kept_from_the_terminal(capfd):
    class PanicException(BaseException):
        pass

    def panic():
        os.write(2, b"thread panicked")
        raise PanicException

    with pytest.raises(InputError, match="damaged"):
        _guarded(panic)
    _guarded(lambda: os.write(2, b"a warning"))
    assert capfd.readouterr().err == "a warning"
