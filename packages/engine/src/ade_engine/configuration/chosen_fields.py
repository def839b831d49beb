"""What people choose of inferred fields before they become a configuration: which, under which names, of which type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ade_engine.configuration.infer import Table
from ade_engine.errors import ConfigurationError
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty
from ade_engine.shown import shown_cell

SAMPLES, LONGEST_SAMPLE = 3, 80
LONGEST_NAME_BYTES = 200  # a name becomes that of a file, and disks count bytes
_DATES = ("date", "datetime")
# How the values of a type are read. Another type reads them in its own way.
_OPTIONS: dict[str, Any] = {"decimal": None, "day_first": None, "currency": None, "kind": None}


def described_fields(fields: Sequence[Field], tables: Sequence[Table]) -> list[dict[str, Any]]:
    """Return inferred fields with what the examples have of them: how many values, and the first different ones."""
    return [_described(field, tables) for field in fields]


def _described(field: Field, tables: Sequence[Table]) -> dict[str, Any]:
    headers = (field.title, *field.aliases)
    values = [value for table in tables for header in headers for value in table.get(header, ())]
    different = dict.fromkeys(value for value in values if not is_empty(value))
    shown = [shown_cell(value, longest=LONGEST_SAMPLE) for value in list(different)[:SAMPLES]]
    return {
        "name": field.name,
        "label": field.title,
        "type": field.type,
        "kind": field.kind,
        "day_first": field.day_first,
        "required": field.required,
        "unique": field.unique,
        "aliases": list(field.aliases),
        "value_count": len(values),
        "filled_count": sum(not is_empty(value) for value in values),
        "different_count": len(different),
        "samples": shown,
    }


def chosen_fields(fields: Sequence[Field], choices: Sequence[Mapping[str, Any]]) -> list[Field]:
    """Return the fields that were chosen, in their order, as they were adjusted; raise ConfigurationError.

    A choice has the name of an inferred field as `inferred`, and what it shall have: name, label, type, day_first,
    required and unique. What is missing stays.
    """
    inferred = {field.name: field for field in fields}
    if not choices:
        raise ConfigurationError("A configuration needs at least one field.")
    for choice in choices:
        if choice["inferred"] not in inferred:
            raise ConfigurationError(f"The example has no field {choice['inferred']}. Read its fields again.")
    names = {choice["inferred"]: choice.get("name") or choice["inferred"] for choice in choices}
    for name in names.values():
        if len(name.encode("utf-8", "replace")) > LONGEST_NAME_BYTES:
            raise ConfigurationError(f"The name {name[:20]}… takes over {LONGEST_NAME_BYTES} bytes. Shorten it.")
    chosen = [_adjusted(inferred[choice["inferred"]], choice, names) for choice in choices]
    taken: dict[str, Field] = {}
    for field in chosen:
        if (other := taken.setdefault(field.name, field)) is not field:
            raise ConfigurationError(f"{other.title} and {field.title} have the same name, {field.name}.")
    return chosen


def _adjusted(field: Field, choice: Mapping[str, Any], names: Mapping[str, str]) -> Field:
    """Return a field as it is wanted; a new label leaves the header of the example among its other names."""
    wanted: dict[str, Any] = {key: choice[key] for key in ("required", "unique") if key in choice}
    if "type" in choice and choice["type"] != field.type:
        is_text = {choice["type"], field.type} <= {None, "text"}
        wanted |= {"type": choice["type"], **(_OPTIONS | ({"kind": field.kind} if is_text else {}))}
    if choice.get("type", field.type) in _DATES and "day_first" in choice:
        wanted["day_first"] = choice["day_first"]
    label = choice.get("label") or field.title
    if label != field.title:
        wanted["aliases"] = tuple(dict.fromkeys(one for one in (field.title, *field.aliases) if one != label))
    if "currency" not in wanted and field.currency is not None:
        wanted["currency"] = names.get(field.currency)
    try:
        return replace(field, name=names[field.name], label=label, **wanted)
    except ValueError as error:
        raise ConfigurationError(f"{label}: {error}") from None
