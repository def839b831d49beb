"""Reads learned.json: what the columns of accepted documents were called and looked like, field by field.

It holds headers and profiles, and no values. Every entry names the document it came from: it can be shown and undone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from ade_engine.configuration.own_file import write_own_file
from ade_engine.configuration.problems import Problem
from ade_engine.configuration.profiles import LARGEST_BYTES, is_profile, is_salt
from ade_engine.records import record

FILE = "learned.json"
VERSION = 1
MOST_ENTRIES = 50  # each costs a comparison per column and field
LONGEST_TEXT = 500


@record
class LearnedColumn:
    """The headers that fed a field in a document, and what their values looked like."""

    headers: tuple[str, ...]
    profile: Mapping[str, Any] | None


@record(kw_only=True)
class Entry:
    """What one accepted document taught. `sender` is a pattern for names of documents it is evidence for, or None."""

    origin: str
    sender: str | None
    fields: Mapping[str, LearnedColumn]

    def is_for(self, document: str) -> bool:
        """Return whether it is evidence for a document of this name."""
        return self.sender is None or fnmatchcase(document.casefold(), self.sender.casefold())


@record
class Learned:
    """All entries of a configuration; their sketches have one salt."""

    salt: str = ""
    entries: tuple[Entry, ...] = ()


NOTHING = Learned()


def read_learned(folder: Path) -> tuple[Learned, list[Problem]]:
    """Return what learned.json of a configuration holds, and what is wrong with it."""
    path = folder / FILE
    if not path.is_file():
        return NOTHING, []
    with path.open("rb") as file:
        read = file.read(LARGEST_BYTES + 1)
    if len(read) > LARGEST_BYTES:
        return NOTHING, [_problem(f"the file has more than {LARGEST_BYTES} bytes")]
    try:
        content = json.loads(read.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return NOTHING, [_problem("this is not JSON")]
    problems = list(_problems(content))
    return (NOTHING if problems else _learned(content)), problems


def _problems(content: Any) -> Iterator[Problem]:
    is_known = isinstance(content, dict) and content.get("version") == VERSION and is_salt(content.get("salt"))
    if not is_known or not isinstance(content.get("entries"), list):
        yield _problem(f'it must have "version": {VERSION}, "salt" and "entries"')
        return
    if len(content["entries"]) > MOST_ENTRIES:
        yield _problem(f"it has more than {MOST_ENTRIES} entries")
    wrong = [number for number, entry in enumerate(content["entries"], 1) if not _is_entry(entry)]
    if wrong:
        yield _problem(f"entry {wrong[0]} does not have the form that ade learn writes")


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or set(entry) - {"origin", "sender", "fields"}:
        return False
    if not _is_text(entry.get("origin")) or not (entry.get("sender") is None or _is_text(entry["sender"])):
        return False
    fields = entry.get("fields")
    return isinstance(fields, dict) and all(_is_column(column) for column in fields.values())


def _is_column(column: Any) -> bool:
    if not isinstance(column, dict) or set(column) - {"headers", "profile"}:
        return False
    headers = column.get("headers")
    return (
        isinstance(headers, list)
        and all(_is_text(header) for header in headers)
        and ("profile" not in column or is_profile(column["profile"]))
    )


def _is_text(text: Any) -> bool:
    return isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT


def _learned(content: Mapping[str, Any]) -> Learned:
    entries = [
        Entry(
            origin=entry["origin"],
            sender=entry.get("sender"),
            fields={
                name: LearnedColumn(tuple(column["headers"]), column.get("profile"))
                for name, column in entry["fields"].items()
            },
        )
        for entry in content["entries"]
    ]
    return Learned(content["salt"], tuple(entries))


def forget(folder: Path, origin: str) -> bool:
    """Take out of learned.json what was learned from a document; return whether there was something."""
    learned, _ = read_learned(folder)
    kept = tuple(entry for entry in learned.entries if entry.origin != origin)
    if len(kept) == len(learned.entries):
        return False
    path = folder / FILE
    if kept:
        write_own_file(path, as_text(Learned(learned.salt, kept)))
    else:
        path.unlink()
    return True


def as_text(learned: Learned) -> str:
    """Return learned.json: one line a field, so that a difference between versions can be read."""
    entries = ",\n".join(_entry_text(entry) for entry in learned.entries)
    return f'{{\n "version": {VERSION},\n "salt": "{learned.salt}",\n "entries": [\n{entries}\n ]\n}}\n'


def _entry_text(entry: Entry) -> str:
    fields = ",\n".join(
        f"   {_json(name)}: {_json(_column_json(column))}" for name, column in sorted(entry.fields.items())
    )
    head = f'  {{"origin": {_json(entry.origin)}, "sender": {_json(entry.sender)}, "fields": {{'
    return f"{head}\n{fields}\n  }}}}"


def _column_json(column: LearnedColumn) -> dict[str, Any]:
    headers: Sequence[str] = column.headers
    return {"headers": list(headers), **({"profile": column.profile} if column.profile is not None else {})}


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False)


def _problem(message: str) -> Problem:
    return Problem(FILE, 1, "bad-learned", message, "Delete it, and learn again: ade learn FOLDER DOCUMENT")
