"""What ade init says about the examples: how many cells there were, and which checks could be added."""

import re

import pytest

from ade_engine import infer_configuration, load_configuration
from ade_engine.configuration.infer import infer_fields
from ade_engine.configuration.infer_evidence import evidence_of


def evidence(*tables):
    return evidence_of(infer_fields(tables)[0], tables)


def test_cells_of_all_examples_are_counted():
    assert evidence({"Name": ["Ada", "", "Ada"]}, {"Name": ["Bo", None]}) == [
        "In the examples (2 tables): 3 of 5 cells filled, 2 different."
    ]


def test_a_column_without_values_has_no_evidence():
    assert evidence({"Name": ["", None]}) == []


@pytest.mark.parametrize(
    ("values", "pattern"),
    [
        ([f"SO-{number:05d}" for number in range(10, 30)], r"[A-Z]{2}-\d{5}"),
        ([f"{number}.{number} kg" for number in range(10, 30)], None),
        ([f"{number}.1/{number}" for number in range(10, 30)], r"\d{2}\.\d/\d{2}"),
        ([f"{number} Elm Street" for number in range(10, 30)], None),
        ([f"C{number}/x" for number in range(95, 120)], r"[A-Z]\d{2,3}/[a-z]"),
        ([f"A{number}\n\"'" for number in range(10, 30)], None),
        ([f"A{number}" for number in range(10, 15)], None),
        ([f"{number}" for number in range(1000, 1030)], None),
        ([f"Ä{number}" for number in range(10, 30)], None),
        (["no digits here"] * 30, None),
        ([f"A{number}" for number in range(10, 30)] + ["B-1"], None),
    ],
)
def test_a_pattern_is_proposed_for_codes_of_the_same_parts(values, pattern):
    told = [line for line in evidence({"Code": values}) if "pattern" in line]
    assert told == ([f'Could be added: pattern=r"{pattern}", which fits all of them.'] if pattern else [])
    assert not pattern or all(re.fullmatch(pattern, value) for value in values)


@pytest.mark.parametrize(
    ("header", "values", "is_proposed"),
    [
        ("Voucher", [f"V-{number}" for number in range(10, 30)], True),
        ("Voucher", [f"V-{number}" for number in range(10, 19)], False),
        ("Voucher", [f"V-{number % 15}" for number in range(10, 30)], False),
        ("Key", [str(number) for number in range(1, 30)], True),
        ("Price", [str(number) for number in range(1, 30)], False),
        ("Order ID", [str(number) for number in range(1, 30)], False),  # is unique already
    ],
)
def test_codes_that_are_all_different_are_proposed_as_a_key(header, values, is_proposed):
    told = [line for line in evidence({header: values}) if "unique" in line]
    assert told == (
        [f"Could be added: unique=True, because all {len(values)} values are different."] if is_proposed else []
    )


@pytest.mark.parametrize(
    ("values", "is_proposed"),
    [
        (["open", "sent"] * 20, True),
        (["open", "sent"] * 10, False),
        ([*["open", "sent"] * 20, "Ada"], False),
        (["A1", "B2"] * 20, False),
        ([f"{chr(97 + number % 12)}bc" for number in range(120)], False),
    ],
)
def test_choices_are_proposed_where_few_words_come_often(values, is_proposed):
    told = [line for line in evidence({"Status": values}) if "choices" in line]
    assert told == (['Could be added: choices=["open", "sent"], each of which occurs often.'] if is_proposed else [])


def test_evidence_is_written_as_comments_and_changes_nothing(tmp_path):
    codes = [f"SO-{number:05d}" for number in range(40)]
    infer_configuration(tmp_path / "rules", [{"order_id": codes, "Status": ["open", "sent"] * 20}])
    text = (tmp_path / "rules/columns/order_id.py").read_text("utf-8")
    assert "# In the examples (1 table): 40 of 40 cells filled, 40 different.\n" in text
    fields = {field.name: field for field in load_configuration(tmp_path / "rules").fields}
    assert (fields["order_id"].pattern, fields["status"].choices) == (None, None)
