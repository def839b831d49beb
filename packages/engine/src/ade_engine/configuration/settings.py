"""Reads settings.toml: unknown keys and wrong values are problems, never silently ignored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.configuration.problems import Problem, did_you_mean

FILE = "settings.toml"
_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("mapping", "unmapped"): ("keep", "drop"),
    ("sheets", "hidden"): ("read", "skip"),
    ("output", "format"): ("xlsx", "csv", "parquet"),
    ("output", "missing_fields"): ("omit", "empty"),
}
SETTINGS = {
    ("mapping", "threshold"): "threshold",
    ("mapping", "unmapped"): "unmapped",
    ("sheets", "read"): "sheets",
    ("sheets", "hidden"): "hidden_sheets",
    ("output", "format"): "format",
    ("output", "order"): "order",
    ("output", "missing_fields"): "missing_fields",
    ("output", "issues_sheet"): "issues_sheet",
    ("output", "highlight"): "highlight",
}
_TABLES = sorted({table for table, _ in SETTINGS} | {"rules"})


def read_settings(folder: Path) -> tuple[Settings, list[Problem]]:
    """Return the settings of a configuration folder, and what is wrong with them."""
    path = folder / FILE
    if not path.is_file():
        return Settings(), []
    import tomllib  # its patterns take a while to compile, and many configurations have no settings

    text = path.read_bytes().decode("utf-8", errors="replace")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return Settings(), [Problem(FILE, _line_of_error(error), "syntax-error", f"this is not TOML: {error}")]
    problems = list(_problems(content, text))
    return (Settings() if problems else _settings(content)), problems


def _line_of_error(error: ValueError) -> int:
    _, _, place = str(error).rpartition("at line ")
    digits = place.split(",")[0]
    return int(digits) if digits.isdigit() else 1


def _problems(content: dict[str, Any], text: str) -> Iterator[Problem]:
    for table, keys in content.items():
        if table not in _TABLES or not isinstance(keys, dict):
            message = f"there is no settings table [{table}]"
            yield Problem(FILE, _line(text, table), "unknown-setting", message, did_you_mean(table, _TABLES))
        elif table != "rules":
            yield from _table_problems(table, keys, text)


def _table_problems(table: str, keys: dict[str, Any], text: str) -> Iterator[Problem]:
    known = [key for name, key in SETTINGS if name == table]
    for key, value in keys.items():
        if key not in known:
            message = f"there is no setting {table}.{key}"
            yield Problem(FILE, _line(text, key), "unknown-setting", message, did_you_mean(key, known))
        elif (wrong := _wrong(table, key, value)) is not None:
            yield Problem(FILE, _line(text, key), "bad-setting", f"{table}.{key} must be {wrong}")


def _wrong(table: str, key: str, value: Any) -> str | None:
    """Return what the value must be, or None when it is that."""
    if (choices := _CHOICES.get((table, key))) is not None:
        return None if value in choices else "one of " + ", ".join(choices)
    if key == "threshold":
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if is_number and 0 < value <= 1 else "a number above 0 and at most 1"
    if key == "read" and value in ("all", "active"):
        return None
    if key in {"read", "order"}:
        is_names = isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
        return None if is_names else "a list of names" + (', "all" or "active"' if key == "read" else "")
    return None if isinstance(value, bool) else "true or false"


def _line(text: str, word: str) -> int:
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip(" [\"'").startswith(word):
            return number
    return 1


def _settings(content: dict[str, Any]) -> Settings:
    values: dict[str, Any] = {"rules": content.get("rules", {})}
    for (table, key), name in SETTINGS.items():
        if key in content.get(table, {}):
            value = content[table][key]
            values[name] = tuple(value) if isinstance(value, list) else value
    return Settings(**values)
