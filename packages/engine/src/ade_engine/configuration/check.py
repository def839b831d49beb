"""Checks a configuration: first by reading it, and when that finds no error, by importing it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from ade_engine.configuration.check_fields import SeenField, duplicate_problems, field_problems, label_problems
from ade_engine.configuration.check_functions import function_problems
from ade_engine.configuration.files import layout_problems, relative, require_folder, rule_files
from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.settings import FILE, read_settings
from ade_engine.configuration.signatures import FOLDERS
from ade_engine.errors import ConfigurationError, full_disk


def check_configuration(folder: str | Path) -> list[Problem]:
    """Return everything wrong with a configuration folder, by file and line; an empty list means it can run."""
    folder = Path(folder)
    problems = static_problems(folder)
    if not any(problem.severity == "error" for problem in problems):
        problems += _import_problems(folder)
    return sorted(problems, key=lambda problem: (problem.file, problem.line, problem.code, problem.message))


def static_problems(folder: Path) -> list[Problem]:
    """Return what can be seen without executing anything."""
    require_folder(folder)
    seen: list[SeenField] = []
    problems = list(layout_problems(folder))
    for kind in FOLDERS:
        for path in rule_files(folder, kind):
            problems += _file_problems(folder, path, kind, seen)
    problems += duplicate_problems(seen)
    settings, wrong = read_settings(folder)
    problems += wrong
    problems += _order_problems(settings.order, seen)
    return problems


def _file_problems(folder: Path, path: Path, kind: str, seen: list[SeenField]) -> Iterator[Problem]:
    file = relative(folder, path)
    try:
        tree = ast.parse(path.read_bytes(), filename=file)
    except SyntaxError as error:
        yield Problem(file, error.lineno or 1, "syntax-error", f"this is not Python: {error.msg}")
        return
    except ValueError as error:
        yield Problem(file, 1, "syntax-error", f"this is not Python: {error}")
        return
    if kind == "columns":
        yield from field_problems(file, tree, seen)
    if kind == "row_types":
        yield from label_problems(file, tree, path.stem)
    yield from function_problems(file, tree, kind)


def _order_problems(order: tuple[str, ...], seen: list[SeenField]) -> Iterator[Problem]:
    names = [field.name for field in seen if field.name]
    if len(names) != len(seen):
        return  # a name computed at import time is only known to the loader
    for name in order:
        if name not in names:
            yield Problem(FILE, 1, "bad-setting", f"output.order names no field {name}", did_you_mean(name, names))


def _import_problems(folder: Path) -> list[Problem]:
    from ade_engine.configuration.load import import_configuration

    try:
        import_configuration(folder)
    except ConfigurationError as error:
        if full_disk(error):
            raise  # no fault of the configuration's
        return [Problem(error.file or ".", error.line or 1, "import-error", str(error))]
    return []
