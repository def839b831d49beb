"""Reads the settings of shape: [unpivot] and [[output.table]], whose keys hold more than one plain value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ade_engine.configuration.problems import did_you_mean
from ade_engine.patterns import Pattern
from ade_engine.records import record

KINDS_OF_HEADERS = ("month", "quarter", "year", "date")
POSITIONS = Pattern(r"([A-Z]{1,3}):([A-Z]{1,3})")
Path = tuple[str | int, ...]
Wrong = tuple[Path, str, str, str | None]  # path, code, message, suggestion
UNPIVOT_KEYS = ("columns", "pattern", "name", "value", "levels", "empty")
OUTPUT_KEYS = ("name", "has", "fields")


@record(kw_only=True)
class Unpivot:
    """Which columns become rows, and which fields get their headers and cells.

    `values` maps a word of the header to the field that gets the cell; "" stands for any header. `levels` maps fields
    to rows of a stacked header.
    """

    columns: str | tuple[str, ...] | None = None
    pattern: str | None = None
    name: str | None = None
    values: Mapping[str, str]
    levels: Mapping[str, int]
    keeps_empty: bool = False

    @property
    def fields(self) -> list[str]:
        """Return the fields that get something."""
        return [*([self.name] if self.name else []), *dict.fromkeys(self.values.values()), *self.levels]


@record(kw_only=True)
class NamedOutput:
    """An output of its own: the tables it takes, by fields they have, and the fields it writes; none means all."""

    name: str
    has: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def unpivot_of(content: Mapping[str, Any]) -> Unpivot | None:
    """Return the valid [unpivot] table of settings."""
    found = content.get("unpivot")
    if found is None:
        return None
    columns, value = found.get("columns"), found["value"]
    return Unpivot(
        columns=tuple(columns) if isinstance(columns, list) else columns,
        pattern=found.get("pattern"),
        name=found.get("name"),
        values=value if isinstance(value, dict) else {"": value},
        levels=found.get("levels", {}),
        keeps_empty=found.get("empty") == "keep",
    )


def outputs_of(content: Mapping[str, Any]) -> tuple[NamedOutput, ...]:
    """Return the valid [[output.table]] tables of settings."""
    return tuple(
        NamedOutput(name=found["name"], has=tuple(found.get("has", ())), fields=tuple(found.get("fields", ())))
        for found in content.get("output", {}).get("table", ())
    )


def wrong_unpivot(keys: Mapping[str, Any]) -> Iterator[Wrong]:
    """Yield what is wrong with [unpivot]."""
    yield from _unknown("unpivot", keys, UNPIVOT_KEYS, ("unpivot",))
    if ("columns" in keys) == ("pattern" in keys):
        advice = 'Write columns = "month", a range "C:H" or a list of headers; or pattern.'
        yield ("unpivot",), "bad-setting", "unpivot needs columns or pattern, and not both", advice
    if "value" not in keys:
        advice = 'Write value = "amount".'
        yield ("unpivot",), "bad-setting", "unpivot needs value, the field that gets the cells", advice
    for key, value in keys.items():
        if key in UNPIVOT_KEYS and (expected := _wrong_of_unpivot(key, value)) is not None:
            yield ("unpivot", key), "bad-setting", f"unpivot.{key} must be {expected}", None


def _wrong_of_unpivot(key: str, value: Any) -> str | None:
    """Return what the value must be, or None when it is that."""
    if key == "columns":
        is_word = isinstance(value, str) and (value in KINDS_OF_HEADERS or bool(POSITIONS.fullmatch(value)))
        return None if is_word or _is_texts(value) else f'{", ".join(KINDS_OF_HEADERS)}, "C:H" or a list of headers'
    if key == "pattern":
        return None if isinstance(value, str) and _compiles(value) else "a regular expression"
    if key == "name":
        return None if isinstance(value, str) else "the name of a field"
    if key == "value":
        is_map = isinstance(value, dict) and value and all(isinstance(name, str) for name in value.values())
        return None if isinstance(value, str) or is_map else "a field, or {word of the header = field}"
    if key == "levels":
        is_map = isinstance(value, dict) and all(type(level) is int and level > 0 for level in value.values())
        return None if is_map else "{field = row of the header}, where 1 is the uppermost"
    return None if value in ("drop", "keep") else "one of drop, keep"


def wrong_outputs(tables: Any) -> Iterator[Wrong]:
    """Yield what is wrong with [[output.table]]."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        yield ("output", "table"), "bad-setting", "output.table must be written as [[output.table]]", None
        return
    names: list[str] = []
    for number, keys in enumerate(tables):
        path: Path = ("output", "table", number)
        yield from _unknown("output.table", keys, OUTPUT_KEYS, path)
        name = keys.get("name")
        if not isinstance(name, str) or not name.strip():
            yield path, "bad-setting", "output.table needs a name", 'Write name = "Sales".'
        elif name in names:
            yield (*path, "name"), "bad-setting", f'there are two output tables "{name}"', None
        names.append(str(name))
        for key in ("has", "fields"):
            if key in keys and not _is_texts(keys[key]):
                yield (*path, key), "bad-setting", f"output.table.{key} must be a list of names", None


def _unknown(table: str, keys: Mapping[str, Any], known: Sequence[str], path: Path) -> Iterator[Wrong]:
    for key in keys:
        if key not in known:
            yield (*path, key), "unknown-setting", f"there is no setting {table}.{key}", did_you_mean(key, known)


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) and text for text in value)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True
