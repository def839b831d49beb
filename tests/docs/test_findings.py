"""The page of findings names tests that exist, for every finding."""

import ast
import re
from functools import cache
from pathlib import Path

from sandbox.attacks import ATTACKS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/reference/findings.md"
FINDINGS = {"H": 4, "M": 7, "L": 9, "E": 11, "F": 10}
TEST = re.compile(r"`((?:packages/engine/)?tests/[\w/]+\.py)::(\w+)(?:\[([^\]`]+)\])?`")
ROW = re.compile(r"^\| ([A-Z]\d+) \|.*\|$", re.MULTILINE)


@cache
def names_in(file: str) -> frozenset[str]:
    path = ROOT / file
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else ()
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def test_every_finding_has_a_test_that_exists() -> None:
    page = PAGE.read_text(encoding="utf-8")
    rows = {row[1]: TEST.findall(row[0]) for row in ROW.finditer(page)}

    assert list(rows) == [f"{kind}{number}" for kind, most in FINDINGS.items() for number in range(1, most + 1)]
    assert [finding for finding, tests in rows.items() if not tests] == []
    assert {f"{file}::{name}" for file, name, _ in TEST.findall(page) if name not in names_in(file)} == set()
    assert {attack for _, _, attack in TEST.findall(page) if attack and attack not in ATTACKS} == set()


def test_nothing_that_looks_like_a_test_is_misspelt() -> None:
    page = PAGE.read_text(encoding="utf-8")

    assert page.count(".py::") - page.count(r"\.py::") == len(TEST.findall(page))
