"""The same cells from every format, and damage anywhere in a file is an input error or no harm."""

from __future__ import annotations

import csv
import io
import struct
import zipfile
from contextlib import closing, suppress
from html import escape

import pytest
from binary_workbooks import ods, wide, xlsb, xlsb_cell, xlsb_error, xlsb_number, xlsb_row
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xls_files import biff, boolean, compound, error, label, number
from xlsx_parts import default_parts, sheet, values

from ade_engine.cells import CellError, cell_name
from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.delimited import DelimitedWorkbook
from ade_engine.readers.limits import ReadLimits

FEW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CODES = {"#NULL!": 0x00, "#DIV/0!": 0x07, "#VALUE!": 0x0F, "#REF!": 0x17, "#NAME?": 0x1D, "#NUM!": 0x24, "#N/A": 0x2A}
CELLS = st.one_of(
    st.none(),
    st.integers(-(2**50), 2**50),
    st.floats(-1e9, 1e9, allow_nan=False).filter(lambda value: value % 1 != 0),
    st.booleans(),
    st.text(alphabet="abcäöü<&>'\"漢0=", min_size=1, max_size=8),
    st.sampled_from(sorted(CODES)).map(CellError),
)
ROWS = st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=6)


def xlsx_cell(value, name):
    if isinstance(value, bool):
        return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, CellError):
        return f'<c r="{name}" t="e"><v>{value.code}</v></c>'
    if isinstance(value, str):
        return f'<c r="{name}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{name}"><v>{value!r}</v></c>'


def write_xlsx(path, rows):
    markup = "".join(
        f'<row r="{n}">'
        + "".join(xlsx_cell(value, cell_name(n, c)) for c, value in enumerate(row, start=1) if value is not None)
        + "</row>"
        for n, row in enumerate(rows, start=1)
    )
    parts = default_parts() | {"xl/worksheets/sheet1.xml": sheet(markup)}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def ods_cell(value):
    kinds = {bool: "boolean", int: "float", float: "float", str: "string"}
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, CellError):
        attributes, text = 'calcext:value-type="error" office:value-type="string" office:string-value=""', value.code
    else:
        attributes, text = f'office:value-type="{kinds[type(value)]}"', escape(str(value))
        attributes += f' office:boolean-value="{str(value).lower()}"' if isinstance(value, bool) else ""
        attributes += f' office:value="{value!r}"' if type(value) in (int, float) else ""
    return f"<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>"


def write_ods(path, rows):
    return ods(path, "".join(f"<table:table-row>{''.join(map(ods_cell, row))}</table:table-row>" for row in rows))


def xlsb_value(value, column):
    if isinstance(value, bool):
        return xlsb_cell(4, column, bytes([value]))
    if isinstance(value, CellError):
        return xlsb_error(column, CODES[value.code])
    if isinstance(value, str):
        return xlsb_cell(6, column, wide(value))
    return xlsb_number(column, float(value))


def write_xlsb(path, rows):
    parts = []
    for n, row in enumerate(rows):
        parts.append(xlsb_row(n))
        parts += [xlsb_value(value, c) for c, value in enumerate(row) if value is not None]
    return xlsb(path, b"".join(parts))


def xls_value(row, column, value):
    if isinstance(value, bool):
        return boolean(row, column, int(value))
    if isinstance(value, CellError):
        return error(row, column, CODES[value.code])
    return label(row, column, value) if isinstance(value, str) else number(row, column, float(value))


def write_xls(path, rows):
    cells = [xls_value(n, c, value) for n, row in enumerate(rows) for c, value in enumerate(row) if value is not None]
    path.write_bytes(compound(Workbook=biff(b"".join(cells))))
    return path


WRITERS = {"xlsx": write_xlsx, "ods": write_ods, "xlsb": write_xlsb, "xls": write_xls}


def without_tails(rows):
    cut = []
    for row in rows:
        cells = list(row)
        while cells and cells[-1] is None:
            cells.pop()
        if cells:
            cut.append(cells)
    return cut


@pytest.mark.req("E2", "E5")
@pytest.mark.parametrize("kind", WRITERS)
@FEW
@given(rows=ROWS)
def test_every_format_gives_the_cells_that_were_written(tmp_path, kind, rows):
    found = values(WRITERS[kind](tmp_path / f"book.{kind}", rows))
    expected = without_tails(rows)
    assert found == expected
    assert [[type(cell) for cell in row] for row in found] == [[type(cell) for cell in row] for row in expected]


@pytest.mark.parametrize("kind", WRITERS)
def test_the_format_is_told_by_the_content_whatever_the_name(tmp_path, kind):
    path = WRITERS[kind](tmp_path / "data.csv", [["a", 1]])
    with closing(open_workbook(path)) as workbook:
        assert workbook.format == kind
        assert [info.name for info in workbook.sheets] == ["One"]


def read_all(path):
    with closing(open_workbook(path, limits=ReadLimits(cells=100_000))) as workbook:
        for info in workbook.sheets:
            opened = workbook.open_sheet(info)
            assert list(opened.rows()) is not None
            assert opened.merged is not None


@pytest.mark.req("E10")
@pytest.mark.parametrize("kind", WRITERS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**6), new=st.integers(0, 255))
def test_one_damaged_byte_is_an_input_error_or_no_harm(tmp_path, kind, place, new):
    path = WRITERS[kind](tmp_path / f"book.{kind}", [["a", 1.5, True], ["b", 2, None], [CellError("#N/A"), "ü", -3]])
    data = bytearray(path.read_bytes())
    data[place % len(data)] = new
    path.write_bytes(data)
    with suppress(InputError):
        read_all(path)


@pytest.mark.req("E10")
@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_that_ends_early_anywhere_is_an_input_error(tmp_path, kind):
    path = WRITERS[kind](tmp_path / f"book.{kind}", [["a", 1.5, True], ["b", 2, None]])
    data = path.read_bytes()
    for length in range(0, len(data) // 2, max(1, len(data) // 40)):
        path.write_bytes(data[:length])
        with pytest.raises(InputError) as refusal:
            read_all(path)
        assert refusal.value.cause
        assert len(str(refusal.value)) <= 240


def repacked(path, part, change):
    """Write a container again with one part changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts[part] = change(parts[part])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


PARTS = {"xlsx": "xl/worksheets/sheet1.xml", "ods": "content.xml", "xlsb": "xl/worksheets/sheet1.bin"}


@pytest.mark.req("E10")
@pytest.mark.parametrize("kind", PARTS)
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**5), cut=st.integers(0, 30), new=st.binary(max_size=8))
def test_a_part_with_other_bytes_in_it_is_an_input_error_or_no_harm(tmp_path, kind, place, cut, new):
    path = WRITERS[kind](tmp_path / f"book.{kind}", [["a", 1.5, True], ["b", 2, "c"], [7, "ü", CellError("#N/A")]])

    def changed(data):
        start = place % len(data)
        return data[:start] + new + data[start + cut :]

    with suppress(InputError):
        read_all(repacked(path, PARTS[kind], changed))


def test_a_number_of_a_binary_format_without_an_end_is_an_error_and_no_number(tmp_path):
    rows = xlsb_row(0) + xlsb_cell(5, 0, struct.pack("<d", float("inf"))) + xlsb_number(1, 2.5)
    assert values(xlsb(tmp_path / "b.xlsb", rows)) == [[CellError("#NUM!"), 2.5]]


TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=10).map(str.strip).filter(bool)
TABLES = st.integers(2, 4).flatmap(
    lambda width: st.lists(st.lists(TEXTS, min_size=width, max_size=width), min_size=2, max_size=8)
)


@pytest.mark.req("E2", "E5")
@FEW
@given(rows=TABLES, delimiter=st.sampled_from([",", ";", "\t", "|"]), end=st.sampled_from(["\n", "\r\n"]))
def test_a_quoted_table_with_a_named_delimiter_is_read_back(tmp_path, rows, delimiter, end):
    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    path = tmp_path / "t.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    workbook = DelimitedWorkbook(path, encoding="utf-8", delimiter=delimiter)
    found = workbook.open_sheet(workbook.sheets[0])
    assert [row.values for row in found.rows()] == rows
    assert workbook.format == ("tsv" if delimiter == "\t" else "csv")


@FEW
@given(data=st.binary(min_size=1, max_size=300))
def test_any_bytes_are_rows_of_text_or_an_input_error(tmp_path, data):
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    with suppress(InputError), closing(open_workbook(path)) as workbook:
        for info in workbook.sheets:
            last = 0
            for row in workbook.open_sheet(info).rows():
                assert row.number > last
                assert row.values[-1] is not None
                last = row.number


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"%PDF-1.7", "a PDF document. Ask the sender for the table itself"),
        (b"\x89PNG\r\n", "an image. Ask the sender for the table itself"),
        (b"GIF89a", "an image"),
        (b"\x1f\x8b\x08\x00", "a gzip archive. Unpack it"),
        (b"7z\xbc\xaf\x27", "a 7z archive. Unpack it"),
        (b"Rar!\x1a\x07", "a rar archive"),
        (b"{\\rtf1", "an RTF document. Open it in a spreadsheet program"),
        (b"PAR1", "a parquet file"),
        (b"SQLite format 3\x00", "a database"),
        (b"<!DOCTYPE html><table>", "a web page, whatever its name"),
        (b"  <html><body>", "a web page"),
        (b'<?xml version="1.0"?><Workbook>', "an XML document, perhaps of Excel 2003"),
        (b'{"a": 1}', "a JSON document"),
        (b'[{"a": 1}]', "a JSON document"),
    ],
)
def test_other_files_are_refused_by_what_they_are_with_advice(tmp_path, head, what):
    path = tmp_path / "x.xlsx"
    path.write_bytes(head + b" more of it" * 20)
    with pytest.raises(InputError, match=r"^The file is ") as refusal:
        open_workbook(path)
    assert what in str(refusal.value)
    assert refusal.value.cause == "unsupported"


@pytest.mark.parametrize("head", [b"PDF,a\n1,2\n", b"<a>,<b>\n1,2\n", b"{a},b\n1,2\n", b"BZ,h\n1,2\n", b"[x],y\n1,2\n"])
def test_a_table_that_merely_begins_like_another_file_is_read(tmp_path, head):
    path = tmp_path / "x.csv"
    path.write_bytes(head)
    assert len(values(path)) == 2


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"word/document.xml": "x", "[Content_Types].xml": "x"}, "a text document"),
        ({"ppt/presentation.xml": "x"}, "a presentation"),
        ({"Index/Tables.iwa": "x"}, "a Numbers document"),
        ({"index.zip": "x"}, "a Numbers document"),
        ({"a.txt": "x"}, "a zip archive"),
        ({"mimetype": "application/vnd.oasis.opendocument.text"}, "an OpenDocument file that is not a spreadsheet"),
        ({"[Content_Types].xml": "<Types/>"}, "a zip container but not a workbook"),
    ],
)
def test_other_containers_are_refused_by_what_they_are(tmp_path, parts, message):
    path = tmp_path / "x.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(InputError) as refusal:
        open_workbook(path)
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"file_bytes": 10}, "larger than 0 MB"),
        ({"entries": 2}, "more than the 2 allowed"),
        ({"unpacked_bytes": 100}, "more than the 0 MB allowed"),
        ({"part_bytes": 50}, "unpacks to more than 0 MB"),
        ({"cells": 2}, "cells"),
    ],
)
def test_each_limit_refuses_with_its_own_message(tmp_path, limits, message):
    path = write_xlsx(tmp_path / "b.xlsx", [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(InputError, match=message) as refusal:
        read_with(path, ReadLimits(**limits))
    assert refusal.value.cause == "too_large"


def read_with(path, limits):
    with closing(open_workbook(path, limits=limits)) as workbook:
        return list(workbook.open_sheet(workbook.sheets[0]).rows())
