"""The pages about the engine that come from its code: configuration.md and artifact.md."""

from __future__ import annotations

import json
from dataclasses import MISSING, fields
from importlib.resources import files
from typing import Any

from ade_engine.configuration.model import Settings
from ade_engine.configuration.settings import SETTINGS
from ade_engine.configuration.signatures import FUNCTIONS, LABELS
from ade_engine.fields import KINDS, TYPES, Field

FIELD = {
    "name": "its name in rules, artifact and issues: `a-z`, `0-9` and `_`",
    "label": "its header in the output; without one, the name",
    "type": f"what values are converted to: {', '.join(f'`{name}`' for name in TYPES)}; what cannot be is kept and "
    "becomes an issue",
    "required": "a missing column or an empty cell is an issue",
    "unique": "a value that came before is an issue",
    "aliases": "other headers it goes by",
    "hints": "headers that suggest it, but need support from the values",
    "kind": f"the built-in detector that looks at values: {', '.join(f'`{name}`' for name in KINDS)}; by default it "
    "follows from the type",
    "threshold": "the score a column must reach to be mapped to this field; by default that of the settings",
    "formats": "date formats such as `%d.%m.%Y`; without any, a date that can be read in one way only is converted",
    "day_first": "how to read 03/04/2024",
    "decimal": 'the decimal mark, `"."` or `","`, where a number could be read in two ways',
    "pattern": "a regular expression that the whole text must match",
    "choices": "the values allowed",
    "minimum": "the smallest value allowed",
    "maximum": "the largest value allowed",
    "combine": "lets several columns feed the field, joined by this text",
    "description": "for people who read the configuration",
}
SETTING = {
    "threshold": "the score a column must reach to be mapped",
    "unmapped": '`"keep"` or `"drop"` columns that are no field',
    "sheets": '`"all"`, `"active"`, or a list of names',
    "hidden_sheets": '`"read"` or `"skip"` them',
    "format": '`"xlsx"`, `"csv"` or `"parquet"`',
    "order": "fields in the order of the output; others follow by file name",
    "missing_fields": '`"omit"` fields no column was found for, or write them `"empty"`',
    "issues_sheet": "add a sheet that lists all issues",
    "highlight": "colour the cells that have issues",
}
FUNCTION = {
    "columns": {
        "detect_*": "how much speaks for the column being this field, from -1 to 1",
        "combine": "one value out of several columns",
        "transform": "the clean value",
        "transform_column": "the clean values of a chunk, one for each given",
        "validate": "what is wrong with the value, or nothing",
        "validate_column": "what is wrong with each value of a chunk, or nothing",
        "validate_*": "one more check, named after what it checks",
    },
    "row_types": {"detect_*": "how much speaks for the row being of the file's type, from -10 to 10"},
    "hooks": {
        "on_workbook_start": "before anything is read",
        "on_sheet_start": "`return False` leaves the sheet out",
        "on_table_start": "`return False` leaves the table out",
        "on_table_mapped": "sees the mapping, and may change it",
        "before_write": "may rename the output table or drop columns",
        "on_table_end": "may return an issue of the whole table",
        "on_workbook_end": "after everything was written",
    },
}
RETURNS = {
    "number": "a number, or None",
    "value": "a value",
    "values": "a list of values",
    "message": "None, a message, or `(severity, message)`",
    "messages": "None, or a list with None or a message for each",
    "choice": "nothing, or False",
    "nothing": "nothing",
}


def configuration_page() -> str:
    """Return everything a configuration may hold."""
    lines = [
        "# Configuration",
        "",
        "A configuration is a folder: `columns/*.py` (a field each), `row_types/*.py`, `hooks/*.py`, `settings.toml`,",
        "and `requirements.txt` if rules import something. `ade check FOLDER` finds what is wrong, with file and line.",
        "",
        "## Field",
        "",
        'A file in `columns/` defines `field = Field("member_id", …)`, and functions if it needs any.',
        "",
        "| argument | default | meaning |",
        "| --- | --- | --- |",
        *(f"| `{found.name}` | {_default(found)} | {FIELD[found.name]} |" for found in fields(Field)),
    ]
    titles = {
        "columns": "Functions of a column",
        "row_types": "Functions of a row type",
        "hooks": "Hooks",
    }
    intro = {
        "columns": "A function declares the arguments it needs and gets just these. One that takes only `value` is "
        "called once for\nvalues that repeat.",
        "row_types": f"A file is named after the type it speaks for: {', '.join(f'`{label}`' for label in LABELS)}.",
        "hooks": "Files in `hooks/` may have any name; hooks of one moment are called in the order of the files.",
    }
    for folder, functions in FUNCTIONS.items():
        lines += ["", f"## {titles[folder]}", "", intro[folder], "", "| function | may ask for | returns | what for |"]
        lines += ["| --- | --- | --- | --- |"]
        for name, signature in functions.items():
            asked = ", ".join(f"`{parameter}`" for parameter in signature.parameters)
            lines.append(f"| `{name}` | {asked} | {RETURNS[signature.returns]} | {FUNCTION[folder][name]} |")
    lines += ["", "## settings.toml", "", "| setting | default | meaning |", "| --- | --- | --- |"]
    defaults = {found.name: found for found in fields(Settings)}
    for (table, key), name in SETTINGS.items():
        lines.append(f"| `[{table}] {key}` | {_default(defaults[name])} | {SETTING[name]} |")
    lines += ["| `[rules]` | | anything; rules find it in `context.settings` |", ""]
    return "\n".join(lines)


def _default(found: Any) -> str:
    if found.default is MISSING or found.default is None:
        return ""
    default = list(found.default) if isinstance(found.default, tuple) else found.default
    return f"`{json.dumps(default)}`"


def artifact_page() -> str:
    """Return what artifact.json holds, from its schema."""
    schema = json.loads((files("ade_engine") / "artifact.schema.json").read_text("utf-8"))
    lines = [
        "# artifact.json",
        "",
        f"{schema['description']} The same input, configuration and engine give the same bytes. Its JSON Schema is",
        "`ade_engine/artifact.schema.json`; `ade explain` says the same in words.",
        *_object("The whole", schema),
    ]
    for name, part in schema["$defs"].items():
        lines += _object(name.replace("_", " ").capitalize(), part)
    return "\n".join([*lines, ""])


def _object(title: str, schema: dict[str, Any]) -> list[str]:
    rows = [
        f"| `{name}` | {_type(part)} | {part.get('description', '')} |"
        for name, part in schema.get("properties", {}).items()
    ]
    return ["", f"## {title}", "", "| key | type | meaning |", "| --- | --- | --- |", *rows]


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name.replace('_', ' ')}](#{name.replace('_', '-')})"
    if "anyOf" in schema:
        return " or ".join(map(_type, schema["anyOf"]))
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"name → {_type(schema['additionalProperties'])}"
    if schema.get("type") == "object" and "properties" in schema:
        return ", ".join(f"`{name}`" for name in schema["properties"])
    return str(schema.get("type", "anything"))
