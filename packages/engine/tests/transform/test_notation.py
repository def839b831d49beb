"""Money, percentages and accounting notation: what has one reading is converted, everything else is an issue."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.convert import Ambiguous, CannotConvert, converter
from ade_engine.currencies import agreed
from ade_engine.mapping.kinds import KINDS

NUMERIC = ("integer", "number", "money", "percent")


def convert(value, **options):
    return converter(Field("x", **options))(value)


@pytest.mark.req("E5")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2.367,88 €", 2367.88), ("£1,122.05", 1122.05), ("EUR 5", 5), ("CHF 1'200.50", 1200.5), ("(26.11)", -26.11),
        ("12.5-", -12.5), ("-£5", -5), ("£-5", -5), ("£5-", -5), ("$ (1,234.50)", -1234.5), ("($1,234.50)", -1234.5),
        ("(5) €", -5), ("1 234,56 zł", 1234.56), ("R$ 1.234,56", 1234.56), ("1\u202f234,56\u00a0€", 1234.56),
        ("1\u2009234,5", 1234.5), ("\u22125 €", -5), ("\u20135,00 €", -5), ("€ \u2013 5", -5), ("- 5 €", -5),
        ("1,23,456.78", 123456.78),
        ("\uff11\uff0c\uff12\uff13\uff14\uff0e\uff15", 1234.5), ("\u200f5 ₪", 5), ("$5 CAD", 5), ("+5 kr.", 5),
        ("CHF 1\u2019200", 1200), ("5 kr.-", -5), (7.5, 7.5), ("7", 7),
    ],
)  # fmt: skip
def test_money_is_read_with_its_currency_on_either_side(text, expected):
    assert convert(text, type="money") == expected


@pytest.mark.parametrize(
    "text",
    ["5.-", "5,-- €", "5\u2013", "5,\u2013 €", "3\u20135", "\u2013", "\u2013 3\u20135", "\u2013-5",
     "-(5)", "(-5)", "--5", "€ 5 USD", "ABC 5", "5 cup", "$", "-", "()", "(5", "5%", "5 € %",
     "12 34 €", "0,125,000 €", "5²", "12¹ €"],
)  # fmt: skip
def test_what_is_no_amount_is_not_taken_for_one(text):
    with pytest.raises(CannotConvert):
        convert(text, type="money")


@pytest.mark.parametrize("text", ["1,234 €", "¥5,000", "$1.234", "(1,234)", "012,345"])
def test_an_amount_that_can_be_thousands_or_decimals_waits_for_the_field_to_decide(text):
    with pytest.raises(Ambiguous, match="set decimal"):
        convert(text, type="money")
    assert convert(text, type="money", decimal=".") != convert(text, type="money", decimal=",")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("19 %", 0.19), ("19%", 0.19), ("%19", 0.19), ("-5,5 %", -0.055), ("(5 %)", -0.05), ("100\u00a0%", 1.0),
     ("0.125%", 0.00125), ("1.234,5 %", 12.345), (0.19, 0.19)],
)  # fmt: skip
def test_a_percentage_is_a_share_of_one(text, expected):
    assert convert(text, type="percent") == expected


@pytest.mark.parametrize("value", [True, date(2024, 1, 1), "x %", "€ 5 %", "1e2 %", "5 % %"])
def test_what_is_no_percentage_is_not_taken_for_one(value):
    with pytest.raises(CannotConvert):
        convert(value, type="percent")


def test_a_text_without_percent_sign_is_no_percentage():
    with pytest.raises(Ambiguous, match="no percent sign"):
        convert("19", type="percent")


def test_a_number_with_a_currency_or_percent_sign_names_the_type_to_use():
    with pytest.raises(CannotConvert, match="use type money"):
        convert("5 €", type="number")
    with pytest.raises(CannotConvert, match="use type percent"):
        convert("5 %", type="number")


@pytest.mark.parametrize(
    "text",
    ["12345678901234567890.12", "0.333333333333333333", "1e-400", "1234567890123456.7", "1.00000000000000000001"],
)
def test_digits_that_a_number_cannot_hold_are_not_dropped(text):
    with pytest.raises(CannotConvert, match="more digits"):
        convert(text, type="number")


@pytest.mark.parametrize("text", ["0.10000000000000001", "0.30000000000000004", "1234.50000000000000000000"])
def test_what_programs_write_for_a_number_is_that_number(text):
    assert convert(text, type="number") == float(text)


def test_a_whole_number_whose_digits_are_lost_is_not_one():
    for value in ("1.23457E+11", 1e20):
        with pytest.raises(CannotConvert, match="digits"):
            convert(value, type="integer")
    assert convert("12345678901234567890.0", type="integer") == 12345678901234567890


@pytest.mark.parametrize(
    ("kind", "text"),
    [("date", "2024-W10"), ("date", "3 March 4 2024"), ("datetime", "2024-03-09-06:00"),
     ("datetime", "2024-03-09x10:30"), ("datetime", "2024-03-09T10:30:00.1234567")],
)  # fmt: skip
def test_a_date_that_says_less_or_more_than_one_moment_is_no_date(kind, text):
    with pytest.raises(CannotConvert):
        convert(text, type=kind)


def test_a_date_that_fits_two_formats_with_different_days_is_ambiguous():
    both = ["%d/%m/%Y", "%m/%d/%Y"]
    with pytest.raises(Ambiguous, match="several"):
        convert("03/04/2024", type="date", formats=both)
    assert convert("13/04/2024", type="date", formats=both) == convert("04/13/2024", type="date", formats=both)


def test_a_date_format_needs_a_year():
    with pytest.raises(ValueError, match="no year"):
        Field("x", type="date", formats=["%d.%m."])


def test_shared_symbols_agree_with_the_currencies_that_use_them():
    assert agreed("$", "CAD") == agreed("CAD", "$") == "CAD"
    assert agreed("€", "EUR") == "EUR"
    assert agreed("$", "EUR") is None
    assert agreed("USD", "CAD") is None


# An oracle of its own: what a person can read a text as, by either convention, worked out letter by letter.

GROUPING_SIGNS = " '"
BODY = st.text(alphabet="0123456789.,' ", min_size=1, max_size=14)


def groups_are_sound(parts, *, is_comma):
    """Thousands, or lakhs and crores between commas."""
    first, *others = parts
    if not others:
        return first.isdigit()
    if first == "0" or not all(part.isdigit() for part in parts):
        return False
    if 1 <= len(first) <= 3 and all(len(part) == 3 for part in others):
        return True
    is_indian = len(others) > 1 and all(len(part) == 2 for part in others[:-1]) and len(others[-1]) == 3
    return is_comma and is_indian and 1 <= len(first) <= 2 and first[0] != "0"


def readings(body):
    """The values of a text by the two conventions."""
    found = set()
    for mark, group in ((".", ","), (",", ".")):
        whole, has_mark, decimals = body.partition(mark)
        if decimals and not decimals.isdigit():
            continue
        used = {sign for sign in whole if sign in group + GROUPING_SIGNS}
        if len(used) > 1 or (used and has_mark and not decimals) or not (whole or decimals):
            continue
        parts = whole.split(used.pop()) if used else [whole]
        if whole and not groups_are_sound(parts, is_comma="," in whole):
            continue
        found.add(Decimal("".join(parts) + "." + (decimals or "0")))
    return found


def dressed(body):
    return [(body, 1), (f"-{body}", -1), (f"({body})", -1), (f"{body}-", -1), (f"\u2212{body}", -1), (f"+{body}", 1)]


@pytest.mark.req("E5")
@given(BODY, st.sampled_from(["number", "money", "percent"]), st.integers(0, 5))
@example("1,234", "number", 0)
@example("1.234", "money", 2)
@example("0,125", "number", 0)
@example("012,345", "number", 0)
@example("1.", "number", 3)
@example("1,23,456", "number", 0)
def test_no_conversion_silently_accepts_an_ambiguous_number(body, kind, dress):
    body = body.strip()
    assume(body)
    text, sign = dressed(body)[dress]
    text, scale = (f"{text} %", Decimal("0.01")) if kind == "percent" else (text, 1)
    possible = readings(body)
    try:
        value = convert(text, type=kind)
    except Ambiguous:
        assert len(possible) == 2
    except CannotConvert:
        assert not possible or body[-1] in ".,"  # "5.-" has no sign
    else:
        assert len(possible) == 1
        assert value == pytest.approx(float(sign * possible.pop() * scale), rel=1e-15)


AMOUNTS = st.decimals(-(10**9), 10**9, places=2)
NOTATIONS = st.tuples(
    st.sampled_from([(".", ","), (".", " "), (".", "'"), (".", ""), (",", "."), (",", "\u00a0"), (",", "")]),
    st.sampled_from(["-{}", "({})", "{}-", "\u2212{}"]),
    st.sampled_from(["{}", "€ {}", "{} €", "EUR{}", "{}\u00a0EUR", "US$ {}", "{} kr."]),
    st.booleans(),
)  # fmt: skip


@given(AMOUNTS, NOTATIONS, st.sampled_from(["money", "number", "percent"]))
def test_a_number_in_any_notation_reads_back_when_its_decimal_mark_is_set(amount, notation, kind):
    (mark, group), negative, currency, is_sign_outside = notation
    text = f"{abs(amount):,.2f}".replace(",", "g").replace(".", mark).replace("g", group)
    layers = [negative if amount < 0 else "{}", {"money": currency, "percent": "{} %", "number": "{}"}[kind]]
    for layer in reversed(layers) if is_sign_outside else layers:
        text = layer.format(text)
    expected = amount / 100 if kind == "percent" else amount
    assert convert(text, type=kind, decimal=mark) == float(expected)


@given(
    st.one_of(
        st.text(max_size=12), st.text(alphabet="0123456789.,'-()%€$ EUR", max_size=12), st.floats(), st.integers()
    ),
    st.sampled_from(["integer", "number", "money", "percent", "date", "datetime", "time", "boolean", "text"]),
)
def test_conversions_are_idempotent(value, kind):
    try:
        once = convert(value, type=kind)
    except CannotConvert:
        return
    again = convert(once, type=kind)
    assert (type(again), again) == (type(once), once)


@pytest.mark.req("E4")
@given(
    st.one_of(st.text(max_size=12), st.text(alphabet="0123456789.,'-+()%€$ EUR", max_size=12)), st.sampled_from(NUMERIC)
)
@example("0.5%", "number")
@example("0.5%", "percent")
@example("5 ABC", "money")
@example(".0", "integer")
@example("1e-99999999999999999999", "number")
@example("1,234", "money")
def test_the_mapper_and_the_conversion_agree_on_what_a_number_is(text, kind):
    try:
        convert(text, type=kind)
        can_be = True
    except Ambiguous:
        can_be = True
    except CannotConvert:
        can_be = False
    assert KINDS[kind].matches(text) is can_be
