"""Delimited text of any encoding and dialect becomes the cells that its author meant."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.delimited import DelimitedWorkbook
from ade_engine.readers.delimited_records import Dialect, records
from ade_engine.readers.limits import ReadLimits


@pytest.fixture
def table(tmp_path):
    def table(data: str | bytes, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return DelimitedWorkbook(path, **options)

    return table


def cells(workbook):
    return [row.values for row in workbook.open_sheet(workbook.sheets[0]).rows()]


PEOPLE = [
    ["Name", "Age", "Joined"],
    ["Anna", "42", "2020-01-01"],
    ["Bob", "7", "2021-12-31"],
    ["Ça", "8", "2022-02-02"],
]


def spelled(delimiter: str, end: str = "\n") -> str:
    return end.join(delimiter.join(row) for row in PEOPLE) + end


@pytest.mark.req("E2")
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "||", "~", "^", "\x1f", "::"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_found(table, delimiter, end):
    workbook = table(spelled(delimiter, end))
    assert workbook.dialect.delimiter == delimiter
    assert cells(workbook) == PEOPLE


@pytest.mark.req("E2")
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"]
)
def test_encodings_are_found(table, encoding):
    assert cells(table(spelled(";").encode(encoding))) == PEOPLE


@pytest.mark.parametrize(
    ("encoding", "word"),
    [
        ("cp1251", "Привет мир, как дела"),
        ("koi8-r", "Привет мир, как дела"),
        ("cp1250", "zażółć gęślą jaźń"),
        ("cp932", "東京都の天気は晴れです"),
        ("gb18030", "今天天气很好我们去公园"),
        ("cp949", "오늘은 날씨가 좋습니다"),
        ("mac-roman", "Müller größer Äpfel für"),
        ("cp1253", "καλημέρα κόσμε"),
        ("cp1252", "Année Qualité"),
        ("cp1251", "Москва"),
    ],
)
def test_old_encodings_are_told_by_their_letters(table, encoding, word):
    rows = [["id", "text"], *[[str(n), word] for n in range(20)]]
    data = "\r\n".join(";".join(row) for row in rows).encode(encoding)
    assert cells(table(data)) == rows


def test_a_few_foreign_bytes_do_not_spoil_a_utf_8_file(table):
    data = "größe;maß\nä;ö\nü;ß\n".encode() + "für;é\n".encode("cp1252")
    assert cells(table(data)) == [["größe", "maß"], ["ä", "ö"], ["ü", "ß"], ["für", "é"]]


def test_invalid_bytes_far_behind_the_sample_are_noticed(table):
    data = b"a,b\n" + b"1,2\n" * 200_000 + "für,x\n".encode("cp1252")
    assert cells(table(data))[-1] == ["für", "x"]


@pytest.mark.req("E5")
def test_values_are_never_altered(table):
    text = 'id,note,path\n007, padded ,C:\\new\\dir\n1e5,"=1+1",TRUE\n00:15,"a ""b"" c",-0\n'
    assert cells(table(text)) == [
        ["id", "note", "path"],
        ["007", " padded ", "C:\\new\\dir"],
        ["1e5", "=1+1", "TRUE"],
        ["00:15", 'a "b" c', "-0"],
    ]


def test_line_breaks_inside_of_quotes_belong_to_the_value(table):
    assert cells(table('a,b\n"one\r\ntwo",3\n"x\ny",4\n')) == [["a", "b"], ["one\r\ntwo", "3"], ["x\ny", "4"]]


def test_empty_cells_are_none_and_blank_rows_are_counted(table):
    workbook = table("a,b,c\n\n1,,\n,,\n,2,3\n")
    rows = list(workbook.open_sheet(workbook.sheets[0]).rows())
    assert [(row.number, row.values) for row in rows] == [(1, ["a", "b", "c"]), (3, ["1"]), (5, [None, "2", "3"])]


def test_the_separator_line_of_excel_decides_and_is_no_row(table):
    workbook = table("sep=;\na,x;b\n1,5;2\n")
    rows = list(workbook.open_sheet(workbook.sheets[0]).rows())
    assert [(row.number, row.values) for row in rows] == [(2, ["a,x", "b"]), (3, ["1,5", "2"])]


def test_decimal_commas_do_not_make_the_comma_a_delimiter(table):
    assert table("Name;Wert;Preis\nA;1,5;2,50\nB;2,25;3,75\nC;3,5;4,10\n").dialect.delimiter == ";"


def test_titles_above_and_notes_below_do_not_hide_the_delimiter(table):
    text = "Report of sales, all regions\nPrinted: Monday, 3 May\n\nid;name;city\n1;Anna;Bonn\n2;Bob;Ulm\n3;Cy;Kiel\n"
    assert table(text + "Source: our own, without warranty\n").dialect.delimiter == ";"


def test_single_quotes_are_found(table):
    rows = "id,text\n" + "".join(f"{n},'one, two''s'\n" for n in range(9))
    assert cells(table(rows))[1] == ["0", "one, two's"]


def test_backslash_escapes_are_found(table):
    rows = "id,text\n" + "".join(f'{n},"a \\"b\\" c, d"\n' for n in range(9))
    assert cells(table(rows))[1] == ["0", 'a "b" c, d']


def test_a_quote_that_is_never_closed_costs_one_line_only(table):
    rows = ["id,text,more"] + [f"{n},word,x" for n in range(3000)]
    rows[5] = '4,"word,x'
    found = cells(table("\n".join(rows)))
    assert len(found) == 3001
    assert found[5] == ["4", '"word', "x"]
    assert found[6] == ["5", "word", "x"]


def test_quotes_inside_of_a_quoted_cell_are_text(table):
    rows = "id,text,more\n" + "".join(f"{n},plain,x\n" for n in range(9)) + '9,"say "hi" now",x\n'
    assert cells(table(rows))[-1] == ["9", 'say "hi" now', "x"]


def test_one_column_without_any_delimiter_stays_one_column(table):
    assert cells(table("Name\nAnna\nBob\nCy\n")) == [["Name"], ["Anna"], ["Bob"], ["Cy"]]


def test_zero_bytes_inside_of_text_are_kept(table):
    assert cells(table(b"a,b\n1,x\x00y\n2,z\n"))[1] == ["1", "x\x00y"]


def test_a_line_without_end_is_refused(table):
    with pytest.raises(InputError) as caught:
        table("x" * 5000, limits=ReadLimits(line_characters=1000))
    assert caught.value.cause == "too_large"


def test_too_many_columns_are_refused(table):
    with pytest.raises(InputError) as caught:
        cells(table(",".join("x" * 50), limits=ReadLimits(columns=20)))
    assert caught.value.cause == "too_large"


def test_the_only_sheet_has_no_name(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("a\tb\n1\t2\n")
    workbook = open_workbook(path)
    assert (workbook.format, workbook.sheets[0].name, workbook.sheets[0].is_active) == ("tsv", None, True)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)


@given(st.lists(st.lists(texts, min_size=1, max_size=4), max_size=20))
def test_whatever_csv_writes_is_read_back(rows):
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(rows)
    lines = io.StringIO(buffer.getvalue(), newline="")
    assert list(records(iter(lines), Dialect())) == rows


@given(st.text(alphabet='ab",\n\\', max_size=60))
def test_no_text_is_lost_to_broken_quotes(text):
    found = "".join(cell for row in records(iter(text.splitlines(keepends=True)), Dialect()) for cell in row)
    assert [found.count(letter) for letter in "ab\\"] == [text.count(letter) for letter in "ab\\"]


def test_quotes_without_an_end_are_read_in_one_go(table):
    rows = "a,b\n" + "1,2\n" * 50 + '"x,"' * 200_000 + "\n3,4\n"
    assert cells(table(rows))[-1] == ["3", "4"]


def test_long_cells_of_blanks_do_not_slow_the_detection(table):
    rows = "a,b\n" + ("1" + " " * 20_000 + "x,2\n") * 5
    assert len(cells(table(rows))) == 6


@pytest.mark.req("E5")
def test_a_cell_of_many_lines_stays_one_cell_however_long_it_is(table):
    document = "\n".join(f"line {number}, and more words" * 50 for number in range(300))
    workbook = table(f'id,document,count\n1,"{document}",5\n2,short,6\n')
    assert cells(workbook) == [["id", "document", "count"], ["1", document, "5"], ["2", "short", "6"]]


@pytest.mark.req("E5")
def test_bytes_that_are_not_utf_8_are_kept_behind_a_byte_order_mark_too(table):
    workbook = table(b"\xef\xbb\xbfname;city\nJos\xe9;M\xc3\xa1laga\nAnn;Ulm\n")
    assert cells(workbook)[1] == ["José", "Málaga"]


@pytest.mark.req("E5")
def test_a_byte_that_an_old_encoding_does_not_know_is_kept(table):
    assert cells(table(b"name;city\nM\xfcller;A\x81B\nM\xf6rs;K\xf6ln\n"))[1] == ["Müller", "A\x81B"]


@pytest.mark.req("E2")
def test_the_encoding_is_told_by_the_lines_that_tell_it_however_late_they_come(table):
    plain = "id;city\n" + "1;Ulm\n" * 60_000
    names = "2;Ärzteöl\n3;Łódź\n4;Čáslav\n5;Größe\n".encode() + b"6;\xe9t\xe9\n"
    read = cells(table(plain.encode() + names))
    assert [row[1] for row in read[-5:]] == ["Ärzteöl", "Łódź", "Čáslav", "Größe", "été"]
