"""Every type of event that the code tells is in the one table that pages take them from."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ade.domain.events import RECORDED, REPORTED_BY_ENGINE, REPORTED_BY_WORKER
from ade.domain.run import FAILURE_MEANINGS, FINISHED, FailureCode

PACKAGES = Path(__file__).resolve().parents[2] / "packages"


def calls(folder: Path) -> Iterator[ast.Call]:
    for path in sorted(folder.rglob("*.py")):
        yield from (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))


def text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_every_event_the_database_records_has_a_meaning() -> None:
    found: set[str] = set()
    for path in sorted((PACKAGES / "server/src/ade/database").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found |= {f"run.{status}" for status in FINISHED if ast.unparse(node).startswith("f'run.{")}
            elif (told := text(node)) and re.fullmatch(r"(run|build)\.[a-z_]+", told):
                found.add(told)

    assert found == set(RECORDED)


def test_every_event_a_worker_records_has_a_meaning() -> None:
    found = {
        told
        for folder in ("worker", "sandbox")
        for call in calls(PACKAGES / "server/src/ade" / folder)
        if isinstance(call.func, ast.Attribute)
        and call.func.attr in {"record", "_record_line", "_report_target", "note"}
        and (told := text(call.args[0]))
    }

    assert found == set(REPORTED_BY_WORKER)


def test_every_event_the_engine_sends_has_a_meaning() -> None:
    found: set[str] = set()
    for call in calls(PACKAGES / "engine/src/ade_engine"):
        for argument in call.args:
            if isinstance(argument, ast.Dict):
                pairs = zip(argument.keys, argument.values, strict=True)
                found |= {told for key, value in pairs if key and text(key) == "event" and (told := text(value))}
        if isinstance(call.func, ast.Name) and call.func.id == "Event" and (told := text(call.args[0])):
            found.add(told)

    assert {f"engine.{told}" for told in found} == set(REPORTED_BY_ENGINE)


@pytest.mark.req("R2")
def test_every_failure_code_has_a_meaning() -> None:
    assert set(FAILURE_MEANINGS) == set(FailureCode)
