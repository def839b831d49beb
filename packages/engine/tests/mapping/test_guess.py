"""Columns that no rule names: what the model maps, what it suggests, and what outranks it."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ade_engine import example_tables, explain, infer_configuration, load_configuration, normalize
from ade_engine.configuration.model import ColumnRules, Configuration, Context, Function, Settings
from ade_engine.evidence import total
from ade_engine.fields import Field
from ade_engine.mapping.headers import plain_letters
from ade_engine.mapping.likeness import words_in_common
from ade_engine.mapping.model import FILE, NEVER, REASONS, is_safe, model
from ade_engine.mapping.outcome import SourceTable
from ade_engine.mapping.pairs import FEATURES
from ade_engine.mapping.profile import Column
from ade_engine.mapping.table import Mapper
from ade_engine.mapping.vocabulary import vocabulary

ORDERS = {
    "order_id": [f"SO-{number:05d}" for number in range(40)],
    "customer_id": [f"C{number % 17:03d}" for number in range(40)],
    "quantity": [str(1 + number % 9) for number in range(40)],
    "unit_price": [f"{3 + number * 1.25:.2f}" for number in range(40)],
    "placed_at": [f"2024-0{1 + number % 9}-1{number % 10}" for number in range(40)],
}


SIDES = ("column", "field")


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("orders") / "rules"
    infer_configuration(folder, [ORDERS])
    return load_configuration(folder)


def mapped(rules, columns):
    table = SourceTable(
        "S", [Column(n, header, values) for n, (header, values) in enumerate(columns.items(), 1)], (1,), 1
    )
    return {column.header: column for column in Mapper(rules, Context()).map_table(table).columns}


def fields_of(rules, columns):
    return {header: column.field for header, column in mapped(rules, columns).items()}


def renamed(names):
    return {new: ORDERS[old] for old, new in names.items()}


@pytest.mark.parametrize(
    "names",
    [
        {
            "order_id": "ORDERID_V2",
            "customer_id": "CUSTOMERID_V2",
            "quantity": "QUANTITY_V2",
            "placed_at": "PLACEDAT_V2",
        },
        {"order_id": "cust_orderId", "customer_id": "cust_customerId", "quantity": "cust_quantity"},
        {"order_id": "order_id_raw", "customer_id": "customer_id_raw", "quantity": "quantity_raw"},
        {"order_id": "ordr_d", "customer_id": "cstmr_d", "quantity": "qntty", "unit_price": "unt_prc"},
        {"order_id": "Order number", "customer_id": "Cust. ID", "quantity": "Qty"},
    ],
)
def test_renamed_columns_are_mapped(orders, names):
    assert fields_of(orders, renamed(names)) == {new: old for old, new in names.items()}


def test_a_mapping_by_the_model_says_why(orders):
    found = mapped(orders, renamed({"quantity": "Qty (pcs)", "order_id": "order_id"}))["Qty (pcs)"]
    assert (found.field, found.reason) == ("quantity", "likely")
    assert found.score == pytest.approx(total(found.contributions))
    assert found.score == pytest.approx(found.confidence, abs=0.002)
    assert {reason.rule for reason in found.contributions} <= {*REASONS, "name.base", "table.rivals"}


def test_the_only_open_column_and_field_of_a_kind_have_no_rivals(orders):
    columns = {"Lieferung": ORDERS["placed_at"], "Wert": ORDERS["unit_price"], "Anzahl": ORDERS["quantity"]}
    table = SourceTable(
        "S", [Column(n, header, values) for n, (header, values) in enumerate(columns.items(), 1)], (1,), 1
    )
    rows = Mapper(orders, Context()).open_pairs(table)
    names = [field.name for field in orders.fields]
    rivals = {
        (table.headers[column], names[field]): tuple(row[FEATURES.index(f"kind_rivals_{side}")] for side in SIDES)
        for (column, field), row in rows.items()
    }
    assert rivals["Lieferung", "placed_at"] == (0, 0)
    assert rivals["Wert", "unit_price"] == rivals["Wert", "quantity"] == (1, 1)
    assert rivals["Wert", "placed_at"] == (-1, -1)


def test_a_column_that_has_no_field_stays_unmapped(orders):
    extra = {"Warehouse remarks": ["handle with care", "", "fragile, keep dry"] * 10}
    assert fields_of(orders, {**ORDERS, **extra})["Warehouse remarks"] is None


def test_what_is_not_certain_is_suggested_and_not_mapped(orders):
    columns = {**renamed({"order_id": "order_id", "placed_at": "placed_at"}), "Cust": ORDERS["customer_id"]}
    strict = Configuration(
        name="x", fingerprint="0", columns=orders.columns, profiles=orders.profiles,
        settings=Settings(automatic=1.0, suggest=0.01),
    )  # fmt: skip
    found = mapped(strict, columns)["Cust"]
    assert (found.field, found.reason, found.confidence) == (None, "unsure", None)
    assert found.suggestions[0].field == "customer_id"
    assert found.suggestions[0].confidence == found.score < 1
    assert total(found.suggestions[0].contributions) == pytest.approx(found.score, abs=0.002)


def test_a_rule_of_the_field_against_a_column_outranks_the_model(orders):
    def refuse(call):
        return Function("col.quantity.mine", ("column",), call, "columns/quantity.py", 3)

    columns = tuple(
        ColumnRules(field=rules.field, detectors=(refuse(lambda column: -0.1),))
        if rules.field.name == "quantity"
        else rules
        for rules in orders.columns
    )
    strict = Configuration(name="x", fingerprint="0", columns=columns, profiles=orders.profiles)
    assert fields_of(strict, renamed({"quantity": "quantity_raw"})) == {"quantity_raw": None}


def test_an_alias_outranks_the_model(orders):
    columns = tuple(
        ColumnRules(field=Field("quantity", aliases=["Note"])) if rules.field.name == "quantity" else rules
        for rules in orders.columns
    )
    rules = Configuration(name="x", fingerprint="0", columns=columns, profiles=orders.profiles)
    assert fields_of(rules, {"Note": ["a", "b"], "quantity_raw": ORDERS["quantity"]})["Note"] == "quantity"


def test_a_column_that_is_left_out_is_not_guessed(orders):
    rules = Configuration(
        name="x", fingerprint="0", columns=orders.columns, profiles=orders.profiles,
        settings=Settings(ignore=("quantity_raw",)),
    )  # fmt: skip
    found = mapped(rules, renamed({"quantity": "quantity_raw"}))["quantity_raw"]
    assert (found.reason, found.suggestions) == ("ignored", ())


@settings(max_examples=25, deadline=None)
@given(st.permutations(["ORDERID_V2", "CUSTOMERID_V2", "QUANTITY_V2", "UNITPRICE_V2", "Remark"]))
def test_every_order_of_columns_gives_one_field_to_a_column(orders, order):
    columns = renamed(
        dict(zip(ORDERS, ["ORDERID_V2", "CUSTOMERID_V2", "QUANTITY_V2", "UNITPRICE_V2", "Remark"], strict=True))
    )
    found = mapped(orders, {name: columns[name] for name in order})
    taken = [column.field for column in found.values() if column.field]
    assert len(taken) == len(set(taken))
    assert found["ORDERID_V2"].field == "order_id"


def test_the_same_table_is_mapped_the_same_way_again(orders):
    columns = renamed({"order_id": "ordr_d", "quantity": "Menge", "unit_price": "Preis"})
    assert mapped(orders, columns) == mapped(orders, columns)


def test_a_table_as_wide_as_a_sheet_takes_no_time_for_guesses(orders):
    columns = {f"column {number} of many": [] for number in range(4000)}
    assert set(fields_of(orders, columns).values()) == {None}


def test_a_whole_run_maps_renamed_columns_and_explains_them(tmp_path):
    write(tmp_path / "example.csv", ORDERS)
    write(tmp_path / "new.csv", renamed({"order_id": "Order no", "customer_id": "customer_id", "quantity": "Qty"}))
    infer_configuration(tmp_path / "rules", example_tables(tmp_path / "example.csv"))
    result = normalize(tmp_path / "new.csv", tmp_path / "out", configuration=tmp_path / "rules")
    columns = result.artifact["sheets"][0]["tables"][0]["columns"]
    assert [column["target"] for column in columns] == ["order_id", "customer_id", "quantity"]
    told = explain(result.artifact)
    assert 'Column C "Qty" is quantity: ' in told
    assert "% likely" in told


def write(path, columns):
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines), encoding="utf-8")


def test_model_and_vocabulary_are_small():
    assert FILE.stat().st_size + FILE.with_name("vocabulary.txt").stat().st_size < 1_000_000


def test_every_feature_belongs_to_one_reason():
    assert sorted(feature for features in REASONS.values() for feature in features) == sorted(FEATURES)


def test_a_path_through_the_trees_is_explained_completely():
    chance = random.Random(2)
    judge = model()
    for _ in range(50):
        row = [chance.randrange(-1, 100) for _ in FEATURES]
        assert judge.raw(row) in (NEVER, judge.start + sum(judge.reasons(row).values()))


def test_the_vocabulary_is_written_as_headers_are_compared():
    lines = FILE.with_name("vocabulary.txt").read_text("utf-8").splitlines()
    entries = [line.lstrip("~").partition(":") for line in lines if line and line[0] not in "#="]
    concepts = {concept: words.split() for concept, _, words in entries}
    for concept, words in concepts.items():
        assert words == list(dict.fromkeys(plain_letters(word) for word in words)), concept
    assert set(concepts) == {concept for its in vocabulary().concepts.values() for concept in its}
    assert set(vocabulary().near) <= set(concepts)
    assert vocabulary().generic <= set(concepts)
    assert len(vocabulary().concepts) > 2000


@pytest.mark.parametrize(
    ("header", "field", "told"),
    [
        ("Datum", "date", [("datum", "date", "meaning")]),
        ("In Service", "in_service_date", [("service", "service", "equal")]),
        ("Prod_mo", "production", [("prod", "production", "spelling")]),
        ("Posting date", "created", [("posting date", "created", "near")]),
        ("Ext.", "extension", [("ext", "extension", "spelling")]),
        ("Counterparty name", "company_name", [("counterparty", "company name", "near")]),
        ("Installed Year", "Year in Service", [("year", "year", "equal")]),
        ("Colour", "amount", []),
        ("", "amount", []),
    ],
)
def test_words_taken_for_the_same_are_named_with_how(header, field, told):
    assert list(words_in_common(header, field)) == told


def test_an_explanation_names_the_words_that_two_names_have_in_common(tmp_path):
    infer_configuration(tmp_path / "rules", [{"invoice_date": ORDERS["placed_at"], "order_id": ORDERS["order_id"]}])
    rows = "\n".join(f"{day},{number}" for day, number in zip(ORDERS["placed_at"], ORDERS["order_id"], strict=True))
    (tmp_path / "may.csv").write_text(f"Rechnungsdatum,order_id\n{rows}\n", "utf-8")
    done = normalize(tmp_path / "may.csv", tmp_path / "out", configuration=tmp_path / "rules")
    assert '("rechnung" means "invoice", "datum" means "date")' in explain(done.artifact)


def test_values_alone_are_mapped_only_where_they_are_more_certain_than_the_bar():
    nothing_of_names = [0] * len(FEATURES)
    assert Settings().automatic < 0.984
    assert [is_safe(nothing_of_names, likely) for likely in (0.95, 0.984, 0.985, 0.999)] == [False, False, True, True]
