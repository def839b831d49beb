"""Finds which fields a function reads from its row, by looking at its code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class RowUses(ast.NodeVisitor):
    """The uses of one parameter: fields named in the code, calls that pass it on, and anything else (`is_open`)."""

    def __init__(self, parameter: str) -> None:
        self._parameter = parameter
        self.named: list[tuple[str, int]] = []  # field, line
        self.passed: list[tuple[ast.Call, int | str]] = []  # call, and which of its arguments it is
        self.is_open = False

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """row["name"]"""
        if self._is_row(node.value) and (name := _text(node.slice)) is not None and isinstance(node.ctx, ast.Load):
            self.named.append((name, node.lineno))
        else:
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """row.get("name"), or help(row)"""
        others: list[ast.AST] = []
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get" and self._is_row(node.func.value):
            name = _text(node.args[0]) if node.args else None
            self.is_open |= name is None
            self.named += [(name, node.lineno)] if name is not None else []
            others = [*node.args[1:]]
        else:
            others = [node.func, *self._not_passed(node)]
        for other in others:
            self.visit(other)

    def _not_passed(self, call: ast.Call) -> Iterator[ast.AST]:
        """Note where the row is an argument; yield the other arguments."""
        given: list[tuple[int | str | None, ast.expr]] = [*enumerate(call.args)]
        given += [(keyword.arg, keyword.value) for keyword in call.keywords]
        for place, argument in given:
            if self._is_row(argument) and place is not None:
                self.passed.append((call, place))
            else:
                yield argument

    def visit_Name(self, node: ast.Name) -> None:
        """Any other use: the row as a whole."""
        self.is_open |= node.id == self._parameter

    def _is_row(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Name) and node.id == self._parameter


def uses(definition: Definition, parameter: str) -> RowUses:
    """Return how a function uses one of its parameters."""
    found = RowUses(parameter)
    for part in definition.body if isinstance(definition.body, list) else [definition.body]:
        found.visit(part)
    return found


def fields_read(call: Callable[..., Any], parameter: str = "row") -> frozenset[str] | None:
    """Return the fields a function reads, helpers it hands the row to included; None when its code does not tell."""
    return _read(call, parameter, frozenset())


def _read(call: object, parameter: str, seen: frozenset[CodeType]) -> frozenset[str] | None:
    definition = _definition(call) if isinstance(call, FunctionType) else None
    if not isinstance(call, FunctionType) or definition is None or parameter not in _parameters(call):
        return None  # without the parameter, it is what a decorator put around the function
    if call.__code__ in seen:
        return frozenset()
    found = uses(definition, parameter)
    names = {name for name, _ in found.named}
    for node, place in found.passed:
        helper = _helper(call, node.func)
        inner = _parameter(helper, place)
        read = _read(helper, inner, seen | {call.__code__}) if inner else None
        if read is None:
            return None
        names |= read
    return None if found.is_open else frozenset(names)


def _helper(call: FunctionType, node: ast.expr) -> object:
    """Return what a call in the function calls: a function of its module, or of a module it imported."""
    if isinstance(node, ast.Name):
        return call.__globals__.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        module = call.__globals__.get(node.value.id)
        return getattr(module, node.attr, None) if isinstance(module, ModuleType) else None
    return None


def _parameter(helper: object, place: int | str) -> str | None:
    """Return the name of a parameter of a plain function, by its place or name."""
    if not isinstance(helper, FunctionType):
        return None
    names = _parameters(helper)
    if isinstance(place, str):
        return place if place in names else None
    return names[place] if place < helper.__code__.co_argcount else None


def _parameters(call: FunctionType) -> tuple[str, ...]:
    code = call.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _definition(call: FunctionType) -> Definition | None:
    """Return the definition of a function, or None when its file does not show it."""
    code = call.__code__
    found = [node for node in _definitions(code.co_filename) if _first_line(node) == code.co_firstlineno]
    if code.co_name != "<lambda>":
        found = [node for node in found if not isinstance(node, ast.Lambda) and node.name == code.co_name]
    return found[0] if len(found) == 1 else None


def _definitions(filename: str) -> list[Definition]:
    try:
        tree = ast.parse(Path(filename).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, Definition)]


def _first_line(node: Definition) -> int:
    if isinstance(node, ast.Lambda):
        return node.lineno
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _text(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None
