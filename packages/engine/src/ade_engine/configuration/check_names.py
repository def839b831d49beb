"""Checks the names that rules use: fields they read from a row, and names that are defined nowhere."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator, Sequence
from importlib.util import decode_source

from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.row_uses import uses
from ade_engine.configuration.signatures import signature_of

_MODULE_NAMES = {"__file__", "__name__", "__package__", "__spec__", "__doc__", "__builtins__", "__loader__"}
_ALWAYS_THERE = _MODULE_NAMES | set(dir(builtins))


def field_name_problems(file: str, tree: ast.Module, fields: Sequence[str]) -> Iterator[Problem]:
    """Yield the places where a rule of a columns/ or hooks/ file reads a field that the configuration does not have."""
    for node in tree.body:
        kind = file.partition("/")[0]
        if isinstance(node, ast.FunctionDef) and signature_of(kind, node.name):
            for parameter in _row_parameters(node):
                for name, line in uses(node, parameter).named:
                    if name not in fields:
                        advice = did_you_mean(name, fields) or "Fields are: " + ", ".join(fields)
                        yield Problem(file, line, "unknown-field", f"there is no field {name}", advice)


def _row_parameters(node: ast.FunctionDef) -> list[str]:
    """Return the parameters that are views of a row and stay so: not those the function assigns to."""
    arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    assigned = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
    return [name for name in ("row", "source") if name in arguments and name not in assigned]


def undefined_name_problems(file: str, tree: ast.Module, content: bytes) -> Iterator[Problem]:
    """Yield the names that functions use and nothing defines: they would raise NameError when they are reached."""
    if any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)):
        return  # what a star brings is not known
    module = symtable.symtable(decode_source(content), file, "exec")
    defined = {symbol.get_name() for symbol in module.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    defined |= {name for table in _functions(module) for name in _assigned_globals(table)}
    for name in sorted(
        {name for table in _functions(module) for name in _used_globals(table)} - defined - _ALWAYS_THERE
    ):
        line = min(
            (node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name), default=1
        )
        yield Problem(file, line, "undefined-name", f"{name} is not defined", did_you_mean(name, defined))


def _functions(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        if child.get_type() != "annotation":
            yield child
            yield from _functions(child)


def _assigned_globals(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_declared_global())


def _used_globals(table: symtable.SymbolTable) -> Iterator[str]:
    yield from (symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced())
