import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine.configuration.model import ColumnRules, Configuration, Context, Function, Settings
from ade_engine.errors import ConfigurationError
from ade_engine.fields import KINDS, Field
from ade_engine.mapping import kinds
from ade_engine.mapping.common_fields import common_configuration
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.profile import Column
from ade_engine.mapping.table import Mapper


def configuration(*fields, detectors=None, **settings):
    columns = tuple(ColumnRules(field=field, detectors=(detectors or {}).get(field.name, ())) for field in fields)
    return Configuration(name="test", fingerprint="0", columns=columns, settings=Settings(**settings))


def mapped(rules, columns):
    """Map {header: values}, and return the mapping by header."""
    table = SourceTable(
        "S", [Column(number, header, values) for number, (header, values) in enumerate(columns.items(), 1)], (1,), 1
    )
    return {column.header: column for column in Mapper(rules, Context()).map_table(table).columns}


def common(columns):
    return {header: column.field for header, column in mapped(common_configuration(), columns).items()}


def detector(call):
    return Function(
        "col.x.mine", tuple(call.__code__.co_varnames[: call.__code__.co_argcount]), call, "columns/x.py", 3
    )


def test_every_kind_a_field_may_name_has_a_detector():
    assert set(KINDS) == set(kinds.KINDS)


@pytest.mark.req("E4")
def test_score_is_the_sum_of_named_contributions():
    found = mapped(configuration(Field("email", kind="email")), {"E-Mail": ["a@example.org", "b@example.org"]})[
        "E-Mail"
    ]
    assert [(c.rule, c.delta) for c in found.contributions] == [("header.normalised", 0.95), ("values.email", 0.6)]
    assert found.score == 1.55


def test_an_alias_beats_a_normalised_name_beats_a_misspelling_beats_shared_words():
    rules = configuration(Field("start_date", aliases=["Member since"]), automatic=1, suggest=1)
    headers = ["Member since", "MEMBER SINCE", "Membr since", "Member since then"]
    scores = [mapped(rules, {header: []})[header].score for header in headers]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) == 4


def test_shared_words_alone_do_not_map():
    found = mapped(configuration(Field("email")), {"Email sent": [True, False]})["Email sent"]
    assert (found.field, found.reason) == (None, "unsure")
    assert [suggestion.field for suggestion in found.suggestions] == ["email"]


@pytest.mark.req("E4")
def test_peer_weakness_a_loser_column_gets_its_second_choice():
    scores = {("Phone", "phone"): 0.9, ("Contact", "phone"): 0.8, ("Contact", "mobile"): 0.6}

    def scored(name):
        return detector(lambda column: scores.get((column.header, name)))

    fields = [Field("phone_number"), Field("mobile_number")]
    detectors = {"phone_number": (scored("phone"),), "mobile_number": (scored("mobile"),)}
    found = mapped(configuration(*fields, detectors=detectors), {"Contact": [], "Phone": []})
    assert (found["Phone"].field, found["Contact"].field) == ("phone_number", "mobile_number")
    assert found["Contact"].runner_up.field == "phone_number"


def test_an_unmapped_column_says_to_which_column_it_lost():
    found = mapped(configuration(Field("email", aliases=["Mail"])), {"email": [], "E-mail": [], "Weight": []})
    assert (found["E-mail"].reason, found["E-mail"].lost_to) == ("lost", "A")
    assert found["Weight"].reason == "no_candidate"


def test_one_field_takes_several_columns_only_when_it_says_so():
    columns = {"Street": ["a"], "street": ["b"]}
    assert [c.field for c in mapped(configuration(Field("street")), columns).values()].count("street") == 1
    several = mapped(configuration(Field("street", combine=" ")), columns)
    assert [column.field for column in several.values()] == ["street", "street"]


def test_a_rule_of_the_configuration_adds_its_own_contribution():
    rules = configuration(Field("x"), detectors={"x": (detector(lambda column: 0.9 * column.share_matching(r"\d+")),)})
    found = mapped(rules, {"Code": ["1", "22", "z"]})["Code"]
    assert found.field == "x"
    assert [(c.rule, c.delta) for c in found.contributions] == [("col.x.mine", 0.6)]


def test_a_rule_that_raises_or_returns_text_stops_the_run_with_its_place():
    for call in (lambda column: 1 / 0, lambda column: "high"):
        with pytest.raises(ConfigurationError, match=r"columns/x.py, line 3"):
            mapped(configuration(Field("x"), detectors={"x": (detector(call),)}), {"A": ["secret"]})


def test_values_that_contradict_the_header_keep_it_unmapped():
    assert common({"Email": ["yes", "no", "yes"]}) == {"Email": None}
    assert common({"Date": ["Monday morning", "later"]}) == {"Date": None}


def test_values_alone_name_a_column_without_header_but_not_one_with_another_header():
    emails = ["a@example.org", "b@example.com"]
    assert common({"": emails}) == {"": "email"}
    assert common({"Approver": emails}) == {"Approver": None}


@pytest.mark.req("E4")
def test_common_headers_of_seven_languages_are_known():
    found = common(
        {
            "Vorname": ["Anna", "Jörg"],
            "Nom de famille": ["Martin", "Petit"],
            "Correo electrónico": ["a@example.org"],
            "Data di nascita": ["1990-02-01"],
            "Postcode": ["1012 AB"],
            "Quantidade": [3, 4],
            "Invoice No.": ["INV-001", "INV-002"],
        }
    )
    assert list(found.values()) == [
        "first_name", "last_name", "email", "birth_date", "postal_code", "quantity", "invoice_number"
    ]  # fmt: skip


def test_name_means_a_person_only_when_values_and_neighbours_are_about_people():
    people = ["Anna Berg", "Jean-Luc Petit", "Müller, Jörg", "Vincent van Gogh"]
    assert common({"Name": people, "Phone": ["+49 170 5550123"]})["Name"] == "full_name"
    assert common({"Name": people, "Population": [3, 4, 5, 6]})["Name"] is None
    assert common({"Name": ["Bolt M8 x 40", "Washer 8 mm"], "Phone": []})["Name"] is None
    assert common({"Full name": people})["Full name"] == "full_name"


def test_headers_that_could_be_of_anything_stay_unmapped():
    for header in ("Value", "Code", "#", "Key", "Units", "Total", "Direction"):
        assert common({header: [1.5, 2.5, 7]}) == {header: None}, header


def test_county_is_not_a_misspelt_country():
    assert common({"County": ["Kent", "Devon"]}) == {"County": "county"}


def test_arbitrary_headers_stay_unmapped():
    headers = [
        "Temperature",
        "Voltage",
        "Species",
        "Latitude",
        "Score A",
        "Gene",
        "Depth (m)",
        "Comment",
        "Sample",
        "pH",
    ]
    assert set(common({header: [1.5, 2.5, 7] for header in headers}).values()) == {None}


@given(st.permutations(["a@example.org", "b@example.org", "x", "7", "1,5", "c@example.org"]))
def test_the_order_of_rows_does_not_change_the_mapping(values):
    rules = common_configuration()
    columns = {"Mail": values, "Phone": list(reversed(values))}
    expected = mapped(rules, {"Mail": sorted(values), "Phone": sorted(values)})
    assert mapped(rules, columns) == expected


def test_wrong_values_of_a_typed_field_are_mapped_so_that_they_can_be_reported():
    assert mapped(configuration(Field("age", type="integer")), {"Age": ["x", "y"]})["Age"].field == "age"
    assert mapped(configuration(Field("age", kind="integer")), {"Age": ["x", "y"]})["Age"].field is None


@pytest.mark.req("E4")
def test_brackets_and_symbols_tell_fields_apart_only_where_fields_differ_by_them():
    years = configuration(Field("ytd_2011", label="YTD (2011)"), Field("ytd_2012", label="YTD (2012)"))
    found = mapped(years, {"ytd (2012)": [], "YTD (2013)": []})
    assert [column.field for column in found.values()] == ["ytd_2012", None]
    totals = configuration(Field("total", label="Total"), Field("share", label="%Total"))
    found = mapped(totals, {"% TOTAL": [], "Total (EUR)": []})
    assert [column.field for column in found.values()] == ["share", "total"]
    assert mapped(configuration(Field("weight")), {"Weight (kg)": []})["Weight (kg)"].field == "weight"


def test_the_second_column_of_a_header_has_a_number():
    rules = configuration(Field("total"), Field("other", label="Total (2)"))
    table = SourceTable("S", [Column(1, "total", []), Column(2, "Total", []), Column(3, "Total", [])], (1,), 1)
    found = Mapper(rules, Context()).map_table(table).columns
    assert [column.field for column in found] == ["total", None, "other"]


def test_letters_of_other_scripts_keep_their_marks():
    found = mapped(configuration(Field("gas", label="ガス"), Field("dregs", label="カス")), {"ガス": [], "カス ": []})
    assert [column.field for column in found.values()] == ["gas", "dregs"]
    assert mapped(configuration(Field("x", label="मल")), {"माल": []})["माल"].field is None


def test_a_header_the_settings_ignore_is_left_out_whatever_its_values_are():
    emails = {"Contact": ["a@example.org", "b@example.org"], "E-Mail": ["c@example.org", "d@example.org"]}
    rules = configuration(Field("email", kind="email", aliases=["E-Mail"]), ignore=("e mail",))
    found = mapped(rules, emails)
    assert (found["E-Mail"].field, found["E-Mail"].reason, found["E-Mail"].contributions) == (None, "ignored", ())
    assert found["Contact"].runner_up.field == "email"


def test_one_of_two_equal_headers_can_be_ignored():
    table = SourceTable("S", [Column(1, "Total", [1]), Column(2, "Total", [2])], (1,), 1)
    rules = configuration(Field("total"), ignore=("Total (2)",))
    assert [(c.field, c.reason) for c in Mapper(rules, Context()).map_table(table).columns] == [
        ("total", "best"),
        (None, "ignored"),
    ]
