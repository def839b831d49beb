"""Accepted documents become evidence for the next ones: by whom, for whom, without values, and only until undone."""

import csv
import random

import pytest

from ade_engine import check_configuration, explain, infer_configuration, load_configuration, normalize
from ade_engine.configuration.learned import forget, read_learned
from ade_engine.configuration.learning import learn
from ade_engine.errors import ConfigurationError, InputError

ORDERS = {
    "order_id": [f"SO-{number:05d}" for number in range(40)],
    "customer_id": [f"C{number % 17:03d}" for number in range(40)],
    "remark": [f"deliver to door {number % 13} please" for number in range(40)],
}


def write(path, columns):
    with path.open("w", newline="", encoding="utf-8") as handle:
        rows = csv.writer(handle)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def rules(tmp_path):
    infer_configuration(tmp_path / "rules", [ORDERS])
    return tmp_path / "rules"


def teach(rules, tmp_path, **options):
    """Have the configuration learn that "Zusatz 7" is the remark: an alias said so when the document was accepted."""
    file = rules / "columns/remark.py"
    text = file.read_text("utf-8")
    file.write_text(text.replace('Field("remark", ', 'Field("remark", aliases=["Zusatz 7"], '), "utf-8")
    columns = {"order_id": ORDERS["order_id"], "customer_id": ORDERS["customer_id"], "Zusatz 7": ORDERS["remark"]}
    document = write(tmp_path / "acme_march.csv", columns)
    (rules / "learned.json").write_text(learn(rules, document, tmp_path / "run", **options), "utf-8")
    file.write_text(text, "utf-8")


def april(rules, tmp_path, name="acme_april.csv"):
    others = [f"{number} boxes on pallet" for number in range(40)]
    columns = {"order_id": ORDERS["order_id"], "customer_id": ORDERS["customer_id"], "Zusatz 7": others}
    done = normalize(write(tmp_path / name, columns), tmp_path / "out", configuration=rules)
    return done.artifact, done.artifact["sheets"][0]["tables"][0]["columns"][2]


def test_a_header_that_was_accepted_is_recognised_with_its_origin(rules, tmp_path):
    assert april(rules, tmp_path)[1]["target"] is None
    teach(rules, tmp_path)
    artifact, column = april(rules, tmp_path)
    assert (column["target"], column["reason"], column["learned_from"]) == ("remark", "likely", "acme_march.csv")
    assert "by what was learned from acme_march.csv" in explain(artifact)


def test_what_was_learned_for_a_sender_is_no_evidence_for_others(rules, tmp_path):
    teach(rules, tmp_path, sender="acme*")
    assert april(rules, tmp_path, "acme_april.csv")[1]["target"] == "remark"
    assert april(rules, tmp_path, "bolt_april.csv")[1]["target"] is None


def test_what_was_learned_can_be_undone(rules, tmp_path):
    before = load_configuration(rules).fingerprint
    teach(rules, tmp_path)
    assert load_configuration(rules).fingerprint != before
    assert forget(rules, "acme_march.csv")
    assert not forget(rules, "acme_march.csv")
    assert load_configuration(rules).fingerprint == before
    assert april(rules, tmp_path)[1]["target"] is None


def test_learning_again_from_the_same_document_replaces_what_was_learned(rules, tmp_path):
    teach(rules, tmp_path)
    teach(rules, tmp_path, sender="acme*")
    assert [(entry.origin, entry.sender) for entry in read_learned(rules)[0].entries] == [("acme_march.csv", "acme*")]


def test_no_value_stands_in_what_was_learned(rules, tmp_path):
    chance = random.Random(3)
    secrets = [f"{chance.randrange(100, 999)}-{chance.randrange(10, 99)}-{number}" for number in range(1000, 1040)]
    document = write(tmp_path / "march.csv", {**ORDERS, "order_id": secrets})
    text = learn(rules, document, tmp_path / "run")
    for value in (*secrets, *ORDERS["customer_id"], *ORDERS["remark"], "deliver", "C003"):
        assert value.lower() not in text.lower()


def test_however_many_documents_are_learned_from_a_field_has_one_sketch(tmp_path):
    # Values that come every month would pass every sketch, and hardly any other candidate would.
    infer_configuration(tmp_path / "rules", [{**ORDERS, "remark": [""] * 40}])
    for month in range(6):
        remarks = [f"deliver to door {number} please" for number in range(20 + month)]
        columns = {name: values[: 20 + month] for name, values in ORDERS.items()}
        document = write(tmp_path / f"month_{month}.csv", {**columns, "remark": remarks})
        (tmp_path / "rules/learned.json").write_text(learn(tmp_path / "rules", document, tmp_path / "run"), "utf-8")
    profiles = load_configuration(tmp_path / "rules").profiles["fields"]
    learned = [entry.fields for entry in read_learned(tmp_path / "rules")[0].entries]
    assert len(learned) == 6
    for name in ORDERS:
        sketches = [profile for profile in (profiles.get(name), *(entry[name].profile for entry in learned)) if profile]
        assert sum("values" in profile for profile in sketches) == 1


def test_a_document_of_which_no_column_is_mapped_teaches_nothing(rules, tmp_path):
    document = write(tmp_path / "other.csv", {"Alpha": ["x", "y", "z"], "Beta": ["1", "2", "3"]})
    with pytest.raises(InputError, match="nothing to learn"):
        learn(rules, document, tmp_path / "run")


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{",
        '{"version": 2, "salt": "", "entries": []}',
        '{"version": 1, "salt": "xy", "entries": []}',
        '{"version": 1, "salt": "", "entries": [3]}',
        '{"version": 1, "salt": "", "entries": [{"origin": "", "sender": null, "fields": {}}]}',
        '{"version": 1, "salt": "", "entries": [{"origin": "a", "sender": 3, "fields": {}}]}',
        '{"version": 1, "salt": "", "entries": [{"origin": "a", "sender": null, "fields": {"b": {"headers": [3]}}}]}',
        '{"version": 1, "salt": "", "entries": [{"origin": "a", "sender": null, "values": [], "fields": {}}]}',
    ],
)
def test_learned_evidence_that_is_damaged_is_a_problem_of_the_configuration(rules, content):
    (rules / "learned.json").write_text(content, encoding="utf-8")
    assert [(problem.file, problem.code) for problem in check_configuration(rules)] == [("learned.json", "bad-learned")]
    with pytest.raises(ConfigurationError, match=r"learned\.json"):
        load_configuration(rules)
