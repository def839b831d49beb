"""The table of cases in the documentation names the tests that play them, and every case has one."""

import re
from pathlib import Path

HERE = Path(__file__).parent
TABLE = HERE.parents[1] / "docs/reference/queue-cases.md"
CASES = range(1, 41)


def test_every_case_is_played_where_the_table_says() -> None:
    rows = re.findall(r"^\| (\d+) \|.*\| ([\w, ]+) \|$", TABLE.read_text(), re.MULTILINE)
    listed = {(int(number), module) for number, modules in rows for module in modules.split(", ")}

    assert listed == _played()
    assert {number for number, _ in listed} == set(CASES)


def _played() -> set[tuple[int, str]]:
    """Return each case with the module of a test whose docstring names it."""
    return {
        (int(number), path.stem)
        for path in HERE.glob("test_*.py")
        for sentence in re.findall(r"Cases? (\d+(?: and \d+)*)", path.read_text())
        for number in sentence.split(" and ")
    }
