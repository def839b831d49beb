"""Real files of other kinds, where they are at hand: none is Ready, the right one with bad cells ranks above all.

Reads $ADE_CORPUS, or the corpus beside the clone.
"""

from __future__ import annotations

import csv
import os
import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from ade_engine import normalize
from ade_engine.configuration.starter import infer_configuration, init_configuration
from ade_engine.verdict import VERDICTS

ROOT = Path(__file__).resolve().parents[4]
CORPUS = Path(os.environ.get("ADE_CORPUS", ROOT.parent / "shared/corpus"))
FAMILIES = {  # files of each kind, and how many of them
    "enron/*.xls": 8,
    "workbooks/*/*.xlsx": 7,
    "workbooks/*/*.xls": 4,
    "workbooks/*/*.ods": 3,
    "workbooks/*/*.xlsb": 2,
    "fuste/csv/*.csv": 3,
    "saus/csv/*.csv": 2,
    "troy/csv/*.csv": 2,
    "csv/csv/*.csv": 1,
}
ORDERS = [
    ["Order number", "Date", "Customer", "Item", "Quantity", "Unit price", "Amount"],
    *([f"SO-{1000 + n}", f"2024-03-{n:02}", f"Shop {n % 4}", "Chair", n, 2.5, n * 2.5] for n in range(1, 31)),
]
MEMBERS = [
    ["Member ID", "Email", "Joined on"],
    *([f"MB{100000 + n}", f"p{n}@example.org", f"2024-01-{n:02}"] for n in range(1, 31)),
]
BAD_ORDERS = {(3, 1): "soon", (6, 4): "few", (8, 5): "tbd", (10, 6): "?"}
BAD_MEMBERS = {(3, 1): "nobody", (6, 2): "soon", (8, 1): "?", (10, 2): "May?"}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CORPUS / "enron/gold.json").is_file(), reason="there is no corpus: set ADE_CORPUS"),
]


@pytest.mark.parametrize(
    ("right", "bad", "is_inferred"),
    [(ORDERS, BAD_ORDERS, True), (MEMBERS, BAD_MEMBERS, False)],
    ids=["inferred", "starter"],
)
def test_none_of_32_real_files_is_ready_and_the_right_one_with_four_bad_cells_ranks_above_all(
    tmp_path: Path, right: list[list[Any]], bad: Mapping[tuple[int, int], str], is_inferred: bool
) -> None:
    rules = tmp_path / "rules"
    if is_inferred:
        infer_configuration(rules, [columns(right)])
    else:
        init_configuration(rules)
    wrong = [[bad.get((row, column), cell) for column, cell in enumerate(cells)] for row, cells in enumerate(right)]
    assert judged(written(tmp_path / "right.csv", right), tmp_path, rules)["verdict"] == "ready"
    found = judged(written(tmp_path / "wrong.csv", wrong), tmp_path, rules)
    assert found["verdict"] == "check"
    others = {path.name: verdict for path, verdict in others_judged(tmp_path, rules)}
    assert len(others) == sum(FAMILIES.values()) == 32
    assert [name for name, other in others.items() if other["verdict"] == "ready"] == []
    assert [name for name, other in others.items() if _rank(other) >= _rank(found)] == []


def others_judged(folder: Path, rules: Path) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield files that can be read and their verdicts, some of each family."""
    for pattern, count in FAMILIES.items():
        paths = sorted(CORPUS.glob(pattern))
        random.Random(pattern).shuffle(paths)
        verdicts = ((path, judged(path, folder, rules)) for path in paths)
        readable = ((path, verdict) for path, verdict in verdicts if verdict)
        yield from islice(readable, count)


def judged(path: Path, folder: Path, rules: Path) -> Mapping[str, Any]:
    result = normalize(path, folder / "out", configuration=rules)
    verdict: Mapping[str, Any] = result.artifact["verdict"] if result.status == "succeeded" else {}
    return verdict


def columns(rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    header, *records = rows
    return dict(zip(header, map(list, zip(*records, strict=True)), strict=True))


def written(path: Path, rows: Sequence[Sequence[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def _rank(verdict: Mapping[str, Any]) -> tuple[int, float]:
    return -VERDICTS.index(verdict["verdict"]), verdict["fit"]
