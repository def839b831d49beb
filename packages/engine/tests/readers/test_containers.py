"""Containers and their parts: zip members by any spelling, streams of compound files, small XML, styles."""

from __future__ import annotations

import io
import struct
import zipfile
from contextlib import closing
from html import escape

import pytest
from binary_workbooks import wide, xlsb, xlsb_number, xlsb_record, xlsb_row
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from xls_files import END, FREE, biff, compound, number
from xlsx_parts import MAIN, relations, values

from ade_engine.errors import InputError
from ade_engine.readers import open_workbook
from ade_engine.readers.archive import Archive
from ade_engine.readers.base import PLAIN, Style
from ade_engine.readers.compound import Compound, Stream
from ade_engine.readers.limits import ReadLimits
from ade_engine.readers.relations import read_relations
from ade_engine.readers.xlsx_strings import plain_markup, root_prefix
from ade_engine.readers.xlsx_styles import read_styles
from ade_engine.readers.xml_parts import MAX_DEPTH, elements, unescape


@pytest.fixture
def archive(tmp_path):
    """Open a container of {name: data}; all are closed at the end."""
    opened = []

    def made(parts, **limits):
        path = tmp_path / f"{len(opened)}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as writer:
            for name, data in parts.items():
                writer.writestr(name, data)
        opened.append(Archive(path, limits=ReadLimits(**limits)))
        return opened[-1]

    yield made
    for one in opened:
        one.close()


def test_members_are_found_whatever_their_case_and_slashes(archive):
    found = archive({"XL\\Sheet1.XML": "a", "/other/b.xml": "bc"})
    assert "xl/sheet1.xml" in found
    assert "Other\\B.xml" in found
    assert "none" not in found
    assert found.names == ["xl/sheet1.xml", "other/b.xml"]
    assert (found.size("OTHER/b.xml"), found.size("none")) == (2, 0)
    assert found.read("/xl/SHEET1.xml") == b"a"


def test_a_member_that_is_not_there_or_too_large_is_refused(archive):
    found = archive({"a": "x" * 100})
    with pytest.raises(InputError, match="names a missing part") as missing:
        found.read("b")
    with pytest.raises(InputError, match="unpacks to more than 0 MB") as large:
        found.read("a", at_most=99)
    assert (missing.value.cause, large.value.cause) == ("malformed", "too_large")
    assert found.read("a", at_most=100) == b"x" * 100


TEXT = "<?xml version='1.0' encoding='{0}'?><a>äöü € ж</a>"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (TEXT.format("UTF-8").encode(), TEXT.format("UTF-8")),
        (b"\xef\xbb\xbf" + TEXT.format("UTF-8").encode(), TEXT.format("UTF-8")),
        (TEXT.format("utf-16").encode("utf-16"), "<a>äöü € ж</a>"),
        (b"\xfe\xff" + TEXT.format("utf-16").encode("utf-16-be"), "<a>äöü € ж</a>"),
        ("<?xml version='1.0' encoding='iso-8859-1'?><a>äöü</a>".encode("latin-1"), "<a>äöü</a>"),
        ("<?xml version='1.0' encoding='windows-1251'?><a>ж</a>".encode("cp1251"), "<a>ж</a>"),
        (b"<a>plain</a>", "<a>plain</a>"),
        (b"", ""),
    ],
)
def test_a_member_comes_as_utf_8_whatever_it_was_written_in(archive, data, expected):
    assert b"".join(archive({"a.xml": data}).stream("a.xml")).decode() == expected


@pytest.mark.parametrize(
    "data",
    [
        b"<?xml version='1.0' encoding='zlib'?><a/>",
        b"<?xml version='1.0' encoding='nothing-known'?><a/>",
        b"<?xml version='1.0' encoding='shift_jis'?><a>\x81</a>\x81",
        b"\xff\xfe\x00",
    ],
)
def test_an_encoding_that_is_none_or_does_not_fit_is_refused(archive, data):
    with pytest.raises(InputError, match="not written in the encoding it declares"):
        archive({"a.xml": data}).read("a.xml")


def test_streams_that_nobody_read_to_the_end_are_closed_with_the_file(archive):
    found = archive({"a": "x" * 10_000_000}, ratio=100_000)
    stream = found.stream("a")
    assert next(stream)
    found.close()
    with pytest.raises(InputError):
        list(stream)


@pytest.mark.parametrize(
    ("parts", "limits", "message"),
    [
        ({"a": "x" * 1_000_000}, {"ratio": 100, "ratio_free_bytes": 1000}, "more than 100 times its size"),
        ({"a": "1", "b": "2", "c": "3"}, {"entries": 2}, "holds 3 parts, more than the 2 allowed"),
        (
            {"a": "x" * 3_000_000},
            {"unpacked_bytes": 2**20, "ratio": 10**6},
            "unpacks to 2 MB, more than the 1 MB allowed",
        ),
    ],
)
def test_a_container_is_refused_by_what_it_states(archive, parts, limits, message):
    with pytest.raises(InputError, match=message) as refusal:
        archive(parts, **limits)
    assert refusal.value.cause == "too_large"


def test_references_are_read_relative_to_the_part_that_makes_them(archive):
    listed = relations(
        ("r1", "worksheet", "worksheets/a.xml"), ("r2", "styles", "/xl/s.xml"), ("r3", "x", "..\\up.xml")
    )
    found = archive({"xl/_rels/workbook.xml.rels": listed})
    assert [(one.id, one.kind, one.target) for one in read_relations(found, "xl/workbook.xml")] == [
        ("r1", "worksheet", "xl/worksheets/a.xml"),
        ("r2", "styles", "xl/s.xml"),
        ("r3", "x", "up.xml"),
    ]
    assert list(read_relations(found, "xl/other.xml")) == []


def test_a_reference_never_leaves_the_container(archive):
    found = archive({"_rels/.rels": relations(("r1", "x", "../../../etc/passwd"))})
    assert [one.target for one in read_relations(found, "")] == ["etc/passwd"]


NAMES = st.sampled_from(["a", "b", "c"])
TREES = st.recursive(
    st.tuples(NAMES, st.just([])), lambda child: st.tuples(NAMES, st.lists(child, max_size=3)), max_leaves=8
)


def markup_of(tree, prefix=""):
    name, children = tree
    inner = "".join(markup_of(child, prefix) for child in children)
    return f'<{prefix}{name} x="1">{inner}</{prefix}{name}>'


def paths_of(tree, above=()):
    name, children = tree
    yield (*above, name)
    for child in children:
        yield from paths_of(child, (*above, name))


@given(TREES, st.integers(1, 40))
def test_elements_come_with_their_paths_in_chunks_of_any_size_with_or_without_prefix(tree, size):
    for prefix, declared in (("", ""), ("p:", ' xmlns:p="urn:x"')):
        markup = markup_of(tree, prefix).replace(' x="1"', f'{declared} x="1"', 1).encode()
        chunks = [markup[start : start + size] for start in range(0, len(markup), size)]
        assert [path for path, _ in elements(chunks)] == list(paths_of(tree))
        assert all(attributes["x"] == "1" for _, attributes in elements([markup]))


@pytest.mark.parametrize("markup", [b"<a>", b"<a></b>", b"", b"x", b"<a/><b/>", b"<a b=c/>"])
def test_markup_that_is_not_well_formed_is_an_input_error(markup):
    with pytest.raises(InputError, match="not well-formed XML"):
        list(elements([markup]))


def test_markup_nested_too_deep_or_with_a_document_type_is_refused():
    assert len(list(elements([b"<a>" * MAX_DEPTH + b"</a>" * MAX_DEPTH]))) == MAX_DEPTH
    with pytest.raises(InputError, match="nested too deeply"):
        list(elements([b"<a>" * (MAX_DEPTH + 1)]))
    with pytest.raises(InputError, match="declares a document type"):
        list(elements([b"<!DOCTYPE a><a/>"]))
    with pytest.raises(InputError, match="declares a document type"):
        root_prefix(b"<!DOCTYPE sst><sst>", b"sst")


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20))
def test_escaped_text_reads_back(text):
    assert unescape(escape(text)) == text
    assert unescape("".join(f"&#{ord(sign)};" for sign in text)) == text
    assert unescape("".join(f"&#x{ord(sign):X};" for sign in text)) == text


@pytest.mark.parametrize("text", ["&nbsp;", "&#xD800;", "&#1114112;", "& &", "&;", "&#;", "&#x;"])
def test_what_is_no_character_reference_stays(text):
    assert unescape(text) == text


@pytest.mark.parametrize(
    ("data", "prefix", "expected"),
    [
        (b"<x:a>1</x:a>", b"x:", "<a>1</a>"),
        (b"<a>1\r\n2\r3</a>", b"", "<a>1\n2\n3</a>"),
        (b"<a><!-- no <b> -->1</a>", b"", "<a>1</a>"),
        (b"<a><![CDATA[<&>]]></a>", b"", "<a>&lt;&amp;></a>"),
    ],
)
def test_markup_is_made_plain(data, prefix, expected):
    assert plain_markup(data, prefix) == expected


STYLES = f"""<styleSheet xmlns="{MAIN}"><numFmts><numFmt numFmtId="170" formatCode="yyyy"/></numFmts>
<fonts><font/><font><b/></font><font><i val="1"/><b val="false"/></font></fonts>
<fills><fill/><fill><patternFill patternType="gray125"/></fill><fill><gradientFill/></fill></fills>
<borders><border/><border><bottom style="thin"/><top style="none"/></border></borders>
<cellXfs>{{}}</cellXfs></styleSheet>"""


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('<xf numFmtId="0"/>', PLAIN),
        ('<xf fontId="1"/>', Style(bold=True)),
        ('<xf fontId="2"/>', Style(italic=True)),
        ('<xf fontId="9"/>', PLAIN),
        ('<xf fillId="1"/>', PLAIN),
        ('<xf fillId="2"/>', Style(filled=True)),
        ('<xf borderId="1"/>', Style(border_bottom=True)),
        ('<xf numFmtId="170"/>', Style(number_format="yyyy")),
        ('<xf numFmtId="14"/>', Style(number_format="m/d/yyyy")),
        ('<xf numFmtId="999"/>', PLAIN),
        ('<xf><alignment horizontal="centerContinuous" indent="3"/></xf>', Style(centered=True, indent=3)),
        ('<xf><alignment horizontal="left" indent="-1"/></xf>', PLAIN),
    ],
)
def test_a_cell_format_looks_as_its_parts_say(cell, expected):
    found = read_styles([STYLES.format(f"<xf/>{cell}").encode()])
    assert found.styles[1] == expected
    assert found.known(1) == 1
    assert found.known(99) == found.known(-1) == found.plain == 0


def test_cells_that_are_not_there_are_plain_though_the_first_format_is_not():
    found = read_styles([STYLES.format('<xf fontId="1"/>').encode()])
    assert found.styles[found.plain] == PLAIN
    assert found.styles[0] == Style(bold=True)
    assert read_styles([STYLES.format("").encode()]).styles == (PLAIN,)


SECTORS = st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True)


@given(SECTORS, st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_stream_reads_its_sectors_in_their_order(order, size, position, count):
    data = bytes(range(80))
    stream = Stream(io.BytesIO(data), [sector * 8 for sector in order], sector_bytes=8, size=size)
    whole = b"".join(data[sector * 8 : sector * 8 + 8] for sector in order)[:size]
    assert stream.size == len(whole)
    assert stream.read(position, count) == whole[position : position + count]


def short_streams(**streams):
    """A compound file whose streams are shorter than 4096 bytes, so that they share one container."""
    minis, entries, mini_fat = b"", [], []
    for name, data in streams.items():
        first = len(mini_fat)
        count = -(-len(data) // 64)
        mini_fat += [*range(first + 1, first + count), END]
        minis += data.ljust(count * 64, b"\0")
        entries.append((name, first, len(data)))
    container = [minis[start : start + 512].ljust(512, b"\0") for start in range(0, len(minis), 512)]
    first_directory = len(container)
    directory = [entry("Root Entry", 5, 0, len(minis), child=1)]
    for place, (name, first, size) in enumerate(entries, start=1):
        directory.append(entry(name, 2, first, size, right=place + 1 if place < len(entries) else FREE))
    sectors = [*container, b"".join(directory).ljust(512, b"\0")]
    sectors.append(struct.pack("<128I", *mini_fat, *[FREE] * (128 - len(mini_fat))))
    fat = [*range(1, len(container)), END, END, END, 0xFFFFFFFD]
    sectors.append(struct.pack("<128I", *fat, *[FREE] * (128 - len(fat))))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    header += struct.pack("<IIIIIIIII", 0, 1, first_directory, 0, 4096, first_directory + 1, 1, END, 0)
    return header + struct.pack("<109I", len(sectors) - 1, *[FREE] * 108) + b"".join(sectors)


def entry(name, kind, start, size, *, child=FREE, right=FREE):
    spelled = name.encode("utf-16-le") + b"\0\0"
    tail = struct.pack("<BBIII", kind, 1, FREE, right, child) + bytes(36) + struct.pack("<IQ", start, size)
    return spelled.ljust(64, b"\0") + struct.pack("<H", len(spelled)) + tail


@settings(max_examples=40, deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=700), min_size=1, max_size=3))
def test_short_streams_are_read_from_the_container_they_share(contents):
    streams = {f"S{number}": data for number, data in enumerate(contents)}
    found = Compound(io.BytesIO(short_streams(**streams)))
    assert found.names == set(streams)
    for name, data in streams.items():
        stream = found.open(name)
        assert stream.read(0, 10_000) == data
        assert stream.read(3, 5) == data[3:8]


def test_a_workbook_in_a_short_stream_is_read(tmp_path):
    path = tmp_path / "short.xls"
    path.write_bytes(short_streams(Workbook=biff(number(0, 0, 7) + number(1, 1, 2.5))))
    assert values(path) == [[7], [None, 2.5]]


def test_a_short_stream_that_points_outside_of_its_container_is_refused():
    data = bytearray(short_streams(A=b"x" * 100))
    place = data.index("A".encode("utf-16-le") + b"\0\0") + 116
    data[place : place + 4] = struct.pack("<I", 120)
    with pytest.raises(ValueError, match=r"outside|no end"):
        Compound(io.BytesIO(bytes(data))).open("A")


def test_long_streams_stand_in_sectors_of_their_own():
    found = Compound(io.BytesIO(compound(A=b"a" * 5000, B=b"b" * 9000)))
    assert found.names == {"A", "B"}
    assert found.open("A").read(0, 5000) == b"a" * 5000
    assert found.open("B").read(8990, 10) == b"b" * 10


def sheets_record(*sheets):
    listed = b"".join(
        xlsb_record(156, struct.pack("<II", state, number) + wide(key) + wide(name))
        for number, (state, key, name) in enumerate(sheets, start=1)
    )
    return xlsb_record(143) + listed + xlsb_record(144)


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(active=st.integers(0, 2))
def test_sheets_of_xlsb_have_their_names_visibility_and_activity(tmp_path, active):
    path = xlsb(tmp_path / "b.xlsb", xlsb_row(0) + xlsb_number(0, 1))
    window = xlsb_record(158, bytes(24) + struct.pack("<I", active) + bytes(4))
    sheets = sheets_record((0, "rId1", "One"), (1, "rId1", "Two"), (2, "rId1", "Three"), (0, "rId9", "Chart"))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.bin"] = xlsb_record(131) + window + sheets + xlsb_record(132)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with closing(open_workbook(path)) as workbook:
        listed = [(info.name, info.visibility, info.is_active) for info in workbook.sheets]
    states = [("One", "visible"), ("Two", "hidden"), ("Three", "very_hidden")]
    assert listed == [(*state, place == active) for place, state in enumerate(states)]


def test_an_xlsb_without_a_sheet_of_cells_is_called_empty(tmp_path):
    path = xlsb(tmp_path / "b.xlsb", xlsb_row(0))
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["xl/workbook.bin"] = xlsb_record(131) + sheets_record((0, "rId9", "Chart")) + xlsb_record(132)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    with pytest.raises(InputError, match="no sheet with cells") as refusal:
        open_workbook(path)
    assert refusal.value.cause == "empty"
