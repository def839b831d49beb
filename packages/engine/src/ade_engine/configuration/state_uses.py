"""Finds what one field keeps in context.state for each row, and another function expects to be of its own row."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ade_engine.configuration.problems import Problem

_OF_A_ROW = frozenset({"row", "value", "source"})
_HOOKS_OF_A_ROW = frozenset({"expand", "keep"})
_ADVICE = 'Fields are computed one after the other for many rows: read it from the row, as row["..."].'


def state_problems(trees: Sequence[tuple[str, ast.Module]]) -> Iterator[Problem]:
    """Yield where a function of a row reads what another field has kept, which is of the last of many rows."""
    kept: dict[str, str] = {}
    for file, tree in trees:
        if file.startswith("columns/"):
            kept |= dict.fromkeys((key for node in _functions(tree) for key in _kept(node)), file)
    for file, tree in trees if kept else ():
        is_hook = not file.startswith("columns/")
        for function in _functions(tree):
            if is_hook and function.name not in _HOOKS_OF_A_ROW:
                continue
            for node in ast.walk(function):
                if (key := _key(node)) in kept and kept[key] != file and _is_read(node):
                    message = f'context.state["{key}"] is kept by {kept[key]}, and is of another row here'
                    line = getattr(node, "lineno", function.lineno)
                    yield Problem(file, line, "state-of-another-row", message, _ADVICE, "warning")


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (node for node in tree.body if isinstance(node, ast.FunctionDef))


def _kept(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the keys that a function sets to what it has of a row."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and any(
            isinstance(name, ast.Name) and name.id in _OF_A_ROW for name in ast.walk(node.value)
        ):
            yield from (key for target in node.targets if (key := _key(target)) is not None)


def _key(node: ast.AST) -> str | None:
    """Return the key of context.state["key"], or of context.state.get("key")."""
    match node:
        case ast.Subscript(ast.Attribute(ast.Name("context"), "state"), ast.Constant(str(key))):
            return key
        case ast.Call(ast.Attribute(ast.Attribute(ast.Name("context"), "state"), "get"), [ast.Constant(str(key)), *_]):
            return key
        case _:
            return None


def _is_read(node: ast.AST) -> bool:
    return not isinstance(node, ast.Subscript) or isinstance(node.ctx, ast.Load)
