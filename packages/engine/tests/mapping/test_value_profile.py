import json
import random
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ade_engine import ConfigurationError, check_configuration, infer_configuration, load_configuration
from ade_engine.configuration.infer import infer_fields
from ade_engine.configuration.infer_profiles import profiles_of
from ade_engine.configuration.model import ColumnRules, Configuration
from ade_engine.fields import Field
from ade_engine.mapping.value_profile import Seen, as_json, from_json, profile_values, shared

SALT = b"12345678"


def profile(values, salt=SALT):
    return profile_values(values, salt)[0]


def test_kinds_are_shares_in_percent():
    found = profile(["1", "2.50", "x@example.org", "2024-05-01"])
    assert found.kinds == {"number": 50, "date": 25, "email": 25}


def test_texts_and_typed_cells_look_the_same():
    texts = profile(["1", "2.5", "2024-05-01", "2024-05-02 10:00:00"])
    cells = profile([1, 2.5, date(2024, 5, 1), datetime(2024, 5, 2, 10)])  # noqa: DTZ001 - cells have no zone
    assert as_json(texts) == as_json(cells)


def test_a_stored_profile_is_read_as_it_was():
    found = profile([f"AB-{number}" for number in range(50)])
    assert as_json(from_json(json.loads(json.dumps(as_json(found))))) == as_json(found)


def test_shared_values_are_seen_and_others_are_not():
    found = profile([f"item {number}" for number in range(200)])
    same = Seen([f"item {number}" for number in range(100, 200)], row_count=100)
    other = Seen([f"thing {number}" for number in range(100)], row_count=100)
    assert shared(found.values, found.value_limit, same.hashes(SALT, "values"))[0] > 80
    assert shared(found.values, found.value_limit, other.hashes(SALT, "values"))[0] < 30


@given(st.lists(st.one_of(st.none(), st.text(), st.integers(), st.floats(), st.dates(), st.booleans()), max_size=40))
def test_any_values_have_a_profile_that_can_be_stored(values):
    found = profile([value for value in values if value is not None and str(value).strip()])
    assert found is None or as_json(from_json(json.loads(json.dumps(as_json(found))))) == as_json(found)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=30), st.randoms())
def test_the_order_of_values_does_not_matter(values, chance):
    mixed = list(values)
    chance.shuffle(mixed)
    one, other = profile(values), profile(mixed)
    assert (one is None and other is None) or as_json(one) == as_json(other)


def secrets(count):
    chance = random.Random(5)
    return [
        f"{chance.randrange(100, 999)}-{chance.randrange(10, 99)}-{chance.randrange(1000, 9999)}" for _ in range(count)
    ]


def written(table):
    text = profiles_of(infer_fields([table]), [table])
    return text, json.loads(text)


def test_no_value_stands_in_the_profiles():
    names = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra"] * 5
    text, _ = written({"SSN": secrets(20), "Name": names, "Pay": [str(51234 + number) for number in range(20)]})
    for value in (*secrets(20), *names, *(word for name in names for word in name.split()), "51234"):
        assert value.lower() not in text.lower()


def test_a_dictionary_does_not_tell_which_values_were_there():
    # A person who has the file has the salt too: a third of all other candidates must look as if they had been there.
    table = {"SSN": secrets(300)}
    _, stored = written(table)
    found = from_json(stored["fields"]["ssn"])
    salt = bytes.fromhex(stored["salt"])
    size, bits = int(found.values.split(":")[0]), int(found.values.split(":")[1], 16)
    outside = Seen(secrets(3300)[300:], row_count=3000, most=3000).hashes(salt, "values")
    known = [value for value in outside if value <= found.value_limit]
    taken_for = sum(bits >> (value % size) & 1 for value in known)
    assert taken_for / len(known) > 0.3


def test_few_distinct_values_have_no_sketch():
    found = profile(["male", "female", "other"] * 40)
    assert (found.values, found.words, found.letters) == (None, None, None)


def test_numbers_are_kept_as_orders_of_size_alone():
    one, other = profile(["51234.56"] * 9), profile(["49999.99"] * 9)
    assert one.sizes == other.sizes


@pytest.mark.parametrize("text", ["1," * 400 + "1", "9" * 400, "-" + "9" * 400])
def test_a_number_of_hundreds_of_digits_has_no_size(text):
    assert profile([text] * 9).sizes == profile(["word"] * 9).sizes
    assert profile([text] * 4 + ["12"] * 9).sizes == profile(["12"] * 9).sizes


def test_other_examples_have_another_salt():
    one, other = written({"A": ["x"] * 3})[1], written({"A": ["x"] * 4})[1]
    assert one["salt"] != other["salt"]
    assert written({"A": ["x"] * 3})[1] == one


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"version": 2, "salt": "", "fields": {}}',
        '{"version": 1, "salt": "xy", "fields": {}}',
        '{"version": 1, "salt": "", "fields": {"a": 3}}',
        '{"version": 1, "salt": "", "fields": {"a": {"secret": 3}}}',
        '{"version": 1, "salt": "", "fields": {"a": {"lengths": [1, 2]}}}',
        '{"version": 1, "salt": "", "fields": {"a": {"values": "0:ff"}}}',
        pytest.param(
            f'{{"version": 1, "salt": "", "fields": {{"a": {{"values": "{"9" * 5000}:ff"}}}}}}', id="long size"
        ),
        '{"version": 1, "salt": "", "fields": {"a": {"kinds": {"number": "x"}}}}',
        '{"version": 1, "salt": "", "fields": {"a": {"top": true}}}',
    ],
)
def test_profiles_that_are_damaged_are_a_problem_of_the_configuration(tmp_path, content):
    infer_configuration(tmp_path / "rules", [{"A": ["x", "y"]}])
    (tmp_path / "rules/profiles.json").write_text(content, encoding="utf-8")
    assert [(problem.file, problem.code) for problem in check_configuration(tmp_path / "rules")] == [
        ("profiles.json", "bad-profile")
    ]
    with pytest.raises(ConfigurationError, match=r"profiles\.json"):
        load_configuration(tmp_path / "rules")


def test_profiles_are_part_of_the_fingerprint(tmp_path):
    infer_configuration(tmp_path / "rules", [{"A": [str(number) for number in range(20)]}])
    assert check_configuration(tmp_path / "rules") == []
    before = load_configuration(tmp_path / "rules").fingerprint
    (tmp_path / "rules/profiles.json").unlink()
    assert load_configuration(tmp_path / "rules").fingerprint != before


def test_a_configuration_has_no_profiles_unless_it_was_given_some():
    rules = Configuration(name="x", fingerprint="0", columns=(ColumnRules(field=Field("a")),))
    assert rules.profiles == {}
