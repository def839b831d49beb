"""Compares words of documents with words of a configuration: keys of lookups, replacements and choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from typing import Any

from ade_engine.cells import Value
from ade_engine.fields import Field
from ade_engine.mapping.profile import is_empty


def as_key(value: Value, *, ignores_case: bool = False) -> str | None:
    """Return the text that a value is looked up by, or None when it is empty. 7 and 7.0 are the key "7"."""
    if is_empty(value):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = value.isoformat() if isinstance(value, date | time) else str(value).strip()
    return " ".join(text.split()).casefold() if ignores_case else text


def are_among(values: Sequence[Value], words: frozenset[str], field: Field) -> list[bool]:
    """Return for each value of a field whether it is one of the words."""
    return [as_key(value, ignores_case=field.ignore_case) in words for value in values]


def word_map(field: Field, replacements: Mapping[str, Any]) -> dict[str, Any]:
    """Return what each word of a field becomes. Where case is ignored, a choice replaces its other spellings."""
    ignores = field.ignore_case
    words: dict[str, Any] = {}
    if ignores and field.choices is not None:
        words = {key: choice for choice in field.choices if (key := as_key(choice, ignores_case=True)) is not None}
    given = {key: new for old, new in replacements.items() if (key := as_key(old, ignores_case=ignores)) is not None}
    return words | given
