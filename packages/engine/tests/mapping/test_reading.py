import pytest

from ade_engine.mapping.likeness import NAME_FEATURES, compare_names, word_likeness
from ade_engine.mapping.reading import read_names, words_of


def compared(header, field):
    found = compare_names(read_names([header])[0], read_names([field])[0])
    return dict(zip(NAME_FEATURES, found, strict=True))


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("customerID", ("customer", "id")),
        ("ORDERID_V2", ("order", "id", "v", "2")),
        ("TOTALV2", ("total", "v", "2")),
        ("Rechnungsnummer", ("rechnung", "nummer")),
        ("address1", ("address", "1")),
        ("建物名稱", ("建物", "名稱")),
        ("Größe (cm)", ("grosse", "cm")),
        ("", ()),
    ],
)
def test_a_header_is_read_as_words(header, words):
    assert words_of(header) == words


def test_words_that_all_headers_of_a_table_begin_or_end_with_are_left_out():
    names = read_names(["ext_id_raw", "ext_name_raw", "ext_city_raw", "ext_raw"])
    assert [name.words for name in names] == [("id",), ("name",), ("city",), ("raw",)]


def test_two_columns_share_nothing_that_is_left_out():
    assert [name.words for name in read_names(["total net", "total gross"])] == [("total", "net"), ("total", "gross")]


@pytest.mark.parametrize(
    ("short", "long"),
    [("qty", "quantity"), ("ctrc", "contract"), ("dept", "department"), ("strke", "strike"), ("customers", "customer")],
)
def test_a_shortened_or_misspelled_word_is_recognised(short, long):
    assert word_likeness(short, long) == word_likeness(long, short) >= 60


@pytest.mark.parametrize(("one", "other"), [("start", "end"), ("1", "2"), ("net", "gross"), ("date", "name")])
def test_words_that_are_not_alike_have_nothing_in_common(one, other):
    assert word_likeness(one, other) == 0


def test_letters_from_the_start_of_each_word_explain_a_name():
    assert compared("BrID", "Branch ID")["shortened"] == 100
    assert compared("MaxCIDAContri", "Maximum CIDA contribution")["shortened"] == 100
    assert compared("Status", "Branch ID")["shortened"] == 0


def test_words_of_other_languages_mean_the_same():
    for header in ("Rechnungsdatum", "date de facture", "fecha de factura", "Дата счёт-фактура", "發票日期"):
        assert compared(header, "Invoice date")["concepts"] >= 50, header


def test_start_and_end_exclude_each_other():
    assert compared("Start date", "End date")["opposite"] == 1
    assert compared("Start date", "Begin")["opposite"] == 0


def test_other_numbers_are_told_apart_from_none():
    assert [compared(header, "Address 3")["numbers"] for header in ("Address 3", "Address", "Address 2")] == [1, 2, 3]


def test_a_name_without_a_number_is_the_first_of_those_that_are_numbered():
    assert [compared("Address", field)["numbers"] for field in ("Address", "Address 1", "Address 2")] == [0, 1, 2]


def test_words_that_tables_use_for_each_other_cover_a_name_though_they_mean_something_else():
    for header, field in (("Posting date", "created"), ("IBAN", "Kontonummer"), ("Zpráva", "Beschreibung")):
        found = compared(header, field)
        assert (found["near_header"], found["near_field"]) == (100, 100), header
        assert found["covers_header"] < 100, header
    assert compared("Colour", "Amount")["near_header"] == 0


@pytest.mark.parametrize(
    ("header", "field", "narrowed"),
    [
        ("Amount", "Amount", 0),
        ("Tax amount", "Amount", 1),
        ("Amount", "Betrag (Fremdwährung)", 0),
        ("City", "Other City", 2),
    ],
)
def test_a_word_that_makes_a_name_one_of_something_else_counts_for_the_side_that_has_it(header, field, narrowed):
    assert compared(header, field)["narrowed"] == narrowed
