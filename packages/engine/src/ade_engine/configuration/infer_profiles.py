"""Infers the profiles of fields from the values of example tables."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ade_engine.cells import Value
from ade_engine.configuration.infer import Table
from ade_engine.configuration.profiles import VERSION
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty
from ade_engine.mapping.value_profile import as_json, profile_values

_MOST_VALUES = 20_000


def profiles_of(fields: Sequence[Field], tables: Sequence[Table]) -> str:
    """Return the text of profiles.json for fields inferred from tables."""
    salt = salt_of(tables)
    found = {}
    for field in fields:
        columns = [table[header] for table in tables for header in (field.title, *field.aliases) if header in table]
        values: list[Value] = [value for column in columns for value in column]
        filled = [value for value in values if not is_empty(value)]
        profile, _ = profile_values(filled, salt, row_count=len(values), most=_MOST_VALUES)
        if profile is not None:
            found[field.name] = as_json(profile)
    lines = [f"  {_json(name)}: {_json(content)}" for name, content in found.items()]
    return f'{{\n "version": {VERSION},\n "salt": "{salt.hex()}",\n "fields": {{\n' + ",\n".join(lines) + "\n }\n}\n"


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def salt_of(tables: Sequence[Table]) -> bytes:
    """Return what keeps the sketches of two configurations from being compared: another for other examples.

    It is made of headers and counts alone. A digest of the values would confirm a guess of all of them.
    """
    sizes = [[(header, len(values)) for header, values in table.items()] for table in tables]
    return hashlib.blake2b(_json(sizes).encode(), digest_size=8).digest()
