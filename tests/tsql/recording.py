"""Notes every statement that is sent, with the module of the product that sends it."""

import atexit
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import ade
from tsql.commands import command

FOLDER = "TSQL_STAND_IN_RECORD"  # where recordings are written; nothing is recorded without it
TESTS = "tests"
CONNECTION = "connection"  # transactions, savepoints and settings, from any caller
_PRODUCT = f"{Path(ade.__file__).parent}{os.sep}"
_TESTS = f"{Path(__file__).parents[1]}{os.sep}"
# They pass on the statements of others.
PLUMBING = {
    "transaction.py",
    "engines.py",
    "rows.py",
    *(f"wire/{name}.py" for name in ("conversation", "prepared", "bundle", "batch")),
}
_PASSING_ON = tuple(f"{_PRODUCT}database{os.sep}{name.replace('/', os.sep)}" for name in PLUMBING)
MOST_VALUES = 8  # of a parameter that are noted


@dataclass
class Note:
    """A statement of a module: how often it was sent, and the first values of its parameters, NULL left out."""

    count: int = 0
    values: dict[str, set[Any]] = field(default_factory=dict)
    is_bound: bool = False


_notes: dict[tuple[str, str], Note] = {}
_places: set[tuple[str, int]] = set()
_origins: dict[str, str] = {}


def note_origin(sql: str) -> None:
    """Note who sends a statement that waits until others travel with it: later nobody can tell."""
    if os.environ.get(FOLDER) and (sender := _sender()):
        _origins[sql] = sender


def note(sql: str, given: Mapping[str, Any], *, is_bound: bool) -> None:
    """Note a statement and the values of its parameters, which the driver binds or which are a part of the message."""
    if not os.environ.get(FOLDER):
        return
    if not _notes:
        atexit.register(write)
    sender = _origins.get(sql) or _sender() or CONNECTION
    key = (sender if command(sql) is None else CONNECTION, sql)
    if key not in _notes:
        _notes[key] = Note(values={name: set() for name in given}, is_bound=is_bound)
        _append({"module": key[0], "sql": sql})  # at once: the process may be killed
    noted = _notes[key]
    noted.count += 1
    for name, value in given.items():
        known = noted.values[name]
        if value is not None and len(known) < MOST_VALUES:
            known.add(value if isinstance(value, int) else str(value)[:40])


def _sender() -> str:
    """Return the module of the product that sends a statement, as a path below the package; or "tests"."""
    sender = ""
    for frame in _frames():
        name = frame.f_code.co_filename
        if name.startswith(_PRODUCT) and not name.startswith(_PASSING_ON):
            sender = sender or name.removeprefix(_PRODUCT)
            _note_place(name, frame.f_lineno)
        elif name.startswith(_TESTS) and not name.startswith(f"{_TESTS}tsql{os.sep}"):
            sender = sender or TESTS
    return sender


def _note_place(name: str, line: int) -> None:
    if (name, line) not in _places:
        _places.add((name, line))
        _append({"place": name.removeprefix(_PRODUCT), "line": line})


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def write() -> None:
    """Write how often each statement was sent."""
    for (module, sql), noted in _notes.items():
        values = {name: sorted(known, key=str) for name, known in noted.values.items()}
        _append({"module": module, "sql": sql, "count": noted.count, "values": values, "is_bound": noted.is_bound})
    _notes.clear()


def _append(facts: dict[str, Any]) -> None:
    path = Path(os.environ[FOLDER]) / f"{os.getpid()}.jsonl"
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(facts) + "\n")
