"""Documents of other kinds: none is Ready, and the right one with a few bad cells ranks above all of them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from other_kinds import other_kinds

from ade_engine import normalize
from ade_engine.configuration.starter import infer_configuration
from ade_engine.verdict import VERDICTS

MEMBERS = """
from ade_engine import Field

fields = [
    Field("member_id", label="Member ID", required=True, unique=True, pattern=r"MB\\d{6}"),
    Field("name", label="Name"),
    Field("email", label="Email", pattern=r"[^@ ]+@[^@ ]+"),
    Field("joined_on", label="Joined on", type="date"),
    Field("status", label="Status", choices=["active", "left"]),
]
"""
MEMBERS_ROWS: list[list[Any]] = [
    ["Member ID", "Name", "Email", "Joined on", "Status"],
    *([f"MB{n:06}", f"Person {n}", f"p{n}@x.org", date(2024, 1, n), "active"] for n in range(1, 31)),
]
DUES = """
from ade_engine import Field

fields = [Field("name"), Field("amount", type="number")]
"""
DUES_ROWS: list[list[Any]] = [["Name", "Amount"], *([f"Person {n}", n * 2.5] for n in range(1, 31))]
STAYS = """
from ade_engine import Field

fields = [Field("date", type="date"), Field("status"), Field("room", type="integer", required=True)]
"""
STAYS_ROWS: list[list[Any]] = [
    ["Date", "Status", "Room"],
    *([date(2024, 3, n), "booked", 100 + n] for n in range(1, 31)),
]
ORDERS_ROWS: list[list[Any]] = [
    ["Order number", "Date", "Customer", "Item", "Quantity", "Unit price", "Amount"],
    *([f"SO-{1000 + n}", date(2024, 3, n), f"Shop {n % 4}", "Chair", n, 2.5, n * 2.5] for n in range(1, 31)),
]
Judge = Callable[[Path, Path], Mapping[str, Any]]


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    def judge(document: Path, rules: Path) -> Mapping[str, Any]:
        found = normalize(document, tmp_path / "out" / document.name, configuration=rules)
        assert found.status == "succeeded"
        verdict: Mapping[str, Any] = found.artifact["verdict"]
        return verdict

    return judge


@pytest.fixture
def written(tmp_path: Path, xlsx: ModuleType) -> Callable[[str, Sequence[Any], str], Path]:
    def written(name: str, rows: Sequence[Any], form: str) -> Path:
        path = tmp_path / f"{name}.{form}"
        if form == "xlsx":
            styled = [row and [_dated(xlsx, value) for value in row] for row in rows]
            xlsx.write_workbook(path, {"Data": xlsx.SheetPlan(styled)})
        else:
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(row or [] for row in rows)
        return path

    return written


def _dated(xlsx: ModuleType, value: Any) -> Any:
    return xlsx.Styled(value, "date") if isinstance(value, date) else value


def inferred(folder: Path) -> Path:
    header, *rows = ORDERS_ROWS
    table = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
    infer_configuration(folder / "inferred", [table])
    return folder / "inferred"


@pytest.mark.parametrize("form", ["xlsx", "csv"])
@pytest.mark.parametrize(
    ("rules", "right", "bad"),
    [
        (MEMBERS, MEMBERS_ROWS, {(3, 2): "nobody", (6, 3): "soon", (8, 4): "gone", (10, 0): "MB1"}),
        (DUES, DUES_ROWS, dict.fromkeys([(3, 1), (6, 1), (8, 1), (10, 1)], "unpaid")),
        (STAYS, STAYS_ROWS, {(3, 0): "soon", (6, 0): "May?", (8, 2): "attic", (10, 2): "?"}),
        (None, ORDERS_ROWS, {(3, 1): "soon", (6, 4): "few", (8, 5): "tbd", (10, 6): "?"}),
    ],
    ids=["members", "dues", "stays", "inferred"],
)
def test_none_of_32_other_kinds_is_ready_and_the_right_document_with_four_bad_cells_ranks_above_all(
    judge, written, configuration, tmp_path, rules, right, bad, form
):
    folder = configuration({"columns/all.py": rules}) if rules else inferred(tmp_path)
    assert judge(written("right", right, form), folder)["verdict"] == "ready"
    wrong = [[bad.get((row, column), cell) for column, cell in enumerate(cells)] for row, cells in enumerate(right)]
    found = judge(written("wrong", wrong, form), folder)
    others = {name: judge(written(name, rows, form), folder) for name, rows in other_kinds().items()}
    assert len(others) == 32
    assert [name for name, other in others.items() if other["verdict"] == "ready"] == []
    assert [name for name, other in others.items() if _rank(other) >= _rank(found)] == []


@pytest.mark.parametrize("field", ["name", "amount", "date", "status", "email", "title"])
def test_none_of_32_other_kinds_is_ready_for_a_configuration_of_one_common_field(judge, written, configuration, field):
    rules = configuration({"columns/all.py": f'from ade_engine import Field\n\nfield = Field("{field}")\n'})
    verdicts = {name: judge(written(name, rows, "csv"), rules) for name, rows in other_kinds().items()}
    assert [name for name, found in verdicts.items() if found["verdict"] == "ready"] == []


def _rank(verdict: Mapping[str, Any]) -> tuple[int, float]:
    return -VERDICTS.index(verdict["verdict"]), verdict["fit"]
