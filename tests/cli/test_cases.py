"""ade test, as a person starts it: cases of a configuration, compared cell by cell."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


def ade_test(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ade", "test", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    for name, words in (("name", ""), ("qty", ', type="integer"')):
        path = tmp_path / f"rules/columns/{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'from ade_engine import Field\nfield = Field("{name}"{words})\n', encoding="utf-8")
    case = tmp_path / "rules/tests/march"
    case.mkdir(parents=True)
    (case / "march.csv").write_text("Name,Qty\nAda,1\nBob,2\n", encoding="utf-8")
    return tmp_path / "rules"


@pytest.mark.req("C1")
def test_what_was_accepted_is_compared_cell_by_cell(rules: Path) -> None:
    new = ade_test("rules", folder=rules.parent)
    assert (new.returncode, "nothing is expected yet" in new.stdout) == (1, True)
    assert ade_test("rules", "--accept", folder=rules.parent).returncode == 0
    expected = rules / "tests/march/expected.csv"
    assert expected.read_text("utf-8").splitlines() == ["name,qty", "Ada,1", "Bob,2"]
    same = ade_test("rules", folder=rules.parent)
    assert (same.returncode, same.stdout) == (0, "passed    march\n1 of 1 passed\n")

    expected.write_text("name,qty\nAda,1\nBob,3\nCy,4\n", encoding="utf-8")
    answer = ade_test("rules", "--json", folder=rules.parent)
    assert answer.returncode == 1
    [case] = json.loads(answer.stdout)["cases"]
    assert case == {
        "name": "march",
        "status": "differs",
        "differences": ["expected.csv: B3 (qty): expected '3', got '2'", "expected.csv: row 4 is missing"],
        "failure": None,
    }


@pytest.mark.req("C1")
def test_a_case_that_cannot_run_fails_and_no_case_is_wrong_use(rules: Path) -> None:
    (rules / "tests/march/second.csv").write_text("Name,Qty\nAda,1\n", encoding="utf-8")
    answer = ade_test("rules", folder=rules.parent)
    assert (answer.returncode, "this one has 2" in answer.stdout) == (1, True)
    absent = ade_test("rules", "--case", "april", folder=rules.parent)
    assert (absent.returncode, "there is no case april" in absent.stderr) == (2, True)
