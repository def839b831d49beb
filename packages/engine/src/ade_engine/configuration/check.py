"""Checks a configuration: first by reading it, and when that finds no error, by importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ade_engine.configuration.check_fields import (
    SeenField,
    duplicate_problems,
    field_problems,
    label_problems,
    reference_problems,
)
from ade_engine.configuration.check_functions import function_problems
from ade_engine.configuration.check_names import field_name_problems, undefined_name_problems
from ade_engine.configuration.files import (
    data_files,
    helper_files,
    layout_problems,
    relative,
    require_folder,
    rule_files,
    unreadable_problems,
)
from ade_engine.configuration.learned import read_learned
from ade_engine.configuration.model import Settings
from ade_engine.configuration.problems import Problem, did_you_mean, errors_of
from ade_engine.configuration.profiles import read_profiles
from ade_engine.configuration.requirements import read_requirements, requirement_files
from ade_engine.configuration.settings import FILE, MOST_PROBLEMS, fields_named, read_settings, setting_line
from ade_engine.configuration.signatures import FOLDERS
from ade_engine.configuration.state_uses import state_problems
from ade_engine.configuration.templates import template_warnings
from ade_engine.errors import ConfigurationError, full_disk
from ade_engine.mapping.headers import comparable


def check_configuration(folder: str | Path) -> list[Problem]:
    """Return everything wrong with a configuration folder, by file and line; it can run when `errors_of` finds none."""
    folder = Path(folder)
    problems = static_problems(folder)
    if not errors_of(problems):
        problems += _import_problems(folder)
    return sorted(problems, key=lambda problem: (problem.file, problem.line, problem.code, problem.message))


def static_problems(folder: Path) -> list[Problem]:
    """Return what can be seen without executing anything."""
    require_folder(folder)
    if unreadable := list(unreadable_problems(folder)):
        return unreadable
    seen: list[SeenField] = []
    problems = list(layout_problems(folder))
    trees: list[tuple[str, ast.Module]] = []
    for kind in FOLDERS:
        for path in rule_files(folder, kind):
            tree, wrong = _read(folder, path, kind, seen)
            problems += wrong
            trees += [(relative(folder, path), tree)] if tree is not None and kind != "row_types" else []
    for path in helper_files(folder):
        problems += _read(folder, path, "", seen)[1]
    problems += duplicate_problems(seen)
    # A suggestion compares a word with all names, and the line of a setting is found by parsing all of them again.
    problems += islice(reference_problems(seen, data_files(folder)), MOST_PROBLEMS)
    problems += islice(_row_problems(trees, seen), MOST_PROBLEMS)
    problems += islice(state_problems(trees), MOST_PROBLEMS)
    settings, wrong = read_settings(folder)
    problems += wrong
    problems += islice(_settings_problems(folder, settings, seen), MOST_PROBLEMS)
    problems += read_requirements(requirement_files(folder))[1]
    problems += islice(_ignore_problems(folder, settings.ignore, seen), MOST_PROBLEMS)
    problems += read_profiles(folder)[1]
    problems += read_learned(folder)[1]
    problems += _correction_problems(folder, seen)
    return problems


def _correction_problems(folder: Path, seen: list[SeenField]) -> Iterator[Problem]:
    from ade_engine.configuration.corrections_file import field_problems as unknown_fields
    from ade_engine.configuration.corrections_file import read_corrections

    yield from read_corrections(folder)[1]
    names = [field.name for field in seen if field.name]
    if len(names) == len(seen):  # a name computed at import time is only known to the loader
        yield from islice(unknown_fields(folder, names), MOST_PROBLEMS)


def _read(folder: Path, path: Path, kind: str, seen: list[SeenField]) -> tuple[ast.Module | None, list[Problem]]:
    """Return the syntax tree of a file, or None, and its problems; code nested too deep for Python is one."""
    file = relative(folder, path)
    try:
        tree, problems = _parsed(folder, path)
        if tree is not None and kind:
            problems += _file_problems(file, tree, kind, seen)
    except (RecursionError, MemoryError):  # the parser reports either; its stack is bounded
        advice = "Split the longest expression, or move data into a file."
        return None, [Problem(file, 1, "syntax-error", "the code is nested too deep to be read", advice)]
    else:
        return tree, problems


def _parsed(folder: Path, path: Path) -> tuple[ast.Module | None, list[Problem]]:
    """Return the syntax tree of a file, or None, and what can be said about it without knowing what it is for."""
    file, content = relative(folder, path), path.read_bytes()
    try:
        tree = ast.parse(content, filename=file)
    except (SyntaxError, ValueError) as error:  # the second from old versions, for a null byte
        line = getattr(error, "lineno", None) or content.partition(b"\0")[0].count(b"\n") + 1
        return None, [Problem(file, line, "syntax-error", f"this is not Python: {getattr(error, 'msg', error)}")]
    return tree, list(undefined_name_problems(file, tree, content))


def _file_problems(file: str, tree: ast.Module, kind: str, seen: list[SeenField]) -> Iterator[Problem]:
    if kind == "columns":
        yield from field_problems(file, tree, seen)
    if kind == "row_types":
        yield from label_problems(file, tree, Path(file).stem)
    yield from function_problems(file, tree, kind)


def _row_problems(trees: list[tuple[str, ast.Module]], seen: list[SeenField]) -> Iterator[Problem]:
    names = [field.name for field in seen if field.name]
    if len(names) != len(seen):
        return  # a name computed at import time is only known to the loader
    for file, tree in trees:
        yield from field_name_problems(file, tree, names)


def _settings_problems(folder: Path, settings: Settings, seen: list[SeenField]) -> Iterator[Problem]:
    """Yield the settings that name a field which does not exist."""
    names = [field.name for field in seen if field.name]
    if len(names) != len(seen):
        return  # a name computed at import time is only known to the loader
    for path, entry, name in fields_named(settings):
        if name not in names:
            line = setting_line(folder, *path, entry=entry)
            setting = ".".join(part for part in path if isinstance(part, str))
            yield Problem(FILE, line, "bad-setting", f"{setting} names no field {name}", did_you_mean(name, names))


def _ignore_problems(folder: Path, ignored: tuple[str, ...], seen: list[SeenField]) -> Iterator[Problem]:
    """Yield the aliases that no column can match, because columns of that header are left out."""
    fields = {comparable(alias): field for field in seen for alias in field.aliases}
    for entry, header in enumerate(ignored):
        if (field := fields.get(comparable(header))) is not None:
            line = setting_line(folder, "mapping", "ignore", entry=entry)
            message = f'mapping.ignore leaves out "{header}", which is also an alias of {field.name} in {field.file}'
            yield Problem(FILE, line, "ignored-alias", message, "Keep it in one of them.", "warning")


def _import_problems(folder: Path) -> list[Problem]:
    from ade_engine.configuration.load import import_configuration

    try:
        configuration = import_configuration(folder)
    except ConfigurationError as error:
        if full_disk(error):
            raise  # no fault of the configuration's
        file, line = error.file or ".", error.line or 1
        code = "bad-setting" if file == FILE else "import-error"
        return [Problem(file, line, code, str(error).removeprefix(f"{file}, line {line}: "))]
    return list(islice(template_warnings(folder, configuration), MOST_PROBLEMS))
