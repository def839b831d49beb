"""Reads settings.toml: unknown keys and wrong values are problems, never silently ignored."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.settings_shape import Wrong, outputs_of, unpivot_of, wrong_outputs, wrong_unpivot
from ade_engine.configuration.sources import OF_TABLES, sources_of, wrong_sources
from ade_engine.encoding_names import known_encoding, unknown_encoding

FILE = "settings.toml"
LARGEST_BYTES = 32 * 1024  # tomllib takes quadratic time for keys of many parts
MOST_LINES = 2000  # all are parsed again to find the line of one problem
MOST_PROBLEMS = 20
_CHOICES: dict[tuple[str, str], tuple[str, ...]] = {
    ("mapping", "unmapped"): ("keep", "drop"),
    ("sheets", "hidden"): ("read", "skip"),
    ("output", "format"): ("xlsx", "csv", "parquet"),
    ("output", "missing_fields"): ("omit", "empty"),
    ("output", "tables"): ("separate", "by_name", "one"),
    ("rows", "duplicates"): ("report", "first", "last"),
    ("rows", "totals"): ("drop", "separate", "keep"),
    ("rows", "headings"): ("found", "alone", "without_values"),
    ("tables", "transposed"): ("report", "turn", "always", "never"),
}
ORIGINS = ("document", "sheet", "row")
SETTINGS = {
    ("mapping", "threshold"): "threshold",
    ("mapping", "automatic"): "automatic",
    ("mapping", "suggest"): "suggest",
    ("mapping", "unmapped"): "unmapped",
    ("mapping", "ignore"): "ignore",
    ("sheets", "read"): "sheets",
    ("sheets", "hidden"): "hidden_sheets",
    ("output", "format"): "format",
    ("output", "order"): "order",
    ("output", "missing_fields"): "missing_fields",
    ("output", "issues_sheet"): "issues_sheet",
    ("output", "highlight"): "highlight",
    ("output", "escape_formulas"): "escape_formulas",
    ("output", "tables"): "tables",
    ("output", "origin"): "origin",
    ("output", "filter"): "has_filter",
    ("output", "freeze"): "freeze",
    ("output", "excel_tables"): "excel_tables",
    ("output", "template"): "template",
    ("rows", "key"): "row_key",
    ("rows", "duplicates"): "duplicates",
    ("rows", "totals"): "totals",
    ("rows", "verify_totals"): "verify_totals",
    ("rows", "headings"): "headings",
    ("rows", "total_names"): "total_names",
    ("tables", "transposed"): "transposed",
    ("csv", "encoding"): "encoding",
    ("csv", "delimiter"): "delimiter",
    ("verdict", "optional"): "verdict_optional",
    ("verdict", "header"): "verdict_header",
    ("verdict", "range"): "verdict_range",
    ("verdict", "mapping"): "verdict_mapping",
    ("verdict", "unknown"): "verdict_unknown",
    ("verdict", "issues"): "verdict_issues",
    ("verdict", "invalid"): "verdict_invalid",
}
_LONGEST_DELIMITER = 3
_TABLES = sorted({table for table, _ in SETTINGS} | {"rules", "unpivot", "source"})


def read_settings(folder: Path) -> tuple[Settings, list[Problem]]:
    """Return the settings of a configuration folder, and what is wrong with them."""
    path = folder / FILE
    if not path.is_file():
        return Settings(), []
    import tomllib  # its patterns take a while to compile, and many configurations have no settings

    try:
        read = _bytes_of(path)
        if len(read) > LARGEST_BYTES or read.count(b"\n") > MOST_LINES:
            return Settings(), [_too_large()]
        text = read.decode("utf-8-sig")
        content = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return Settings(), [Problem(FILE, line, "syntax-error", "this is not UTF-8", "Save the file as UTF-8.")]
    except (ValueError, RecursionError) as error:  # tomllib's own is the first; so is the one for a long number
        return Settings(), [_not_toml(str(error), text)]
    problems = list(islice(_problems(content, text), MOST_PROBLEMS))
    return (Settings() if problems else _settings(content)), problems


def setting_line(folder: Path, *path: str | int, entry: int | None = None) -> int:
    """Return the line of a key, or of an entry of its list, in valid settings."""
    from ade_engine.configuration.toml_lines import line_of

    return line_of((folder / FILE).read_bytes().decode("utf-8-sig"), *path, entry=entry)


def fields_named(settings: Settings) -> Iterator[tuple[tuple[str | int, ...], int | None, str]]:
    """Yield where settings name a field: path, entry of a list, name."""
    common = list(_common_fields_named(settings))
    yield from common
    known = {(path, name) for path, _, name in common}
    for number, source in enumerate(settings.sources):
        yield from ((("source", number, "aliases", name), None, name) for name in source.aliases)
        for path, entry, name in fields_named(source.settings):
            if path[0] in OF_TABLES and (path, name) not in known:  # what a source does not replace is named above
                yield ("source", number, *path), entry, name


def _common_fields_named(settings: Settings) -> Iterator[tuple[tuple[str | int, ...], int | None, str]]:
    lists: list[tuple[tuple[str | int, ...], tuple[str, ...]]] = [
        (("output", "order"), settings.order),
        (("rows", "key"), settings.row_key),
        (("verdict", "optional"), settings.verdict_optional),
    ]
    for number, output in enumerate(settings.outputs):
        lists += [(("output", "table", number, "has"), output.has)]
        lists += [(("output", "table", number, "fields"), output.fields)]
    for path, names in lists:
        yield from ((path, entry, name) for entry, name in enumerate(names))
    if settings.unpivot is not None:
        yield from ((("unpivot", "name"), None, name) for name in [settings.unpivot.name] if name)
        yield from ((("unpivot", "value"), None, name) for name in settings.unpivot.values.values())
        yield from ((("unpivot", "levels"), None, name) for name in settings.unpivot.levels)


def _bytes_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST_BYTES + 1)


def _too_large() -> Problem:
    message = f"the file has more than {LARGEST_BYTES} bytes or {MOST_LINES} lines"
    return Problem(FILE, 1, "bad-setting", message, "Remove everything that is not a setting.")


def _not_toml(message: str, text: str) -> Problem:
    """Return the problem that tomllib reports; it names the place at the end of its message."""
    reason, _, place = message.rpartition(" (at ")
    digits = place.removeprefix("line ").split(",")[0]
    line = int(digits) if digits.isdigit() else len(text.splitlines()) or 1
    return Problem(FILE, line, "syntax-error", f"this is not TOML: {reason or message}")


def _problems(content: dict[str, Any], text: str) -> Iterator[Problem]:
    from ade_engine.configuration.toml_lines import line_of

    for path, code, message, advice in _wrong_settings(content):
        yield Problem(FILE, line_of(text, *path), code, message, advice)


def _wrong_settings(content: dict[str, Any]) -> Iterator[Wrong]:
    for table, keys in content.items():
        if table == "source":
            yield from wrong_sources(keys, _wrong_settings)
        elif not isinstance(keys, dict):
            yield _outside(table, keys)
        elif table not in _TABLES:
            message = f"there is no settings table [{table}]"
            yield (table,), "unknown-setting", message, did_you_mean(table, _TABLES)
        elif table == "unpivot":
            yield from wrong_unpivot(keys)
        elif table != "rules":
            yield from _wrong_keys(table, keys)


def _outside(key: str, value: Any) -> Wrong:
    """Return what is wrong with what is no table: a key above the first one, or a value in the place of a table."""
    if key in _TABLES:
        return (key,), "bad-setting", f"{key} must be a table of settings", f"Write {key} = {{setting = value}}."
    if isinstance(value, list) and all(isinstance(section, dict) for section in value):
        advice = did_you_mean(key, _TABLES)
        return (key,), "unknown-setting", f"there is no settings table [[{key}]]", advice
    homes = [f"[{table}]" for table, known in SETTINGS if known == key]
    advice = f"Write it below {homes[0]}." if homes else "Tables are: " + ", ".join(f"[{name}]" for name in _TABLES)
    return (key,), "unknown-setting", f"{key} is in no settings table", advice


def _wrong_keys(table: str, keys: dict[str, Any]) -> Iterator[Wrong]:
    known = [key for name, key in SETTINGS if name == table]
    for key, value in keys.items():
        if (table, key) == ("output", "table"):
            yield from wrong_outputs(value)
        elif key not in known:
            yield (table, key), "unknown-setting", f"there is no setting {table}.{key}", did_you_mean(key, known)
        elif key == "encoding" and isinstance(value, str) and known_encoding(value) is None:
            message, _, advice = unknown_encoding(value).partition(". ")
            yield (table, key), "bad-setting", f"csv.encoding: {message[0].lower()}{message[1:]}", advice
        elif (wrong := _wrong(table, key, value)) is not None:
            yield (table, key), "bad-setting", f"{table}.{key} must be {wrong}", None
    if table == "output" and isinstance(keys.get("template"), str) and keys.get("format", "xlsx") != "xlsx":
        yield (table, "template"), "bad-setting", 'output.template needs output.format = "xlsx"', None
    if table == "mapping" and not any(_wrong(table, key, keys[key]) for key in ("automatic", "suggest") if key in keys):
        yield from _wrong_bars(keys)


def _wrong_bars(keys: dict[str, Any]) -> Iterator[Wrong]:
    """Yield a bar for suggestions above the one for mapping: nothing would ever be suggested."""
    usual = Settings()
    automatic = keys.get("automatic", usual.automatic)
    if keys.get("suggest", usual.suggest) > automatic:
        place = ("mapping", "suggest" if "suggest" in keys else "automatic")
        yield place, "bad-setting", f"mapping.suggest must be at most mapping.automatic, which is {automatic}", None


def _wrong(table: str, key: str, value: Any) -> str | None:
    """Return what the value must be, or None when it is that."""
    if (choices := _CHOICES.get((table, key))) is not None:
        return None if value in choices else "one of " + ", ".join(choices)
    if table == "verdict" and key != "optional":
        is_share = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
        return None if is_share else "a number from 0 to 1"
    if key in {"threshold", "automatic", "suggest"}:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return None if is_number and 0 < value <= 1 else "a number above 0 and at most 1"
    if key in {"encoding", "delimiter", "template"}:
        return _wrong_text(key, value)
    if key == "read" and value in ("all", "active"):
        return None
    if key in {"ignore", "total_names"}:
        is_texts = isinstance(value, list) and all(isinstance(text, str) and text.strip() for text in value)
        return None if is_texts else "a list of headers" if key == "ignore" else "a list of words"
    if key == "origin":
        is_origin = isinstance(value, list) and all(name in ORIGINS for name in value)
        return None if is_origin else "a list of " + ", ".join(f'"{name}"' for name in ORIGINS)
    if (table, key) == ("rows", "key") or key in {"read", "order", "optional"}:
        is_names = isinstance(value, list) and bool(value) and all(isinstance(name, str) for name in value)
        return None if is_names else "a list of names" + (', "all" or "active"' if key == "read" else "")
    return None if isinstance(value, bool) else "true or false"


def _wrong_text(key: str, value: Any) -> str | None:
    if key == "encoding":
        return None if isinstance(value, str) else "the name of an encoding"
    if key == "template":
        is_file = isinstance(value, str) and value.lower().endswith(".xlsx")
        return None if is_file else "an xlsx file of the configuration folder"
    is_delimiter = isinstance(value, str) and 0 < len(value) <= _LONGEST_DELIMITER and _is_visible(value)
    return None if is_delimiter else f"a text of 1 to {_LONGEST_DELIMITER} characters other than letters"


def _is_visible(value: str) -> bool:
    return value == "\t" or (value.isprintable() and '"' not in value and not value.isalnum())


def _settings(content: dict[str, Any]) -> Settings:
    values: dict[str, Any] = {"rules": content.get("rules", {}), "outputs": outputs_of(content)}
    values["unpivot"] = unpivot_of(content)
    for (table, key), name in SETTINGS.items():
        if key in content.get(table, {}):
            value = content[table][key]
            values[name] = tuple(value) if isinstance(value, list) else value
    if "source" in content:
        values["sources"] = sources_of(content, _settings)
    return Settings(**values)
