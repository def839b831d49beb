"""Gives each table a name that its output format allows and no other table has."""

from __future__ import annotations

import re

_SHEET_NAME_LENGTH = 31
_NOT_IN_SHEET_NAMES = re.compile(r"[\[\]:*?/\\\x00-\x1f\ud800-\udfff\ufffe\uffff]")


def sheet_name(wanted: str, taken: set[str]) -> str:
    """Return a legal sheet name close to `wanted`, and add it to `taken` (names in lower case)."""
    legal = _NOT_IN_SHEET_NAMES.sub(" ", wanted).strip().strip("'") or "Sheet"
    # Excel keeps this one for itself.
    legal = "History 1" if legal.lower() == "history" else legal
    name = legal[:_SHEET_NAME_LENGTH]
    count = 1
    while name.lower() in taken:
        count += 1
        ending = f" ({count})"
        name = legal[: _SHEET_NAME_LENGTH - len(ending)] + ending
    taken.add(name.lower())
    return name
