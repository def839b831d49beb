"""What the API asks of the database past operations: the contracts list the modules, and it only reads."""

import ast
import importlib
import types
from pathlib import Path
from typing import Any

SERVER = Path(__file__).resolve().parents[2] / "packages/server/src/ade"
WRITES = {"idempotency"}  # the keys of requests are the API's own


def test_what_the_api_calls_past_operations_only_reads() -> None:
    called = [
        (path.stem, function)
        for path in sorted((SERVER / "api").rglob("*.py"))
        for function in _called_past_operations(ast.parse(path.read_text(encoding="utf-8")))
    ]
    writing = [(name, function) for name, function in called if _writes(function) and name not in WRITES]

    assert ("people", "ade.database.access.people.all_users") in called
    assert ("idempotency", "ade.database.access.idempotency.take") in called
    assert _writes("ade.database.access.idempotency.take")
    assert writing == []


def _called_past_operations(tree: ast.Module) -> set[str]:
    """Return the functions of the database's modules that a module uses, by their full names."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ade.database"):
            names |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    used = {names[node.id] for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in names:
            used.add(f"{names[node.value.id]}.{node.attr}")
    return {name for name in used if isinstance(_found(name), types.FunctionType)}


def _found(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError:
        return None


def _writes(name: str) -> bool:
    """Return whether a function of the database's modules, or one of its own module that it calls, changes rows."""
    function = _found(name)
    tree = ast.parse(Path(function.__code__.co_filename).read_text(encoding="utf-8"))
    bodies = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    waiting, seen = [function.__name__], set()
    while waiting:
        seen.add(waiting[-1])
        nodes = list(ast.walk(bodies[waiting.pop()]))
        if any(isinstance(node, ast.Attribute) and node.attr in {"insert", "update", "delete"} for node in nodes):
            return True
        waiting += [node.id for node in nodes if isinstance(node, ast.Name) and node.id in bodies.keys() - seen]
    return False
