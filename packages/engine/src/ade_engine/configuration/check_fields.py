"""Checks the fields of a configuration without running it: one per file, no name or alias twice."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection, Iterator

from ade_engine.configuration.problems import Problem, closest, did_you_mean
from ade_engine.configuration.signatures import LABELS, signature_of
from ade_engine.field_sources import FIELDS, FILES
from ade_engine.fields import KINDS, TYPES, Field
from ade_engine.mapping.headers import precise
from ade_engine.records import record

_ARGUMENTS = tuple(item.name for item in dataclasses.fields(Field))
_WORDS = {"type": TYPES, "kind": KINDS}


@record
class SeenField:
    """A field as it is written in a file. A name that is not written as a plain text is None."""

    file: str
    line: int
    name: str | None
    titles: tuple[str, ...]
    aliases: tuple[str, ...]
    named: tuple[tuple[str, str, int], ...] = ()  # arguments that name a field or a file: argument, name, line


def field_problems(file: str, tree: ast.Module, seen: list[SeenField]) -> Iterator[Problem]:
    """Yield the problems of a columns/ file's field, and note the field."""
    call = _field_call(tree)
    listed = _assigned(tree, "fields") if call is None else None
    if isinstance(listed, ast.List | ast.Tuple):
        yield from _listed_problems(file, tree, listed, seen)
        return
    if call is None:
        yield _no_field(file, tree)
        return
    if isinstance(call, ast.Call):
        yield from _argument_problems(file, call)
        seen.append(_seen(file, call))
    else:
        seen.append(SeenField(file, 1, None, (), ()))


def _listed_problems(
    file: str, tree: ast.Module, listed: ast.List | ast.Tuple, seen: list[SeenField]
) -> Iterator[Problem]:
    """Yield the problems of a file with several fields: it has no functions, because they would belong to none."""
    for element in listed.elts:
        if isinstance(element, ast.Call):
            yield from _argument_problems(file, element)
            seen.append(_seen(file, element))
        else:
            seen.append(SeenField(file, element.lineno, None, (), ()))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and signature_of("columns", node.name):
            message = f"{node.name} belongs to none of the fields of this file"
            advice = 'Give its field a file of its own, with: field = Field("...")'
            yield Problem(file, node.lineno, "unreachable-rule", message, advice)


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_name(target, name) for target in node.targets):
            return node.value
    return None


def _field_call(tree: ast.Module) -> ast.expr | None:
    """Return what is assigned to `field`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_name(target, "field") for target in node.targets):
            return node.value
        if isinstance(node, ast.AnnAssign) and _is_name(node.target, "field"):
            return node.value
        if isinstance(node, ast.ImportFrom) and any((name.asname or name.name) == "field" for name in node.names):
            return ast.Name("field")
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _no_field(file: str, tree: ast.Module) -> Problem:
    advice = 'Add: field = Field("...")'
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if isinstance(node.value, ast.Call) and closest(name, ["field"], cutoff=0.6):
                return Problem(file, node.lineno, "no-field", f"{name} is not read", "Did you mean field?")
    return Problem(file, 1, "no-field", "the file has no field, so none of its rules can be reached", advice)


def _argument_problems(file: str, call: ast.Call) -> Iterator[Problem]:
    if len(call.args) > 1:
        message = "Field takes one plain argument, its name; all others are named"
        yield Problem(file, call.lineno, "wrong-argument", message, 'Write Field("name", label=...).')
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg not in _ARGUMENTS:
            message = f"Field has no argument {keyword.arg}"
            advice = did_you_mean(keyword.arg, _ARGUMENTS)
            yield Problem(file, keyword.value.lineno, "wrong-argument", message, advice)
        yield from _word_problems(file, keyword)


def _word_problems(file: str, keyword: ast.keyword) -> Iterator[Problem]:
    known = _WORDS.get(keyword.arg or "")
    word = _text(keyword.value)
    if known and word is not None and word not in known:
        advice = did_you_mean(word, known) or "Use one of: " + ", ".join(known)
        yield Problem(file, keyword.value.lineno, "wrong-argument", f"there is no {keyword.arg} {word}", advice)


def _seen(file: str, call: ast.Call) -> SeenField:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    first = call.args[0] if call.args else given.get("name")
    name = _text(first) if first is not None else None
    titles = [text.strip() for text in (name, _text(given["label"]) if "label" in given else None) if text]
    listed = given.get("aliases")
    elements = listed.elts if isinstance(listed, ast.List | ast.Tuple) else []
    aliases = [text.strip() for text in map(_text, elements) if text]
    named = [
        (keyword.arg, text, keyword.value.lineno)
        for keyword in call.keywords
        if keyword.arg in (*FIELDS, *FILES) and (text := _text(keyword.value)) is not None
    ]
    return SeenField(file, call.lineno, name, tuple(dict.fromkeys(titles)), tuple(dict.fromkeys(aliases)), tuple(named))


def _text(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def reference_problems(seen: list[SeenField], files: Collection[str]) -> Iterator[Problem]:
    """Yield arguments that name a field or a file that the configuration does not have."""
    names = [field.name for field in seen if field.name]
    for field in seen:
        for argument, name, line in field.named:
            if argument in FILES and name not in files:
                advice = did_you_mean(name, files) or "Add it to the configuration folder."
                yield Problem(field.file, line, "unknown-file", f"{argument} names no file {name}", advice)
            elif argument in FIELDS and name not in names and len(names) == len(seen):
                advice = did_you_mean(name, names) or "Add a file for it to columns/."
                yield Problem(field.file, line, "unknown-field", f"{argument} names no field {name}", advice)


def duplicate_problems(seen: list[SeenField]) -> Iterator[Problem]:
    """Yield fields defined twice, and headers that two fields claim."""
    names: dict[str, SeenField] = {}
    claims = _Claims()
    for field in seen:
        if field.name is not None and field.name in names:
            message = f"field {field.name} is already defined in {names[field.name].file}"
            yield Problem(field.file, field.line, "duplicate-field", message, "Rename one, or put both into one file.")
            continue
        names.setdefault(field.name or "", field)
        for header, first in claims.add(field):
            message = f'"{header}" is also an alias of {first.name} in {first.file}'
            is_title = precise(header) in map(precise, (*field.titles, *first.titles))
            advice = _OF_TITLES if is_title else _OF_ALIASES
            yield Problem(field.file, field.line, "duplicate-alias", message, advice)


_OF_ALIASES = "Keep it in one of them, or make it a hint."
_OF_TITLES = (
    "A name and a label count as aliases. Rename that field, or let it take the column itself: its transform can read "
    "the other field."
)


class _Claims:
    """Which field claims a header.

    Names and labels may differ in case or punctuation only, since the columns of a document may; aliases may not.
    """

    def __init__(self) -> None:
        self._written: dict[str, SeenField] = {}
        self._alike: dict[str, SeenField] = {}
        self._like_an_alias: dict[str, SeenField] = {}

    def add(self, field: SeenField) -> Iterator[tuple[str, SeenField]]:
        """Note the headers of a field; yield those that another has claimed, with that field."""
        for title in field.titles:
            first = self._written.setdefault(title, self._like_an_alias.get(precise(title), field))
            if first is not field:
                yield title, first
        for alias in field.aliases:
            first = self._written.setdefault(alias, self._alike.get(precise(alias), field))
            if first is not field:
                yield alias, first
        self._alike |= {words: field for header in field.titles + field.aliases if (words := precise(header))}
        self._like_an_alias |= {words: field for alias in field.aliases if (words := precise(alias))}


def label_problems(file: str, tree: ast.Module, stem: str) -> Iterator[Problem]:
    """Yield the problem of a row_types/ file that does not name the label its rules are evidence for."""
    label: str | None = stem
    line = 1
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(_is_name(target, "label") for target in node.targets):
            label, line = _text(node.value), node.lineno
    if label is not None and label not in LABELS:  # one that is computed is only known to the loader
        advice = did_you_mean(label, LABELS) or "Labels are: " + ", ".join(LABELS)
        message = f'there is no row label "{label}", so the rules of this file can never be reached'
        yield Problem(file, line, "unknown-label", message, advice)
