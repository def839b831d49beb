"""ade test, as a person starts it: cases of a configuration, compared cell by cell."""

import json
import os
import pty
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
    assert (new.returncode, "there is no expected result yet" in new.stdout) == (1, True)
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


FORGED = """
import json, os
from ade_engine import Field
field = Field("name")
if os.environ["HOME"].endswith("tmp"):
    for name in OUTPUTS:
        with open(name, "wb") as file:
            file.write(CONTENT)
    with open("artifact.json", "w") as file:
        json.dump({"sheets": [], "summary": {"issues": {"total": 0, "info": 0}}}, file)
    open("issues.ndjson", "w").close()
    result = {"type": "result", "status": "succeeded", "failure": None, "outputs": OUTPUTS, "summary": {}}
    os.write(3, json.dumps(result).encode() + b"\\n")
    os._exit(0)
"""


def forge(rules: Path, outputs: list[str], content: bytes) -> None:
    code = f"OUTPUTS, CONTENT = {outputs!r}, {content!r}\n{FORGED}"
    (rules / "columns/name.py").write_text(code, encoding="utf-8")


@pytest.mark.req("S2")
def test_rules_write_through_no_link_of_their_case(rules: Path) -> None:
    kept = rules.parent / "profile"
    kept.write_text("mine", encoding="utf-8")
    for name in ("expected.xlsx", "expected.csv", "expected-1-x.csv"):
        (rules / "tests/march" / name).symlink_to(kept)
    forge(rules, ["normalized.xlsx"], b"of a stranger")
    other_format = ade_test("rules", "--accept", folder=rules.parent)
    forge(rules, ["normalized.csv", "normalized-1-x.csv"], b"of a stranger")
    same_names = ade_test("rules", "--accept", folder=rules.parent)
    for name in ("expected.csv", "expected-1-x.csv"):
        (rules / "tests/march" / name).unlink()
    forge(rules, ["normalized.xlsx"], b"of a stranger")
    only_other_format = ade_test("rules", "--accept", folder=rules.parent)

    answers = (other_format, same_names, only_other_format)
    assert [answer.returncode for answer in answers] == [1, 1, 1]
    assert "changed the format" in only_other_format.stdout
    assert kept.read_text("utf-8") == "mine"


@pytest.mark.req("S2")
def test_a_case_reads_and_writes_nothing_outside_of_its_configuration(rules: Path) -> None:
    outside = rules.parent / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("Name,Qty\nof-others,1\nof-others,2\n", encoding="utf-8")
    (rules / "tests/april").symlink_to(outside)
    (rules / "tests/may").mkdir()
    (rules / "tests/may/document.csv").symlink_to(outside / "secret.csv")
    (rules / "tests/june").mkdir()
    (rules / "tests/june/document.csv").write_text("Name,Qty\nAda,1\nBob,2\n", encoding="utf-8")
    os.mkfifo(rules / "tests/june/expected.csv")

    for words in (("rules",), ("rules", "--accept")):
        answer = ade_test(*words, "--case", "april", "--case", "may", "--case", "june", folder=rules.parent)
        assert answer.stdout.splitlines() == [
            "failed    april",
            "          the folder april leads out of the configuration folder",
            "failed    june",
            "          expected.csv must be a plain file of the configuration folder",
            "failed    may",
            "          document.csv must be a plain file of the configuration folder",
            "0 of 3 passed",
        ]
    assert [path.name for path in outside.iterdir()] == ["secret.csv"]


@pytest.mark.req("S2")
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name\n" + b"x\n" * 9_000_000, "is larger than 16 MB and was not compared"),
        (b"name\n" + b"x\n" * 50_000, "and at least 9980 more"),
        (b"name\n\xff", "cannot be compared"),
        (b"name\n" + b"x" * 200_000, "got 'xxx"),
    ],
    ids=["large", "many", "no text", "long"],
)
def test_a_forged_output_is_compared_within_bounds(rules: Path, content: bytes, said: str) -> None:
    (rules / "tests/march/expected.csv").write_text("name\nAda\n", encoding="utf-8")
    forge(rules, ["normalized.csv"], b"")
    code = (rules / "columns/name.py").read_text("utf-8")
    (rules / "output.txt").write_bytes(content)
    code = code.replace("CONTENT)", f'open({str(rules / "output.txt")!r}, "rb").read())')
    (rules / "columns/name.py").write_text(code, encoding="utf-8")

    answer = ade_test("rules", folder=rules.parent)

    assert (answer.returncode, said in answer.stdout, "Traceback" in answer.stderr) == (1, True, False)
    assert len(answer.stdout) < 100_000


def test_what_a_case_is_called_is_shown_without_control_characters(rules: Path) -> None:
    (rules / "tests/march").rename(rules / "tests/march\x1b[31m")
    (rules / "tests/march\x1b[31m/expected.csv").write_text("na\x1b[31mme,qty\nBob,1\nBob,2\n", encoding="utf-8")
    outside, terminal = pty.openpty()
    command = [sys.executable, "-m", "ade", "test", "rules"]
    subprocess.run(command, cwd=rules.parent, stdout=terminal, stderr=terminal, check=False)
    os.close(terminal)
    shown = os.read(outside, 65536)
    os.close(outside)

    assert b"differs   march" in shown
    assert b"\x1b" not in shown


@pytest.mark.req("C1")
def test_a_document_without_a_table_is_compared_as_an_empty_output(rules: Path) -> None:
    (rules / "tests/march/march.csv").write_text("Only a sentence.\n", encoding="utf-8")
    (rules / "tests/march/expected.csv").write_text("name,qty\n", encoding="utf-8")
    answer = ade_test("rules", folder=rules.parent)
    assert (answer.returncode, "expected.csv: row 1 is missing" in answer.stdout) == (1, True)
