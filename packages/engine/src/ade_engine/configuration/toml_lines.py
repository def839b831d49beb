"""Finds the line of a key in a TOML text: tomllib knows the values, and not where they are written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from ade_engine.records import record


@record(frozen=False)
class _Statement:
    """One statement of a TOML text: a table's header, or a key with its value. Lines count from 1."""

    line: int
    lines: tuple[str, ...]
    header: str  # of the table the statement belongs to
    number: int = 0  # which of the tables of one [[name]] it belongs to

    def content(self, *, lines: int | None = None, end: str = "") -> dict[str, Any] | None:
        """Return what the statement says, or what its first lines say; None when that is no TOML."""
        return _parsed("\n".join((self.header, *self.lines[:lines], end)))


def line_of(text: str, *path: str | int, entry: int | None = None) -> int:
    """Return the line that sets a key of a valid TOML text; of an entry of its list when that is asked for.

    A number in the path chooses one of the tables of a [[name]]. A key that is not there is at line 1.
    """
    for statement in _statements(text):
        if _at(statement.content(), path, statement.number) is not None:
            return statement.line + (_entry_line(statement, path, entry) if entry is not None else 0)
    return 1


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements in order: each ends where the lines since the one before are TOML."""
    header, first, waiting = "", 1, []
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        waiting.append(line.removesuffix("\r"))
        is_header = waiting[0].lstrip().startswith("[")
        found = _Statement(first, tuple(waiting), "" if is_header else header)
        if found.content() is not None:
            _count(counts, waiting[0] if is_header else "")
            found.number = _number(counts, waiting[0] if is_header else header)
            yield found
            header = "\n".join(waiting) if is_header else header
            first, waiting = number + 1, []


def _count(counts: dict[str, int], line: str) -> None:
    if line.lstrip().startswith("[["):
        name = _table_name(line)
        counts[name] = counts.get(name, 0) + 1


def _number(counts: Mapping[str, int], header: str) -> int:
    """Return which table of its [[name]] a header belongs to, counted from 0."""
    name = _table_name(header)
    return max((count - 1 for array, count in counts.items() if f"{name}.".startswith(f"{array}.")), default=0)


def _table_name(line: str) -> str:
    return line.partition("]")[0].strip(" \t[").replace(" ", "").replace('"', "")


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _at(content: Any, path: tuple[str | int, ...], number: int = 0) -> Any:
    """Return the value at a path, or None; `number` is which table of a [[name]] this is."""
    for name in path:
        if isinstance(name, int):
            several = content if isinstance(content, list) and len(content) > 1 else None
            one = content[0] if isinstance(content, list) and content else content
            content = several[name] if several and name < len(several) else (one if name == number else None)
        else:
            content = content.get(name) if isinstance(content, dict) else None
    return content


def _entry_line(statement: _Statement, path: tuple[str | int, ...], entry: int) -> int:
    """Return how many lines below its first one a statement holds an entry of its list."""
    for count in range(1, len(statement.lines)):
        so_far = _at(statement.content(lines=count, end="]"), path, statement.number)
        if isinstance(so_far, list) and len(so_far) > entry:
            return count - 1
    return len(statement.lines) - 1 if len(statement.lines) > 1 else 0
