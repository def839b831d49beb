"""Lists what a configuration consists of, as plain data."""

from __future__ import annotations

from itertools import islice
from typing import Any

from ade_engine.configuration.model import ColumnRules, Configuration, Function

MOST_CHOICES = 1000  # of a field: more are no list to choose from


def manifest(configuration: Configuration) -> dict[str, Any]:
    """Return fields, detectors, transforms, validators, row rules and hooks as a dict that JSON can hold."""
    return {
        "name": configuration.name,
        "fingerprint": configuration.fingerprint,
        "fields": [_field(rules) for rules in configuration.columns],
        "row_types": [{"label": rule.label, **_function(rule.function)} for rule in configuration.row_rules],
        "hooks": [_function(function) for functions in configuration.hooks.values() for function in functions],
        "requirements": list(configuration.requirements),
    }


def _field(rules: ColumnRules) -> dict[str, Any]:
    field = rules.field
    return {
        "name": field.name,
        "label": field.title,
        "type": field.type,
        "required": field.required,
        "unique": field.unique,
        "aliases": list(field.aliases),
        "choices": None if field.choices is None else [str(choice) for choice in islice(field.choices, MOST_CHOICES)],
        "file": rules.file,
        "detectors": [_function(function) for function in rules.detectors],
        "transforms": _functions(rules.combine, rules.transform, rules.transform_column),
        "validators": _functions(*rules.validators, rules.validate_column),
    }


def _functions(*functions: Function | None) -> list[dict[str, Any]]:
    return [_function(function) for function in functions if function is not None]


def _function(function: Function) -> dict[str, Any]:
    return {
        "rule": function.rule,
        "file": function.file,
        "line": function.line,
        "parameters": list(function.parameters),
    }
