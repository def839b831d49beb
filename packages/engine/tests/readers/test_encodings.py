"""Text in the encodings of many countries is decoded as it was written, or an issue says that it may be wrong."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine.encoding_names import known_encoding, unknown_encoding
from ade_engine.errors import InputError
from ade_engine.readers.delimited import DelimitedWorkbook
from ade_engine.readers.encodings import find_decoding

WORDS = {
    "de": "Straße;Größe;Überweisung;Bücher;Käse",
    "fr": "Prénom;Été;Garçon;Forêt;Noël;Où",
    "pl": "Łódź;Święto;Żółty;Gęś;Ćma;Książka",
    "cs": "Příjmení;Žďár;Čtvrtek;Město;Dům;Šťáva",
    "hu": "Ügyfél;Győr;Őszi;Hűtő;Függöny;Csütörtök",
    "tr": "Müşteri;Şehir;Işık;Ağaç;İğne;Çarşamba",  # noqa: RUF001
    "lt": "Šalis;Žodis;Gėlė;Ąžuolas;Būdas;Įmonė",
    "ru": "Фамилия;Город;Улица;Дом;Яблоко;Ёлка",
    "uk": "Прізвище;Київ;Їжа;Єдність;Ґанок;Місто",
    "el": "Όνομα;Πόλη;Δρόμος;Ψωμί;Ήλιος;Άνοιξη",
    "he": "שלום;רחוב;כתובת;מספר;תאריך",
    "ar": "الاسم;المدينة;الشارع;التاريخ;العنوان",
    "th": "ชื่อ;ที่อยู่;จังหวัด;วันที่;จำนวน",
    "ja": "氏名;住所;でんわばんごう;カタカナ;数量",
    "ko": "이름;주소;전화번호;날짜;수량",
    "zh": "姓名;地址;电话号码;日期;数量",
    "tw": "姓名;地址;電話號碼;日期;數量",
}
WRITTEN_IN = [
    *[(language, encoding) for language in ("de", "fr") for encoding in ("cp1252", "iso-8859-15", "cp850")],
    *[(language, encoding) for language in ("pl", "cs", "hu") for encoding in ("cp1250", "iso-8859-2", "cp852")],
    *[("tr", "cp1254"), ("tr", "iso-8859-9"), ("lt", "cp1257"), ("lt", "iso-8859-13")],
    *[("ru", encoding) for encoding in ("cp1251", "koi8-r", "cp866", "iso-8859-5", "mac-cyrillic")],
    *[("uk", "cp1251"), ("el", "cp1253"), ("el", "iso-8859-7"), ("he", "cp1255"), ("ar", "cp1256"), ("th", "cp874")],
    *[("ja", "cp932"), ("ja", "euc-jp"), ("ja", "iso-2022-jp"), ("ko", "cp949"), ("ko", "iso-2022-kr")],
    *[("zh", "gb18030"), ("zh", "hz"), ("tw", "big5")],
    *[("ru", wide) for wide in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-8-sig")],
    *[("ja", wide) for wide in ("utf-16-le", "utf-16-be", "utf-32-be")],
]


def rows_of(language: str, count: int = 12) -> list[list[str]]:
    words = WORDS[language].split(";")
    return [["id", "first", "second"]] + [
        [str(number), words[number % len(words)], f"{words[(number * 3 + 1) % len(words)]} {number}"]
        for number in range(count)
    ]


def spelled(rows: list[list[str]]) -> str:
    return "".join(",".join(row) + "\r\n" for row in rows)


@pytest.fixture
def table(tmp_path):
    def table(data: bytes, **options):
        path = tmp_path / "table.csv"
        path.write_bytes(data)
        return DelimitedWorkbook(path, **options)

    return table


def read(workbook):
    sheet = workbook.open_sheet(workbook.sheets[0])
    return [row.values for row in sheet.rows()], list(sheet.findings)


@pytest.mark.req("E2", "E5")
@pytest.mark.parametrize(("language", "encoding"), WRITTEN_IN)
def test_a_table_is_decoded_as_it_was_written(table, language, encoding):
    rows = rows_of(language)
    found, findings = read(table(spelled(rows).encode(encoding)))
    assert found == rows
    assert findings == []


@pytest.mark.req("E2")
@pytest.mark.parametrize("language", ["pl", "tr", "ru"])
def test_letters_far_down_decide_as_well(table, language):
    plain = "id,first,second\r\n" + "1,Ulm,x\r\n" * 300_000
    encoding = {"pl": "cp1250", "tr": "cp1254", "ru": "koi8-r"}[language]
    rows = rows_of(language)[1:]
    assert read(table(plain.encode() + spelled(rows).encode(encoding)))[0][-len(rows) :] == rows


@pytest.mark.req("E2")
@pytest.mark.parametrize(
    "word",
    ["£20", "20 €", "5°", "don\u2019t", "\u2013 none", "“big”", "½ inch", "§ 4", "café", "Zoë™", "10 m²"],
)
def test_one_sign_in_a_plain_table_is_read_as_western(table, word):
    rows = [["id", "note", "town"], ["1", word, "Leeds"], ["2", "none", "York"], ["3", "late", "Bath"]]
    assert read(table(spelled(rows).encode("cp1252"))) == (rows, [])


@pytest.mark.req("E5")
def test_a_close_decision_is_an_issue_that_names_the_second_choice(table):
    # One word, which is a word in both.
    workbook = table("id;note\n1;Kalniņa\n2;none\n".encode("cp1257"))
    _, (finding,) = read(workbook)
    assert (finding.rule, finding.severity) == ("encoding.uncertain", "warning")
    assert str(workbook.encoding) in finding.message
    assert str(workbook.other_encoding) in finding.message
    assert "Kalni" not in finding.message


@pytest.mark.req("E2")
@pytest.mark.parametrize("encoding", ["cp1252", "cp850"])
@pytest.mark.parametrize(
    "words",
    [
        "Përshëndetje;Fjalëkalimi;Çmimi;Është;Gjithë;Vështirë;Pikë;Këtë;Nëntor;Përdorues;Shumë;Çelësi;Njësia",
        "Rankout a rit ec'h aozañ;Ouzhpennañ;Gwiriit mat emañ;An talvoud-mañ;A rankfe bezañ;En ur dennañ",
    ],
    ids=["Albanian", "Breton"],
)
def test_letters_that_come_alone_again_and_again_are_those_of_a_language_that_has_few(table, words, encoding):
    rows = [["id", "text"], *[[str(number), word] for number, word in enumerate(words.split(";"))]]
    assert read(table(spelled(rows).encode(encoding)))[0] == rows


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("word", "encoding"),
    [
        ("Südeuropa", "mac-roman"),  # a capital inside of a word of Windows
        ("Slowenië", "mac-roman"),  # an opening quote behind the last letter
        ("Syrië", "cp850"),  # a per mille sign
        ("Nullañ", "mac-roman"),  # a dash
        ("Latinská Amerika", "cp852"),  # a space that does not break, in front of another one
        ("쿠바", "euc-kr"),  # two characters are words in Chinese too
        ("Curaçao", "mac-roman"),  # a control
    ],
)
def test_one_word_that_another_encoding_explains_as_well_is_decoded_as_written_or_an_issue(table, word, encoding):
    rows = [["id", "name", "amount"], ["1", "Ann", "3"], ["2", word, "6"], ["3", "Bob", "9"]]
    found, findings = read(table(spelled(rows).encode(encoding)))
    assert found == rows or [finding.rule for finding in findings] == ["encoding.uncertain"]


@pytest.mark.req("E5")
def test_bytes_that_cannot_be_decoded_are_an_issue_with_their_count_and_line(table):
    data = spelled(rows_of("de", 200)).encode("cp1252") + b"201,A\x81B,C\x81D\r\n202,E\x8dF,x\r\n"
    found, (finding,) = read(table(data))
    assert found[-2][1] == "A\x81B"
    assert finding.rule == "encoding.undecodable"
    assert finding.message == "3 places are not cp1252; the first one is in line 202"


@pytest.mark.req("E5")
def test_foreign_bytes_in_a_utf_8_file_are_an_issue(table):
    data = spelled(rows_of("de")).encode() + "13,für,é\r\n".encode("cp1252")
    found, (finding,) = read(table(data))
    assert found[-1] == ["13", "für", "é"]
    assert finding.message == "2 places are not utf-8; the first one is in line 14"


@pytest.mark.req("E5")
def test_half_a_character_of_utf_16_is_an_issue(table):
    data = spelled(rows_of("ru")).encode("utf-16") + b"\x34"
    assert [finding.rule for finding in read(table(data))[1]] == ["encoding.undecodable"]


def test_the_encoding_that_the_user_names_is_used(table):
    rows = rows_of("cs")
    workbook = table(spelled(rows).encode("cp1250"), encoding="windows-1250")
    assert read(workbook) == (rows, [])
    assert (workbook.encoding, workbook.other_encoding) == ("cp1250", None)
    assert read(table(spelled(rows).encode("cp1250"), encoding="cp1252"))[0] != rows


def test_a_byte_order_mark_is_no_text_when_the_user_names_utf_8(table):
    assert read(table(b"\xef\xbb\xbfa,b\n1,2\n", encoding="UTF8"))[0] == [["a", "b"], ["1", "2"]]


def test_what_a_named_encoding_cannot_decode_is_an_issue(table):
    _, (finding,) = read(table("a,b\nü,ö\n".encode("cp1252"), encoding="utf-8"))
    assert finding.message == "2 places are not utf-8; the first one is in line 2"


def test_bytes_of_no_text_are_refused(table):
    with pytest.raises(InputError) as caught:
        table(bytes(range(256)) * 20)
    assert caught.value.cause == "unsupported"


def test_text_in_utf_8_needs_no_library(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "chardet", None)
    assert read(table(spelled(rows_of("ru")).encode()))[0] == rows_of("ru")


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("CP1250", "cp1250"),
        ("windows-1254", "cp1254"),
        ("latin2", "iso-8859-2"),
        ("Shift_JIS", "shift_jis"),
        ("utf8", "utf-8"),
    ],
)
def test_encodings_are_known_by_all_their_names(name, known):
    assert known_encoding(name) == known


@pytest.mark.parametrize("name", ["", "cp9999", "base64", "rot13", "idna", "unicode_escape", "cp1250\n", "é"])
def test_what_is_no_encoding_of_a_file_is_unknown(name):
    assert known_encoding(name) is None


def test_an_unknown_name_is_answered_with_the_closest_one():
    assert unknown_encoding("cp-1250") == "There is no encoding 'cp-1250'. Did you mean cp1250?"
    assert "utf-8" in unknown_encoding("gibberish")


@pytest.mark.req("E5")
@settings(max_examples=120, deadline=None)
@given(
    st.sampled_from(WRITTEN_IN),
    st.data(),
    st.sampled_from([",", ";", "\t", ", "]),
)
def test_quoted_words_in_any_encoding_are_read_back_or_are_an_issue(tmp_path_factory, written, data, delimiter):
    language, encoding = written
    words = WORDS[language].split(";")
    cell = st.lists(st.sampled_from(words), min_size=1, max_size=3).map(" ".join)
    drawn = data.draw(st.lists(st.lists(cell, min_size=2, max_size=2), min_size=2, max_size=9))
    rows = [[word, word] for word in words] + drawn
    text = "".join(delimiter.join(f'"{value}"' for value in row) + "\n" for row in rows)
    path = tmp_path_factory.mktemp("law") / "table.csv"
    path.write_bytes(text.encode(encoding))
    found, findings = read(DelimitedWorkbook(path))
    assert found == rows or findings


def test_the_answer_is_the_same_however_the_file_is_long(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(spelled(rows_of("hu", 9000)).encode("cp1250"))
    assert find_decoding(path).encoding == "cp1250"


FULL_WIDTH, WAVE = "\uff5e", "\u301c"  # one sign of Japanese, as Windows and as others write it
JAPANESE = [
    "名前,時間,場所",
    f"山田太郎,10:00{FULL_WIDTH}18:00,東京都千代田区",
    f"鈴木花子,9:00{FULL_WIDTH}17:30,大阪市北区",
    "佐藤一郎,,C:\\data",
]


@pytest.mark.req("E17")
def test_japanese_of_windows_keeps_its_signs_and_the_backslash(tmp_path):
    path = tmp_path / "shifts.csv"
    path.write_bytes("\r\n".join(JAPANESE).encode("cp932"))
    found = find_decoding(path)
    assert path.read_bytes().decode(found.encoding) == "\r\n".join(JAPANESE)
    assert list(found.findings()) == []


@pytest.mark.req("E17")
def test_japanese_with_other_line_ends_is_a_close_decision_where_the_signs_differ(tmp_path):
    path = tmp_path / "shifts.csv"
    path.write_bytes("\n".join(JAPANESE).replace(FULL_WIDTH, WAVE).encode("shift_jis"))
    found = find_decoding(path)
    assert path.read_bytes().decode(found.encoding) == "\n".join(JAPANESE).replace(FULL_WIDTH, WAVE)
    assert (found.is_close, found.second) == (True, "cp932")


@pytest.mark.req("E17")
@pytest.mark.parametrize("shift", [0, 1])
def test_a_character_cut_off_at_the_end_of_the_sample_says_nothing_against_an_encoding(tmp_path, shift):
    text = "charset=euc-kr\n" + "x" * shift + "\n" + "서울특별시,부산광역시,대구광역시\n" * 4000
    path = tmp_path / "cities.csv"
    path.write_bytes(text.encode("euc_kr"))
    found = find_decoding(path)
    assert path.read_bytes().decode(found.encoding) == text
