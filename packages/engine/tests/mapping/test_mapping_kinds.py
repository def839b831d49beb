"""What values are taken for: each kind with what it is and what merely looks like it."""

from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.cells import CellError
from ade_engine.fields import KINDS as KIND_NAMES
from ade_engine.mapping.countries import COUNTRIES
from ade_engine.mapping.kinds import KINDS
from ade_engine.mapping.profile import Column, is_empty

EXAMPLES = {
    "email": (
        ["ada@example.org", " a.b+c@sub.example.co.uk ", "x@y.z"],
        ["ada@example", "ada example.org", "a@b@c.org", "<a@b.org>", "a@b.org, c@d.org", 5, None],
    ),
    "url": (["https://example.org/a?b=1", "http://a.b", "www.example.org"], ["example.org", "ftp//x", "www", 7]),
    "phone": (
        ["+44 20 7946 0958", "(020) 7946-0958", "0049 30 123456", "555-123-4567 ext 12", 4420794609, "030/1234567"],
        ["12345", "2024-05-01", "1.2.2024", "phone", 12345, True, "+1 (234"],
    ),
    "date": (
        ["2024-05-01", "1.5.2024", "05/01/24", "2024-05-01 10:30", "1 May 2024", "May 1, 2024", date(2024, 5, 1)],
        ["2024", "1.5", "May", "12345", 45000, True, "1-2-3"],
    ),
    "number": (["1", "1.5", "1,234", "-3", "(5)", 7, 2.5], ["€ 5", "5 %", "five", "", True, date(2024, 1, 1)]),
    "integer": (["1", "1,234", "12.00", 7, 3.0], ["1.5", 2.5, "one", True, "1e5"]),
    "money": (["€ 5", "5", "CHF 1'200", "(3.50)", 7], ["5 %", "five euros", True, "€"]),
    "percent": (["5 %", "%5", "5", 0.5], ["€ 5", "percent", True, "5 % %"]),
    "boolean": (["yes", "No", "TRUE", "x", "ja", True, 0, 1], ["maybe", 2, "10", None, 0.5]),
    "postal_code": (
        ["12345", "12345-6789", "K1A 0B1", "SW1A 1AA", "1234 AB", "d-12345", 8000],
        ["123", "ABCDE", 123, 100000, "12345 Berlin", True],
    ),
    "country": (["Germany", "deutschland", "FR", "usa", "United Kingdom", " peru "], ["Berlin", "Europa", "xx1", 49]),
    "currency": (["EUR", "usd", "€", "CHF", "kr"], ["Euros", "EU", "dollar", 5]),
    "person_name": (
        ["Ada", "Ada Lovelace", "O'Brien", "Lovelace, Ada", "J. Smith"],
        ["Ada 2", "a@b.org", "x_y", 5, ""],
    ),
    "full_name": (["Ada Lovelace", "Ludwig van Beethoven", "J. R. Smith"], ["Ada", "ada lovelace", "A1 B2", 5]),
    "code": (["AB-12", "12/34", "x1", "0007", 7], ["apple", "a b 1", "-1-", "a" * 40 + "1", 2.5]),
    "words": (["apple", "two words", "Straße 5"], ["123", "a@b.org", "--", 5, None]),
}


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind in EXAMPLES for value in EXAMPLES[kind][0]])
def test_a_value_is_of_the_kind_it_is_an_example_of(kind, value):
    assert KINDS[kind].matches(value)


@pytest.mark.parametrize(("kind", "value"), [(kind, value) for kind in EXAMPLES for value in EXAMPLES[kind][1]])
def test_a_value_that_merely_looks_like_a_kind_is_not_of_it(kind, value):
    assert not KINDS[kind].matches(value)


def test_every_kind_has_examples_and_weights():
    assert set(EXAMPLES) == set(KINDS) == set(KIND_NAMES)
    for kind in KINDS.values():
        assert 0 < kind.support <= 1
        assert 0 < kind.contradiction <= 1


CELLS = st.one_of(
    st.none(), st.text(max_size=30), st.integers(), st.floats(), st.booleans(), st.dates(), st.datetimes(), st.times(),
    st.just(CellError("#N/A")),
)  # fmt: skip


@given(CELLS, st.sampled_from(sorted(KINDS)))
def test_every_cell_is_of_a_kind_or_not_without_an_error(value, kind):
    assert KINDS[kind].matches(value) in (True, False)


@given(st.text(max_size=20), st.sampled_from(sorted(set(KINDS) - {"words"})))
def test_blanks_around_a_value_do_not_change_its_kind(text, kind):
    assert KINDS[kind].matches(text.strip()) == KINDS[kind].matches(f"  {text.strip()} ")


def test_every_country_is_known_in_any_case():
    for name in COUNTRIES:
        assert KINDS["country"].matches(name.upper()) or "ß" in name
        assert KINDS["country"].matches(name.title()) or "ß" in name


def column(*values, header="H"):
    return Column(3, header, values)


def test_shares_count_what_is_filled_only():
    found = column("1", None, "x", "  ", "3", "")
    assert found.row_count == 6
    assert found.values == ["1", "x", "3"]
    assert found.share_of_kind("number") == pytest.approx(2 / 3)
    assert found.share_matching(r"\d") == pytest.approx(2 / 3)
    assert found.share_of_type(str) == 1
    assert found.share_of_type(int, float) == 0
    assert found.letters == "C"


def test_an_empty_column_has_no_share_of_anything():
    found = column(None, "", " ")
    assert (found.share(lambda _: True), found.distinct_share, found.share_of_kind("words")) == (0.0, 0.0, 0.0)


@given(st.lists(CELLS, max_size=30))
def test_shares_lie_between_nothing_and_all_and_complement_each_other(values):
    found = column(*values)
    share = found.share(lambda value: isinstance(value, str))
    assert 0 <= share <= 1
    if found.values:
        assert share + found.share(lambda value: not isinstance(value, str)) == pytest.approx(1)
        assert 0 < found.distinct_share <= 1


@given(st.lists(st.sampled_from([1, 1.0, True, "1", 0, False]), min_size=1, max_size=20))
def test_values_that_python_calls_equal_are_counted_by_type(values):
    found = column(*values)
    for kind in (int, float, bool, str):
        assert found.share_of_type(kind) == sum(type(value) is kind for value in values) / len(values)
    assert found.distinct_share == len({(type(value), value) for value in values}) / len(values)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, True),
        ("", True),
        (" \t\n", True),
        ("\u00a0", True),
        ("0", False),
        (0, False),
        (False, False),
        (0.0, False),
    ],
)
def test_empty_is_what_nobody_can_see(value, expected):
    assert is_empty(value) is expected


def test_a_moment_is_a_date_and_a_number_is_none():
    assert KINDS["date"].matches(datetime(2024, 1, 1))  # noqa: DTZ001 - cells have no zone
    assert not KINDS["number"].matches(datetime(2024, 1, 1))  # noqa: DTZ001 - cells have no zone
