"""The tutorial is run as it is written: every command, every file, every line of output it shows."""

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/tutorial/first-configuration.md"
BLOCK = re.compile(r"```(sh|text|python)\n(.*?)```", re.DOTALL)
FILE = re.compile(r"`(rules/[\w./]+)`")


@dataclass(frozen=True)
class Step:
    """A block of the page, and the file the text before it names last."""

    kind: str
    text: str
    file: str


def steps() -> list[Step]:
    page = PAGE.read_text(encoding="utf-8")
    found, file, end = [], "", 0
    for block in BLOCK.finditer(page):
        file = (FILE.findall(page[end : block.start()]) or [file])[-1]
        found.append(Step(block.group(1), block.group(2), file))
        end = block.end()
    return found


@pytest.mark.slow
@pytest.mark.req("E7")
def test_every_step_of_the_tutorial_works_as_written(clone: Path) -> None:
    said = ""
    for step in steps():
        match step.kind:
            case "sh":
                said = run(step.text, clone)
            case "python":
                (clone / step.file).write_text(step.text, encoding="utf-8")
            case _:
                assert [
                    line for line in lines_of(step.text) if without_weights(line) not in without_weights(said)
                ] == [], said


@pytest.mark.req("E7")
def test_the_rules_of_the_tutorial_have_less_than_ten_lines() -> None:
    rules = [step.text for step in steps() if step.kind == "python"]

    assert rules
    assert all(len(rule.splitlines()) < 10 for rule in rules)


def run(command: str, folder: Path) -> str:
    environment = {**os.environ, "COLUMNS": "110", "NO_COLOR": "1"}
    answer = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )

    assert answer.stderr == ""
    return "\n".join(lines_of(answer.stdout))


def without_weights(text: str) -> str:
    """Return a text without the scores of header rows, which change each time the weights are learned."""
    return re.sub(
        r"^(Row .* is the header:).*$", lambda row: re.sub(r"\d+\.\d+", "0.00", row[0]), text, flags=re.MULTILINE
    )


def lines_of(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


@pytest.mark.slow
def test_the_example_of_the_readme_is_what_the_command_says(clone: Path) -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```text\n\$ (.*?)\n(.*?)```", page, re.DOTALL)

    assert run(example[0], clone).splitlines() == lines_of(example[1])
