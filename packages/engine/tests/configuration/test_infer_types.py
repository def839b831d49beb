"""The type that is inferred from values: examples of each, and that nearly all values convert to it."""

# ruff: noqa: DTZ001 - cells have no time zone
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.configuration.field_names import LONGEST, different_names, full_name, short_name
from ade_engine.configuration.infer_types import COMPANION, infer_type
from ade_engine.convert import CannotConvert, converter
from ade_engine.fields import is_field_name


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], {}),
        (["a", "b"], {}),
        ([1, 2], {"type": "integer"}),
        (["1", "2"], {"type": "integer"}),
        ([1, 2.5], {"type": "number"}),
        (["1.5", "2"], {"type": "number", "decimal": "."}),
        (["1,5", "2"], {"type": "number", "decimal": ","}),
        (["1,234.50", "1,200"], {"type": "number", "decimal": "."}),
        (["1.234,50", "1.200"], {"type": "number", "decimal": ","}),
        (["007", "12"], {"type": "text"}),
        (["1234567890123456"], {"type": "text"}),
        (["yes", "no", "yes"], {"type": "boolean"}),
        ([True, False], {"type": "boolean"}),
        (["0", "1"], {"type": "integer"}),
        (["€5", "7"], {"type": "money"}),
        (["€5", "$7"], {"type": "money", "currency": COMPANION}),
        (["$5", "CAD 7"], {"type": "money"}),
        (["5 %", "7 %"], {"type": "percent"}),
        (["5,5 %", "7 %"], {"type": "percent", "decimal": ","}),
        (["RM 101", "RM 7"], {}),
        (["TOP 10", "TOP 5"], {}),
        (["2024-05-01", "2024-05-02"], {"type": "date"}),
        ([date(2024, 5, 1)], {"type": "date"}),
        ([datetime(2024, 5, 1)], {"type": "date"}),
        ([datetime(2024, 5, 1, 10)], {"type": "datetime"}),
        (["2024-05-01T10:00"], {"type": "datetime"}),
        (["31.12.2024", "01.02.2024"], {"type": "date", "day_first": True}),
        (["12/31/2024", "02/01/2024"], {"type": "date", "day_first": False}),
        (["01.02.2024", "03.04.2024"], {}),
        (["13.02.2024", "02/13/2024", "05.06.2024"], {}),
        (["2024-05-01"] * 9 + ["soon"], {"type": "date"}),
        (["2024-05-01", "soon"], {}),
        (["1"] * 9 + ["x"], {}),
        (["1"] * 99 + ["x"], {"type": "integer"}),
    ],
)
def test_a_type_is_what_nearly_all_values_are(values, expected):
    assert infer_type(values) == expected


VALUES = st.one_of(
    st.lists(st.integers(-999, 9999), min_size=1, max_size=20),
    st.lists(st.integers(-999, 9999).map(str), min_size=1, max_size=20),
    st.lists(st.dates().map(str), min_size=1, max_size=20),
    st.lists(st.decimals(-999, 9999, places=2).map(str), min_size=1, max_size=20),
    st.lists(st.sampled_from(["a", "1", "2024-05-01", "5 %", "€ 3", "yes", "1,5"]), min_size=1, max_size=20),
)


@given(VALUES)
def test_nearly_all_values_convert_to_the_type_that_is_inferred(values):
    options = infer_type(values)
    if not options:
        return
    options = {name: value for name, value in options.items() if value != COMPANION}
    convert = converter(Field("x", **options))
    fine = sum(_converts(convert, value) for value in values)
    assert fine >= 0.8 * len(values)
    assert options["type"] in ("date", "datetime") or fine >= 0.98 * len(values)


def _converts(convert, value):
    try:
        convert(value)
    except CannotConvert:
        return False
    return True


@given(VALUES, st.randoms())
def test_the_order_of_values_does_not_change_the_type(values, chance):
    mixed = list(values)
    chance.shuffle(mixed)
    assert infer_type(mixed) == infer_type(values)


@pytest.mark.parametrize(
    ("header", "short", "full"),
    [
        ("Weight (kg)", "weight", "weight_kg"),
        ("Price (net) €", "price", "price_net_euro"),
        ("customerID", "customer_id", "customer_id"),
        ("Tel. No.", "phone_number", "phone_number"),
        ("(kg)", "kg", "kg"),
        ("%", "percent", "percent"),
        ("—", "field", "field"),
        ("2024", "field_2024", "field_2024"),
        ("Straße", "strasse", "strasse"),
        ("Straße (Büro)", "strasse", "strasse_buro"),
        ("Ärzte & Co", "arzte_co", "arzte_and_co"),
        ("名前", "名前", "名前"),
    ],
)
def test_a_header_becomes_a_readable_name(header, short, full):
    assert (short_name(header), full_name(header)) == (short, full)


@given(st.text(max_size=80))
def test_every_header_becomes_a_name_that_a_field_may_have(header):
    for name in (short_name(header), full_name(header)):
        assert is_field_name(name)
        assert len(name) <= LONGEST + len("field_")


ALIKE = ["Total", "total", "Total (net)", "Total (gross)", "Name", "name_2", "Total 2", "%"]
HEADERS = st.lists(st.sampled_from(ALIKE), min_size=1, max_size=6, unique=True)


@given(HEADERS)
def test_names_of_several_headers_are_all_different_and_no_header_of_another(headers):
    names = different_names([[header] for header in headers])
    assert len(set(names)) == len(headers)
    for number, name in enumerate(names):
        assert is_field_name(name)
        assert name not in [header for place, header in enumerate(headers) if place != number]
