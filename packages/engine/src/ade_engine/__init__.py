"""Turns a messy spreadsheet into a clean workbook, and explains every decision."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from ade_engine.combining import combine
    from ade_engine.configuration.check import check_configuration
    from ade_engine.configuration.examples import example_tables
    from ade_engine.configuration.load import load_configuration
    from ade_engine.configuration.manifest import manifest
    from ade_engine.configuration.model import Configuration
    from ade_engine.configuration.problems import Problem
    from ade_engine.configuration.starter import infer_configuration, init_configuration
    from ade_engine.errors import ConfigurationError, EngineError, InputError, ResourceLimitExceeded
    from ade_engine.explain import explain
    from ade_engine.fields import Field
    from ade_engine.issues import Issue
    from ade_engine.pipeline import normalize
    from ade_engine.result import Result

# Imported when first asked for: a rule file that only needs Field must not wait for the readers.
_HOMES = {
    "Configuration": "ade_engine.configuration.model",
    "ConfigurationError": "ade_engine.errors",
    "EngineError": "ade_engine.errors",
    "Field": "ade_engine.fields",
    "InputError": "ade_engine.errors",
    "Issue": "ade_engine.issues",
    "Problem": "ade_engine.configuration.problems",
    "ResourceLimitExceeded": "ade_engine.errors",
    "Result": "ade_engine.result",
    "combine": "ade_engine.combining",
    "check_configuration": "ade_engine.configuration.check",
    "example_tables": "ade_engine.configuration.examples",
    "explain": "ade_engine.explain",
    "infer_configuration": "ade_engine.configuration.starter",
    "init_configuration": "ade_engine.configuration.starter",
    "load_configuration": "ade_engine.configuration.load",
    "manifest": "ade_engine.configuration.manifest",
    "normalize": "ade_engine.pipeline",
}

__all__ = [
    "Configuration",
    "ConfigurationError",
    "EngineError",
    "Field",
    "InputError",
    "Issue",
    "Problem",
    "ResourceLimitExceeded",
    "Result",
    "check_configuration",
    "combine",
    "example_tables",
    "explain",
    "infer_configuration",
    "init_configuration",
    "load_configuration",
    "manifest",
    "normalize",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
