"""Rows have types: the columns of each dataclass are those that are selected, and mypy knows them everywhere."""

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
import types
import typing
from dataclasses import FrozenInstanceError, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import ade.database
from ade.database.rows import KNOWN, Rows
from ade.database.schema import runs
from ade.database.types import Instant, Json

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "packages/server/src/ade"
for module in pkgutil.walk_packages(ade.database.__path__, "ade.database."):
    if ".migrations" not in module.name:
        importlib.import_module(module.name)

# Columns that may be null and are not in the rows that are read: those of runs and builds in work.
NEVER_NULL = {
    ("Overdue", "deadline_at"),
    ("Overdue", "lease_expires_at"),
    ("_Held", "claim_token"),
}


def _name(rows: Rows[Any]) -> str:
    return str(rows.made.__name__)


@pytest.mark.parametrize("rows", KNOWN, ids=_name)
def test_each_column_of_a_row_goes_into_the_field_of_its_name(rows: Rows[Any]) -> None:
    names = [column.key for column in rows.columns]

    made = rows.make(names)

    assert sorted(names) == sorted(field.name for field in fields(rows.made))
    assert all(getattr(made, name) == name for name in names)
    assert [column.key for column in rows.select().selected_columns] == names


@pytest.mark.parametrize("rows", KNOWN, ids=_name)
def test_the_fields_of_a_row_have_the_types_of_its_columns(rows: Rows[Any]) -> None:
    hints = typing.get_type_hints(rows.made)
    wrong = {
        column.key: (hints[column.key], type_)
        for column in rows.columns
        if (type_ := _python_type(column)) is not None and type_ not in _parts(hints[column.key])
    }

    assert wrong == {}


@pytest.mark.parametrize("rows", KNOWN, ids=_name)
def test_a_column_that_may_be_null_is_optional_in_its_row(rows: Rows[Any]) -> None:
    hints = typing.get_type_hints(rows.made)
    optional = {name for name, hint in hints.items() if type(None) in _parts(hint)}
    nullable = {column.key for column in rows.columns if _is_nullable(column)}
    # Of runs and builds that are read alike, one may have no such column.
    alike = [column for other in KNOWN if other.made is rows.made for column in other.columns]
    own = {column.key for column in rows.columns} - {each.key for each in alike if not isinstance(each, sa.Column)}
    excused = {name for made, name in NEVER_NULL if made == _name(rows)}

    assert nullable - optional == excused
    assert (optional & own) - nullable == set()


def test_a_row_is_frozen_and_equal_to_one_made_by_hand() -> None:
    row = _SHORT.make(["an id", None])

    assert row == Short(id="an id", memory_mb=None)
    assert hash(row) == hash(Short(id="an id", memory_mb=None))
    with pytest.raises(FrozenInstanceError):
        row.id = "another"  # type: ignore[misc]
    with pytest.raises(TypeError):
        _SHORT.make(["an id"])


def test_a_field_that_no_column_has_is_refused_at_once() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Misspelt:
        memory_bm: int | None

    with pytest.raises(TypeError, match="Misspelt"):
        Rows(Misspelt, runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Short:
    id: str
    memory_mb: int | None


_SHORT = Rows(Short, runs)
KNOWN.remove(_SHORT)


def _parts(hint: Any) -> set[Any]:
    if typing.get_origin(hint) is typing.Literal:
        return {type(value) for value in typing.get_args(hint)}
    parts = typing.get_args(hint) if typing.get_origin(hint) in {typing.Union, types.UnionType} else (hint,)
    return {typing.get_origin(part) or part for part in parts}


def _python_type(column: sa.ColumnElement[Any]) -> type | None:
    """Return what a value of a column is in Python; None where its type does not say."""
    if isinstance(column.type, Instant):
        return datetime
    if isinstance(column.type, Json | sa.types.NullType):
        return None
    return column.type.python_type


def _is_nullable(column: sa.ColumnElement[Any]) -> bool:
    """Return whether a column of a table may be null, under its own name or another."""
    plain = column.element if isinstance(column, sa.Label) else column
    return isinstance(plain, sa.Column) and bool(plain.nullable)


# What mypy sees.

MISSPELT = [
    ("operations/queue/runs.py", "build.failure_message", "build.failure_mesage"),
    ("operations/queue/returning.py", "row.claim_count >=", "row.claim_cuont >="),
    ("operations/queue/claiming.py", "head.memory_mb", "head.memory_bm"),
    ("api/schemas/runs.py", "row.version_number", "row.configuration_nmae"),
]


@pytest.mark.slow
def test_a_misspelt_column_is_an_error_to_mypy(tmp_path: Path) -> None:
    shadows: dict[Path, str] = {}
    for name, right, wrong in MISSPELT:
        text = shadows.get(SERVER / name) or (SERVER / name).read_text(encoding="utf-8")
        assert right in text
        shadows[SERVER / name] = text.replace(right, wrong, 1)
    options = ["--cache-dir", str(tmp_path / "cache"), "--no-pretty"]
    for number, (path, text) in enumerate(shadows.items()):
        shadow = tmp_path / f"{number}.py"
        shadow.write_text(text, encoding="utf-8")
        options += ["--shadow-file", str(path), str(shadow)]

    answer = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, shadows)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    found = set(re.findall(r'has no attribute "(\w+)"', answer.stdout))
    assert found == {"failure_mesage", "claim_cuont", "memory_bm", "configuration_nmae"}, answer.stdout


def test_no_row_without_a_type_crosses_from_one_function_to_another() -> None:
    found = [
        f"{path.relative_to(SERVER)}:{line}"
        for folder in ("database", "operations", "api", "worker", "cli")
        for path in sorted((SERVER / folder).rglob("*.py"))
        for line in _untyped_rows(ast.parse(path.read_text(encoding="utf-8")))
    ]

    assert found == []


_NAMES_OF_ROWS = {"row", "rows", "run", "build", "document", "user", "webhook", "delivery", "pause", "plan", "version"}
_ANY_ROWS = {"Any", "Any | None", "list[Any]", "Sequence[Any]", "Mapping[str, Any] | Any"}


def _untyped_rows(tree: ast.Module) -> list[int]:
    """Return the lines of annotations that name SQLAlchemy's rows, of aliases of Any, and of rows that are Any."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "sa.Row":
            found.append(node.lineno)
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "Any":
            found.append(node.lineno)
        if isinstance(node, ast.arg) and node.arg in _NAMES_OF_ROWS and _is_any(node.annotation):
            found.append(node.lineno)
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in _NAMES_OF_ROWS and _is_any(node.annotation):
            found.append(node.lineno)
    return found


def _is_any(annotation: ast.expr | None) -> bool:
    return annotation is not None and ast.unparse(annotation) in _ANY_ROWS
