"""Every reason the engine gives has words for people."""

import re
from pathlib import Path

import pytest

import ade_engine
from ade_engine.mapping.model import REASONS
from ade_engine.rule_words import HEADER_RULES, MAPPING_RULES

SOURCES = Path(ade_engine.__file__).parent


def rules_named_in(folder: str, prefix: str) -> set[str]:
    texts = [path.read_text(encoding="utf-8") for path in (SOURCES / folder).glob("*.py")]
    return {name for text in texts for name in re.findall(rf'"({prefix}\.[a-z_]+)"', text)}


@pytest.mark.req("E6")
def test_each_reason_for_a_header_row_has_words():
    assert rules_named_in("structure", "header") == set(HEADER_RULES)


@pytest.mark.req("E6")
def test_each_reason_for_a_mapping_has_words():
    guessed = {*REASONS, "table.rivals"}
    assert rules_named_in("mapping", "header") | guessed == set(MAPPING_RULES)
