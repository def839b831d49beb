"""xls files made to hurt, damaged ones, and those behind a password: a clear error, or read without harm."""

from __future__ import annotations

import struct
from contextlib import suppress

import pytest
from xls_files import (
    EOF,
    biff,
    bof,
    book,
    compound,
    dimensions,
    label_sst,
    merged,
    number,
    record,
    sst,
    unicode_text,
    xls,
)
from xlsx_parts import values

from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.limits import ReadLimits


def refused(path, **limits) -> str:
    with pytest.raises(InputError) as caught:
        read_everything(path, ReadLimits(**limits))
    assert len(str(caught.value)) <= 240
    return caught.value.cause


def read_everything(path, limits) -> None:
    workbook = open_workbook(path, limits=limits)
    try:
        for info in workbook.sheets:
            sheet = workbook.open_sheet(info)
            assert sheet.merged is not None
            assert list(sheet.rows()) is not None
    finally:
        workbook.close()


def test_a_sheet_of_all_rows_and_columns_is_read(tmp_path):
    cells = number(0, 0, 1) + number(65535, 255, 2)
    found = values(xls(tmp_path / "book.xls", cells))
    assert [found[0], found[1][-1], len(found[1])] == [[1], 2, 256]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_rows(tmp_path):
    import tracemalloc

    def peak(row_count: int) -> int:
        path = tmp_path / "book.xls"
        path.write_bytes(
            biff(b"".join(number(row, column, row / 7) for row in range(row_count) for column in range(8)))
        )
        tracemalloc.start()
        workbook = open_workbook(path)
        for _ in workbook.open_sheet(workbook.sheets[0]).rows():
            pass
        workbook.close()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    assert peak(60_000) < 1.5 * peak(10_000)


def test_dimensions_that_lie_reserve_no_memory(tmp_path):
    path = xls(tmp_path / "book.xls", dimensions(0x7FFFFFFF, 0xFFFF) + number(0, 0, 1))
    assert values(path) == [[1]]


def test_more_texts_than_there_are_bytes_are_refused(tmp_path):
    before = record(0xFC, struct.pack("<II", 1, 0x7FFFFFFF) + unicode_text("a"))
    assert refused(xls(tmp_path / "book.xls", label_sst(0, 0, 0), before=before)) == "truncated"


@pytest.mark.parametrize(
    "shared",
    [
        sst(1, struct.pack("<HB", 500, 0) + b"short"),
        sst(1, struct.pack("<HBI", 1, 4, 0x7FFFFFFF) + b"a"),
        sst(1, struct.pack("<HBH", 1, 8, 0xFFFF) + b"a"),
        sst(2, unicode_text("a"), b""),
        record(0xFC, b"\x01"),
    ],
)
def test_a_text_longer_than_its_records_is_refused(tmp_path, shared):
    assert refused(xls(tmp_path / "book.xls", label_sst(0, 0, 1), before=shared)) == "truncated"


def test_a_text_that_is_not_there_is_refused(tmp_path):
    path = xls(tmp_path / "book.xls", label_sst(0, 0, 9), before=sst(1, unicode_text("a")))
    assert refused(path) == "truncated"


@pytest.mark.parametrize("kind", [0x0203, 0x00FD, 0x027E, 0x00BD, 0x0204, 0x0205, 0x0006, 0x0201, 0x00BE])
def test_a_cell_shorter_than_its_kind_is_refused(tmp_path, kind):
    assert refused(xls(tmp_path / "book.xls", record(kind, bytes(4)) + number(1, 0, 1))) == "truncated"


def test_a_million_empty_records_are_skipped(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(biff(record(0x1234) * 1_000_000 + number(0, 0, 1)))
    assert values(path) == [[1]]


def test_a_sheet_listed_again_and_again_is_not_read_again_and_again(tmp_path):
    stream = bytearray(book([(f"{index}", number(0, 0, index)) for index in range(3)]))
    place = struct.unpack_from("<I", stream, len(bof(5)) + 4)[0]
    struct.pack_into("<I", stream, len(bof(5)) + 4 + 13, place + 8)  # into the middle of the first
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=bytes(stream)))
    assert refused(path) == "truncated"


def test_more_sheets_than_parts_are_allowed_are_refused(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=book([(str(index), b"") for index in range(60)])))
    assert refused(path, entries=50) == "too_large"


def test_charts_within_charts_end_with_the_sheet(tmp_path):
    assert values(xls(tmp_path / "book.xls", bof(0x20) * 2 + number(0, 0, 9) + EOF * 2 + number(0, 0, 1))) == [[1]]
    assert refused(xls(tmp_path / "book.xls", bof(0x20) * 500 + number(0, 0, 1))) == "truncated"


def test_too_many_cells_are_refused(tmp_path):
    cells = b"".join(number(row, 200, 1) for row in range(20))
    assert refused(xls(tmp_path / "book.xls", cells), cells=1000) == "too_large"


def test_rows_in_disorder_are_held_up_to_a_limit(tmp_path):
    cells = b"".join(number(row, 9, 1) for row in range(40, 0, -1))
    assert len(values(xls(tmp_path / "book.xls", cells))) == 40
    assert refused(xls(tmp_path / "book.xls", cells), unordered_cells=100) == "too_large"


def test_a_cell_beyond_the_last_column_is_refused(tmp_path):
    assert refused(xls(tmp_path / "book.xls", number(0, 0xFFFF, 1))) == "too_large"


def test_too_many_merged_ranges_are_refused(tmp_path):
    cells = merged(*[(row, row, 0, 1) for row in range(200)])
    assert refused(xls(tmp_path / "book.xls", cells), merged_ranges=100) == "too_large"


@pytest.mark.parametrize("result", [float("inf"), float("nan")])
def test_numbers_that_are_none_are_errors(tmp_path, result):
    assert [str(value) for value in values(xls(tmp_path / "book.xls", number(0, 0, result)))[0]] == ["#NUM!"]


@pytest.mark.req("E10")
def test_a_password_is_named_as_the_cause(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1), before=record(0x2F, bytes(6)))
    assert refused(path) == "encrypted"
    path.write_bytes(compound(EncryptionInfo=b"", EncryptedPackage=b"x"))
    assert refused(path) == "encrypted"


def test_a_password_is_named_even_when_the_container_is_damaged(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1), before=record(0x2F, bytes(6)))
    for damaged in (bytearray(path.read_bytes()), bytearray(compound(EncryptionInfo=b"", EncryptedPackage=b"x"))):
        damaged[48:52] = b"\xff\xff\x00\x00"  # a directory outside of the file
        path.write_bytes(damaged)
        assert refused(path) == "encrypted"


def test_other_documents_in_the_same_container_are_refused(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(compound(WordDocument=b"x"))
    assert refused(path) == "unsupported"
    path.write_bytes(compound(Something=b"x"))
    assert refused(path) == "unsupported"


@pytest.mark.parametrize("length", [8, 100, 600, 1500, 3000])
def test_a_file_cut_off_anywhere_is_an_input_error(tmp_path, length):
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=biff(number(0, 0, 1)))[:length])
    assert refused(path) == "truncated"


def test_a_stream_cut_off_anywhere_is_an_input_error(tmp_path):
    path = tmp_path / "book.xls"
    whole = biff(number(0, 0, 1) + label_sst(0, 1, 0), before=sst(1, unicode_text("text")))
    for length in range(8, len(whole)):
        path.write_bytes(whole[:length])
        assert refused(path) in ("truncated", "empty")


def test_any_byte_may_be_damaged(tmp_path):
    path = tmp_path / "book.xls"
    whole = biff(number(0, 0, 1) + label_sst(0, 1, 0) + merged((0, 0, 0, 1)), before=sst(1, unicode_text("text")))
    for place in range(4, len(whole)):
        for value in (0, 0x7F, 0xFF):
            damaged = bytearray(whole)
            damaged[place] = value
            path.write_bytes(damaged)
            with suppress(InputError):
                read_everything(path, ReadLimits())


def test_garbage_behind_the_first_record_is_refused(tmp_path):
    path = tmp_path / "book.xls"
    path.write_bytes(record(0x0009, struct.pack("<HH", 2, 0x10)) + b"\x99" * 50)
    assert refused(path) == "truncated"


def test_a_chain_of_sectors_that_runs_in_a_circle_is_refused(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    fat = data.rindex(struct.pack("<I", 1) + struct.pack("<I", 2) + struct.pack("<I", 3))
    for sector in (0, 1, 6):
        looped = bytearray(data)
        struct.pack_into("<I", looped, fat + 4 * sector, sector)
        path.write_bytes(looped)
        assert refused(path) == "truncated"


def test_a_list_of_tables_that_runs_in_a_circle_is_refused(tmp_path):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    struct.pack_into("<I", data, 68, 2)
    struct.pack_into("<I", data, 512 * 4 - 4, 2)
    path.write_bytes(data)
    assert refused(path) == "truncated"


@pytest.mark.parametrize("offset", [40, 44, 64, 72])
def test_counts_of_sectors_are_not_believed(tmp_path, offset):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    data[offset : offset + 4] = struct.pack("<I", 0x01000000)
    path.write_bytes(data)
    assert values(path) == [[1]]


@pytest.mark.parametrize("shift", [0, 6, 17, 0xFFFF])
def test_sectors_of_an_impossible_size_are_refused(tmp_path, shift):
    path = xls(tmp_path / "book.xls", number(0, 0, 1))
    data = bytearray(path.read_bytes())
    data[30:32] = struct.pack("<H", shift)
    path.write_bytes(data)
    assert refused(path) == "truncated"
