"""Laws of names: how headers are normalised, numbered, taken apart and compared."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.errors import ConfigurationError
from ade_engine.mapping.headers import comparable, joined, normalise, numbered, precise, without_brackets
from ade_engine.mapping.likeness import NAME_FEATURES, compare_names, word_likeness
from ade_engine.mapping.outcome import MappedColumn, TableMapping
from ade_engine.mapping.reading import read_names, skeleton, words_of
from ade_engine.mapping.vocabulary import vocabulary

COMMON = (
    "customer order invoice date name amount total price id number street city country code qty net gross start end "
    "first last phone email status type unit rate year month day product item account branch region"
)
WORDS = st.sampled_from(COMMON.split())
HEADERS = st.lists(WORDS, min_size=1, max_size=4)
TEXTS = st.text(max_size=25)


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("E-Mail_Address (work)", "e mail address"),
        ("customerID", "customer id"),
        ("HTTPServer", "http server"),
        ("Tel. No.", "phone number"),
        ("Item #", "item number"),
        ("Straße", "strasse"),
        ("Prénom", "prenom"),
        ("Driver's licence", "drivers licence"),
        ("(net)", "net"),
        ("Price [EUR] {2024}", "price"),
        ("  ", ""),
        ("\uff31\uff34\uff39", "qty"),
    ],
)  # fmt: skip
def test_a_header_is_known_by_its_words(header, words):
    assert normalise(header) == words


@pytest.mark.parametrize(
    ("header", "words"),
    [("Price (net) €", "price net €"), ("Share %", "share %"), ("A&B", "a & b"), ("Price", "price"), ("§ 5", "§ 5")],
)
def test_symbols_and_brackets_are_kept_where_they_matter(header, words):
    assert precise(header) == words


@given(TEXTS)
def test_normalising_twice_changes_nothing(header):
    once = normalise(header)
    assert normalise(once) == once
    assert once == " ".join(once.split())


@given(HEADERS, st.sampled_from([" ", "_", "-", ".", " / "]))
def test_case_and_punctuation_do_not_matter(words, between):
    header = " ".join(words)
    assert normalise(between.join(words)) == normalise(header)
    assert normalise(header.upper()) == normalise(header)
    assert comparable(between.join(words)) == comparable(header)


@given(HEADERS)
def test_camel_case_is_read_as_words(words):
    assert normalise("".join(word.title() for word in words)) == normalise(" ".join(words))


@given(HEADERS, WORDS)
def test_what_stands_in_brackets_is_a_remark(words, remark):
    header = " ".join(words)
    assert normalise(f"{header} ({remark})") == normalise(header)
    assert precise(f"{header} ({remark})") != precise(header)
    assert without_brackets(f"{header}[{remark}]").strip() == header


def test_joined_words_have_no_blanks():
    assert joined("e mail address") == "emailaddress"


@given(st.lists(st.sampled_from(["", "Total", "Total (2)", "Total (3)", "Name", "x"]), max_size=10))
def test_numbered_headers_are_all_different_and_the_first_of_each_stays(headers):
    found = numbered(headers)
    filled = [header for header in found if header]
    assert len(filled) == len(set(filled))
    assert [bool(header) for header in found] == [bool(header) for header in headers]
    for header in set(headers) - {""}:
        assert found[headers.index(header)] == header
    for old, new in zip(headers, found, strict=True):
        assert new.startswith(old)


@given(TEXTS, TEXTS)
def test_the_likeness_of_words_is_symmetric_and_a_share(one, other):
    words = [word for text in (one, other) for word in words_of(text)]
    assume(len(words) > 1)
    found = word_likeness(words[0], words[1])
    assert found == word_likeness(words[1], words[0])
    assert 0 <= found <= 100
    assert word_likeness(words[0], words[0]) == 100


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12))
def test_a_longer_beginning_of_a_word_is_never_less_alike(word):
    found = [word_likeness(word[:length], word) for length in range(2, len(word) + 1)]
    assert found == sorted(found)
    assert found[-1] == 100


@pytest.mark.parametrize(("one", "other"), [("1", "10"), ("12", "123"), ("100", "1000"), ("7", "seven"), ("12", "012")])
def test_other_numbers_are_other_words(one, other):
    assert word_likeness(one, other) == 0


@given(st.text(alphabet="abcdeiouxyz", max_size=12))
def test_a_skeleton_has_no_vowels_and_keeps_the_order(word):
    bare = skeleton(word)
    assert not set(bare) & set("aeiouy")
    letters = iter(word)
    assert all(letter in letters for letter in bare)
    assert skeleton(bare) == bare


def features(one, other):
    return dict(zip(NAME_FEATURES, compare_names(read_names([one])[0], read_names([other])[0]), strict=True))


SWAPPED = {"covers_header": "covers_field", "rest_header": "rest_field"}


@given(HEADERS, HEADERS)
def test_names_are_compared_alike_from_either_side(ours, theirs):
    one, other = features(" ".join(ours), " ".join(theirs)), features(" ".join(theirs), " ".join(ours))
    for left, right in SWAPPED.items():
        assert one[left] == other[right]
    for name in ("letters", "within", "numbers", "brackets", "concepts", "opposite", "length", "words", "meaning"):
        assert one[name] == other[name], name


@given(HEADERS)
def test_a_name_covers_itself(words):
    found = features(" ".join(words), " ".join(words))
    assert (found["covers_header"], found["covers_field"], found["letters"]) == (100, 100, 100)
    assert (found["rest_header"], found["rest_field"], found["opposite"]) == (0, 0, 0)


@given(st.lists(TEXTS, max_size=8))
def test_any_headers_are_read_each_as_a_name(headers):
    names = read_names(headers)
    assert [name.text for name in names] == headers
    for name in names:
        assert len(name.words) == len(name.concepts) == len(name.weights)
        assert name.joined == "".join(name.words)
        assert all(weight > 0 for weight in name.weights)
        assert name.numbers <= set(name.words)


@given(st.lists(TEXTS, min_size=2, max_size=2))
def test_any_two_names_can_be_compared(headers):
    found = compare_names(*read_names(headers))
    assert len(found) == len(NAME_FEATURES)
    assert all(isinstance(value, int) and -1 <= value <= 400 for value in found)


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("rechnungsnummer", ("rechnung", "nummer")),
        ("customerid", ("customer", "id")),
        ("name", ("name",)),
        ("x", ("x",)),
        ("2024", ("2024",)),
        ("qwertzuiop", ("qwertzuiop",)),
        ("客户名称", ("客户", "名称")),
    ],
)
def test_compounds_of_known_words_are_taken_apart(word, parts):
    assert vocabulary().parts(word) == parts


@given(st.lists(st.sampled_from(sorted(word for word in vocabulary().concepts if word.isalpha() and word.isascii()))))
def test_taking_a_compound_apart_loses_no_known_letters(words):
    known = vocabulary()
    for word in {"".join(words[:2]), *words[:3]} - {""}:
        parts = known.parts(word)
        assert parts
        rest = word
        for part in parts:
            assert part in rest
            rest = rest[rest.index(part) + len(part) :]


@given(st.text(alphabet="客户名称日期金额发票号码甲乙", min_size=1, max_size=10))
def test_text_without_blanks_is_cut_without_losing_a_character(word):
    assert "".join(vocabulary().parts(word)) == word


def test_each_word_of_the_vocabulary_has_a_concept_and_generic_ones_are_known():
    known = vocabulary()
    every = {concept for concepts in known.concepts.values() for concept in concepts}
    assert known.generic <= every
    assert all(known.concepts.values())
    assert all(len(set(concepts)) == len(concepts) for concepts in known.concepts.values())


@pytest.mark.parametrize(
    ("one", "other"),
    [("Kunde", "Client"), ("fecha", "Datum"), ("Menge", "quantity"), ("Straße", "street"), ("prix", "price")],
)
def test_words_of_two_languages_share_a_concept(one, other):
    ours, theirs = (read_names([text])[0].phrases for text in (one, other))
    assert ours & theirs


COLUMNS = [MappedColumn(position=n, header=f"H{n}", field=None, reason="no_candidate") for n in range(1, 5)]
FIELDS = [Field("a"), Field("b"), Field("c")]


def mapping():
    return TableMapping(COLUMNS, FIELDS)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["a", "b", "c", None])), max_size=8))
def test_a_hook_that_assigns_columns_gives_each_field_one_column_at_most(moves):
    found = mapping()
    for column, field in moves:
        found.assign(column, field)
        assert next(one for one in found.columns if one.position == column).field == field
    for field in ("a", "b", "c"):
        assert len(found.sources(field)) <= 1
    assert [one.position for one in found.columns] == [1, 2, 3, 4]
    assert {one.reason for one in found.columns} <= {"hook", "no_candidate"}


def test_a_hook_names_a_column_by_position_or_header():
    found = mapping()
    found.assign("H3", "b")
    found.assign(2, "a")
    assert (found.sources("a"), found.sources("b"), found.sources("c")) == ([2], [3], [])


def test_a_hook_that_assigns_what_is_not_there_is_told():
    with pytest.raises(ConfigurationError, match="A hook assigned a column to nothing, which is not a field"):
        mapping().assign(1, "nothing")
    with pytest.raises(ConfigurationError, match="A hook assigned a column that the table does not have"):
        mapping().assign("H9", "a")
