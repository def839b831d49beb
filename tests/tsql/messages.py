"""Takes a message apart: several statements, and calls of sp_executesql with the values of their parameters."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

_QUOTED = r"N?'(?:[^']|'')*'"
_PART = re.compile(rf"(?:{_QUOTED}|\[[^]]*\]|/\*.*?\*/|[^;])+", re.DOTALL)
_CALL = re.compile(rf"EXEC sp_executesql ({_QUOTED})(?:, ({_QUOTED})((?:, @p\d+ = (?:{_QUOTED}|[^,']+))+))?", re.DOTALL)
_VALUE = re.compile(rf", @(p\d+) = ({_QUOTED}|[^,']+)", re.DOTALL)
_DECLARED = re.compile(r"@(p\d+) ([a-z]+(?:\((\d+|max)\))?)", re.IGNORECASE)


def statements(message: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each statement with the values of its parameters, by name."""
    for part in _PART.findall(message):
        if text := part.strip():
            call = _CALL.fullmatch(text)
            yield (text, {}) if call is None else (_text(call[1]), _values(call[2] or "", call[3] or ""))


def called(call: str) -> str:
    """Return the statement that a call executes, or what is no call as it stands."""
    found = re.match(rf"EXEC sp_executesql ({_QUOTED})", call, re.DOTALL)
    return _text(found[1]) if found else call


def _values(declared: str, given: str) -> dict[str, Any]:
    lengths = {name: length for name, _, length in _declarations(_text(declared))}
    found = {name: _value(text) for name, text in _VALUE.findall(given)}
    assert set(found) == set(lengths), f"declared {declared}, given {given}"
    # SQL Server cuts a value to the length of its parameter and says nothing.
    return {name: _cut(value, lengths[name]) for name, value in found.items()}


@cache
def _declarations(declared: str) -> list[tuple[str, str, str]]:
    return _DECLARED.findall(declared)


def _cut(value: Any, length: str) -> Any:
    if not isinstance(value, str) or not length.isdigit():
        return value
    return value.encode("utf-16-le", "surrogatepass")[: 2 * int(length)].decode("utf-16-le", "replace")


def _value(text: str) -> Any:
    if text.strip() == "NULL":
        return None
    if text.endswith("'"):
        return _text(text)
    return float(text) if re.search(r"[.e]", text) else int(text)


def _text(quoted: str) -> str:
    return quoted.removeprefix("N")[1:-1].replace("''", "'")
