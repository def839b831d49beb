"""What a file is, its content says; its name does not count."""

from __future__ import annotations

import gzip
import zipfile

import pytest
from xlsx_parts import sheet, values

from ade_engine.errors import InputError
from ade_engine.readers import open_workbook

LOCK = b"\x05Alice" + b" " * 49 + b"\x05\x00" + "Alice".ljust(54).encode("utf-16-le")


@pytest.mark.req("E2")
def test_a_workbook_named_csv_is_read_as_a_workbook(build, tmp_path):
    path = build('<row r="1"><c r="A1"><v>1</v></c></row>').rename(tmp_path / "table.csv")
    assert values(path) == [[1]]


@pytest.mark.req("E2")
def test_text_named_xlsx_is_read_as_text(tmp_path, opened):
    path = tmp_path / "table.xlsx"
    path.write_text("a,b\n1,2\n")
    assert opened(path).format == "csv"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"%PDF-1.7\n", "PDF"),
        (b"\x89PNG\r\n\x1a\n", "image"),
        (b"\xff\xd8\xff\xe0", "image"),
        (gzip.compress(b"a,b", mtime=0), "gzip"),
        (b"<!DOCTYPE html><html><table>", "web page"),
        (b"\xef\xbb\xbf  <html xmlns:x='urn:schemas-microsoft-com:office:excel'>", "web page"),
        (b'<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?><Workbook/>', "XML"),
        (b'{"a": 1}', "JSON"),
        (b'[{"a": 1}]', "JSON"),
        (b"{\\rtf1", "RTF"),
        (LOCK, "lock"),
    ],
)
def test_other_kinds_of_files_are_refused_by_name(tmp_path, data, word):
    path = tmp_path / "table.xls"
    path.write_bytes(data)
    with pytest.raises(InputError, match=word) as caught:
        open_workbook(path)
    assert caught.value.cause == "unsupported"


@pytest.mark.parametrize(
    ("members", "word"),
    [
        ({"word/document.xml": "", "[Content_Types].xml": ""}, "text document"),
        ({"ppt/presentation.xml": "", "[Content_Types].xml": ""}, "presentation"),
        ({"Index/Document.iwa": ""}, "Numbers"),
        ({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": ""}, "OpenDocument"),
        ({"table.csv": "a,b"}, "zip archive"),
    ],
)
def test_other_zip_containers_are_refused_by_name(tmp_path, members, word):
    path = tmp_path / "table.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    with pytest.raises(InputError, match=word) as caught:
        open_workbook(path)
    assert caught.value.cause == "unsupported"


def test_an_empty_file_is_called_empty(tmp_path):
    path = tmp_path / "table.csv"
    path.touch()
    with pytest.raises(InputError) as caught:
        open_workbook(path)
    assert caught.value.cause == "empty"


def test_a_file_that_is_not_there_is_an_input_error(tmp_path):
    with pytest.raises(InputError) as caught:
        open_workbook(tmp_path / "gone.xlsx")
    assert caught.value.cause == "not_found"


def test_a_workbook_without_sheets_is_called_empty(build):
    with pytest.raises(InputError) as caught:
        open_workbook(build(parts={"xl/worksheets/sheet1.xml": None}))
    assert caught.value.cause == "empty"


def test_macros_are_told_by_the_content_types(build, opened):
    types = '<Types><Override ContentType="application/vnd.ms-excel.sheet.macroEnabled.main+xml"/></Types>'
    assert opened(build(parts={"[Content_Types].xml": types})).format == "xlsm"
    assert opened(build(parts={"xl/worksheets/sheet1.xml": sheet("")})).format == "xlsx"


def test_bytes_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(InputError) as caught:
        open_workbook(path)
    assert caught.value.cause == "unsupported"


@pytest.mark.req("E2")
@pytest.mark.parametrize("first", ["1", "0", '"a"', " x", ",", "\t"])
def test_a_text_that_has_the_size_of_a_lock_is_not_taken_for_one(tmp_path, opened, first):
    line = f"{first},blue,".ljust(54, "x") + " and so on,12"
    text = (line + "\n" + line).ljust(164, "y") + "\n"
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert path.stat().st_size == 165
    assert opened(path).format in {"csv", "tsv"}
