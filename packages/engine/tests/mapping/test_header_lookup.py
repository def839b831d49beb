"""Headers among the names of all fields: exact before alike before hinted before misspelled before shared words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import Field
from ade_engine.configuration.model import ColumnRules, Configuration, Context, Function, Settings
from ade_engine.evidence import Contribution, total
from ade_engine.layout import lay_out
from ade_engine.mapping.header_index import EXACT, HINT, NORMALISED, HeaderIndex
from ade_engine.mapping.outcome import MappedColumn, TableMapping
from ade_engine.mapping.profile import Column
from ade_engine.mapping.score import contradicts, score_column, value_contribution

FIELDS = [
    Field("member_id", label="Member ID", aliases=["Mitgliedsnummer"], hints=["Ref"]),
    Field("email", aliases=["E-Mail"]),
    Field("ytd_2011", label="YTD (2011)"),
    Field("ytd_2012", label="YTD (2012)"),
    Field("start_date"),
    Field("quantity", aliases=["Qty"]),
    Field("total"),
    Field("total_2", label="Total (2)"),
]
NAMES = [field.name for field in FIELDS]


def found(header, lowest="", numbered=""):
    answers = HeaderIndex(FIELDS).contributions(header, lowest, numbered)
    return {NAMES[number]: (one.rule, one.delta) for number, one in answers.items()}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("Member ID", {"member_id": ("header.alias", EXACT)}),
        (" Mitgliedsnummer ", {"member_id": ("header.alias", EXACT)}),
        ("MEMBER-ID", {"member_id": ("header.normalised", NORMALISED)}),
        ("e mail", {"email": ("header.normalised", NORMALISED)}),
        ("ref", {"member_id": ("header.hint", HINT)}),
        ("YTD (2011)", {"ytd_2011": ("header.alias", EXACT)}),
        ("ytd 2012", {"ytd_2012": ("header.normalised", NORMALISED)}),
        ("YTD (2013)", {}),
        ("Colour", {}),
        ("", {}),
        ("???", {}),
    ],
)
def test_a_header_names_a_field_exactly_or_but_for_its_writing(header, expected):
    assert found(header) == expected


@pytest.mark.parametrize("header", ["Quantiity", "quanttity", "Qantity", "Start dates"])
def test_a_slip_of_the_pen_is_forgiven_and_worth_less(header):
    [(rule, delta)] = found(header).values()
    assert rule == "header.fuzzy"
    assert 0.5 <= delta <= 0.8


@pytest.mark.parametrize("header", ["uantity", "Qtty", "zember_id", "emil"])
def test_a_wrong_first_letter_or_a_short_word_is_not_guessed(header):
    assert all(rule != "header.fuzzy" for rule, _ in found(header).values())


@pytest.mark.parametrize(("header", "field"), [("Date", "start_date"), ("Start date of contract", "start_date")])
def test_shared_words_are_evidence_that_is_not_enough_alone(header, field):
    rule, delta = found(header)[field]
    assert rule == "header.words"
    assert 0.05 < delta < 0.5


@pytest.mark.parametrize("header", ["Start time", "Member name", "Date of birth"])
def test_a_shared_word_among_others_on_both_sides_is_no_evidence(header):
    assert found(header) == {}


def test_the_lowest_row_of_a_stacked_header_counts_a_little_less():
    assert found("Contact E-Mail", "E-Mail")["email"] == ("header.lowest", 0.85)
    assert found("E-Mail", "E-Mail")["email"] == ("header.alias", EXACT)


def test_the_second_of_two_equal_headers_is_found_by_its_number():
    assert found("Total", numbered="Total (2)") == {"total_2": ("header.alias", EXACT)}
    assert found("Total", numbered="Total (3)") == {"total": ("header.normalised", NORMALISED)}


@given(st.sampled_from([text for field in FIELDS for text in (field.name, field.title, *field.aliases)]))
def test_every_name_of_a_field_finds_it_as_written(name):
    answers = HeaderIndex(FIELDS).contributions(name)
    assert {NAMES[number] for number in answers} == {
        field.name for field in FIELDS if name in (field.name, field.title, *field.aliases)
    }
    assert {one.delta for one in answers.values()} == {EXACT}


@given(st.text(max_size=30))
def test_any_header_is_evidence_within_bounds(header):
    for one in HeaderIndex(FIELDS).contributions(header).values():
        assert 0 < one.delta <= EXACT
        assert one.rule.startswith("header.")


NAMED = Contribution("header.alias", 1.0)


@pytest.mark.parametrize(
    ("options", "values", "header", "expected"),
    [
        ({"kind": "email"}, ["a@b.org"] * 4, NAMED, "positive"),
        ({"kind": "email"}, ["a@b.org"] * 4, None, "positive"),  # hardly anything else looks like one
        ({"kind": "phone"}, ["+44 20 7946 0958"] * 4, None, None),
        ({"kind": "email"}, ["x"] * 4, NAMED, "negative"),
        ({"kind": "email"}, ["x"] * 4, None, None),
        ({"kind": "email"}, ["a@b.org", "x"], NAMED, None),
        ({"type": "date"}, ["x"] * 4, NAMED, "negative"),
        ({}, ["x"] * 4, NAMED, None),
        ({"kind": "email"}, [], NAMED, None),
    ],
)
def test_values_speak_for_a_field_against_it_or_not_at_all(options, values, header, expected):
    one = value_contribution(Column(1, "H", values), Field("x", **options), header)
    sign = None if one is None else "positive" if one.delta > 0 else "negative"
    assert sign == expected


def test_wrong_values_weigh_less_against_a_type_than_against_a_kind():
    column = Column(1, "H", ["x"] * 4)
    by_type = value_contribution(column, Field("x", type="date"), NAMED)
    by_kind = value_contribution(column, Field("x", kind="date"), NAMED)
    assert by_kind.delta < by_type.delta < 0
    assert contradicts(column, Field("x", kind="date"))
    assert not contradicts(column, Field("x", type="date"))
    assert not contradicts(Column(1, "H", []), Field("x", kind="date"))


def test_the_score_of_a_column_is_the_sum_of_what_header_values_and_rules_say():
    detect = Function("col.email.detect_it", ("column",), lambda column: 0.25, "columns/email.py", 3)
    rules = [ColumnRules(field=Field("email", kind="email"), detectors=(detect,)), ColumnRules(field=Field("other"))]
    index = HeaderIndex([one.field for one in rules])
    scored = score_column(
        Column(1, "email", ["a@b.org"] * 3), columns=rules, index=index, table=None, context=Context()
    )
    assert set(scored) == {0}
    assert [one.rule for one in scored[0].contributions] == ["header.alias", "values.email", "col.email.detect_it"]
    assert scored[0].score == total(scored[0].contributions)
    assert scored[0].score > 1.25


def laid_out(mapped, *, fields=(), reasons=None, settings=None, unpivoted=None):
    """Titles and sources of an output, from {header: field or None}."""
    columns = [
        MappedColumn(position=n, header=header, field=field, reason=(reasons or {}).get(header, "best"))
        for n, (header, field) in enumerate(mapped.items(), start=1)
    ]
    configuration = Configuration(
        name="x", fingerprint="0", columns=tuple(ColumnRules(field=field) for field in fields),
        settings=Settings(**(settings or {})),
    )  # fmt: skip
    made = lay_out(TableMapping(columns, list(fields)), configuration, unpivoted)
    return [(column.title, column.sources) for column in made]


A, B, C = Field("a", label="Alpha"), Field("b"), Field("c", constant=1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"mapped": {"X": "b", "Y": "a"}}, [("Alpha", (2,)), ("b", (1,)), ("c", ())]),
        ({"mapped": {"X": "b", "Y": None}}, [("b", (1,)), ("c", ()), ("Y", (2,))]),
        ({"mapped": {"X": "b", "Y": None}, "settings": {"unmapped": "drop"}}, [("b", (1,)), ("c", ())]),
        ({"mapped": {"X": "b"}, "settings": {"missing_fields": "empty"}}, [("Alpha", ()), ("b", (1,)), ("c", ())]),
        ({"mapped": {"X": None}}, [("X", (1,))]),  # nothing is computed for a table without any field
        ({"mapped": {"X": "b", "Y": None}, "reasons": {"Y": "ignored"}}, [("b", (1,)), ("c", ())]),
        ({"mapped": {"X": "b", "Y": None}, "reasons": {"Y": "unpivoted"}}, [("b", (1,)), ("c", ())]),
        ({"mapped": {"X": None}, "unpivoted": {"a": -1}}, [("Alpha", (-1,)), ("c", ()), ("X", (1,))]),
        ({"mapped": {"": None, "b": None}}, [("Column A", (1,)), ("b", (2,))]),
    ],
)
def test_an_output_has_fields_in_their_order_and_then_what_was_not_mapped(options, expected):
    assert laid_out(fields=(A, B, C), **options) == expected
