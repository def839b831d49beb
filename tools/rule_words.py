"""Writes what the editor of the page completes in rules: arguments of Field, functions, and what rules receive."""

from __future__ import annotations

import json
import re
from dataclasses import Field as Argument
from dataclasses import fields
from typing import Any

from ade_engine.configuration.signatures import FUNCTIONS, LABELS, Signature
from ade_engine.fields import KINDS, TYPES, Field
from engine_reference import FIELD, FUNCTION, PARAMETER, RETURNS
from object_reference import OBJECTS, rows_of

VALUES = {"type": TYPES, "kind": KINDS, "decimal": (".", ",")}
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
BODY = {
    "number": "return 0.0",
    "value": "return {}",
    "values": "return {}",
    "condition": "return True",
    "rows": "yield {{}}",
    "nothing": "pass",
}
DICTS = ("row, source", "summary")  # they have keys, not attributes


def rule_words() -> str:
    """Return the words as JSON."""
    words = {
        "arguments": [_argument(found) for found in fields(Field) if found.name != "name"],
        "functions": {
            folder: [_function(folder, *one) for one in functions.items()] for folder, functions in FUNCTIONS.items()
        },
        "parameters": {name: _plain(meaning) for name, meaning in PARAMETER.items()},
        "objects": {told.title: _attributes(told) for told in OBJECTS if told.title not in DICTS},
        "labels": list(LABELS),
    }
    return json.dumps(words, indent=2, ensure_ascii=False) + "\n"


def _argument(found: Argument[Any]) -> dict[str, Any]:
    """Return an argument of Field with what to write after its name; `#` stands where the cursor goes."""
    values = VALUES.get(found.name, ())
    told = {"name": found.name, "meaning": _plain(FIELD[found.name]), "value": _value(found)}
    return {**told, "values": list(values)} if values else told


def _value(found: Argument[Any]) -> str:
    kinds = str(found.type).split(" | ")
    if "bool" in kinds:
        return "False" if found.default is True else "True"
    if kinds[0].startswith("Sequence"):
        return '["#"]' if "str" in kinds[0] else "[#]"
    if kinds[0].startswith("Mapping"):
        return '{"#": ""}'
    return '"#"' if kinds[0] == "str" else "#"


def _function(folder: str, name: str, signature: Signature) -> dict[str, Any]:
    given = _given(folder, signature)
    return {
        "name": name,
        "meaning": _plain(FUNCTION[folder][name]),
        "returns": _plain(RETURNS[signature.returns]),
        "parameters": list(signature.parameters),
        "given": given,
        "body": BODY.get(signature.returns, "return None").format(given[0]),
    }


def _given(folder: str, signature: Signature) -> list[str]:
    """Return the parameters that a function starts with: what it must ask for, or what it is about."""
    if signature.needs:
        return [signature.needs[0]]
    return [name for name in signature.parameters if name != "context"] if folder == "hooks" else ["value"]


def _attributes(told: Any) -> list[dict[str, str]]:
    rows = rows_of(told).items()
    return [{"name": name, "type": kind, "meaning": _plain(meaning)} for name, (kind, meaning) in rows]


def _plain(text: str) -> str:
    """Return a text of the reference without its marks."""
    return " ".join(LINK.sub(r"\1", text).replace("`", "").split())
