"""Checks the functions of one rule file without running them: names, parameters and what they can be seen to return."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ade_engine.configuration.problems import Problem, closest, did_you_mean
from ade_engine.configuration.signatures import FUNCTIONS, HOOKS, Signature, signature_of

_FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def function_problems(file: str, tree: ast.Module, kind: str) -> Iterator[Problem]:
    """Yield the problems of every top-level function."""
    for node in tree.body:
        if isinstance(node, _FunctionNode) and not node.name.startswith("_"):
            signature = signature_of(kind, node.name)
            if signature is None:
                yield from _unknown_function(file, node, kind, _names_used(tree))
            else:
                yield from _signature_problems(file, node, signature)
                yield from _return_problems(file, node, signature)


def _names_used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _unknown_function(file: str, node: _FunctionNode, kind: str, used: set[str]) -> Iterator[Problem]:
    """A function that is never called is a rule with a typo in its name, or one that can never be reached."""
    if node.name in used:
        return
    meant = _meant_function(node.name, kind)
    if kind == "hooks":
        message = f"there is no hook {node.name}"
        advice = f"Did you mean {meant}?" if meant else "Hooks are: " + ", ".join(HOOKS)
        yield Problem(file, node.lineno, "unknown-hook", message, advice)
    elif meant:
        message = f"{node.name} is never called"
        yield Problem(file, node.lineno, "unknown-function", message, f"Did you mean {meant}?")
    else:
        rules = "detect_..." if kind == "row_types" else "detect_..., transform or validate"
        advice = f"Name it {rules} to make it a rule, or start it with _ to keep it."
        yield Problem(file, node.lineno, "unreachable-rule", f"{node.name} is never called", advice, "warning")


def _meant_function(name: str, kind: str) -> str | None:
    whole = [known for known in FUNCTIONS[kind] if not known.endswith("*")]
    if meant := closest(name, whole, cutoff=0.75):
        return meant
    head, _, rest = name.partition("_")
    prefixes = [known.removesuffix("_*") for known in FUNCTIONS[kind] if known.endswith("_*")]
    prefix = closest(head, prefixes, cutoff=0.7)
    return f"{prefix}_{rest}" if prefix and rest else None


def _signature_problems(file: str, node: _FunctionNode, signature: Signature) -> Iterator[Problem]:
    if isinstance(node, ast.AsyncFunctionDef):
        yield Problem(file, node.lineno, "wrong-signature", f"{node.name} must not be async", "Use def.")
    arguments = node.args
    if arguments.vararg or arguments.kwarg:
        advice = "Name what it needs: " + ", ".join(signature.parameters)
        yield Problem(file, node.lineno, "wrong-signature", f"{node.name} must not take * or ** arguments", advice)
        return
    names = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    for name in _without_defaults(arguments):
        if name not in signature.parameters:
            allowed = "It can ask for: " + ", ".join(signature.parameters)
            advice = did_you_mean(name, signature.parameters) or allowed
            message = f"{node.name} asks for {name}, which is not given"
            yield Problem(file, node.lineno, "unknown-parameter", message, advice)
    wants = set(names) & set(signature.needs)
    unknown = set(names) - set(signature.parameters)
    if signature.needs and not wants and not unknown:
        message = f"{node.name} must ask for {' or '.join(signature.needs)}"
        yield Problem(file, node.lineno, "wrong-signature", message)


def _without_defaults(arguments: ast.arguments) -> list[str]:
    """Return the parameters that must be given. One with a default is the author's own constant."""
    positional = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    bare = positional[: len(positional) - len(arguments.defaults)]
    keyword = [a.arg for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is None]
    return bare + keyword


def _return_problems(file: str, node: _FunctionNode, signature: Signature) -> Iterator[Problem]:
    returns = list(_returns(node))
    if signature.returns in {"number", "value", "values", "condition", "rows"} and not _can_return(node, returns):
        message, advice = f"{node.name} returns nothing", _EXPECTED[signature.returns]
        yield Problem(file, node.lineno, "wrong-return", message, advice)
    for found in returns:
        if found.value is not None and _is_wrong(found.value, signature.returns):
            message = f"{node.name} returns {_describe(found.value)}"
            yield Problem(file, found.lineno, "wrong-return", message, _EXPECTED[signature.returns])
        if signature.returns == "message" and found.value is not None and _shows_value(found.value):
            message = f"{node.name} puts a value into its message; it will be masked"
            yield Problem(file, found.lineno, "value-in-message", message, "Say what is wrong without it.", "warning")


_EXPECTED = {
    "number": "Return a number from -1 to 1, or None.",
    "value": "Return the new value; return the value itself to leave it alone.",
    "values": "Return a list with one value for each value given.",
    "message": 'Return None when all is well, a message, or ("warning", message).',
    "messages": "Return a list with None or a message for each value given.",
    "choice": "Return False to skip it, or nothing.",
    "condition": "Return True to keep the row, False to leave it out.",
    "rows": 'Yield a dict of changed fields for each row: yield {"month": 1}.',
    "nothing": "Return nothing.",
}


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """Yield the return statements of the function itself, not of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, (*_FUNCTION_LIKE,)):
            yield from _returns(child)


_FUNCTION_LIKE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def _can_return(node: _FunctionNode, returns: list[ast.Return]) -> bool:
    """Return whether a result can come out: by a return, as a generator, or never because it raises."""
    is_generator = any(isinstance(child, ast.Yield | ast.YieldFrom) for child in ast.walk(node))
    return is_generator or isinstance(node.body[-1], ast.Raise) or any(found.value is not None for found in returns)


def _is_wrong(value: ast.expr, returns: str) -> bool:
    """Return whether what is written there can never be right."""
    if isinstance(value, ast.Constant):
        return _constant_is_wrong(value.value, returns)
    if returns == "number":
        return isinstance(value, ast.JoinedStr | ast.List | ast.Set | ast.Tuple)
    if returns == "message":
        return isinstance(value, ast.Compare | ast.Set) or _is_not(value)
    return returns in {"values", "messages", "rows"} and isinstance(value, ast.JoinedStr | ast.Compare)


def _constant_is_wrong(constant: object, returns: str) -> bool:
    if returns == "number":
        return isinstance(constant, str | bytes)
    if returns == "message":
        return constant is not None and not isinstance(constant, str)
    if returns == "condition":
        return not isinstance(constant, bool)
    return returns in {"values", "messages"} or (returns == "rows" and constant is not None)


def _is_not(value: ast.expr) -> bool:
    return isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)


_CONSTANTS = {type(None): "None", bool: "true or false", int: "a number", float: "a number", str: "a text"}


def _describe(value: ast.expr) -> str:
    if isinstance(value, ast.Constant):
        return _CONSTANTS.get(type(value.value), f"a {type(value.value).__name__}")
    names = {ast.Compare: "true or false", ast.UnaryOp: "true or false", ast.JoinedStr: "a text"}
    return names.get(type(value), f"a {type(value).__name__.lower()}")


def _shows_value(value: ast.expr) -> bool:
    """Return whether a text is built from the value or the row."""
    return any(
        isinstance(name, ast.Name) and name.id in {"value", "row", "source"}
        for part in ast.walk(value)
        if isinstance(part, ast.FormattedValue)
        for name in ast.walk(part)
    )
