"""Finds the line of a key in a TOML text: tomllib knows the values, and not where they are written."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

from ade_engine.records import record


@record
class _Statement:
    """One statement of a TOML text: a table's header, or a key with its value. Lines count from 1."""

    line: int
    lines: tuple[str, ...]
    header: str  # of the table the statement belongs to

    def content(self, *, lines: int | None = None, end: str = "") -> dict[str, Any] | None:
        """Return what the statement says, or what its first lines say; None when that is no TOML."""
        return _parsed("\n".join((self.header, *self.lines[:lines], end)))


def line_of(text: str, *path: str, entry: int | None = None) -> int:
    """Return the line that sets a key of a valid TOML text; of an entry of its list when that is asked for.

    A key that is not there is at line 1.
    """
    for statement in _statements(text):
        if _at(statement.content(), path) is not None:
            return statement.line + (_entry_line(statement, path, entry) if entry is not None else 0)
    return 1


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements in order: each ends where the lines since the one before are TOML."""
    header, first, waiting = "", 1, []
    for number, line in enumerate(text.split("\n"), start=1):
        waiting.append(line.removesuffix("\r"))
        is_header = waiting[0].lstrip().startswith("[")
        found = _Statement(first, tuple(waiting), "" if is_header else header)
        if found.content() is not None:
            yield found
            header = "\n".join(waiting) if is_header else header
            first, waiting = number + 1, []


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None


def _at(content: Any, path: tuple[str, ...]) -> Any:
    """Return what stands at a path, or None."""
    for name in path:
        content = content.get(name) if isinstance(content, dict) else None
    return content


def _entry_line(statement: _Statement, path: tuple[str, ...], entry: int) -> int:
    """Return how many lines below its first one a statement holds an entry of its list."""
    for count in range(1, len(statement.lines)):
        so_far = _at(statement.content(lines=count, end="]"), path)
        if isinstance(so_far, list) and len(so_far) > entry:
            return count - 1
    return len(statement.lines) - 1 if len(statement.lines) > 1 else 0
