"""Reads, checks and writes corrections.json: what people decided about documents, one correction a line."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from pathlib import Path
from typing import Any

from ade_engine.cells import is_cell_of_sheet, parse_range
from ade_engine.configuration.own_file import write_own_file
from ade_engine.configuration.problems import Problem, did_you_mean
from ade_engine.configuration.signatures import LABELS
from ade_engine.corrections import ABOUT, KINDS, OUTCOMES
from ade_engine.errors import ConfigurationError
from ade_engine.fields import TYPES, is_field_name
from ade_engine.patterns import Pattern

FILE = "corrections.json"
VERSION = 1
LARGEST_BYTES = 4 * 1024 * 1024
MOST_PROBLEMS = 20
_LONGEST_TEXT = 1000
_MOST_HEADER_ROWS = 100
_REPEATED = ("by", "at", "document")  # by the artifact
_OPTIONAL = (*_REPEATED, "sheet", "type", "day_first", "kept", "new", "outcome", "found", "transposed")
_PLACES = ("cell", "row", "field")  # of a cell: its name, or a row and a field
_WORDS = {("row", "label"): LABELS, ("", "outcome"): OUTCOMES, ("", "type"): TYPES}  # by kind, if it matters, and key
Entry = dict[str, Any]
ROW_OF_A_TURNED_TABLE = Pattern(r"[1-9][0-9]{0,6}")  # in place of a column's letters


def read_corrections(folder: Path) -> tuple[Sequence[Entry], list[Problem]]:
    """Return the corrections of a configuration folder, and what is wrong with them."""
    path = folder / FILE
    if not path.is_file():
        return (), []
    with path.open("rb") as file:
        read = file.read(LARGEST_BYTES + 1)
    if len(read) > LARGEST_BYTES:
        return (), [Problem(FILE, 1, "bad-correction", f"the file has more than {LARGEST_BYTES} bytes")]
    try:
        text = read.decode("utf-8-sig")
        content = json.loads(text)
        json.dumps(content, ensure_ascii=False).encode()  # a half of a character could not be written again
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        return (), [Problem(FILE, line, "syntax-error", "this is not JSON")]
    entries = content.get("corrections") if isinstance(content, dict) else None
    if not isinstance(entries, list) or content.get("version") != VERSION:
        message = f'it must have "version": {VERSION} and a list "corrections"'
        return (), [Problem(FILE, 1, "bad-correction", message)]
    problems = (
        Problem(FILE, _line(text, entry, number), "bad-correction", message, advice)
        for number, entry in enumerate(entries)
        for message, advice in (*wrong_correction(entry), *_of_any_document(entry))
    )
    first = list(islice(problems, MOST_PROBLEMS))  # to find the line of each takes as long as the file is
    return (() if first else entries), first


def field_problems(folder: Path, fields: Collection[str]) -> Iterator[Problem]:
    """Yield the corrections that name a field which does not exist."""
    entries, _ = read_corrections(folder)
    fields = {*fields, *new_fields(entries)}
    text = (folder / FILE).read_text("utf-8-sig") if entries else ""
    for number, entry in enumerate(entries):
        name = entry.get("field")
        if name is not None and name not in fields:
            message = f"the correction {entry['id']} names no field {name}"
            yield Problem(FILE, _line(text, entry, number), "bad-correction", message, did_you_mean(name, fields))


def new_fields(entries: Sequence[Mapping[str, Any]]) -> set[str]:
    """Return the names of the fields that corrections add."""
    return {entry["field"] for entry in entries if entry["kind"] == "new_field"}


def wrong_correction(entry: Any) -> Iterator[tuple[str, str | None]]:
    """Yield what is wrong with a correction, and advice."""
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str) or not entry["id"]:
        yield "a correction must be an object with an id", None
        return
    name, kind = f"the correction {entry['id'][:60]}", str(entry.get("kind"))
    if kind not in KINDS:
        yield f"{name} has the kind {kind[:60]}", f"Kinds are: {', '.join(KINDS)}"
        return
    keys, becomes = KINDS[kind]
    for key in entry:
        if key not in (*ABOUT, *keys, *becomes):
            yield f"{name} has a key {key[:60]}, which {kind} does not have", did_you_mean(key, (*keys, *becomes))
    for key in (*_REPEATED, *keys, *becomes):
        is_optional = key in _OPTIONAL or (kind == "cell" and key in _PLACES)
        if key not in entry and not is_optional:
            yield f"{name} needs {key}", None
        elif key in entry and (expected := _expected(kind, key, entry[key])) is not None:
            yield f"{key} of {name} must be {expected}", None
    if (missing := _contradiction(kind, entry)) is not None:
        yield missing.format(name=name), None


def _of_any_document(entry: Any) -> Iterator[tuple[str, str | None]]:
    """Yield what is wrong with the correction of a cell that is kept for many documents: it must name its own."""
    if isinstance(entry, dict) and entry.get("kind") == "cell" and not entry.get("document"):
        yield f"the correction {str(entry.get('id'))[:60]} needs document: a cell is of one document", None


def _contradiction(kind: str, entry: Entry) -> str | None:
    """Return what is wrong with a correction whose keys are right one by one."""
    if kind == "field" and not {"type", "day_first"} & entry.keys():
        return "{name} needs type or day_first"
    if kind == "range" and not _is_header_inside(entry):
        sides = "columns" if entry.get("transposed") else "rows"
        return f"header_rows of {{name}} must be no more than its range has {sides}"
    if kind == "cell":
        return _wrong_place(entry)
    if kind == "value" and ("new" in entry) == ("outcome" in entry):
        return "{name} needs either new or outcome"
    return None


def _wrong_place(entry: Entry) -> str | None:
    """Return what is wrong with where a corrected cell is, and with which document it is of."""
    if "new" not in entry:
        return "{name} needs new"
    given = {key for key in _PLACES if entry.get(key) is not None}
    return None if given in ({"cell"}, {"row", "field"}) else "{name} needs either cell, or row and field"


def _expected(kind: str, key: str, value: Any) -> str | None:
    """Return what the value must be, or None when it is that."""
    is_text = isinstance(value, str) and 0 < len(value) <= _LONGEST_TEXT
    if key in _REPEATED:
        return None if value is None or isinstance(value, str) else "a text"
    if key == "sheet":
        return None if is_text or (value is None and kind != "sheet") else "the name of a sheet"
    if kind == "new_field" and key == "field":
        return None if is_text and is_field_name(value) else "a name such as member_id"
    if key == "field":
        is_none = value is None and kind in ("header", "column")
        return None if is_text or is_none else "the name of a field" + (", or null" if kind != "value" else "")
    if key in ("column", "row", "range", "header_rows", "cell"):
        return _expected_place(key, value, is_text=is_text)
    if (words := _WORDS.get((kind, key)) or _WORDS.get(("", key))) is not None:
        return None if value in words else f"one of {', '.join(words)}"
    if key in ("day_first", "ignored", "kept", "transposed"):
        return None if isinstance(value, bool) else "true or false"
    if key in ("new", "found"):
        is_value = isfinite(value) if isinstance(value, float) else isinstance(value, str | int | None)
        return None if is_value else "a text, a number, true, false or null"
    return None if is_text else "a text"


def _expected_place(key: str, value: Any, *, is_text: bool) -> str | None:
    if key == "column":
        is_letters = is_text and len(value) <= 3 and value.isascii() and value.isalpha() and value.isupper()
        is_row = is_text and ROW_OF_A_TURNED_TABLE.fullmatch(value)
        return None if is_letters or is_row else "letters such as C"
    if key == "cell":
        return None if is_text and is_cell_of_sheet(value) else "a cell such as C7"
    if key == "range":
        return None if is_text and _is_range(value) else "a range such as B4:F20"
    if key == "row":
        return None if type(value) is int and value > 0 else "a number of a row"
    is_count = type(value) is int and 0 <= value <= _MOST_HEADER_ROWS
    return None if is_count else f"a number from 0 to {_MOST_HEADER_ROWS}"


def _is_range(text: str) -> bool:
    try:
        return parse_range(text).a1 == text
    except ValueError:
        return False


def _is_header_inside(entry: Entry) -> bool:
    text, count = entry.get("range"), entry.get("header_rows")
    if not isinstance(text, str) or not _is_range(text) or type(count) is not int:
        return True  # which is reported as what it is
    place = parse_range(text)
    if entry.get("transposed"):
        return count <= place.last_column - place.first_column + 1
    return count <= place.last_row - place.first_row + 1


def _line(text: str, entry: Any, number: int) -> int:
    """Return the line of a correction: that of its id, where it has one."""
    shown = json.dumps(entry.get("id"), ensure_ascii=False) if isinstance(entry, dict) else ""
    place = text.find(shown) if shown else -1
    return text.count("\n", 0, place) + 1 if place >= 0 else min(number + 3, text.count("\n") + 1)


def add_correction(folder: Path, entry: Mapping[str, Any]) -> None:
    """Add a correction to a configuration folder; raise ConfigurationError when it is wrong."""
    for message, advice in wrong_correction(dict(entry)):
        raise ConfigurationError(f"{message}. {advice or ''}".strip())
    write_corrections(folder, [*_valid(folder), dict(entry)])


def undo_correction(folder: Path, correction_id: str) -> Entry:
    """Remove a correction and return it; what it replaced holds again."""
    entries = _valid(folder)
    for entry in entries:
        if entry["id"] == correction_id:
            write_corrections(folder, [other for other in entries if other is not entry])
            return entry
    raise ConfigurationError(f"There is no correction {correction_id}.")


def write_corrections(folder: Path, entries: Sequence[Mapping[str, Any]]) -> None:
    """Write the corrections, one a line, so that versions can be compared."""
    lines = ",\n".join("  " + json.dumps(entry, ensure_ascii=False) for entry in entries)
    text = f'{{"version": {VERSION}, "corrections": [\n{lines}\n]}}\n'
    write_own_file(folder / FILE, text)


def _valid(folder: Path) -> list[Entry]:
    entries, problems = read_corrections(folder)
    for problem in problems:
        raise ConfigurationError(str(problem), file=FILE, line=problem.line)
    return list(entries)
