"""Loads a configuration folder: each file is executed once, in a package of its own, without touching sys.path."""

from __future__ import annotations

import inspect
import itertools
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from ade_engine.configuration.check import static_problems
from ade_engine.configuration.computation import in_computation_order
from ade_engine.configuration.files import fingerprint, relative, require_folder, requirements, rule_files
from ade_engine.configuration.learned import read_learned
from ade_engine.configuration.model import ColumnRules, Configuration, Function, RowRule
from ade_engine.configuration.problems import errors_of
from ade_engine.configuration.profiles import read_profiles
from ade_engine.configuration.settings import read_settings
from ade_engine.configuration.signatures import FOLDERS, LABELS, signature_of
from ade_engine.configuration.templates import templates_of
from ade_engine.convert import CannotConvert, converter
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field
from ade_engine.protocol import MAX_MESSAGE_CHARACTERS

CORRECTIONS = "corrections.json"
_numbers = itertools.count(1)


def load_configuration(folder: str | Path) -> Configuration:
    """Check and load a configuration folder; raise ConfigurationError with file and line on the first error."""
    folder = Path(folder)
    for problem in errors_of(static_problems(folder)):
        raise ConfigurationError(str(problem), file=problem.file, line=problem.line)
    return import_configuration(folder)


def import_configuration(folder: Path) -> Configuration:
    """Execute the files of a folder whose static checks passed."""
    require_folder(folder)
    settings, _ = read_settings(folder)
    package = _new_package(folder)
    modules = {kind: list(_modules(folder, kind, package)) for kind in FOLDERS}
    columns = [rules for file, module in modules["columns"] for rules in _columns(file, module)]
    _require_unique(columns, dict(modules["columns"]))
    columns = _with_files(folder, columns)
    templates = templates_of(folder, settings, [rules.field for rules in columns])
    configuration = Configuration(
        name=folder.resolve().name,
        fingerprint=fingerprint(folder),
        columns=_in_order(columns, settings.order),
        row_rules=tuple(rule for file, module in modules["row_types"] for rule in _row_rules(file, module)),
        hooks=_hooks(modules["hooks"]),
        settings=settings,
        requirements=requirements(folder),
        profiles=read_profiles(folder)[0],
        learned=read_learned(folder)[0],
        templates=templates,
    )
    in_computation_order(configuration.columns)  # raises when fields read each other in a circle
    if (folder / CORRECTIONS).is_file():
        from ade_engine.configuration.corrections_file import read_corrections  # most configurations have none
        from ade_engine.corrections import corrected

        return corrected(configuration, read_corrections(folder)[0])
    return configuration


def _new_package(folder: Path) -> str:
    """Make the package that relative imports between the files of this folder resolve in, and return its name."""
    name = f"_ade_configuration_{next(_numbers)}"
    for part, path in (("", folder), *((f".{kind}", folder / kind) for kind in FOLDERS)):
        spec = ModuleSpec(name + part, None, is_package=True)
        spec.submodule_search_locations = [str(path.resolve())]
        sys.modules[name + part] = module_from_spec(spec)
    return name


def _modules(folder: Path, kind: str, package: str) -> Iterator[tuple[str, ModuleType]]:
    for path in rule_files(folder, kind):
        yield relative(folder, path), _execute(folder, path, f"{package}.{kind}.{path.stem}")


def _execute(folder: Path, path: Path, name: str) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]  # another file imported it first
    spec = ModuleSpec(name, None, origin=str(path))
    module = module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module
    with _own_bytecode_off(), _explained(folder, path):
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102 - rules are Python
    return module


@contextmanager
def _own_bytecode_off() -> Iterator[None]:
    # A configuration may lie on a read-only disk, and must look the same after a run as before.
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


@contextmanager
def _explained(folder: Path, path: Path) -> Iterator[None]:
    try:
        yield
    except (Exception, SystemExit) as error:
        file, line = _place(error, folder, path)
        message = f"{file}, line {line}: {_in_words(error, folder)}"[:MAX_MESSAGE_CHARACTERS]
        raise ConfigurationError(message, file=file, line=line) from error


def _in_words(error: BaseException, folder: Path) -> str:
    """Return what an error says, without places and names that only we know."""
    said = error.msg if isinstance(error, SyntaxError) else str(error)  # its text repeats the place
    said = re.sub(r"_ade_configuration_\d+\.", "", said).replace(f"{folder.resolve()}{os.sep}", "")
    if isinstance(error, ModuleNotFoundError) and (folder / f"{error.name}.py").is_file():
        said += f". Write: from .. import {error.name}"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _place(error: BaseException, folder: Path, path: Path) -> tuple[str, int]:
    """Return the innermost file and line of the configuration that the error passed through."""
    import traceback  # only where a file failed

    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    for name, line in reversed(places):
        for base in (folder, folder.resolve()):
            if Path(name).is_relative_to(base):
                return relative(base, Path(name)), line or 1
    return relative(folder, path), 1


def _columns(file: str, module: ModuleType) -> list[ColumnRules]:
    """Return the fields of a file: one with its functions, or several without any."""
    listed = getattr(module, "fields", None)
    if listed is None or hasattr(module, "field"):
        return [_column_rules(file, module)]
    if not isinstance(listed, list | tuple) or not all(isinstance(field, Field) for field in listed):
        raise _about_name(file, module, "fields", "fields must be a list of Field(...)")
    for field in listed:
        _require_values(file, module, "fields", field)
    return [ColumnRules(field=field, file=file) for field in listed]


def _column_rules(file: str, module: ModuleType) -> ColumnRules:
    field = getattr(module, "field", None)
    if not isinstance(field, Field):
        several = "; several are a list named fields" if isinstance(field, list | tuple) else ""
        raise _about_name(file, module, "field", f"field must be a Field(...){several}")
    _require_values(file, module, "field", field)
    functions = _functions(file, module, "columns", prefix=field.name)
    return ColumnRules(
        field=field,
        file=file,
        detectors=tuple(f for name, f in functions.items() if name.startswith("detect_")),
        combine=functions.get("combine"),
        transform=functions.get("transform"),
        transform_column=functions.get("transform_column"),
        validators=tuple(f for name, f in functions.items() if _is_validator(name)),
        validate_column=functions.get("validate_column"),
    )


def _with_files(folder: Path, columns: list[ColumnRules]) -> list[ColumnRules]:
    """Return the rules with what their fields look up in files of the folder."""
    from ade_engine.configuration import lookups  # few configurations have such files

    fields = {rules.field.name: rules.field for rules in columns}
    return [
        replace(
            rules,
            lookup=lookups.lookup_of(folder, rules.field, fields),
            replacements=lookups.replacements_of(folder, rules.field),
        )
        if rules.field.lookup or rules.field.replace
        else rules
        for rules in columns
    ]


def _require_values(file: str, module: ModuleType, name: str, field: Field) -> None:
    """Raise when the default or a choice of a field is not of its type: it would never match."""
    convert = converter(field)
    if convert is None:
        return
    try:
        if field.default is not None:
            convert(field.default)
        for choice in field.choices or ():
            if (meant := convert(choice)) != choice:
                said = f"the choice {choice!r} of {field.name} must be written as {meant!r}: its type is {field.type}"
                raise _about_name(file, module, name, said)
    except CannotConvert as reason:
        what = "default" if not field.choices else "default or a choice"
        raise _about_name(file, module, name, f"the {what} of {field.name} {reason}") from None


def _about_name(file: str, module: ModuleType, name: str, said: str) -> ConfigurationError:
    """Return the error about what a file assigns to a name, at the line that does so."""
    import ast  # only where a file is wrong

    nodes = list(ast.walk(ast.parse(Path(module.__file__ or "").read_bytes())))
    named = [(node.id, node.lineno) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    named += [(node.name, node.lineno) for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    line = next((line for found, line in named if found == name), 1)
    return ConfigurationError(f"{file}, line {line}: {said}", file=file, line=line)


def _is_validator(name: str) -> bool:
    return name == "validate" or (name.startswith("validate_") and name != "validate_column")


def _functions(file: str, module: ModuleType, kind: str, *, prefix: str) -> dict[str, Function]:
    """Return the rules a file defines, in the order they are written."""
    found: dict[str, Function] = {}
    for name, value in vars(module).items():
        if not callable(value) or name.startswith("_") or not signature_of(kind, name):
            continue
        if not inspect.isfunction(value):
            said = f"{name} must be a function, not {type(value).__name__}; call it in one: def {name}(...)"
            raise _about_name(file, module, name, said)
        found[name] = _function(file, name, value, kind, prefix)
    return dict(sorted(found.items(), key=lambda item: item[1].line))


def _function(file: str, name: str, value: Any, kind: str, prefix: str) -> Function:
    signature = signature_of(kind, name)
    known = signature.parameters if signature else ()
    line = value.__code__.co_firstlineno
    asked = [p for p in inspect.signature(value).parameters.values() if p.name in known or p.default is p.empty]
    unknown = [parameter.name for parameter in asked if parameter.name not in known]
    if unknown:
        message = f"{file}, line {line}: {name} asks for {unknown[0]}, which is not given"
        raise ConfigurationError(message, file=file, line=line)
    return Function(_rule_name(kind, prefix, name), tuple(p.name for p in asked), value, file, line)


def _rule_name(kind: str, prefix: str, name: str) -> str:
    if kind == "hooks":
        return f"hook.{name}"
    return f"{'col' if kind == 'columns' else 'row'}.{prefix}.{name.removeprefix('detect_')}"


def _require_unique(columns: list[ColumnRules], modules: Mapping[str, ModuleType]) -> None:
    seen: dict[str, str] = {}
    for rules in columns:
        name, file = rules.field.name, rules.file or ""
        if name in seen:
            raise _about_name(file, modules[file], "field", f"field {name} is already defined in {seen[name]}")
        seen[name] = file


def _in_order(columns: list[ColumnRules], order: tuple[str, ...]) -> tuple[ColumnRules, ...]:
    place = {name: number for number, name in enumerate(order)}
    return tuple(sorted(columns, key=lambda rules: place.get(rules.field.name, len(place))))


def _row_rules(file: str, module: ModuleType) -> Iterator[RowRule]:
    label = getattr(module, "label", Path(file).stem)
    if label not in LABELS:
        raise _about_name(file, module, "label", f"there is no row label {label}")
    for function in _functions(file, module, "row_types", prefix=label).values():
        yield RowRule(label, function)


def _hooks(modules: list[tuple[str, ModuleType]]) -> Mapping[str, tuple[Function, ...]]:
    hooks: dict[str, tuple[Function, ...]] = {}
    for file, module in modules:
        for name, function in _functions(file, module, "hooks", prefix="").items():
            hooks[name] = (*hooks.get(name, ()), function)
    return hooks
