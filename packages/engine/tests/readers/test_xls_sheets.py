"""What an xls sheet says beside its cells: styles, merged ranges, what is hidden. It reads like the same xlsx."""

from __future__ import annotations

import struct
from datetime import date
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xls_files import (
    BIFF_5,
    blank,
    blanks,
    bof,
    book,
    boolean,
    cell_format,
    compound,
    font,
    hidden_columns,
    hidden_row,
    label,
    label_5,
    merged,
    number,
    number_format,
    record,
    texts,
    xls,
)
from xlsx_parts import default_parts, read, styles, values
from xlsx_parts import sheet as sheet_part

from ade_engine.cells import Range, column_letters
from ade_engine.readers import open_workbook
from ade_engine.readers.base import PLAIN, Style
from ade_engine.structure import find_tables

THIN = 1
TOP, BOTTOM = THIN << 8, THIN << 12
SOLID = 1


def test_a_cell_has_its_font_fill_borders_alignment_and_number_format(tmp_path, open_first):
    before = (
        font()
        + font(bold=True)
        + font(italic=True)
        + font()
        + font(bold=True)  # number 5: there is no number 4
        + number_format(200, "0.000")
        + b"".join(
            [
                cell_format(),
                cell_format(font=1, fill=SOLID),
                cell_format(font=2, borders=TOP),
                cell_format(borders=BOTTOM, align=2),
                cell_format(font=5, indent=3, align=1),
                cell_format(number_format=200, align=6),
            ]
        )
    )
    cells = b"".join(number(0, index, 1, index) for index in range(6))
    sheet = open_first(xls(tmp_path / "book.xls", cells, before=before))
    (row,) = sheet.rows()
    assert [sheet.styles[index] for index in row.styles] == [
        PLAIN,
        Style(bold=True, filled=True),
        Style(italic=True, border_top=True),
        Style(border_bottom=True, centered=True),
        Style(bold=True, indent=3),
        Style(number_format="0.000", centered=True),
    ]


def test_excel_95_tells_the_same_about_a_cell(tmp_path, open_first):
    look = struct.pack("<HHHBBII", 1, 14, 0, 2, 0, SOLID << 16 | THIN << 22, THIN)
    before = font() + font(bold=True) + record(0xE0, bytes(16)) + record(0xE0, look)
    sheet = open_first(xls(tmp_path / "book.xls", label_5(0, 0, b"x", 1), before=before, version=BIFF_5))
    (row,) = sheet.rows()
    everything = Style(
        bold=True, filled=True, border_top=True, border_bottom=True, centered=True, number_format="m/d/yyyy"
    )
    assert [sheet.styles[index] for index in row.styles] == [everything]


def test_styles_of_empty_cells_between_filled_ones_are_kept(tmp_path, open_first):
    before = font() + cell_format() + cell_format(fill=SOLID)
    cells = blank(0, 0, 1) + blanks(0, 1, 1, 0) + number(0, 4, 1, 1) + blanks(0, 5, 1, 1) + blank(1, 0, 1)
    sheet = open_first(xls(tmp_path / "book.xls", cells, before=before))
    (row,) = sheet.rows()
    assert row.values == [None, None, None, None, 1]
    assert [sheet.styles[index].filled for index in row.styles] == [True, True, False, False, True]


def test_a_style_that_the_workbook_does_not_have_is_plain(tmp_path, open_first):
    sheet = open_first(xls(tmp_path / "book.xls", number(0, 0, 1, 999), before=cell_format(fill=SOLID)))
    (row,) = sheet.rows()
    assert sheet.styles[row.styles[0]] == PLAIN


def test_merged_ranges_hidden_rows_and_hidden_columns_are_known(tmp_path, open_first):
    around = hidden_columns(1, 2) + hidden_row(0)
    cells = number(0, 0, 1) + number(1, 0, 2) + merged((0, 0, 0, 3), (1, 2, 0, 0))
    sheet = open_first(xls(tmp_path / "book.xls", around + cells))
    assert sheet.merged == [Range(1, 1, 1, 4), Range(2, 1, 3, 1)]
    assert sheet.hidden_columns == {2, 3}
    assert [row.is_hidden for row in sheet.rows()] == [True, False]
    assert [row.values for row in sheet.rows()] == [[1], [2]]  # from the top again


def test_sheets_have_their_name_visibility_and_place(tmp_path, opened):
    stream = bytearray(book([("One", number(0, 0, 1)), ("Chart", b""), ("Two", number(0, 0, 2)), ("Three", b"")]))
    stream[stream.index(b"\x05\x00Chart") - 1] = 2  # a chart
    stream[stream.index(b"\x03\x00Two") - 2] = 1  # hidden
    stream[stream.index(b"\x05\x00Three") - 2] = 2  # hidden so that only a program shows it
    window = record(0x3D, struct.pack("<9H", 0, 0, 0, 0, 0, 2, 0, 1, 600))
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=_with_first_record(bytes(stream), window)))
    workbook = opened(path)
    assert [(info.index, info.name, info.visibility, info.is_active) for info in workbook.sheets] == [
        (0, "One", "visible", False),
        (2, "Two", "hidden", True),
        (3, "Three", "very_hidden", False),
    ]
    assert [row.values for row in workbook.open_sheet(workbook.sheets[1]).rows()] == [[2]]


def _with_first_record(stream: bytes, first: bytes) -> bytes:
    """Put a record behind the first one, and move the places of the sheets accordingly."""
    start = len(bof(5))
    data = bytearray(stream[:start] + first + stream[start:])
    position = start
    while (kind := struct.unpack_from("<H", data, position)[0]) != 0x0A:
        if kind == 0x85:
            place = struct.unpack_from("<I", data, position + 4)[0]
            struct.pack_into("<I", data, position + 4, place + len(first))
        position += 4 + struct.unpack_from("<H", data, position + 2)[0]
    return bytes(data)


def test_a_workbook_of_charts_alone_has_no_sheet(tmp_path):
    from ade_engine.errors import InputError

    stream = bytearray(book([("Chart", b"")]))
    stream[stream.index(b"\x05\x00Chart") - 1] = 2
    path = tmp_path / "book.xls"
    path.write_bytes(compound(Workbook=bytes(stream)))
    with pytest.raises(InputError) as caught:
        open_workbook(path)
    assert caught.value.cause == "empty"


def test_workbooks_embedded_in_another_document_are_left_alone(tmp_path):
    data = bytearray(compound(Workbook=book([("One", number(0, 0, 1))]), Inner=book([("Two", number(0, 0, 2))])))
    inner = data.index("Inner".encode("utf-16-le"))
    data[inner : inner + 18] = "Workbook".encode("utf-16-le") + b"\0\0"
    data[inner + 64 : inner + 66] = struct.pack("<H", 18)
    outer = data.index("Workbook".encode("utf-16-le"))
    struct.pack_into("<I", data, outer + 72, 0xFFFFFFFF)  # no longer beside the first one
    path = tmp_path / "book.xls"
    path.write_bytes(data)
    assert values(path) == [[1]]


HEADER, LABELS = ("id", "1999", "2000"), ("north", "south", "east")


@pytest.mark.req("E3")
def test_a_bold_header_makes_the_same_table_as_in_xlsx(tmp_path, build):
    cells = b"".join(label(0, index, text, 1) for index, text in enumerate(HEADER))
    rows = "".join(f'<c r="{"ABC"[index]}1" s="1" t="str"><v>{text}</v></c>' for index, text in enumerate(HEADER))
    markup = f'<row r="1">{rows}</row>'
    for row, text in enumerate(LABELS, start=1):
        cells += label(row, 0, text) + label(row, 1, f"{row}7") + label(row, 2, f"{row}8")
        markup += f'<row r="{row + 1}">' + "".join(
            f'<c r="{letter}{row + 1}" t="str"><v>{value}</v></c>'
            for letter, value in zip("ABC", (text, f"{row}7", f"{row}8"), strict=True)
        )
        markup += "</row>"
    before = font() + font(bold=True) + cell_format() + cell_format(font=1, borders=BOTTOM)
    found = found_tables(xls(tmp_path / "book.xls", cells, before=before))
    bold = '<xf fontId="1" borderId="1"/>'
    looks = styles(fonts="<font/><font><b/></font>", cells=bold).replace("<top", "<bottom").replace("</top", "</bottom")
    assert found == found_tables(build(markup, styles=looks))
    assert found[0][0] == "A1:C4"
    assert found[0][1] == [1]
    assert found != found_tables(xls(tmp_path / "plain.xls", cells))  # without styles it is decided less clearly


def found_tables(path) -> list[tuple[str, list[int], float, float]]:
    workbook = open_workbook(path)
    found = []
    for table in find_tables(workbook.open_sheet(workbook.sheets[0])):
        table.skip()
        found.append((table.range.a1, list(table.header_rows), table.score, table.margin))
    workbook.close()
    return found


TEXTS = st.text(st.characters(min_codepoint=32, max_codepoint=0x1F9FF, exclude_categories=("Cs", "Cn")), min_size=1)
NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
DATES = st.dates(min_value=date(1900, 3, 1))
PLACES = st.tuples(st.integers(0, 40), st.integers(0, 12))


@given(st.dictionaries(PLACES, TEXTS | NUMBERS | DATES | st.booleans(), max_size=40))
def test_the_same_cells_read_the_same_from_xls_and_xlsx(tmp_path_factory, cells):
    folder = tmp_path_factory.mktemp("same")
    ordered = dict(sorted(cells.items()))
    xls_rows = read(xls(folder / "book.xls", b"".join(_as_record(*place, value) for place, value in ordered.items()),
                        before=cell_format() + cell_format(number_format=14)))  # fmt: skip
    xlsx_rows = read(_as_xlsx(folder / "book.xlsx", ordered))
    assert [(row.number, row.values) for row in xls_rows] == [(row.number, row.values) for row in xlsx_rows]


def _as_record(row: int, column: int, value: object) -> bytes:
    match value:
        case bool():
            return boolean(row, column, value)
        case str():
            return record(0x0204, struct.pack("<HHH", row, column, 0) + _text(value))
        case date():
            return number(row, column, _serial(value), 1)
        case _:
            return number(row, column, float(value))


def _text(value: str) -> bytes:
    encoded = value.encode("utf-16-le")
    return struct.pack("<HB", len(encoded) // 2, 1) + encoded


def _serial(value: date) -> int:
    return (value - date(1899, 12, 30)).days


def _as_xlsx(path, cells):
    import zipfile

    rows: dict[int, str] = {}
    for (row, column), value in cells.items():
        rows[row] = rows.get(row, "") + _as_markup(f"{column_letters(column + 1)}{row + 1}", value)
    markup = "".join(f'<row r="{row + 1}">{part}</row>' for row, part in rows.items())
    parts = default_parts() | {"xl/worksheets/sheet1.xml": sheet_part(markup), "xl/styles.xml": styles("d/m/yyyy")}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return path


def _as_markup(name: str, value: object) -> str:
    match value:
        case bool():
            return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'
        case str():
            escaped = escape(value).replace("_x", "_x005F_x")
            return f'<c r="{name}" t="str"><v xml:space="preserve">{escaped}</v></c>'
        case date():
            return f'<c r="{name}" s="1"><v>{_serial(value)}</v></c>'
        case _:
            return f'<c r="{name}"><v>{value!r}</v></c>'


def test_texts_shared_by_two_sheets_are_read_once(tmp_path):
    from xls_files import label_sst

    path = tmp_path / "book.xls"
    sheets = [("One", label_sst(0, 0, 0)), ("Two", label_sst(0, 0, 1))]
    path.write_bytes(compound(Workbook=book(sheets, before=texts("a", "b"))))
    assert values(path) == [["a"], ["b"]]
